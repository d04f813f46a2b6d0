"""How well `projected` does on tasks of Gymnasium; prints a table for each.

    python benchmarks/tasks.py [lake] [ends] [reacher] [--walks 24] [--seeds 5]

    lake      slippery FrozenLake, rewards moved between the next states of a state and action, with `dynamics="sampled"`: how the
              distance, whose limit is 0, shrinks with the steps, beside what first-order theory expects of it
    ends      FrozenLake, Taxi and CliffWalking: shaping whose potential is not 0 where episodes end
    reacher   the rewards of Reacher-v4 (distance to the target before a step) and Reacher-v5 (after it) on the same rollouts

It needs `pip install srrd "gymnasium[toy-text,mujoco]" pandas`.
"""

import argparse
import sys
from pathlib import Path

import gymnasium
import numpy as np
import pandas as pd

import srrd

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "python" / "tests"))
from test_behaviour import GAMMA, WORLDS, distance, expected, model, redistributed, sample, walk

STEPS = (12_500, 50_000, 200_000)


def lake(walks):
    env = gymnasium.make("FrozenLake-v1", is_slippery=True)
    known = model(env)
    found = np.empty((walks, len(STEPS), 3))
    for seed in range(walks):
        rewards, rows = redistributed(known, seed), walk(env, STEPS[-1], 100 + seed)
        for k, steps in enumerate(STEPS):
            pair = (sample(rows[:steps], [of[s, a, t] for s, a, t, _ in rows[:steps]]) for of in rewards)
            found[seed, k] = distance(*pair, dynamics="sampled"), *expected(known, rows[:steps], *rewards)
    print(f"Slippery FrozenLake, {walks} walks, as much moved between next states as there are rewards\n")
    print("| steps | mean | median | range | at most 0.05 | expected (root mean square) | D² / expected D² |\n|---|---|---|---|---|---|---|")
    for steps, (found_at, theory, _) in zip(STEPS, found.transpose(1, 2, 0)):
        ratio = (found_at / theory) ** 2
        print(f"| {steps:,} | {found_at.mean():.4f} | {np.median(found_at):.4f} | {found_at.min():.3f} to {found_at.max():.3f} "
              f"| {(found_at <= 0.05).sum()} of {walks} | {np.sqrt((theory**2).mean()):.4f} "
              f"| {ratio.mean():.2f} ± {ratio.std(ddof=1) / np.sqrt(walks):.2f} |")
    slope = np.polyfit(np.log(STEPS), np.log(np.sqrt((found[:, :, 0] ** 2).mean(axis=0))), 1)[0]
    print(f"\nThe root mean square goes with the steps to the power of {slope:.2f}.\n")


def ends(seeds):
    print(f"Shaping that moves ends, {seeds} draws of rewards and potentials; the least and the largest distance\n")
    print("| world | ends / transitions | the same at every end | a value for every end |\n|---|---|---|---|")
    for world, (name, options) in WORLDS.items():
        env = gymnasium.make(name, **options)
        rows = sorted(set(walk(env, 20_000, 1)))
        over = np.array([float(ended) for *_, ended in rows])
        found = []
        for seed in range(seeds):
            rng = np.random.default_rng(seed)
            rewards, potential = rng.normal(size=len(rows)), rng.normal(size=env.observation_space.n)
            of_end = over * potential[[following for _, _, following, _ in rows]]
            plain = sample(rows, rewards)
            # As much of it as there are rewards.
            found.append([distance(plain, sample(rows, rewards + moved * np.sqrt(len(rows)) / np.linalg.norm(moved)))
                          for moved in (over, of_end)])
        shown = " | ".join(f"{min(of):.3f} to {max(of):.3f}" for of in zip(*found))
        print(f"| {world} | {over.sum():.0f} / {len(rows)} | {shown} |", flush=True)
    print()


def reacher(seeds, transitions=10_000, gamma=0.99):
    print(f"Reacher-v4 against Reacher-v5 rewards, {transitions:,} transitions, gamma {gamma}, {seeds} seeds\n")
    print("| actions | direct | projected, auto |\n|---|---|---|")
    for title, strength, held in [("random", 1.0, 1), ("40 % of full strength, each ten steps in the mean", 0.4, 10)]:
        found = []
        for seed in range(seeds):
            env, rng, rows = gymnasium.make("Reacher-v5"), np.random.default_rng(seed), []
            state, _ = env.reset(seed=seed)
            action = np.zeros(2)
            while len(rows) < transitions:
                if rng.random() < 1 / held:
                    action = strength * rng.uniform(-1, 1, 2)
                following, reward, _, cut, told = env.step(action)
                # Version 4 rewards the distance from the fingertip to the target, which a state ends with, before the step.
                rows.append([*state, *action, *following, reward, told["reward_ctrl"] - np.linalg.norm(state[8:10])])
                state = env.reset()[0] if cut else following
            names = [f"state.{i}" for i in range(10)] + ["action.0", "action.1"] + [f"next_state.{i}" for i in range(10)]
            frame = pd.DataFrame(np.array(rows, dtype=float), columns=[*names, "reward", "before"])
            new = srrd.RewardSample.from_frame(frame.drop(columns="before"))
            old = srrd.RewardSample.from_frame(frame.drop(columns="reward").rename(columns={"before": "reward"}))
            found.append([srrd.distance(old, new, "direct"),
                          srrd.distance(old, new, "projected", gamma, potential="auto", ends="none")])
        print(f"| {title} | " + " | ".join(f"{min(of):.3f} to {max(of):.3f}" for of in zip(*found)) + " |", flush=True)
    print()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tasks", nargs="*", choices=["lake", "ends", "reacher", []], default=[])
    parser.add_argument("--walks", type=int, default=24)
    parser.add_argument("--seeds", type=int, default=5)
    options = parser.parse_args()
    asked = options.tasks or ["lake", "ends", "reacher"]
    print(f"srrd {srrd.__version__}, gymnasium {gymnasium.__version__}, gamma {GAMMA} on the toy worlds\n")
    if "lake" in asked:
        lake(options.walks)
    if "ends" in asked:
        ends(options.walks)
    if "reacher" in asked:
        reacher(options.seeds)


if __name__ == "__main__":
    main()
