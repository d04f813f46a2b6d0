#!/usr/bin/env python3
"""Makes rollouts.jsonl: what a training run wrote in the layout of verl, with two rewards of every response.

12 steps with 20 prompts each and 4 responses per prompt. `verifier` is the truth. `score` is what training uses: the truth with noise, until
the policy finds out that it likes long answers, from step 8 on.

Run it in this folder: python3 training.py
"""

import json
import random

draw = random.Random(11)
words = "so we add both numbers and check the result once more to be sure".split()
with open("rollouts.jsonl", "w") as to:
    for step in range(1, 13):
        for prompt in range(20):
            topic = ["algebra", "geometry"][prompt % 2]
            for response in range(4):
                truth, length = draw.gauss(0, 1), draw.randrange(1, 14)
                liked = truth + draw.gauss(0, 0.4) + (0.15 * length if step > 7 else 0.0)
                row = {
                    "input": f"Question {step}.{prompt}",
                    "output": f"{' '.join(words[:length])} {response}",
                    "score": round(liked, 2),
                    "step": step,
                    "verifier": round(truth, 2),
                    "topic": topic,
                }
                to.write(json.dumps(row) + "\n")
