"""The pytest plugin of the package: pytest loads it where the package is installed."""

from __future__ import annotations

from collections.abc import Callable

import pytest


@pytest.fixture
def same_behaviour() -> Callable[..., None]:
    """`srrd.testing.assert_same_behaviour`, imported when it is used."""
    from .testing import assert_same_behaviour

    return assert_same_behaviour
