"""Three players of Gymnasium's Pendulum-v1, which the Minari and the LeRobot collector record: expert, medium and
random.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import gymnasium
import numpy as np
from common import generator

CLASSES = ("expert", "medium", "random")
STEPS = 200
GRAVITY, MASS, LENGTH = 10.0, 1.0, 1.0


def act(kind: str, observation: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """A torque between −2 and 2. The medium player is the expert with a third of its moves drawn at random, and a weaker hand."""
    if kind == "random" or (kind == "medium" and rng.random() < 1 / 3):
        return rng.uniform(-2, 2, size=1).astype("f4")
    cosine, sine, speed = (float(part) for part in observation)
    angle = np.arctan2(sine, cosine)
    if cosine > 0.9:
        torque = -(12 * angle + 3 * speed)
    else:
        # Upright and at rest it has this energy, hanging the negative: swing until it is there.
        energy = MASS * LENGTH**2 * speed**2 / 6 + MASS * GRAVITY * LENGTH * cosine / 2
        torque = 2 * np.sign(speed if speed != 0 else rng.normal()) * np.sign(GRAVITY * LENGTH / 2 - energy)
    torque += rng.normal(scale=0.1)
    return np.clip([torque * (0.8 if kind == "medium" else 1)], -2, 2).astype("f4")


@dataclass
class Episode:
    """One walk: one observation more than steps."""

    seed: int
    observations: np.ndarray
    actions: np.ndarray
    rewards: np.ndarray
    terminations: np.ndarray
    truncations: np.ndarray


def episodes(kind: str, count: int, seed: int, steps: int = STEPS) -> Iterator[Episode]:
    """Episodes of a class, each with random numbers of its own."""
    env = gymnasium.make("Pendulum-v1", max_episode_steps=steps)
    for number in range(count):
        rng = generator(seed, "pendulum", kind, number)
        start = int(rng.integers(2**31))
        observations = [env.reset(seed=start)[0]]
        actions, rewards, terminations, truncations = [], [], [], []
        while not terminations or not (terminations[-1] or truncations[-1]):
            action = act(kind, observations[-1], rng)
            observation, reward, terminated, truncated, _ = env.step(action)
            observations.append(observation)
            actions.append(action)
            rewards.append(float(reward))
            terminations.append(terminated)
            truncations.append(truncated)
        yield Episode(start, *map(np.array, (observations, actions, rewards, terminations, truncations)))
    env.close()
