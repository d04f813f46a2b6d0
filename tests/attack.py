"""A standing attack on `srrd`: what it promises must hold whatever files, signals and limits do to it.

    python3 tests/attack.py --srrd target/release/srrd [--minutes 10] [--seed 0] [--only kills,hubs] [--python] [--dask] [--ray]

It prints a table (docs/trust.md shows one) and exits with 1 if any promise was broken; files that broke one are kept. After Ctrl-C or
SIGTERM the table holds the parts that were done by then. Needs nothing but Python and the command; `--python` also interrupts calls of the
package, `--dask` and `--ray` kill workers of clusters on loopback, for which the package and Dask or Ray must be installed where this runs
(`target/python-env` after `python3 python/test.py`).

- mutations, recordings: damaged files are read. Exit 0 to 3 within a minute, with a message, never a signal or a panic, and no
  control character on the terminal.
- kills: runs, merges, `srrd irl` and matrices are killed at random moments and started again. The bytes are those without.
- interrupts: Ctrl-C ends every long command within 0.4 s and leaves nothing half written.
- disks: files may not grow, or the disk is full. Exit 1 or 2, and nothing half written stays.
- hubs: stars and power laws of growing size. The time per row of every metric and of `inspect` must not grow.
- refusals: what cannot be had is refused with a message; what a killed process left is removed by the next.
- memory: too little address space. No output that is not whole.
- python, dask, ray: the same promises for the package; of Ray, no process stays.
"""

from __future__ import annotations

import argparse
import shutil
import signal
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from attacks.base import Attack
from attacks.files import mutations, recordings
from attacks.kills import interrupts, kills
from attacks.limits import full_disks, hubs, low_memory, memory
from attacks.package import dask_workers, python_interrupts, ray_workers

#: What there is, and its share of the minutes; hubs and refusals take what they take.
PARTS: dict[str, tuple[Callable[[Attack, float], None], float]] = {
    "mutations": (mutations, 0.3),
    "recordings": (recordings, 0.1),
    "kills": (kills, 0.3),
    "interrupts": (interrupts, 0.1),
    "disks": (full_disks, 0.05),
    "hubs": (lambda attack, _: hubs(attack), 0.0),
    "refusals": (lambda attack, _: memory(attack), 0.0),
    "memory": (low_memory, 0.05),
    "python": (python_interrupts, 0.1),
    "dask": (dask_workers, 0.3),
    "ray": (ray_workers, 0.3),
}
#: They need more than the command.
ASKED_FOR = ("python", "dask", "ray")


def main() -> int:
    parser = argparse.ArgumentParser(description="A standing attack on srrd.")
    parser.add_argument("--srrd", type=Path, required=True, help="the command")
    parser.add_argument(
        "--minutes", type=float, default=10.0, help="how long, about; hubs and refusals take two more, or longer on a busy machine"
    )
    parser.add_argument("--seed", type=int, default=0, help="what damages and moments depend on")
    parser.add_argument("--only", default="", help=f"some of {', '.join(PARTS)}, with commas")
    for name in ASKED_FOR:
        parser.add_argument(f"--{name}", action="store_true", help=f"also attack {name}")
    chosen = parser.parse_args()
    # Shells start what runs in the background with interrupts ignored, and children would inherit that.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    # What was begun is ended and removed: folders, clusters and the small disk.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    named = [name for name in chosen.only.split(",") if name]
    unknown = [name for name in named if name not in PARTS]
    if unknown:
        parser.error(f"--only: there is no part {unknown[0]}")
    names = named or [name for name in PARTS if name not in ASKED_FOR or getattr(chosen, name)]
    with tempfile.TemporaryDirectory(prefix="srrd-attack-") as folder:
        (Path(folder) / "work").mkdir()
        attack = Attack(chosen.srrd.resolve(), Path(folder) / "work", chosen.seed)
        ended = False
        for name in names:
            part, share = PARTS[name]
            try:
                part(attack, 60 * chosen.minutes * share)
            except KeyboardInterrupt:
                print(f"{name}: interrupted", file=sys.stderr)
                ended = True
                break
            print(f"{name}: {len(attack.broken)} promises broken so far", file=sys.stderr)
        for path in Path(folder).glob("broken-*"):
            shutil.copy(path, Path.cwd() / path.name)
    print(attack.table())
    for line in attack.broken:
        print(f"broken: {line}", file=sys.stderr)
    return 1 if attack.broken else 128 + signal.SIGINT if ended else 0


if __name__ == "__main__":
    sys.exit(main())
