"""The compiled part. Nothing here is meant for users of the package: `srrd` offers all of it with checks and documentation."""

from collections.abc import Callable
from typing import Any, final

import numpy as np
import numpy.typing as npt

from ._compare import GammaEstimate
from ._result import Told
from ._transitions import Token

__all__ = [
    "Choices",
    "DataWarning",
    "ModelsAsked",
    "Reading",
    "Sample",
    "Tabular",
    "Walks",
    "__version__",
    "arrow_addresses",
    "block",
    "canonicalize",
    "check_matrix",
    "classify",
    "clean_up_when_ended",
    "cluster",
    "command",
    "compare",
    "cross",
    "default_shrinkage",
    "degrees_of_freedom",
    "distance",
    "embed",
    "estimate_gamma",
    "explain",
    "inspect",
    "irl",
    "irl_methods",
    "merge_parts",
    "metrics",
    "models",
    "models_of_arrow",
    "models_of_columns",
    "models_of_files",
    "neighbour_distances",
    "options",
    "overlap_distances",
    "pairwise",
    "picture",
    "plan",
    "preferences_of_file",
    "publish_run",
    "read",
    "regret",
    "returns",
    "roles",
    "run_part",
    "sample_of_episodes",
    "samples_of_arrow",
    "samples_of_columns",
    "settle",
    "settle_matrix",
    "simulate",
    "walks_of_columns",
    "walks_of_file",
    "warn",
    "warn_of_matrix",
    "worlds",
]

__version__: str

class DataWarning(UserWarning): ...

@final
class Choices:
    """Options that were checked together. `certainty`: with those that only `srrd.compare` takes."""

    def __new__(cls, given: dict[str, Any], certainty: bool = False) -> Choices: ...
    @property
    def metrics(self) -> list[str]: ...

@final
class ModelsAsked:
    def __new__(
        cls,
        gold: str | None,
        by: str | None,
        criterion: str | None,
        interval: float,
        draws: int,
        seed: int,
        top: int,
        report: str | None,
        plot: str | None,
    ) -> ModelsAsked: ...

@final
class Reading:
    def __new__(
        cls,
        duplicates: str,
        columns: list[tuple[str, str]],
        rewards: list[str],
        next: str,
        dataset: list[tuple[str, str]],
        demonstrations: bool = False,
    ) -> Reading: ...

@final
class Sample:
    """What a `srrd.RewardSample` holds."""

    def __len__(self) -> int: ...
    def __eq__(self, other: object, /) -> bool: ...
    @property
    def name(self) -> str: ...
    @property
    def label(self) -> str | None: ...
    @property
    def ends(self) -> npt.NDArray[np.bool_] | None: ...
    @property
    def notes(self) -> list[str]: ...
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
    """What a `srrd.Tabular` holds."""

    def __new__(
        cls,
        state_distribution: npt.NDArray[np.float64],
        action_distribution: npt.NDArray[np.float64],
        dynamics: npt.NDArray[np.float64] | None = None,
    ) -> Tabular: ...
    @property
    def shape(self) -> tuple[int, int, int]: ...
    def canonicalize(
        self, reward: npt.NDArray[np.float64], metric: str, gamma: float, actions: str
    ) -> npt.NDArray[np.float64]: ...
    def distance(
        self, a: npt.NDArray[np.float64], b: npt.NDArray[np.float64], metric: str, gamma: float, actions: str
    ) -> float: ...
    def starc(
        self,
        reward: npt.NDArray[np.float64],
        canonicalization: str,
        norm: str,
        gamma: float,
        policy: npt.NDArray[np.float64] | None,
    ) -> npt.NDArray[np.float64]: ...
    def starc_distance(
        self,
        a: npt.NDArray[np.float64],
        b: npt.NDArray[np.float64],
        canonicalization: str,
        norm: str,
        gamma: float,
        policy: npt.NDArray[np.float64] | None,
    ) -> float: ...

@final
class Walks:
    """The episodes of a table with one reward."""

# Name, group, type, default and description of every option; name, title and description of every metric.
def options() -> list[tuple[str, str, str, str | None, str]]: ...
def metrics() -> list[tuple[str, str, str]]: ...

# Samples.
def samples_of_columns(columns: dict[str, Any], origin: str, name: str, reading: Reading) -> list[Sample]: ...
def samples_of_arrow(frame: Any, origin: str, name: str, reading: Reading) -> list[Sample]: ...
def arrow_addresses(frame: Any) -> list[tuple[str, int]]: ...
def roles() -> list[tuple[str, list[str]]]: ...
def sample_of_episodes(
    states: dict[str, Any],
    actions: dict[str, Any],
    rewards: npt.NDArray[np.float64],
    episodes: list[tuple[int, bool | None]],
    name: str,
    label: str | None,
    duplicates: str,
) -> Sample: ...
def read(path: str, reading: Reading) -> list[Sample]: ...
def regret(
    a: Sample,
    b: Sample,
    model: Sample | None,
    file: str | None,
    gamma: float,
    starts: list[str],
    threads: int | None = None,
) -> Told: ...

# Episodes.
def walks_of_columns(columns: dict[str, Any], origin: str, name: str, reading: Reading) -> list[Walks]: ...
def walks_of_file(path: str, reading: Reading) -> list[Walks]: ...
def preferences_of_file(path: str) -> list[tuple[str, str]]: ...
def models(samples: list[Sample], asked: ModelsAsked, threads: int | None = None) -> Told: ...
def models_of_files(paths: list[str], reading: Reading, asked: ModelsAsked, threads: int | None = None) -> Told: ...
def models_of_arrow(
    frame: Any, origin: str, reading: Reading, asked: ModelsAsked, threads: int | None = None
) -> Told: ...
def models_of_columns(
    columns: dict[str, Any], origin: str, reading: Reading, asked: ModelsAsked, threads: int | None = None
) -> Told: ...
def returns(
    rewards: list[Walks],
    preferences: list[tuple[str, str]] | None,
    gamma: float,
    interval: float | None,
    draws: int,
    seed: int,
    threads: int | None = None,
) -> Told: ...
def irl(
    method: str,
    walks: list[Walks],
    options: dict[str, Any],
    preferences: list[tuple[str, str]] | None = None,
    threads: int | None = None,
) -> list[tuple[Sample, dict[str, Any]]]: ...
def irl_methods() -> list[tuple[str, str, str]]: ...
def simulate(
    world: str, asked: dict[str, Any], output: str | None
) -> tuple[dict[str, Any], list[tuple[str, str, int]] | None]: ...
def worlds() -> list[str]: ...

# Answers. Warnings are issued as `DataWarning`, at the line that called the package.
def distance(a: Sample, b: Sample, choices: Choices, threads: int | None = None) -> float: ...
def compare(a: Sample, b: Sample, choices: Choices, threads: int | None = None) -> Told: ...
def explain(a: Sample, b: Sample, choices: Choices, top: int = 10, threads: int | None = None) -> Told: ...
def inspect(
    samples: list[Sample],
    choices: Choices,
    space: tuple[float, float] | None = None,
    threads: int | None = None,
) -> Told: ...
def classify(
    samples: list[Sample],
    choices: Choices,
    gammas: list[float],
    ks: list[int],
    train: float,
    repeats: int,
    shrinkage: float | None = None,
    threads: int | None = None,
) -> Told: ...
def canonicalize(sample: Sample, choices: Choices, threads: int | None = None) -> npt.NDArray[np.float64]: ...
def pairwise(
    samples: list[Sample], choices: Choices, undefined: float | None = None, threads: int | None = None
) -> npt.NDArray[np.float64]: ...
def degrees_of_freedom(
    samples: list[Sample], choices: Choices, threads: int | None = None
) -> npt.NDArray[np.uintp]: ...
def check_matrix(samples: int) -> None: ...
def cluster(
    distances: npt.NDArray[np.float64], clusters: str
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.float64]]: ...
def picture(a: Sample, b: Sample, choices: Choices, threads: int | None = None) -> tuple[str, bytes]: ...
def cross(
    rows: list[Sample], columns: list[Sample], choices: Choices, threads: int | None = None
) -> npt.NDArray[np.float64]: ...

# For what is put together from blocks: a block (without warnings), what comes before the first one, and what after the last.
def block(
    rows: list[Sample], columns: list[Sample] | None, choices: Choices, threads: int | None = None
) -> tuple[npt.NDArray[np.float64], int]: ...
def neighbour_distances(
    rows: list[Sample], columns: list[Sample], choices: Choices, shrinkage: float, threads: int | None = None
) -> npt.NDArray[np.float64]: ...
def overlap_distances(
    rows: list[Sample], columns: list[Sample], choices: Choices, threads: int | None = None
) -> npt.NDArray[np.float64]: ...
def default_shrinkage() -> float: ...
def settle(samples: list[Sample], choices: Choices, threads: int | None = None) -> float: ...
def warn(message: str) -> None: ...
def settle_matrix(
    samples: list[Sample], choices: Choices, threads: int | None = None
) -> tuple[float, str, str | None]: ...
def warn_of_matrix(
    samples: int,
    choices: Choices,
    undefined: int,
    first: tuple[Sample, Sample] | None,
    at: tuple[int, int],
    few: int,
    advised: str | None,
) -> None: ...
def estimate_gamma(samples: list[Sample], threads: int | None = None) -> GammaEstimate: ...
def embed(distances: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]: ...

# The command, and the parts of experiments.
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
