#!/usr/bin/env python3
"""Makes model-a.csv and model-b.csv: the scores that two reward models give to the same responses; scores.csv has both.

12 prompts with 6 responses each. Both models see the same quality, on different scales, and model B adds an offset of its
own to every prompt, which changes no preference. They disagree about the prompts p04 and p09: there model B likes long
responses, whatever they are worth. Model B has not scored three of the responses.

Run it in this folder: python3 make.py
"""

import csv
import random

draw = random.Random(7)
rows_a, rows_b = [], []
for prompt in range(1, 13):
    offset = draw.gauss(0, 5)
    for response in range(1, 7):
        quality, length = draw.gauss(0, 1), draw.gauss(0, 1)
        liked = length if prompt in (4, 9) else quality
        name = [f"p{prompt:02}", f"r{response}"]
        rows_a.append(name + [f"{0.5 + 0.2 * quality + draw.gauss(0, 0.02):.3f}"])
        score = f"{offset + 3 * liked + draw.gauss(0, 0.3):.2f}"
        if (prompt, response) not in [(2, 6), (7, 1), (7, 2)]:
            rows_b.append(name + [score])

for file, rows in [("model-a.csv", rows_a), ("model-b.csv", rows_b)]:
    with open(file, "w", newline="") as to:
        csv.writer(to, lineterminator="\n").writerows([["state", "action", "reward"]] + rows)

both = [a + [b[2]] for a in rows_a for b in rows_b if a[:2] == b[:2]]
with open("scores.csv", "w", newline="") as to:
    csv.writer(to, lineterminator="\n").writerows([["prompt", "response", "a", "b"]] + both)
