"""The command: ``srrd`` and ``python -m srrd``."""

from __future__ import annotations

import signal
import sys

from . import _srrd


def main(arguments: list[str] | None = None) -> int:
    """Runs the command with these arguments (those of the process by default); returns its exit status."""
    given = sys.argv[1:] if arguments is None else arguments
    if arguments is None:
        # Python only notes signals, to raise them later; the command should end at once, as others do.
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    return _srrd.command(["srrd", *given])


if __name__ == "__main__":
    sys.exit(main())
