#!/usr/bin/env -S python3 -B
"""How small tasks may be until half of the time is lost, by Task Bench.

Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
See LICENSE for license information.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

    bench/task_bench.py TASK-BENCH [--budget SECONDS] [--patterns a,b]
      [--only process|ranks] [--json FILE]

TASK-BENCH is a checkout of github.com/StanfordLegion/task-bench (tests/suites/
fetch_task_bench.sh). For each of its patterns, on 1 and 2 CPUs, and in 2 and 4 ranks on 2
CPUs, this finds METG(50 %): the time of a task at which half of the peak is reached, which
is what one CPU does in a single long task, times the CPUs. Kernels are `compute_bound`, of
twice the iterations from one level to the next, until more than half is reached; METG lies
between the two last levels. The peers are the suite's implementations of OpenMP, StarPU and
MPI, and one of ours of oneTBB. All take turns at each level of each pattern, and rounds
follow each other as long as the budget (11 minutes) lasts; figures are medians of rounds.
The first round ends in any case.

Ends with 77 where there is no suite. Figures have not been reviewed by Task Bench's authors.
"""

import argparse
import math
import os
import pathlib
import statistics
import sys
import tempfile
import time

import machine
from machine import ROOT, say

sys.path.insert(0, str(ROOT / "bench/task_bench"))
import systems  # noqa: E402

PATTERNS = {name: name for name in (
    "trivial", "no_comm", "stencil_1d", "stencil_1d_periodic", "dom", "tree", "fft",
    "all_to_all", "random_nearest")}
PATTERNS.update(nearest="nearest -radix 5", spread="spread -radix 5 -period 2")
PLACES = [(1, 1), (2, 1), (2, 2), (2, 4)]  # CPUs, ranks
WIDTH, STEPS = 8, 1000
LEVELS = range(2, 18)  # of 2 ** level iterations
SAMPLE_SECONDS = 0.04  # of a run, about, if nothing is lost
LABEL = "not reviewed by Task Bench's authors"


class Case:
    """A system in a place with a pattern: its levels, and what each round has found."""

    def __init__(self, system, pattern, cpus, ranks):
        self.system, self.pattern, self.cpus, self.ranks = system, pattern, cpus, ranks
        self.level, self.found, self.failed = LEVELS[0], [], False
        self.begin_round()

    def begin_round(self):
        """Two levels below the last crossing, since that may have been a slow one."""
        self.level = max(LEVELS[0], self.level - 2)
        self.before, self.done = None, self.failed

    def sample(self, iteration_seconds):
        """One run at the level; goes to the next one, or ends the round."""
        iterations = 2 ** self.level
        kernel = iterations * iteration_seconds
        steps = max(50, min(STEPS, int(SAMPLE_SECONDS * len(self.cpus) / (WIDTH * kernel))))
        arguments = ["-steps", str(steps), "-width", str(WIDTH), "-type",
                     *PATTERNS[self.pattern].split(), "-kernel", "compute_bound", "-iter",
                     str(iterations)]
        seconds = self.system.sample(self.pattern, arguments, self.cpus, self.ranks)
        if seconds is None:
            self.done = self.failed = True
            return
        tasks = count_tasks(self.pattern, steps)
        granularity = seconds * len(self.cpus) / tasks
        efficiency = kernel / granularity
        if efficiency >= 0.5:
            self.found.append(interpolate(self.before, (efficiency, granularity)))
            self.done = True
        self.before = efficiency, granularity
        self.done |= self.level == LEVELS[-1]
        self.level += not self.done


def count_tasks(pattern, steps):
    if pattern == "tree":
        return sum(min(WIDTH, 1 << min(t, 62)) for t in range(steps))
    if pattern == "dom":
        return sum(min(WIDTH, t + 1, steps - t) for t in range(steps))
    return WIDTH * steps


def interpolate(below, above):
    """Seconds of a task at an efficiency of a half, between two samples."""
    if not below or above[0] <= below[0]:
        return above[1]
    part = (0.5 - below[0]) / (above[0] - below[0])
    return math.exp(math.log(below[1]) + part * (math.log(above[1]) - math.log(below[1])))


def measure_iteration(ours, cpus):
    """Seconds of an iteration of the kernel: the least of some runs of few long tasks."""
    iterations, steps = 1 << 16, 50
    arguments = ["-steps", str(steps), "-width", "1", "-type", "no_comm", "-kernel",
                 "compute_bound", "-iter", str(iterations)]
    runs = [ours.sample("one point", arguments, cpus[:1], 1) for _ in range(5)]
    if None in runs:
        sys.exit("error: a run of one point has failed")
    return min(runs) / (steps * iterations)


def make_systems(builder):
    made = []
    for make in systems.MAKERS:
        try:
            made.append(make(builder))
        except systems.Unavailable as missing:
            say(f"left out: {make.__name__}: {missing}")
    return made


def list_cases(made, patterns, available, only):
    cases = []
    for cpus, ranks in PLACES:
        if only == ("process" if ranks > 1 else "ranks"):
            continue
        if cpus > len(available):
            say(f"left out: {cpus} CPUs: this process may use {len(available)}")
            continue
        cases += [[Case(s, pattern, available[:cpus], ranks) for s in made
                   if s.is_ranked == (ranks > 1)] for pattern in patterns]
    return [group for group in cases if group]


def run_round(groups, iteration_seconds, end):
    """False where the time is over before its end."""
    for group in groups:
        for case in group:
            case.begin_round()
        while not all(case.done for case in group):
            for case in group:
                if not case.done:
                    case.sample(iteration_seconds)
            if time.monotonic() > end:
                return False
    return True


def summarize(case):
    row = {"pattern": case.pattern, "cpus": len(case.cpus), "ranks": case.ranks,
           "system": case.system.name}
    if case.found:
        row.update(metg_ns=statistics.median(case.found) * 1e9,
                   rounds_ns=[f * 1e9 for f in case.found])
    else:
        row["failure"] = "failed" if case.failed else "not reached"
    return row


def print_rows(rows):
    for place in dict.fromkeys((r["cpus"], r["ranks"]) for r in rows):
        here = [r for r in rows if (r["cpus"], r["ranks"]) == place]
        names = list(dict.fromkeys(r["system"] for r in here))
        say(f"\nMETG(50 %) in ns, CPUs: {place[0]}, ranks: {place[1]}, {LABEL}")
        say(f"  {'':20}" + "".join(f"{n:>18}" for n in names))
        for pattern in dict.fromkeys(r["pattern"] for r in here):
            cells = [next((r.get("metg_ns") for r in here if r["pattern"] == pattern
                           and r["system"] == n), None) for n in names]
            say(f"  {pattern:20}" + "".join(f"{c:>18.0f}" if c else f"{'-':>18}" for c in cells))


def parse_arguments():
    p = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    p.add_argument("suite", type=pathlib.Path)
    p.add_argument("--build", type=pathlib.Path, default=ROOT / "build")
    p.add_argument("--budget", type=float, default=660, metavar="SECONDS")
    p.add_argument("--patterns", default=",".join(PATTERNS))
    p.add_argument("--only", choices=["process", "ranks"],
                   help="in one process alone, or in ranks alone")
    p.add_argument("--json", help="file for what was measured")
    arguments = p.parse_args()
    machine.require(arguments.build, "bin/async-gpu-opt", "lib/libasync_gpu_runtime.so")
    arguments.patterns = arguments.patterns.split(",")
    for name in arguments.patterns:
        if name not in PATTERNS:
            p.error(f"'{name}' is none of {', '.join(PATTERNS)}")
    return arguments


def main():
    arguments = parse_arguments()
    if not (arguments.suite / "core/core_c.h").exists():
        say(f"skipped: there is no suite in '{arguments.suite}'")
        return 77
    end = time.monotonic() + arguments.budget
    document = machine.header("task-bench")
    with tempfile.TemporaryDirectory() as folder:
        builder = systems.suite_build.Builder(arguments.suite, arguments.build,
                                              pathlib.Path(folder))
        made = make_systems(builder)
        available = sorted(os.sched_getaffinity(0))
        iteration_seconds = measure_iteration(made[0], available)
        groups = list_cases(made, arguments.patterns, available, arguments.only)
        rounds = 0
        # The first round is of all, however long it takes.
        while run_round(groups, iteration_seconds, end if rounds else math.inf):
            rounds += 1
            say(f"round {rounds}, {end - time.monotonic():.0f} s are left")
    rows = [summarize(case) for group in groups for case in group]
    document.update(
        label=LABEL, width=WIDTH, steps=STEPS, rounds=rounds,
        iteration_ns=iteration_seconds * 1e9, results=rows,
        versions=machine.packages("libtbb12", "libgomp1", "libomp-22-dev", "libstarpu-1.3-9",
                                  "libopenmpi3"))
    print_rows(rows)
    machine.save(document, arguments.json)
    return 0


if __name__ == "__main__":
    sys.exit(main())
