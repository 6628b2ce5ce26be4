"""What bench/tasks.py measures: the workloads, and who can do them how.

Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
See LICENSE for license information.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import dataclasses

OURS = "async-gpu"


@dataclasses.dataclass(frozen=True)
class Way:
    """One program doing one workload."""
    program: str
    name: str          # the workload's name in that program
    label: str = ""    # how the table calls it; the program's name by default
    size: int = 0      # where this program cannot do the workload's own size
    bound: bool = False  # not a runtime: a floor, left out of "best peer"

    @property
    def title(self):
        return self.label or self.program


@dataclasses.dataclass(frozen=True)
class Workload:
    name: str
    title: str
    size: int          # the timed N
    warmup: int
    ways: tuple
    result: object     # of a right run with size n: a function of n; of a
                       # loop: None, each element is looked at
    tasks: object = None  # tasks of a run with size n; n by default
    unit: str = "ns/task"
    factor: float = 1  # nanoseconds in the unit
    extra: tuple = ()  # main.c's fourth and fifth word
    target: float = None  # nanoseconds a task; beside "below the best peer"

    def count(self, n):
        return self.tasks(n) if self.tasks else n


def fibonacci(n):
    a, b = 0, 1
    for _ in range(n):
        a, b = b, a + b
    return a


def fibonacci_tasks(n):
    """One for the call itself, and those of the two below."""
    return 2 * fibonacci(n + 1) - 1


def everywhere(name, *more, without=()):
    """The programs that do a workload under one name, and others."""
    programs = [OURS, "upstream", "onetbb", "libgomp", "libomp", "starpu"]
    return tuple(Way(program, name) for program in programs
                 if program not in without) + more


def floor(name):
    return Way("floor", name, "floor (inline runtime)", bound=True)


WORKLOADS = [
    Workload(
        "fib", "W1 fib(27), two async.execute a call", 27, 15,
        everywhere("fib", Way("onetbb", "fib-half", "onetbb, one task a call"),
                   floor("fib"), without=["starpu"]),
        fibonacci, fibonacci_tasks),
    Workload(
        "fib-func", "W1 fib(27), async.func", 27, 15,
        (Way(OURS, "fib-func"), Way("upstream", "fib-func"),
         Way("onetbb", "fib"),
         Way("onetbb", "fib-half", "onetbb, one task a call"),
         Way("libgomp", "fib"), Way("libomp", "fib"), floor("fib-func")),
        fibonacci, fibonacci_tasks, target=30),
    Workload(
        "fan-out", "W2 1 M empty tasks into a group", 1_000_000, 1000,
        everywhere("fan-out", floor("fan-out")), lambda n: n),
    Workload(
        "chain", "W3 chain of 1 M tasks", 1_000_000, 1000,
        everywhere("chain", floor("chain")), lambda n: n,
        target=39),
    Workload(
        "chain-gated", "W3 the same behind a gate", 1_000_000, 1000,
        (Way(OURS, "chain-gated"),
         # Its stack does not take more links that all wait.
         Way("upstream", "chain-gated", "upstream, 50,000 links", 50_000),
         Way("onetbb", "chain-gated", "onetbb, flow graph")),
        lambda n: n, target=120),
    Workload(
        "saxpy", "W4 memory-bound loop of 100 M", 1, 1,
        everywhere("saxpy", Way("serial", "saxpy", bound=True),
                   without=["starpu"]),
        None, unit="ms/loop", factor=1e6, extra=("elements", 100_000_000)),
    Workload(
        "iterate", "W4 compute-bound loop of 1 M", 1, 1,
        everywhere("iterate", Way("serial", "iterate", bound=True),
                   without=["starpu"]),
        None, unit="ms/loop", factor=1e6, extra=("elements", 1_000_000)),
    Workload(
        "small-loop", "W4 fine-grained loop, 10,000 times", 10_000, 100,
        everywhere("saxpy", Way("serial", "saxpy", bound=True),
                   without=["starpu"]),
        None, unit="us/loop", factor=1e3, extra=("elements", 100_000)),
    Workload(
        "tree", "W5 tree of values, 1 M tasks", 1 << 19, 1024,
        everywhere("tree", Way("starpu", "tree", "starpu, 2^15 leaves",
                               1 << 15), floor("tree"), without=["starpu"]),
        lambda n: n * (n - 1) // 2, lambda n: 2 * n - 1),
    Workload(
        "round-trip", "W6 one task, blocking await", 100_000, 1000,
        everywhere("round-trip", floor("round-trip")), lambda n: n,
        unit="us/trip", factor=1e3),
    Workload(
        "round-trip-other", "W6 the task must run on another thread",
        100_000, 1000,
        everywhere("round-trip-other", without=["libgomp", "libomp"]),
        lambda n: n, unit="us/trip", factor=1e3),
    Workload(
        "wake-up", "W6 the same, that thread parked for a millisecond", 300,
        100, everywhere("round-trip-other", without=["libgomp", "libomp"]),
        lambda n: n, unit="us/trip", factor=1e3, extra=("pause", 1000),
        target=5000),
    Workload(
        "idle", "CPU time in an idle second", 24, 20,
        everywhere("fib", without=["starpu"]), fibonacci, lambda n: 1,
        unit="us of CPU", factor=1e3, extra=("idle", 1000), target=1e6),
]
