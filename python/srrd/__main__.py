"""The command: ``srrd`` and ``python -m srrd``."""

from __future__ import annotations

import signal
import sys

from . import _srrd
from ._command import command


def main() -> int:
    """Runs the command with the arguments of this process; returns its exit status."""
    # Python only notes signals, to raise them later; the command should end at once, as others do.
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    # It removes what it has not finished first.
    _srrd.clean_up_when_ended()
    return command(sys.argv[1:])


if __name__ == "__main__":
    sys.exit(main())
