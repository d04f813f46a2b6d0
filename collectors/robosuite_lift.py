"""Records robosuite's task Lift (a robot arm picks up a cube) in the layout of robomimic.

    python3 robosuite_lift.py -o DIR [--quick]        needs robosuite-requirements.txt

Three classes, each in the folder that robomimic has for such data, all of them scripted here:
    lift/ph/low_dim_v15.hdf5          one proficient operator: straight to the cube, little noise
    lift/mh/low_dim_v15.hdf5          six operators, from good to poor: detours, rests, missed grasps, another try
    lift/mg/low_dim_sparse_v15.hdf5   a machine that learns: noise between strong and weak, often without success
"""

from __future__ import annotations

import json
import logging
from dataclasses import dataclass
from pathlib import Path

import h5py
import numpy as np
from common import Progress, count_of, generator, options, run, whole

KEYS = ("object", "robot0_eef_pos", "robot0_eef_quat", "robot0_gripper_qpos", "robot0_joint_pos", "robot0_joint_vel")
HORIZON = 200
ENV = {
    "robots": "Panda", "has_renderer": False, "has_offscreen_renderer": False, "use_camera_obs": False, "reward_shaping": False,
    "control_freq": 20, "horizon": HORIZON, "ignore_done": True, "hard_reset": False,
}  # fmt: skip


@dataclass
class Operator:
    """How somebody moves the arm."""

    speed: float
    noise: float
    miss: float  # how far beside the cube the first grasp goes, in metres
    rest: float  # how likely a step is spent without moving
    detour: float  # how far above the cube the way leads, in metres


OPERATORS = {
    "ph": [Operator(speed=1.0, noise=0.05, miss=0.0, rest=0.0, detour=0.08)],
    "mh": [
        Operator(speed=0.9, noise=0.1, miss=0.0, rest=0.02, detour=0.1),
        Operator(speed=0.8, noise=0.1, miss=0.0, rest=0.05, detour=0.12),
        Operator(speed=0.6, noise=0.15, miss=0.03, rest=0.1, detour=0.12),
        Operator(speed=0.6, noise=0.2, miss=0.03, rest=0.1, detour=0.16),
        Operator(speed=0.45, noise=0.2, miss=0.05, rest=0.2, detour=0.16),
        Operator(speed=0.4, noise=0.3, miss=0.05, rest=0.25, detour=0.2),
    ],
}
FILES = {"ph": "low_dim_v15.hdf5", "mh": "low_dim_v15.hdf5", "mg": "low_dim_sparse_v15.hdf5"}


def operator_of(kind: str, episode: int, rng: np.random.Generator) -> Operator:
    """Who records an episode: operators take turns; the machine is somewhere between its first and its last policy."""
    if kind == "mg":
        skill = rng.random()
        return Operator(1.0, 0.25 + 1.25 * (1 - skill), 0.06 * (1 - skill), 0.0, 0.02 + 0.05 * skill)
    known = OPERATORS[kind]
    return known[episode % len(known)]


class Policy:
    """Above the cube, down, grasp, up; from the start again when the grasp failed."""

    def __init__(self, operator: Operator, rng: np.random.Generator) -> None:
        self.operator, self.rng, self.phase, self.closed = operator, rng, 0, 0
        angle = rng.uniform(0, 2 * np.pi)
        self.offset = operator.miss * np.array([np.cos(angle), np.sin(angle), 0.0])

    def act(self, obs: dict[str, np.ndarray]) -> np.ndarray:
        """Seven numbers between −1 and 1: where to move, how to turn (not at all), and the gripper."""
        hand, cube = obs["robot0_eef_pos"], obs["cube_pos"] + self.offset
        goal = cube + np.array([0, 0, self.operator.detour]) if self.phase == 0 else cube
        if self.phase == 0 and np.linalg.norm(hand - goal) < 0.02:
            self.phase = 1
        elif self.phase == 1 and np.linalg.norm(hand - goal) < 0.015:
            self.phase = 2
        elif self.phase == 2:
            self.closed += 1
            self.phase = 3 if self.closed > 8 else 2
        elif self.phase == 3:
            goal = hand + np.array([0, 0, 0.1])
            if hand[2] - obs["cube_pos"][2] > 0.06:
                self.phase, self.closed, self.offset = 0, 0, 0 * self.offset
        action = np.zeros(7)
        if self.phase != 2 and self.rng.random() >= self.operator.rest:
            action[:3] = np.clip(10 * (goal - hand), -1, 1) * self.operator.speed
        action[:3] += self.rng.normal(scale=self.operator.noise, size=3)
        action[6] = 1 if self.phase >= 2 else -1
        return np.clip(action, -1, 1)


def observed(obs: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """The observations by the names that robomimic has for them."""
    return {key: np.array(obs["object-state" if key == "object" else key]) for key in KEYS}


def episode(env: object, kind: str, number: int, seed: int) -> dict[str, np.ndarray]:
    """One recording: all arrays of a `demo_N`, by their paths."""
    rng = generator(seed, kind, number)
    # robosuite draws the place of the cube from these.
    env.rng = np.random.default_rng(int(rng.integers(2**31)))
    env.placement_initializer.rng = env.rng
    obs = env.reset()
    policy = Policy(operator_of(kind, number, rng), rng)
    rows: dict[str, list[np.ndarray]] = {}
    held = 0
    for _ in range(HORIZON):
        before, state = observed(obs), env.sim.get_state().flatten()
        action = policy.act(obs)
        obs, reward, _, _ = env.step(action)
        held = held + 1 if reward > 0 else 0
        step = {"states": state, "actions": action, "rewards": reward, "dones": int(reward > 0)}
        step |= {f"obs/{key}": value for key, value in before.items()}
        step |= {f"next_obs/{key}": value for key, value in observed(obs).items()}
        for key, value in step.items():
            rows.setdefault(key, []).append(value)
        if held:
            break
    rows["dones"][-1] = 1
    return {key: np.array(values) for key, values in rows.items()}


def record(env: object, kind: str, count: int, args: object, progress: Progress, path: Path) -> None:
    """All recordings of one class, in one file."""
    with whole(path) as part, h5py.File(part, "w") as file:
        data = file.create_group("data")
        total, names = 0, []
        for number in range(count):
            arrays = episode(env, kind, number, args.seed)
            demo = data.create_group(f"demo_{number}")
            demo.attrs["num_samples"] = len(arrays["actions"])
            total += len(arrays["actions"])
            names.append(f"demo_{number}".encode())
            for key, values in arrays.items():
                demo.create_dataset(key, data=values, compression="gzip" if values.nbytes > 4096 else None)
            progress.step(f"{kind}, {len(arrays['actions'])} steps")
        data.attrs["total"] = total
        data.attrs["env_args"] = json.dumps({"env_name": "Lift", "env_type": 1, "type": 1, "env_kwargs": ENV})
        data.attrs["collector"] = f"srrd collectors/robosuite_lift.py, scripted, seed {args.seed}"
        cut = max(1, count * 9 // 10)
        file["mask/train"] = np.array(names[:cut])
        file["mask/valid"] = np.array(names[cut:] or names[-1:])


def main() -> None:
    """Records the classes whose file is not there yet."""
    args = options(__doc__, quick=6, full=60, unit="episodes").parse_args()
    count = count_of(args)
    paths = {kind: args.output / "lift" / kind / name for kind, name in FILES.items()}
    missing = {kind: path for kind, path in paths.items() if not path.exists()}
    if not missing:
        print(f"{args.output}: everything is there")
        return
    logging.disable(logging.WARNING)  # about robots and controllers that are not used here
    import robosuite

    env = robosuite.make("Lift", seed=args.seed, **ENV)  # the size of the cube is drawn here
    progress = Progress(count * len(missing))
    for kind, path in missing.items():
        record(env, kind, count, args, progress, path)
        print(path)


if __name__ == "__main__":
    run(main)
