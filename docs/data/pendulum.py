#!/usr/bin/env python3
"""Makes swing-up.csv, swing-up-shaped.csv, spin.csv and swing-up-others.csv: rewards of a pendulum that is pushed at random.

20 episodes of 25 steps. A state is the cosine and the sine of the angle, and the speed. `swing-up` wants the pendulum upright
and still, without pushing. `swing-up-shaped` is twice that plus shaping with γ = 0.99, by a potential that is no polynomial. `spin` wants
speed. `swing-up-others` is `swing-up-shaped` on twenty other episodes.

Run it in this folder: python3 pendulum.py
"""

import csv
import math
import random

GAMMA = 0.99
draw = random.Random(11)


def potential(state: list[float]) -> float:
    cosine, sine, speed = state
    return 6 * math.sin(1.5 * cosine + 0.3 * speed) + 3 * math.cos(sine - 0.4 * speed)


rows = []
for episode in range(40):
    angle, speed = draw.uniform(-math.pi, math.pi), draw.uniform(-1, 1)
    observe = lambda: [round(math.cos(angle), 6), round(math.sin(angle), 6), round(speed, 6)]
    for _ in range(25):
        before, push = observe(), draw.choice([-2, -1, 0, 1, 2])
        speed = max(-8.0, min(8.0, speed + 0.05 * (15 * math.sin(angle) + 3 * push)))
        angle += 0.05 * speed
        rows.append((episode, before, push, observe()))

parts = ["cos", "sin", "speed"]
header = ["episode", *(f"state.{p}" for p in parts), "action", *(f"next_state.{p}" for p in parts), "reward", "terminated"]
swing_up = lambda s, a, t: s[0] - 0.02 * s[2] ** 2 - 0.05 * a * a
shaped = lambda s, a, t: 2 * swing_up(s, a, t) + GAMMA * potential(t) - potential(s)
for file, reward, episodes in [
    ("swing-up.csv", swing_up, range(20)),
    ("swing-up-shaped.csv", shaped, range(20)),
    ("spin.csv", lambda s, a, t: 0.2 * abs(t[2]) + 0.1 * a * s[1], range(20)),
    ("swing-up-others.csv", shaped, range(20, 40)),
]:
    with open(file, "w", newline="") as to:
        write = csv.writer(to, lineterminator="\n")
        write.writerow(header)
        kept = [row for row in rows if row[0] in episodes]
        write.writerows([e, *s, a, *t, f"{reward(s, a, t):.9f}", "false"] for e, s, a, t in kept)
