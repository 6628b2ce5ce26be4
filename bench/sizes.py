"""How much a sample of bench/tasks.py does.

Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
See LICENSE for license information.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

What a task costs does not depend on how many there are, so that a program that
takes long for each needs fewer. Where the whole run has to end in a given time,
each program is tried once, and all samples get the same time: as much as fits,
and never so little that reading the clock, or waking a thread once, would show.
"""

import time

LEAST_SECONDS = 0.004   # of the timed part
PILOT_SECONDS = 0.002


def with_tasks(workload, way, tasks):
    """The size that has about so many tasks: at most the workload's own."""
    largest = way.size or workload.size
    if not workload.name.startswith("fib"):
        per_size = workload.count(largest) / largest
        return max(1, min(largest, int(tasks / per_size)))
    fitting = [n for n in range(8, largest + 1) if workload.count(n) <= tasks]
    return max(fitting, default=8)


def scaled(workload, way, scale):
    """The size and main.c's extra words, by a factor."""
    size = way.size or workload.size
    if scale == 1 or workload.name == "idle":
        return size, workload.extra
    if workload.result is None and workload.size == 1:
        kind, elements = workload.extra
        return 1, (kind, max(1, int(elements * scale)))
    return (with_tasks(workload, way, workload.count(size) * scale),
            workload.extra)


class Calibrated:
    """Sizes for `rounds` samples of every way, such that all of them fit a
    time. `run(workload, way, cpus, size, extra)` runs one sample and returns
    what it measured."""

    def __init__(self, rounds, run):
        self.rounds, self.run = rounds, run
        self.sizes = {}
        self.failures = {}
        self.costs = []    # key, seconds a task, tasks at most, seconds beside
        self.fixed_seconds = 0  # of all samples whose size is not chosen

    def try_out(self, workload, way, cpus):
        """Measures roughly what a sample takes."""
        key = workload.name, way, len(cpus)
        size, extra = workload.short or (0, workload.extra)
        tasks = 64
        while True:
            if not workload.short:
                size = with_tasks(workload, way, tasks)
            start = time.monotonic()
            measured = self.run(workload, way, cpus, size, extra)
            wall = time.monotonic() - start
            if "failure" in measured:
                self.failures[key] = measured
                return
            most = workload.count(way.size or workload.size)
            if workload.short or measured["seconds"] >= PILOT_SECONDS or (
                    measured["tasks"] >= most):
                break
            tasks *= 8
        if workload.short:
            self.sizes[key] = size, extra
            self.fixed_seconds += wall * min(self.rounds, workload.rounds)
            return
        self.costs.append((key, workload, way,
                           measured["seconds"] / measured["tasks"], most,
                           wall - measured["seconds"]))

    def share_out(self, seconds):
        """Chooses the sizes so that all samples together take `seconds`.
        Returns the seconds of a sample's timed part, and those that all need:
        more, if samples as short as they may be do not fit."""
        def needed(limit):
            return self.fixed_seconds + self.rounds * sum(
                beside + min(limit, cost * most)
                for _, _, _, cost, most, beside in self.costs)

        low, high = LEAST_SECONDS, 10.0
        for _ in range(40):
            middle = (low + high) / 2
            low, high = ((middle, high) if needed(middle) < seconds
                         else (low, middle))
        for key, workload, way, cost, _, _ in self.costs:
            self.sizes[key] = (with_tasks(workload, way, low / cost),
                               workload.extra)
        return low, needed(low)

    def failure(self, workload, way, cpus):
        """What was measured if that failed: it would again, perhaps after a
        long time."""
        return self.failures.get((workload.name, way, len(cpus)))

    def size(self, workload, way, cpus):
        return self.sizes[workload.name, way, len(cpus)]
