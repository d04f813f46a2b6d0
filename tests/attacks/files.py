"""Damaged files of every format, recorded data sets included."""

from __future__ import annotations

import random
import shutil
import time
from pathlib import Path

from .base import Attack, base_table, features, scores, walks

FORMATS = ["csv", "tsv", "jsonl", "csv.gz", "csv.zst", "jsonl.gz", "parquet", "arrow", "npz"]
RECORDINGS = Path(__file__).resolve().parent.parent.parent / "crates" / "srrd-data" / "tests" / "fixtures" / "datasets"
#: What is damaged, and the commands that read it; X is the file.
COMMANDS = {
    "base": [
        ["inspect", "X"],
        ["convert", "X", "-o", "out.csv"],
        ["distance", "X#0", "base.csv#1"],
        ["matrix", "X", "-o", "out.npy"],
        ["explain", "X#0", "X#1"],
        ["check", "X#0", "X#1"],
        ["canonicalize", "X", "-o", "out.parquet"],
        ["regret", "X#0", "X#1"],
    ],
    "walks": [
        ["irl", "maxent", "X", "-o", "out.csv", "--iterations", "20"],
        ["irl", "airl", "X", "-o", "out.csv"],
        ["returns", "X#0", "walks.csv#0", "--draws", "100"],
        ["classify", "X", "--k", "1", "--repeats", "1"],
        ["matrix", "X", "-o", "out.parquet", "--metric", "projected"],
    ],
    "scores": [["models", "X", "--draws", "100"], ["distance", "X", "--rewards", "old,new", "--next", "none"]],
    "features": [["discretize", "X", "-o", "out.csv"], ["inspect", "X"], ["convert", "X", "-o", "out.arrow"]],
}
EVIL = [b"\x00", b"nan", b"1e999", b'"', b"\xff\xfe", "\u202e".encode(), b"\x1b[2J", b",,,,", b"\n" * 9, b"9" * 40, b"-0"]


def mutated(data: bytes, draw: random.Random) -> bytes:
    """Some bytes changed, removed, doubled, moved or invented."""
    found = bytearray(data)
    for _ in range(draw.choice((1, 1, 2, 5, 20))):
        if not found:
            break
        at = draw.randrange(len(found))
        length = draw.choice((1, 1, 2, 8, 64))
        kind = draw.randrange(6)
        if kind == 0:
            found[at] ^= 1 << draw.randrange(8)
        elif kind == 1:
            del found[at : at + length]
        elif kind == 2:
            found[at:at] = found[at : at + length]
        elif kind == 3:
            found[at:at] = draw.randbytes(length)
        elif kind == 4:
            del found[at:]
        else:
            found[at:at] = draw.choice(EVIL)
    return bytes(found)


def mutations(attack: Attack, seconds: float) -> None:
    texts = {"base": base_table(120), "walks": walks(3), "scores": scores(12), "features": features(80)}
    bases = {}
    for base, text in texts.items():
        (attack.folder / f"{base}.csv").write_text(text)
        # Scores have no reward, without which nothing is converted.
        for name in ("csv",) if base == "scores" else FORMATS:
            path = attack.folder / f"{base}.{name}"
            if name != "csv":
                attack.call("convert", f"{base}.csv", "-o", path).check_returncode()
            bases[base, name] = path.read_bytes()
        for command in COMMANDS[base]:
            if attack.tried(*(part.replace("X", f"{base}.csv") for part in command)) not in (0, 3):
                attack.broken.append(f"does not take the file as it is: {command}")
    count, before, end = 0, len(attack.broken), time.monotonic() + seconds
    while time.monotonic() < end:
        base, name = attack.random.choice(list(bases))
        path = attack.folder / f"evil.{name}"
        path.write_bytes(mutated(bases[base, name], attack.random))
        command = attack.random.choice(COMMANDS[base])
        if attack.tried(*(part.replace("X", path.name) for part in command)) is None:
            attack.keep(path)
        count += 1
    read_by = len({command[0] for commands in COMMANDS.values() for command in commands})
    attack.note("mutations", f"damaged files of {len(FORMATS)} formats, read by {read_by} commands", count, before)


def recordings(attack: Attack, seconds: float) -> None:
    files = sorted(path for path in RECORDINGS.rglob("*") if path.is_file() and ".expected" not in path.name)
    count, before, end = 0, len(attack.broken), time.monotonic() + seconds
    while time.monotonic() < end:
        chosen = attack.random.choice(files)
        top = RECORDINGS / chosen.relative_to(RECORDINGS).parts[0]
        copied = attack.folder / top.name
        if top.is_dir():
            shutil.copytree(top, copied)
        damaged = attack.folder / chosen.relative_to(RECORDINGS)
        damaged.write_bytes(mutated(chosen.read_bytes(), attack.random))
        command = attack.random.choice((["inspect"], ["convert", "-o", "out.csv"], ["matrix", "-o", "out.npy"]))
        if attack.tried(command[0], top.name, *command[1:]) is None:
            attack.keep(damaged)
        shutil.rmtree(copied) if top.is_dir() else copied.unlink()
        count += 1
    attack.note("recordings", "damaged files of robomimic, D4RL, Minari, imitation and LeRobot", count, before)
