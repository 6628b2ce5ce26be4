"""What bench/tasks.py measures: the workloads, and who can do them how.

Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
See LICENSE for license information.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import dataclasses

from tasks_cholesky import tasks as cholesky_tasks

OURS = "async-gpu"
SMALL_FIB = "small-fib"

# Runtimes whose waiters run no task that may block on top of themselves: what
# they wait for cannot be kept from going on by that.
SAFE = (OURS, "upstream", "upstream-on-ours", "starpu")

# What upstream has lowered, on our runtime: it is measured, and no peer.
ON_OURS = "upstream-lowered, our runtime"
TITLES = {"upstream-on-ours": ON_OURS}


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
        return self.label or TITLES.get(self.program, self.program)


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
    short: tuple = ()  # size and extra where time is short; without, as many
                       # tasks as fit the time
    rounds: int = 100  # at most
    aims: tuple = ()   # what is aimed for
    busy: bool = False  # measured beside other work as well
    memory: bool = False  # the peak of memory is one of them, at full size

    def count(self, n):
        return self.tasks(n) if self.tasks else n


@dataclasses.dataclass(frozen=True)
class Aim:
    """What is aimed for. `look` takes our row and all rows, and gives whether
    it is reached, and the figure that says so; None if it was not measured."""
    text: str
    look: object


def is_safe(row):
    return row["peer"].split(",")[0] in SAFE


def best_peer(rows):
    """The fastest of the other runtimes; floors and serial code are none."""
    peers = [row for row in rows if row["peer"] not in (OURS, ON_OURS)
             and not row["bound"] and "failure" not in row]
    return min(peers, key=lambda row: row["median_ns"], default=None)


def ratio_text(value):
    """Two decimals, or as many as it takes to see something."""
    return f"{value:.2f}" if value >= 0.1 else f"{value:.2g}"


def ahead(allowed=1.0, peers=None, safe=None):
    """At most `allowed` times the time of the best peer, or of these, or of those
    that are as safe or are not."""
    def look(ours, rows):
        best = best_peer([row for row in rows
                          if (not peers or row["peer"] in peers) and
                          safe in (None, is_safe(row))])
        return best and (best["ratio"] <= allowed,
                         f"{ratio_text(best['ratio'])} of {best['peer']}")
    return look


def below(text, limit, factor, key="median_ns"):
    """Less than `limit`, of which a figure's unit has `factor`."""
    def look(ours, rows):
        return key in ours and (ours[key] < limit, f"{ours[key] / factor:.3g}")
    return Aim(f"below {text}", look)


AHEAD = Aim("not above the best peer", ahead())
AHEAD_OF_SAFE = Aim("not above the best peer that is as safe",
                    ahead(safe=True))
NEAR_OTHERS = Aim("within 1.5 times of the best that is not",
                  ahead(1.5, safe=False))
EVEN = Aim("even with OpenMP, within 5 %", ahead(1.05, ("libgomp", "libomp")))
SMALL = below("32 MiB for a million tasks", 32, 1, "full_peak_mib")


def fibonacci(n):
    a, b = 0, 1
    for _ in range(n):
        a, b = b, a + b
    return a


def fibonacci_tasks(n):
    """One for the call itself, and those of the two below."""
    return 2 * fibonacci(n + 1) - 1


CHOLESKY_TASKS = len(cholesky_tasks())


def everywhere(name, *more, without=()):
    """The programs that do a workload under one name, and others."""
    programs = [OURS, "upstream", "upstream-on-ours", "onetbb", "libgomp",
                "libomp", "starpu"]
    return tuple(Way(program, name) for program in programs
                 if program not in without) + more


def floor(name):
    return Way("floor", name, "floor (inline runtime)", bound=True)


# The floor, and what it is with a stack for each task; and us, where a worker
# spawns. None of them are peers.
def floors(name):
    return (floor(name),
            Way("floor-stacks", name, "floor, stacks of a pool", bound=True),
            Way("async-gpu-inside", name, "async-gpu, inside a task",
                bound=True))


# Bodies that call a function of which the compiler knows nothing: it might
# block, so that a task must be one. StarPU calls every body by a pointer.
def opaque(name, *more, without=()):
    return everywhere(f"{name}-opaque", Way("starpu", name), *more,
                      without=["starpu", *without])


# Who does W1 as async functions.
FIB_FUNC = (Way(OURS, "fib-func"), Way("upstream", "fib-func"),
            Way("upstream-on-ours", "fib-func"), Way("onetbb", "fib"),
            Way("onetbb", "fib-half", "onetbb, one task a call"),
            Way("libgomp", "fib"), Way("libomp", "fib"), floor("fib-func"))


WORKLOADS = [
    Workload(
        "fib", "W1 fib, two async.execute a call", 27, 15,
        everywhere("fib", Way("onetbb", "fib-half", "onetbb, one task a call"),
                   floor("fib"), without=["starpu"]),
        fibonacci, fibonacci_tasks, aims=(AHEAD,)),
    # The first run is too short for a second thread: see bench/report.py.
    Workload(
        SMALL_FIB, "W1 fib(14), once", 14, 14,
        everywhere("fib", Way("onetbb", "fib-half", "onetbb, one task a call"),
                   floor("fib"), without=["starpu"]),
        fibonacci, fibonacci_tasks, short=(14, ())),
    Workload(
        "fib-func", "W1 fib, async.func", 27, 15,
        FIB_FUNC,
        fibonacci, fibonacci_tasks, aims=(AHEAD, below("30 ns", 30, 1))),
    Workload(
        "fan-out", "W2 empty tasks into a group", 1_000_000, 1000,
        everywhere("fan-out", floor("fan-out")), lambda n: n,
        aims=(AHEAD, SMALL), memory=True),
    Workload(
        "fan-out-opaque", "W2 opaque tasks into a group", 1_000_000, 1000,
        opaque("fan-out", *floors("fan-out-opaque")), lambda n: n,
        aims=(AHEAD_OF_SAFE, NEAR_OTHERS, SMALL), memory=True, busy=True),
    Workload(
        "chain", "W3 chain of tasks", 1_000_000, 1000,
        everywhere("chain", floor("chain")), lambda n: n,
        aims=(AHEAD, below("39 ns", 39, 1))),
    Workload(
        "chain-opaque", "W3 chain of opaque tasks", 1_000_000, 1000,
        opaque("chain", *floors("chain-opaque")), lambda n: n,
        aims=(AHEAD_OF_SAFE, NEAR_OTHERS), busy=True),
    Workload(
        "chain-gated", "W3 chain behind a gate", 1_000_000, 1000,
        (Way(OURS, "chain-gated"),
         # Its stack does not take more links that all wait.
         Way("upstream", "chain-gated", "upstream, 50,000 links", 50_000),
         Way("onetbb", "chain-gated", "onetbb, flow graph")),
        lambda n: n, aims=(AHEAD, below("120 ns", 120, 1))),
    Workload(
        "saxpy", "W4 memory-bound loop", 1, 1,
        everywhere("saxpy", Way("serial", "saxpy", bound=True),
                   without=["starpu"]),
        None, unit="ms/loop", factor=1e6, extra=("elements", 100_000_000),
        short=(2, ("elements", 20_000_000)), aims=(EVEN,)),
    Workload(
        "iterate", "W4 compute-bound loop", 1, 1,
        everywhere("iterate", Way("serial", "iterate", bound=True),
                   without=["starpu"]),
        None, unit="ms/loop", factor=1e6, extra=("elements", 1_000_000),
        short=(1, ("elements", 100_000)), aims=(EVEN,)),
    Workload(
        "small-loop", "W4 loop of 100,000 elements, over and over", 10_000, 100,
        everywhere("saxpy", Way("serial", "saxpy", bound=True),
                   without=["starpu"]),
        None, unit="us/loop", factor=1e3, extra=("elements", 100_000),
        aims=(EVEN,)),
    Workload(
        "dot", "W4 dot product of 100,000 elements, over and over", 10_000, 100,
        everywhere("dot", Way("serial", "dot", bound=True),
                   without=["starpu"]),
        None, unit="us/loop", factor=1e3, extra=("elements", 100_000),
        aims=(EVEN,)),
    Workload(
        "tree", "W5 tree of values", 1 << 19, 1024,
        everywhere("tree", Way("starpu", "tree", "starpu, 2^15 leaves",
                               1 << 15), floor("tree"), without=["starpu"]),
        lambda n: n * (n - 1) // 2, lambda n: 2 * n - 1, aims=(AHEAD,)),
    Workload(
        "tree-opaque", "W5 tree of opaque tasks", 1 << 19, 1024,
        everywhere("tree-opaque", Way("starpu", "tree", "starpu, 2^15 leaves",
                                      1 << 15),
                   *floors("tree-opaque"), without=["starpu"]),
        lambda n: n * (n - 1) // 2, lambda n: 2 * n - 1,
        aims=(AHEAD_OF_SAFE, NEAR_OTHERS), busy=True),
    Workload(
        "cholesky", "W7 Cholesky by tiles", 20, 1,
        everywhere("cholesky", floor("cholesky"),
                   Way("serial", "cholesky", bound=True)),
        lambda n: n, lambda n: n * CHOLESKY_TASKS, aims=(AHEAD,), busy=True),
    Workload(
        "round-trip", "W6 one task, blocking await", 100_000, 1000,
        everywhere("round-trip", floor("round-trip")), lambda n: n,
        unit="us/trip", factor=1e3, aims=(AHEAD,)),
    Workload(
        "round-trip-opaque", "W6 one opaque task, blocking await", 100_000,
        1000, opaque("round-trip", *floors("round-trip-opaque")[:2]),
        lambda n: n, unit="us/trip", factor=1e3,
        aims=(AHEAD_OF_SAFE, NEAR_OTHERS), busy=True),
    Workload(
        "round-trip-other", "W6 the task must run on another thread",
        100_000, 1000,
        everywhere("round-trip-other", without=["libgomp", "libomp"]),
        lambda n: n, unit="us/trip", factor=1e3, aims=(AHEAD,)),
    Workload(
        "wake-up", "W6 the same, that thread parked for a millisecond", 300,
        100, everywhere("round-trip-other", without=["libgomp", "libomp"]),
        lambda n: n, unit="us/trip", factor=1e3, extra=("pause", 1000),
        short=(100, ("pause", 1000)), aims=(AHEAD, below("5 us", 5000, 1000))),
    Workload(
        "idle", "CPU time in an idle second", 24, 20,
        everywhere("fib", without=["starpu"]), fibonacci, lambda n: 1,
        unit="us of CPU", factor=1e3, extra=("idle", 1000),
        short=(20, ("idle", 1000)), rounds=3, aims=(below("1 ms", 1e6, 1e6),)),
]
