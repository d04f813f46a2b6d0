from collections.abc import Callable
from typing import Any, final

import numpy as np
import numpy.typing as npt

from ._compare import GammaEstimate
from ._sample import Token

__all__ = [
    "Choices",
    "DataWarning",
    "Sample",
    "Tabular",
    "__version__",
    "canonicalize",
    "classify",
    "clean_up_when_ended",
    "command",
    "compare",
    "cross",
    "distance",
    "embed",
    "estimate_gamma",
    "explain",
    "inspect",
    "merge_parts",
    "pairwise",
    "plan",
    "publish_run",
    "read",
    "run_part",
    "sample_of_episodes",
    "samples_of_columns",
    "simulate",
    "worlds",
]

__version__: str

class DataWarning(UserWarning): ...

@final
class Choices:
    def __new__(
        cls,
        metric: list[str],
        gamma: str,
        estimator: str,
        regression: str | None,
        actions: str,
        batch: str,
        seed: int,
        min_common: int,
        correlation: str,
        support: str,
    ) -> Choices: ...
    @property
    def metrics(self) -> list[str]: ...

@final
class Sample:
    def __len__(self) -> int: ...
    def __eq__(self, other: object, /) -> bool: ...
    @property
    def name(self) -> str: ...
    @property
    def label(self) -> str | None: ...
    @property
    def one_step(self) -> bool: ...
    @property
    def state_features(self) -> list[str] | None: ...
    @property
    def action_features(self) -> list[str] | None: ...
    @property
    def episodes(self) -> int | None: ...
    @property
    def rewards(self) -> npt.NDArray[np.float64]: ...
    @property
    def has_reward_table(self) -> bool: ...
    def renamed(self, name: str, label: str | None) -> Sample: ...
    def states(self) -> list[Token]: ...
    def actions(self) -> list[Token]: ...
    def ids(self) -> tuple[npt.NDArray[np.uint32], npt.NDArray[np.uint32], npt.NDArray[np.uint32]]: ...
    def transition(self, index: int) -> tuple[Token, Token, Token]: ...
    def counts(self) -> dict[str, int]: ...
    def coverage(self, space: tuple[float, float] | None = None) -> float: ...
    def with_rewards(self, rewards: npt.NDArray[np.float64]) -> Sample: ...
    def with_reward_table(self, rewards: npt.NDArray[np.float64]) -> Sample: ...
    def to_bytes(self) -> bytes: ...
    @staticmethod
    def from_bytes(bytes: bytes) -> Sample: ...

@final
class Tabular:
    def __new__(
        cls,
        state_distribution: npt.NDArray[np.float64],
        action_distribution: npt.NDArray[np.float64],
        dynamics: npt.NDArray[np.float64] | None = None,
    ) -> Tabular: ...
    @property
    def shape(self) -> tuple[int, int, int]: ...
    def canonicalize(self, reward: npt.NDArray[np.float64], metric: str, gamma: float) -> npt.NDArray[np.float64]: ...
    def distance(self, a: npt.NDArray[np.float64], b: npt.NDArray[np.float64], metric: str, gamma: float) -> float: ...

def samples_of_columns(columns: dict[str, Any], origin: str, name: str, duplicates: str) -> list[Sample]: ...
def sample_of_episodes(
    states: dict[str, Any],
    actions: dict[str, Any],
    rewards: npt.NDArray[np.float64],
    steps: list[int],
    name: str,
    label: str | None,
    duplicates: str,
) -> Sample: ...
def read(path: str, duplicates: str) -> list[Sample]: ...
def simulate(world: str, asked: dict[str, Any], output: str | None) -> tuple[Any, Any]: ...
def worlds() -> list[str]: ...
def distance(a: Sample, b: Sample, choices: Choices, threads: int | None = None) -> float: ...
def compare(
    a: Sample,
    b: Sample,
    choices: Choices,
    interval: float | None = None,
    chance: bool = False,
    draws: int = 1000,
    threads: int | None = None,
) -> Any: ...
def explain(a: Sample, b: Sample, choices: Choices, top: int = 10, threads: int | None = None) -> Any: ...
def inspect(
    samples: list[Sample],
    choices: Choices,
    space: tuple[float, float] | None = None,
    threads: int | None = None,
) -> Any: ...
def classify(
    samples: list[Sample],
    choices: Choices,
    gammas: list[float],
    ks: list[int],
    train: float,
    repeats: int,
    threads: int | None = None,
) -> Any: ...
def canonicalize(sample: Sample, choices: Choices, threads: int | None = None) -> npt.NDArray[np.float64]: ...
def pairwise(
    samples: list[Sample], choices: Choices, undefined: float | None = None, threads: int | None = None
) -> npt.NDArray[np.float64]: ...
def cross(
    rows: list[Sample], columns: list[Sample], choices: Choices, threads: int | None = None
) -> npt.NDArray[np.float64]: ...
def estimate_gamma(samples: list[Sample], threads: int | None = None) -> GammaEstimate: ...
def embed(distances: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]: ...
def clean_up_when_ended() -> None: ...
def command(arguments: list[str]) -> int: ...
def plan(what: str, preset: str, replaced: list[tuple[str, str]]) -> dict[str, Any]: ...
def run_part(
    folder: str,
    what: str,
    preset: str,
    replaced: list[tuple[str, str]],
    shard: tuple[int, int],
    threads: int | None = None,
    progress: Callable[[int, int], object] | None = None,
) -> int: ...
def merge_parts(parts: list[str], folder: str) -> None: ...
def publish_run(folder: str) -> str: ...
