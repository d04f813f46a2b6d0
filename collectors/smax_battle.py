"""Records micro-battles of JaxMARL's SMAX, a simplified StarCraft II, as one CSV file per game with a row per unit and
iteration.

    python3 smax_battle.py -o DIR [--quick]           needs smax-requirements.txt

Classes are the folders `STRATEGY-UNITS`: the four strategies of the paper times three mixes of units. The enemy is
the same for all, two stalkers and three zealots led by SMAX's heuristic.
    c1      move towards the ally that is nearest to the enemy's start
    c2      move towards an enemy unit chosen at random
    c3      move towards the ally that is nearest to an enemy unit
    c4      move towards the centre of the map
A unit that has an enemy in range attacks it. One move in ten is random, so games of a class differ. The score counts
the enemy's lost health, 50 for each enemy killed, and the health of one's own units: about what StarCraft II's score
is made of.
"""

from __future__ import annotations

import csv
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
from common import Progress, count_of, generator, options, run, whole
from jaxmarl.environments.smax import HeuristicEnemySMAX
from jaxmarl.environments.smax.smax_env import Scenario

NAMES = ("marine", "marauder", "stalker", "zealot", "zergling", "hydralisk")
MIXES = {"marines": (0, 0, 0, 0, 0, 0, 1, 1), "stalkers": (2, 2, 2, 2, 3), "hydralisks": (5, 5, 5, 4, 4, 4, 4)}
ENEMY = (2, 2, 3, 3, 3)
STRATEGIES = ("c1", "c2", "c3", "c4")
COLUMNS = ("iteration", "name", "is_mine", "is_enemy", "is_attacking", "x_pos", "y_pos", "score")
MOVES = 4  # the actions 0 to 3 move, 4 stops, the others attack
STEPS_PER_ACTION = 8  # iterations of the world


def battlefield(units: tuple[int, ...]) -> HeuristicEnemySMAX:
    """A battle of some units against the enemy."""
    kinds = jnp.array([*units, *ENEMY], dtype=jnp.uint8)
    return HeuristicEnemySMAX(scenario=Scenario(kinds, len(units), len(ENEMY), False, False), walls_cause_death=False)


class Leader:
    """Chooses the actions of all allied units by a strategy."""

    def __init__(self, env: HeuristicEnemySMAX, strategy: str, rng: np.random.Generator) -> None:
        self.env, self.strategy, self.rng = env, strategy, rng
        self.directions = np.asarray(env._env._decode_discrete_actions(jnp.arange(MOVES))[0])
        self.centre = np.array([env.map_width / 2, env.map_height / 2])
        self.base = np.array([env.map_width * 3 / 4, env.map_height / 2])
        self.chosen: dict[int, int] = {}

    def goal(
        self, unit: int, mine: np.ndarray, enemies: np.ndarray, alive: tuple[np.ndarray, np.ndarray]
    ) -> np.ndarray:
        """Where a unit moves to."""
        ours, theirs = np.flatnonzero(alive[0]), np.flatnonzero(alive[1])
        if self.strategy == "c4":
            return self.centre
        if self.strategy == "c2":
            if self.chosen.get(unit) not in theirs:
                self.chosen[unit] = int(self.rng.choice(theirs))
            return enemies[self.chosen[unit]]
        if self.strategy == "c1":
            first = ours[np.argmin(np.linalg.norm(mine[ours] - self.base, axis=1))]
            return self.base if first == unit else mine[first]
        away = np.linalg.norm(mine[ours][:, None] - enemies[theirs][None], axis=2)
        first, nearest = np.unravel_index(np.argmin(away), away.shape)
        return enemies[theirs[nearest]] if ours[first] == unit else mine[ours[first]]

    def act(self, state: object, available: dict[str, np.ndarray]) -> dict[str, int]:
        """The action of every unit, by its name."""
        places, alive = np.asarray(state.unit_positions), np.asarray(state.unit_alive)
        count = self.env.num_allies
        actions = {}
        for unit, name in enumerate(self.env.agents):
            can = np.flatnonzero(np.asarray(available[name]))
            attacks = can[can > MOVES]
            if not alive[unit] or not alive[count:].any():
                actions[name] = MOVES
            elif len(attacks):
                actions[name] = int(self.rng.choice(attacks))
            elif self.rng.random() < 0.1:
                actions[name] = int(self.rng.integers(MOVES))
            else:
                goal = self.goal(unit, places[:count], places[count:], (alive[:count], alive[count:]))
                actions[name] = int(np.argmax(self.directions @ (goal - places[unit])))
        return actions


def rows_of(
    env: HeuristicEnemySMAX, state: object, attacking: np.ndarray, iteration: int, full: np.ndarray
) -> list[tuple]:
    """One row for every unit that lives."""
    count, health = env.num_allies, np.asarray(state.unit_health).clip(0)
    alive, places, kinds = (np.asarray(part) for part in (state.unit_alive, state.unit_positions, state.unit_types))
    killed = int((~alive[count:]).sum())
    score = round(float((full - health)[count:].sum() + health[:count].sum()) + 50 * killed)
    return [
        (
            iteration, NAMES[kinds[unit]], unit < count, unit >= count, bool(attacking[unit]),
            f"{places[unit, 0]:.4f}", f"{places[unit, 1]:.4f}", score,
        )
        for unit in np.flatnonzero(alive)
    ]  # fmt: skip


def game(env: HeuristicEnemySMAX, strategy: str, rng: np.random.Generator) -> list[tuple]:
    """All rows of one game."""
    key = jax.random.key(int(rng.integers(2**31)))
    _, state = env.reset(key)
    full = np.asarray(state.state.unit_health)
    leader, rows, iteration = Leader(env, strategy, rng), [], 0
    while not bool(state.state.done):
        key, step = jax.random.split(key)
        before, actions = state.state, leader.act(state.state, env.get_avail_actions(state))
        _, state, _, _, _ = env.step_env(step, state, actions)
        attacking = np.asarray(state.state.prev_attack_actions) > MOVES
        rows += rows_of(env, before, attacking, iteration, full)
        iteration += STEPS_PER_ACTION
    return rows + rows_of(env, state.state, np.zeros(len(full), bool), iteration, full)


def write(rows: list[tuple], path: Path) -> None:
    """A game as a CSV file."""
    with whole(path) as part, open(part, "w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(COLUMNS)
        writer.writerows(rows)


def main() -> None:
    """Records the games that are not there yet."""
    args = options(__doc__, quick=4, full=30, unit="games").parse_args()
    count = count_of(args)
    progress = Progress(count * len(MIXES) * len(STRATEGIES))
    for mix, units in MIXES.items():
        env = battlefield(units)
        for number in range(count):
            for strategy in STRATEGIES:
                path = args.output / f"{strategy}-{mix}" / f"game_{number:03d}.csv"
                if not path.exists():
                    rows = game(env, strategy, generator(args.seed, mix, strategy, number))
                    write(rows, path)
                    progress.step(f"{strategy}-{mix}, {rows[-1][0]} iterations, score {rows[-1][-1]}")
                else:
                    progress.step("was there")


if __name__ == "__main__":
    run(main)
