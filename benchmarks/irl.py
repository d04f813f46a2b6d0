"""How fast and how good learned rewards are, beside imitation and SciPy; prints the tables of benchmarks/IRL.md.

    cargo build --release -p srrd-cli && cargo build --release -p srrd-irl --examples
    python3 -m venv peers && peers/bin/pip install 'setuptools<80' imitation==1.0.1
    peers/bin/python benchmarks/irl.py                  all of it (some minutes)
    peers/bin/python benchmarks/irl.py solving ptirl    some parts

Everything is measured as a user meets it, by the command, in processor time (user and system, of all threads), so that
other work on the machine counts for little. Parts that need imitation say so where it is not installed.
"""

from __future__ import annotations

import argparse
import csv
import json
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

ROOT = Path(__file__).resolve().parent.parent
SIDE, MOVES = 5, ((0, -1), (1, 0), (0, 1), (-1, 0))


class Tools:
    """The command, the examples and a folder to work in."""

    def __init__(self, srrd: Path, examples: Path, folder: Path) -> None:
        self.command, self.examples, self.folder = srrd, examples, folder

    def run(self, *call: str | Path) -> tuple[str, float, float]:
        """What a program prints, its processor time and its time, in seconds."""
        before, begun = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
        done = subprocess.run(
            [str(part) for part in call], capture_output=True, text=True, check=False, cwd=self.folder
        )
        took, after = time.perf_counter() - begun, resource.getrusage(resource.RUSAGE_CHILDREN)
        if done.returncode != 0:
            sys.exit(f"{' '.join(map(str, call))}: {done.stderr}")
        used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        return done.stdout, used, took

    def srrd(self, call: str) -> tuple[str, float, float]:
        return self.run(self.command, *call.split())

    def walks(self) -> Path:
        """1,000 sets of five walks in the Gridworld, 100 of each of ten agents."""
        table = self.folder / "walks.csv"
        if not table.exists():
            self.srrd("simulate gridworld -o walks.csv --classes --sets 100 --rollouts 5")
        return table


def solving(tools: Tools) -> None:
    """MaxEnt on sets in memory, and from table to table."""
    few, many = (tools.run(tools.examples / "recovery", "speed", str(rounds))[1] for rounds in (1, 21))
    each = (many - few) / 20
    print(
        f"| MaxEnt, solving 1,000 sets (20 x 20, 5 walks of 200 steps) | {each:.3f} s of processor time: "
        f"{2000 / each:,.0f} sets per second on two cores | 5,000 |"
    )
    tools.walks()
    best = min((tools.srrd("irl maxent walks.csv -o rewards.csv") for _ in range(3)), key=lambda run: run[2])
    print(f"| MaxEnt, 1,000 sets from table to table | {best[2]:.2f} s ({best[1]:.2f} s of processor time) | 1 s |")
    for name, call, most in (
        ("AIRL with an exact generator", "airl walks.csv -o airl.csv", 50),
        ("PTIRL near", "ptirl walks.csv -o near.csv", 2),
        ("PTIRL spread", "ptirl walks.csv -o spread.csv --objective spread", 16),
    ):
        _, used, _ = tools.srrd(f"irl {call}")
        print(f"| {name}, per set, table to table | {used:.2f} ms | {most} ms |")


def ptirl(tools: Tools) -> None:
    """PTIRL's linear program by SciPy's HiGHS on the same kind of sets."""
    from scipy.optimize import linprog
    from scipy.sparse import coo_matrix

    sets: dict[str, dict[str, list[tuple[str, ...]]]] = {}
    with tools.walks().open() as file:
        for row in csv.DictReader(file):
            step = tuple(row[name] for name in row if name.partition(".")[0] in ("state", "action", "next_state"))
            sets.setdefault(row["sample"], {}).setdefault(row["episode"], []).append(step)
    names = list(sets)
    spent, count = 0.0, 50
    for number in range(count):
        target = list(sets[names[number]].values())
        far = names[500 + 2 * number : 502 + 2 * number]
        others = [walk for name in far for walk in sets[name].values()]
        place = {step: at for at, step in enumerate(sorted({step for walk in target + others for step in walk}))}
        entries = []
        for row, walk in enumerate(target + others):
            sign = -1.0 if row < len(target) else 1.0
            entries += [(sign, row, place[step]) for step in walk]
            entries.append((-sign, row, len(place) + (row >= len(target))))
        values, rows, columns = zip(*entries, strict=True)
        matrix = coo_matrix((values, (rows, columns))).tocsr()
        goal = np.zeros(len(place) + 2)
        goal[-2:] = -1, 1
        bounds = [(-100, 100)] * len(place) + [(None, None)] * 2
        begun = time.process_time()
        linprog(goal, A_ub=matrix, b_ub=np.zeros(matrix.shape[0]), bounds=bounds, method="highs")
        spent += time.process_time() - begun
    print(f"| the program of PTIRL spread by SciPy's HiGHS, per set | {spent / count * 1e3:.2f} ms | |")


def transitions(side: int) -> np.ndarray:
    """P[s, a, s'] of a grid. Moves are certain: where they are not, the likelihood of actions forgives bad luck, and
    imitation, which counts visits, does not, so that it is another problem."""
    model = np.zeros((side * side, 4, side * side))
    for state in range(side * side):
        for action, (dx, dy) in enumerate(MOVES):
            x, y = np.clip(state % side + dx, 0, side - 1), np.clip(state // side + dy, 0, side - 1)
            model[state, action, y * side + x] = 1
    return model


def mce(tools: Tools) -> None:
    """Maximum causal entropy over a finite horizon, beside imitation, γ = 1."""
    import torch
    from imitation.algorithms import mce_irl
    from imitation.rewards import reward_nets
    from seals.base_envs import TabularModelPOMDP

    torch.set_num_threads(1)
    for side, horizon in ((5, 20), (10, 50)):
        states, model, rng = side * side, transitions(side), np.random.default_rng(1)
        truth = rng.uniform(-1, 1, states)
        seen = np.eye(states, dtype=np.float32)
        problem = {"transition_matrix": model, "observation_matrix": seen, "reward_matrix": truth, "horizon": horizon}
        _, _, policy = mce_irl.mce_partition_fh(
            TabularModelPOMDP(**problem, initial_state_dist=np.full(states, 1 / states))
        )
        walks = [walk(model, policy, rng) for _ in range(200)]
        reward, ours = learned(tools, walks, model)

        def visits(states_of: list[list[int]], count: int = states) -> np.ndarray:
            return np.bincount([state for some in states_of for state in some], minlength=count) / len(states_of)

        # Walks start where they started; the last state of a walk is one in which nobody acts.
        env = TabularModelPOMDP(**problem, initial_state_dist=visits([states_of[:1] for states_of, _ in walks]))
        visited, _ = mce_irl.mce_occupancy_measures(env, reward=reward)
        off = np.abs(visited[:horizon].sum(axis=0) - visits([states_of[:-1] for states_of, _ in walks])).max()
        whole = visits([states_of for states_of, _ in walks])
        spaces = (env.observation_space, env.action_space)
        net = reward_nets.BasicRewardNet(*spaces, hid_sizes=(), use_action=False, use_done=False, use_next_state=False)
        # Its default learning rate of 0.001 would take all of its iterations.
        learner = mce_irl.MCEIRL(
            whole, env, net, rng=rng, discount=1.0, log_interval=None, optimizer_kwargs={"lr": 0.1}
        )
        begun = time.process_time()
        found = learner.train(max_iter=400)
        theirs = time.process_time() - begun
        print(
            f"| MaxEnt, {side} x {side}, horizon {horizon}, γ = 1 | {ours * 1e3:.0f} ms with reading and writing; "
            f"visits as imitation computes them off by at most {off:.1e} per walk | imitation: {theirs * 1e3:.0f} ms for at "
            f"most 400 iterations, off by {np.abs(found - whole).max():.1e}: {theirs / ours:.0f} times |"
        )


def walk(model: np.ndarray, policy: np.ndarray, rng: np.random.Generator) -> tuple[list[int], list[int]]:
    """The states and actions of a walk by a policy that knows the time left."""
    states, actions = [int(rng.integers(len(model)))], []
    for now in policy:
        actions.append(int(rng.choice(4, p=now[states[-1]])))
        states.append(int(rng.choice(len(model), p=model[states[-1], actions[-1]])))
    return states, actions


def learned(tools: Tools, walks: list[tuple[list[int], list[int]]], model: np.ndarray) -> tuple[np.ndarray, float]:
    """The reward of every state, and the processor time that the command takes."""
    with (tools.folder / "mce.csv").open("w") as file:
        print("episode,step,state,action,next_state,terminated", file=file)
        for number, (states, actions) in enumerate(walks):
            for step, action in enumerate(actions):
                print(number, step, states[step], action, states[step + 1], "false", sep=",", file=file)
    with (tools.folder / "model.csv").open("w") as file:
        print("state,action,next_state,probability", file=file)
        for state, action, after in zip(*np.nonzero(model), strict=True):
            print(state, action, after, model[state, action, after], sep=",", file=file)
    horizon = len(walks[0][1])
    call = f"irl maxent mce.csv -o learned.csv --horizon {horizon} --gamma 1 --model model.csv --ridge 1e-6"
    _, used, _ = tools.srrd(call)
    reward = np.zeros(len(model))
    with (tools.folder / "learned.csv").open() as file:
        for row in csv.DictReader(file):
            reward[int(row["state"])] = float(row["reward"])
    return reward, used


def nets(tools: Tools) -> None:
    """AIRL with PPO, beside imitation with stable-baselines3, on the same nets and batches."""
    for disc in (16, 32):
        text, used, _ = tools.run(tools.examples / "times", "nets", "0", str(disc))
        actions = text.strip().splitlines()[-1].strip()
        print(
            f"| AIRL with PPO, {disc} discriminator steps | {100_000 / used:,.0f} steps per processor second; {actions} | |"
        )
    peers()


def peers() -> None:
    """The same by imitation."""
    import torch
    from imitation.algorithms.adversarial.airl import AIRL
    from imitation.data.types import Transitions
    from imitation.rewards.reward_nets import BasicShapedRewardNet
    from stable_baselines3 import PPO
    from stable_baselines3.common.vec_env import DummyVecEnv

    Grid = grid()
    torch.set_num_threads(1)
    rng, env = np.random.default_rng(0), Grid()
    before, actions, after = [env.reset()[0]], [], []
    for _ in range(1000):
        actions.append(int(rng.choice(4, p=(0.1, 0.4, 0.4, 0.1))))
        seen, _, _, cut, _ = env.step(actions[-1])
        after.append(seen)
        before.append(env.reset()[0] if cut else seen)
    shown = Transitions(
        obs=np.array(before[:-1]),
        acts=np.array(actions),
        infos=np.array([{}] * len(actions)),
        next_obs=np.array(after),
        dones=np.zeros(len(actions), bool),
    )
    for disc in (16, 32):
        venv = DummyVecEnv([Grid] * 8)
        ppo = PPO(
            "MlpPolicy",
            venv,
            n_steps=256,
            batch_size=256,
            n_epochs=10,
            learning_rate=1e-4,
            gamma=0.9,
            policy_kwargs={"net_arch": [256, 128]},
            seed=0,
            device="cpu",
        )
        net = BasicShapedRewardNet(
            venv.observation_space,
            venv.action_space,
            reward_hid_sizes=(256, 128),
            potential_hid_sizes=(256, 128),
            use_action=False,
        )
        learner = AIRL(
            demonstrations=shown,
            demo_batch_size=256,
            venv=venv,
            gen_algo=ppo,
            reward_net=net,
            n_disc_updates_per_round=disc,
            allow_variable_horizon=True,
        )
        begun = time.process_time()
        learner.train(3 * 2048)
        spent = time.process_time() - begun
        print(
            f"| imitation with stable-baselines3, {disc} discriminator steps | {3 * 2048 / spent:,.0f} steps per processor second | |"
        )


def grid() -> Any:
    """A class of environments: a grid that shows one number per cell."""
    import gymnasium

    class Grid(gymnasium.Env[np.ndarray, int]):
        observation_space = gymnasium.spaces.Box(0, 1, (SIDE * SIDE,), np.float32)
        action_space = gymnasium.spaces.Discrete(4)

        def seen(self) -> np.ndarray:
            row = np.zeros(SIDE * SIDE, np.float32)
            row[self.state] = 1
            return row

        def reset(self, *, seed: int | None = None, options: Any = None) -> tuple[np.ndarray, dict[str, Any]]:
            super().reset(seed=seed)
            self.state, self.steps = 0, 0
            return self.seen(), {}

        def step(self, action: int) -> tuple[np.ndarray, float, bool, bool, dict[str, Any]]:
            dx, dy = MOVES[int(action)]
            x, y = np.clip(self.state % SIDE + dx, 0, SIDE - 1), np.clip(self.state // SIDE + dy, 0, SIDE - 1)
            self.state, self.steps = int(y * SIDE + x), self.steps + 1
            return self.seen(), 0.0, False, self.steps == 200, {}

    return Grid


def accuracy(tools: Tools) -> None:
    """Agents told apart by learned rewards: Gridworld, 100 sets per agent, at least 21 shared transitions."""
    tools.walks()
    for name, call in (
        ("MaxEnt r(s), λ = 0.001", "maxent walks.csv"),
        ("MaxEnt r(s), λ = 3", "maxent walks.csv --ridge 3"),
        ("MaxEnt r(s, a)", "maxent walks.csv --reward state-action"),
        ("PTIRL spread", "ptirl walks.csv --objective spread"),
        ("PTIRL near", "ptirl walks.csv"),
    ):
        tools.srrd(f"irl {call} -o learned.csv")
        found = {}
        for metrics, more in (("direct,epic,dard,srrd", ""), ("projected", "--support own")):
            text, _, _ = tools.srrd(
                f"classify learned.csv --min-common 21 --shrinkage 0 --metric {metrics} {more} --repeats 20 --json"
            )
            answer = json.loads(text)
            for one in answer["results"]:
                found[one["metric"]] = 100 * one["accuracy"]["mean"]
            found["overlap"] = 100 * answer["overlap"]["accuracy"]["mean"]
        print(
            f"| {name} | "
            + " | ".join(f"{found[metric]:.0f}" for metric in ("direct", "epic", "dard", "srrd", "projected"))
            + f" | {found['overlap']:.1f} |"
        )


PARTS: dict[str, Callable[[Tools], None]] = {part.__name__: part for part in (solving, ptirl, mce, nets, accuracy)}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("parts", nargs="*", metavar="PART", help=f"of {', '.join(PARTS)}; all by default")
    parser.add_argument("--srrd", type=Path, default=ROOT / "target/release/srrd")
    parser.add_argument("--examples", type=Path, default=ROOT / "target/release/examples")
    asked = parser.parse_args()
    if unknown := [part for part in asked.parts if part not in PARTS]:
        parser.error(f"no such part: {', '.join(unknown)}")
    with tempfile.TemporaryDirectory() as folder:
        tools = Tools(asked.srrd, asked.examples, Path(folder))
        for name in asked.parts or PARTS:
            print(f"\n{PARTS[name].__doc__}\n")
            try:
                PARTS[name](tools)
            except ImportError as error:
                print(f"left out: {error}")


if __name__ == "__main__":
    main()
