"""Tasks, what starts them, and how all of them get done although workers are lost."""

from __future__ import annotations

import collections
import concurrent.futures
import itertools
import queue
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import BrokenExecutor
from dataclasses import dataclass
from typing import Any, TypeAlias

from .. import _srrd
from .._worker import Missing, Parcel, perform

#: How many tasks there are per worker, at least: so that no worker waits long for the last one.
TASKS_PER_WORKER = 8
#: How often a task is done again whose worker was lost.
MOST_TRIES = 5
#: How often lost tasks and interrupts are looked for, in seconds.
LOOK = 0.5

#: The samples of a group, by its number; a parcel where workers read them themselves.
Groups: TypeAlias = "Callable[[int], list[_srrd.Sample] | Parcel]"


@dataclass(frozen=True)
class Task:
    """A part of the work: a function of some groups of samples and of arguments."""

    #: What the caller knows it by.
    key: Any
    #: What Dask's dashboard shows.
    name: str
    function: Callable[..., Any]
    groups: tuple[int, ...] = ()
    arguments: tuple[Any, ...] = ()


class Lost(Exception):
    """A task came to nothing through no fault of its own: it has to be done again."""


class Backend(ABC):
    """Starts tasks somewhere."""

    #: How many tasks can run at once.
    workers: int
    #: How many threads a task takes unless told.
    threads: int | None = 1
    #: A folder that exists as long as the work is wanted, for workers that see it.
    folder: str | None = None

    def __init__(self, groups: Groups) -> None:
        self._groups = groups

    @property
    def window(self) -> int:
        """How many tasks to have under way: enough that no worker waits, but results must not pile up."""
        return max(32, 4 * self.workers)

    @abstractmethod
    def start(self, task: Task, tries: int) -> Any:
        """Starts a task, after so many `tries` that were lost; returns a future."""

    def lost(self, future: Any) -> bool:
        """Whether a future that has not reported never will."""
        return False

    def result(self, future: Any) -> Any:
        """What came out; `Lost` when it has to be done again."""
        try:
            return future.result()
        except Missing:
            raise Lost("a worker did not get its samples") from None
        except BrokenExecutor as error:
            raise RuntimeError(
                "a worker process ended abruptly (was it killed, or short of memory?), and with it the executor. "
                "What is finished is kept where there is a file for it (out=, or the folder of a run): "
                "make a new executor and call again"
            ) from error

    def drop(self, group: int) -> None:
        """No task needs this group any more."""

    def close(self, running: list[Any]) -> None:
        """The end, also a bad one: tasks that still run are not wanted any more."""
        for future in running:
            future.cancel()


class Here(Backend):
    """This process, one task after the other, each on all cores."""

    workers = 1
    threads = None

    @property
    def window(self) -> int:
        return 1

    def start(self, task: Task, tries: int) -> Any:
        future: concurrent.futures.Future[Any] = concurrent.futures.Future()
        groups = [self._groups(group) for group in task.groups]
        future.set_result(perform(_srrd.__version__, task.function, task.arguments, *groups))
        return future


def work(backend: Backend, tasks: Sequence[Task], finished: Callable[[Task, Any], None]) -> None:
    """Has all tasks done, those of lost workers again, and hands each result to `finished` as soon as it is there."""
    waiting = collections.deque((task, 0) for task in tasks)
    needed = collections.Counter(group for task in tasks for group in task.groups)
    running: dict[int, tuple[Task, int, Any]] = {}
    done: queue.SimpleQueue[int] = queue.SimpleQueue()
    numbers = itertools.count()
    try:
        while waiting or running:
            while waiting and len(running) < backend.window:
                task, tries = waiting.popleft()
                future = backend.start(task, tries)
                number = next(numbers)
                running[number] = (task, tries, future)
                future.add_done_callback(lambda _, number=number: done.put(number))
            for number in _reported(done, running, backend):
                task, tries, future = running.pop(number)
                try:
                    result = backend.result(future)
                except Lost as error:
                    if tries + 1 >= MOST_TRIES:
                        raise RuntimeError(
                            f"the task {task.name} was lost {MOST_TRIES} times with its workers: "
                            f"have they enough memory? {error}"
                        ) from error
                    waiting.appendleft((task, tries + 1))
                    continue
                finished(task, result)
                needed.subtract(task.groups)
                for group in set(task.groups):
                    if not needed[group]:
                        backend.drop(group)
    finally:
        backend.close([future for _, _, future in running.values()])


def _reported(
    done: queue.SimpleQueue[int], running: Mapping[int, tuple[Task, int, Any]], backend: Backend
) -> list[int]:
    """The numbers of tasks that have come to an end; none after a while, so that interrupts are seen."""
    try:
        numbers = [done.get(timeout=LOOK)]
    except queue.Empty:
        return [number for number, (_, _, future) in running.items() if backend.lost(future)]
    while not done.empty():
        numbers.append(done.get())
    # One that was found lost may report later.
    return [number for number in dict.fromkeys(numbers) if number in running]
