"""The parts of the standing attack: `tests/attack.py` runs them."""
