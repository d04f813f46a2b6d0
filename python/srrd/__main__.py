"""The command: ``srrd`` and ``python -m srrd``."""

from __future__ import annotations

import signal
import sys

from ._command import command


def main() -> int:
    """Runs the command with the arguments of this process; returns its exit status."""
    # Python only notes signals, to raise them later; the command should end at once, as others do.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    return command(sys.argv[1:])


if __name__ == "__main__":
    sys.exit(main())
