"""Records Montezuma's Revenge through the Arcade Learning Environment, in the layout of the Atari Grand Challenge.

    python3 montezuma.py -o DIR [--quick]             needs ale-requirements.txt

Players are scripted. They look some frames ahead in a copy of the game, choose among moves drawn at random, and
follow a path of places:
    novice      draws its moves without looking ahead: 0 points
    moderate    knows the way to the key: 100 points
    expert      brings the key to a door: 400 points
Every player has random numbers of its own, waits a while of its own before it starts, and the game repeats an action
now and then, so no run is a replay of another. Which class a run belongs to is told by its final score alone, as in
the paper, with the thresholds 100 and 400 (the paper's are 1000 and 3000, which no scripted player reaches). A run
that missed its class is made again with other random numbers.

Rows of `trajectories/revenge/ID.txt` are all frames. Pictures `screens/revenge/ID/FRAME.png` are of every tenth
frame, grey, in full size.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from ale_py import ALEInterface, LoggerMode, roms
from common import Progress, count_of, generator, options, run, whole
from PIL import Image

EVERY = 10
STICKY = 0.1
MOVES = (0, 2, 3, 4, 5, 11, 12)  # nothing, up, right, left, down, jump right, jump left
TO_KEY = ((77, 192), (112, 195), (133, 192), (133, 148), (22, 148), (22, 190), (14, 205))
TO_DOOR = (
    (22, 190),
    (22, 148),
    (133, 148),
    (133, 192),
    (112, 195),
    (77, 192),
    (77, 235),
    (88, 235),
    (108, 235),
    (150, 235),
)
X, Y, ROOM, LIVES, BELONGINGS = 42, 43, 3, 58, 65  # where the machine's memory has them
CLASSES = {"novice": (0, 99), "moderate": (100, 399), "expert": (400, 10**9)}
LONGEST = {"novice": 900, "moderate": 2400, "expert": 4800}


@dataclass
class Row:
    """One frame of a trajectory file."""

    reward: int
    score: int
    terminal: int
    action: int


class Game:
    """The emulator, and what was recorded of it."""

    def __init__(self, rng: np.random.Generator) -> None:
        ALEInterface.setLoggerMode(LoggerMode.Error)
        self.ale = ALEInterface()
        self.ale.setInt("random_seed", int(rng.integers(2**31)))
        self.ale.setFloat("repeat_action_probability", STICKY)
        self.ale.loadROM(roms.get_rom_path("montezuma_revenge"))
        self.rows: list[Row] = []
        self.screens: dict[int, np.ndarray] = {}
        self.score = 0

    def place(self) -> tuple[int, int]:
        """Where the player is."""
        memory = self.ale.getRAM()
        return int(memory[X]), int(memory[Y])

    def act(self, action: int) -> None:
        """One frame, recorded: the picture is the one that the player saw before the action."""
        frame = len(self.rows)
        if frame % EVERY == 0:
            self.screens[frame] = self.ale.getScreenGrayscale()
        reward = int(self.ale.act(action))
        self.score += reward
        self.rows.append(Row(reward, self.score, int(self.ale.game_over()), action))


class Planner:
    """Looks ahead: the move, of some drawn at random, that comes nearest to the next place of a path, and is survived."""

    def __init__(self, game: Game, rng: np.random.Generator, path: tuple[tuple[int, int], ...]) -> None:
        self.game, self.rng, self.path, self.at = game, rng, path, 0

    def reached(self, at: int) -> bool:
        """Whether the player is at a place of the path; the last is reached by points alone."""
        if at == len(self.path) - 1:
            return False
        x, y = self.game.place()
        return abs(x - self.path[at][0]) <= 3 and abs(y - self.path[at][1]) <= 4

    def far(self, at: int) -> float:
        """How far the way still is."""
        x, y = self.game.place()
        (gx, gy), left = self.path[at], len(self.path) - at
        # Being on another floor is a long detour.
        return 1000 * left + abs(x - gx) + abs(y - gy) + (100 if abs(y - gy) > 20 else 0)

    def tried(self, plan: list[tuple[int, int]]) -> float:
        """How far the way is after a plan; the game is left where the plan leads to."""
        at, ale = self.at, self.game.ale
        for action, frames in plan:
            for _ in range(frames):
                if ale.act(action) > 0:
                    return -1.0
                if self.reached(at):
                    at += 1
        return self.far(at)

    def survived(self, lives: int) -> bool:
        """Whether the player still lives a while later, doing nothing."""
        for _ in range(30):
            self.game.ale.act(0)
        return self.game.ale.lives() == lives

    def plan(self, tries: int) -> list[tuple[int, int]]:
        """The best of `tries` plans of two moves that does not kill."""
        ale = self.game.ale
        start, lives, found = ale.cloneState(), ale.lives(), []
        for _ in range(tries):
            plan = [(int(self.rng.choice(MOVES)), int(self.rng.integers(3, 22))) for _ in range(2)]
            far = self.tried(plan)
            found.append((far, len(found), plan, ale.cloneState()))
            ale.restoreState(start)
        for _, _, plan, after in sorted(found, key=lambda item: item[:2]):
            ale.restoreState(after)
            alive = self.survived(lives)
            ale.restoreState(start)
            if alive:
                return plan
        return [(0, 5)]

    def follow(self, tries: int, longest: int) -> bool:
        """Plays until points are won; false when that takes too long."""
        score = self.game.score
        while len(self.game.rows) < longest and not self.game.ale.game_over():
            for action, frames in self.plan(tries):
                for _ in range(frames):
                    self.game.act(action)
                    while self.reached(self.at):
                        self.at += 1
                    if self.game.score > score:
                        return True
        return False


def wander(game: Game, rng: np.random.Generator, frames: int) -> None:
    """Moves drawn at random."""
    end = len(game.rows) + frames
    while len(game.rows) < end and not game.ale.game_over():
        action = int(rng.choice(MOVES))
        for _ in range(int(rng.integers(3, 22))):
            game.act(action)


def play(kind: str, rng: np.random.Generator) -> Game:
    """One run of a player of a class."""
    game = Game(rng)
    for _ in range(60 + int(rng.integers(0, 60))):
        game.act(0)
    if kind != "novice" and Planner(game, rng, TO_KEY).follow(24, LONGEST[kind]) and kind == "expert":
        Planner(game, rng, TO_DOOR).follow(24, LONGEST[kind])
    wander(game, rng, int(rng.integers(200, 500)))
    return game


def write(game: Game, number: int, folder: Path) -> None:
    """Pictures first: a trajectory file says that a run is whole."""
    with whole(folder / "screens" / "revenge" / str(number)) as screens:
        screens.mkdir(parents=True)
        for frame, picture in game.screens.items():
            Image.fromarray(np.ascontiguousarray(picture).reshape(picture.shape[:2])).save(
                screens / f"{frame}.png", optimize=True
            )
    lines = [f"db traj id : {number}", "frame,reward,score,terminal,action"]
    lines += [f"{at},{row.reward},{row.score},{row.terminal},{row.action}" for at, row in enumerate(game.rows)]
    with whole(folder / "trajectories" / "revenge" / f"{number}.txt") as part:
        part.write_text("\n".join(lines) + "\n")


def main() -> None:
    """Records the runs that are not there yet."""
    args = options(__doc__, quick=4, full=40, unit="runs").parse_args()
    count = count_of(args)
    wanted = [(kind, turn) for turn in range(count) for kind in CLASSES]
    progress = Progress(len(wanted))
    for number, (kind, turn) in enumerate(wanted, start=1):
        if (args.output / "trajectories" / "revenge" / f"{number}.txt").exists():
            progress.step("was there")
            continue
        for attempt in range(50):
            game = play(kind, generator(args.seed, kind, turn, attempt))
            low, high = CLASSES[kind]
            if low <= game.score <= high:
                break
        else:
            raise SystemExit(f"no run of a {kind} player ended between {low} and {high} points in 50 attempts")
        write(game, number, args.output)
        progress.step(f"{kind}, {game.score} points, {len(game.rows)} frames, attempt {attempt + 1}")


if __name__ == "__main__":
    run(main)
