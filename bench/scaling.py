#!/usr/bin/env -S python3 -B
"""How the executor scales to more threads than this machine has: a simulation.

Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
See LICENSE for license information.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

    bench/scaling.py [--rounds 7] [--realtime] [--json FILE]

Each program is measured on one thread and on two, with as little of the second as
its model can do with (bench/simulation.py), so that the rest on two threads is a
test of it. What follows for more threads leaves out that more threads may get in
each other's way more than two do, memory bandwidth, and other sockets.

Fibonacci (W1). Each thread runs its newest task, steals the oldest one of a victim
drawn at random when it has none, and takes time for both. Measured: the time of a
task on one thread; how much more CPU time it takes when a second thread takes
part, by the largest fib(n), where that is the time in which libgomp's lock is
held; and the time until a thread takes part, by a small one. All of them run over
and over, so that no thread has to be woken. Assumed: the time of a steal, and for
a program that runs once that to wake a thread. Tested: the sizes between.

Loops (W4, compute-bound). On p threads a loop takes 1/p of its time on one, and
what sharing it takes: for two threads that is measured with one of the lengths;
each further thread is assumed to add the time in which a cache line goes from one
to another, twice where all of them join and leave by the same word, and once where
a loop's owner reads a word of each; and each further level of libomp's tree,
twice. Tested: the other lengths.

Tree (W5, opaque). One thread spawns everything, so that more than two are as fast
as two. Nothing is left to test.

Cholesky (W7). One thread spawns the tasks in order, and any that is free runs the
oldest that is ready. The kernels take what they take in serial code, by their
number of operations; a task costs its program beside that what it does on one
thread. Tested: two threads.
"""

import argparse
import json
import os
import pathlib
import statistics
import subprocess
import sys

import machine
import simulation
from machine import ROOT, say
from programs import Builder, Unavailable
from tasks import environment
from tasks_cholesky import tasks as cholesky_tasks
from workloads import fibonacci_tasks

WIDTHS = range(1, 17)
SIZES = [14, 17, 20, 23, 26]
START_FROM = 17
SIMULATED = [20, 23, 26]

# Elements of a loop, those from which the cost of sharing is taken, and how many
# elements are done in a run.
LOOPS = [100, 200, 1000, 20000]
SHARING_FROM = 200
LOOP_ELEMENTS = 200000

# Elements of a piece, by the estimate of async-gpu-parallel for that loop: no
# more threads than there are pieces take part.
PIECE = 5

TREE_LEAVES = 1 << 17

# Operations of a task, in units of a tile's sums.
OPERATIONS = {"potrf": 1 / 3, "trsm": 1, "update": 2}
CHOLESKY_TURNS = 20


def run(program, words, count, arguments):
    """Nanoseconds of one run."""
    variables = environment(range(count), "/tmp")
    variables["ASYNC_GPU_NUM_THREADS"] = str(count)
    done = subprocess.run(
        [program, *map(str, words)], env=variables, capture_output=True,
        text=True, check=True,
        preexec_fn=lambda: machine.use_cpus(range(count), arguments.realtime))
    return json.loads(done.stdout)["seconds"] * 1e9


class Measured:
    """Nanoseconds of each program doing each work, on one thread and on two: of
    the run that other work on the machine has disturbed least. All of them take
    turns, so that a time in which the machine is slow is no one's."""

    def __init__(self, programs, works, arguments):
        self.times = {}
        for _ in range(arguments.rounds):
            for name, program in programs.items():
                for words in works(name):
                    for count in (1, 2):
                        key = name, tuple(words), count
                        ns = run(program, words, count, arguments)
                        self.times[key] = min(ns, self.times.get(key, ns))

    def get(self, name, words, parts=1):
        """By number of threads, of one of so many equal parts."""
        return {count: self.times[name, tuple(words), count] / parts
                for count in (1, 2)}


# What the programs are asked for.

def fib_work(name, n):
    return ["fib-half" if name == "onetbb" else "fib", n, 14, "times",
            fib_times(n)]


def fib_times(n):
    """Some milliseconds of each."""
    return max(1, fibonacci_tasks(23) // fibonacci_tasks(n))


def loop_work(elements):
    loops = LOOP_ELEMENTS // elements
    return ["iterate", loops, loops // 10 + 1, "elements", elements]


TREE_WORK = ["tree-opaque", TREE_LEAVES, 1024]
CHOLESKY_WORK = ["cholesky", CHOLESKY_TURNS, 2]


def all_works(name):
    if name == "serial":
        return [CHOLESKY_WORK]
    return [*(fib_work(name, n) for n in SIZES), *map(loop_work, LOOPS),
            TREE_WORK, CHOLESKY_WORK]


def row(name, measured, simulated):
    """A case of a program: nanoseconds by threads."""
    return {"name": name, "measured_ns": measured, "simulated_ns": simulated}


def model_fib(structure, measured, arguments):
    """The model's figures, and what it says of each size."""
    name = structure.name
    measured = {n: measured.get(name, fib_work(name, n), fib_times(n))
                for n in SIZES}
    large, small = measured[SIZES[-1]], measured[START_FROM]
    tasks = fibonacci_tasks(SIZES[-1])
    more = max(1, 2 * large[2] / large[1])
    figures = {"task_ns": large[1] / tasks, "more": more, "start_ns": 0.0,
               "lock_ns": large[2] / tasks if structure.one_lock else 0}
    if not structure.is_team and more < 2:
        # Until then one thread works, afterwards both.
        figures["start_ns"] = max(
            0, (small[2] - small[1] * more / 2) / (1 - more / 2))
    return figures, [row(f"fib({n})", measured[n],
                         simulate_fib(structure, n, figures, arguments.steal))
                     for n in SIMULATED] + [row("fib(14)", measured[14], {})]


def simulate_fib(structure, n, figures, steal, woken=0):
    def once(threads, seed):
        more = figures["more"] if threads > 1 and not structure.one_lock else 1
        return simulation.fib(structure, n, threads, figures["task_ns"] * more,
                              steal, figures["start_ns"], woken,
                              figures["lock_ns"], seed)

    return {threads: statistics.median(once(threads, seed)
                                       for seed in range(1, 4 if n < 26 else 2))
            for threads in WIDTHS}


def model_loops(structure, measured, arguments):
    measured = {elements: measured.get(structure.name, loop_work(elements),
                                       LOOP_ELEMENTS // elements)
                for elements in LOOPS}
    known = measured[SHARING_FROM]
    figures = {"sharing_ns": max(0, known[2] - known[1] / 2),
               "join_ns": 2 * arguments.transfer}

    def simulate(elements, threads):
        if structure is simulation.OURS:
            threads = min(threads, elements // PIECE)
        return simulation.loop(structure, measured[elements][1], threads,
                               figures["sharing_ns"], figures["join_ns"])

    return figures, [row(f"{elements} elements", measured[elements],
                         {threads: simulate(elements, threads)
                          for threads in WIDTHS}) for elements in LOOPS]


def model_tree(structure, measured, arguments):
    measured = measured.get(structure.name, TREE_WORK)
    return {}, [row("tree", measured,
                    {threads: simulation.tree(measured[1], measured[2], threads)
                     for threads in WIDTHS})]


def model_cholesky(structure, measured, arguments):
    tasks = cholesky_tasks()
    serial = measured.get("serial", CHOLESKY_WORK, CHOLESKY_TURNS)[1]
    measured = measured.get(structure.name, CHOLESKY_WORK, CHOLESKY_TURNS)
    unit = serial / sum(OPERATIONS[kernel] for kernel, _, _ in tasks)
    nanoseconds = [OPERATIONS[kernel] * unit for kernel, _, _ in tasks]
    cost = max(0, measured[1] - serial) / len(tasks)
    return {"task_ns": cost}, [row("cholesky", measured, {
        threads: simulation.graph(tasks, nanoseconds, threads, cost)
        for threads in WIDTHS})]


def find_programs(builder):
    """By name, ours first."""
    found = {}
    for name in [*(of.name for of in simulation.STRUCTURES), "serial"]:
        try:
            found[name] = getattr(builder, name.replace("-", "_"))()
        except Unavailable as missing:
            say(f"{name}: left out, not installed: {missing}")
    return found


def run_model(title, model, programs, measured, arguments):
    """Each program's figures and rows; prints them."""
    part = []
    for structure in simulation.STRUCTURES:
        if structure.name not in programs:
            continue
        figures, rows = model(structure, measured, arguments)
        part.append({"name": structure.name, "figures": figures, "rows": rows})
        say(f"{title}, {structure.name}: "
            + ", ".join(f"{name} {value:.3g}"
                        for name, value in figures.items()))
        for of in rows:
            say(f"  {of['name']:16} measured "
                + " ".join(f"{ns / 1000:9.1f}" for ns in
                           of["measured_ns"].values()) + " us, simulated "
                + " ".join(f"{of['simulated_ns'][width] / 1000:9.1f}"
                           for width in (1, 2, 4, 8, 16)
                           if width in of["simulated_ns"]))
    return part


def woken_alike(part, arguments):
    """What fib would take if all threads slept, and took as long to wake."""
    figures = {program["name"]: program["figures"] for program in part}
    return [{"name": structure.name, "rows": [
        row(f"fib({n})", {}, simulate_fib(
            structure, n, figures[structure.name], arguments.steal,
            arguments.woken))
        for n in SIMULATED]}
            for structure in simulation.STRUCTURES
            if not structure.is_team and structure.name in figures]


def main():
    parser = argparse.ArgumentParser(
        description="How the executor scales: a simulation.")
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build")
    parser.add_argument("--llvm", default="/usr/lib/llvm-22")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--steal", type=float, default=1000,
                        help="ns of a steal (default: 1000)")
    parser.add_argument("--transfer", type=float, default=100,
                        help="ns in which a cache line goes to another thread "
                        "(default: 100)")
    parser.add_argument("--woken", type=float, default=10000,
                        help="ns in which a thread wakes (default: 10000)")
    parser.add_argument("--realtime", action="store_true", help="run before all "
                        "other work on the machine, as root")
    parser.add_argument("--json", help="file for all figures")
    arguments = parser.parse_args()
    machine.require(arguments.build, "bin/async-gpu-opt", "lib/libasync_gpu_runtime.so")
    if arguments.realtime and not machine.can_use_realtime():
        parser.error("--realtime: not allowed for this user")
    if len(os.sched_getaffinity(0)) < 2:
        parser.error("the models need two CPUs")
    document = machine.header("scaling")
    builder = Builder(arguments.build, arguments.llvm,
                      arguments.build / "bench/programs")
    programs = find_programs(builder)
    measured = Measured(programs, all_works, arguments)
    document["assumed"] = {"steal_ns": arguments.steal,
                           "transfer_ns": arguments.transfer,
                           "woken_ns": arguments.woken}
    models = {"fib": model_fib, "tree": model_tree, "loops": model_loops,
              "cholesky": model_cholesky}
    for name, model in models.items():
        document[name] = run_model(name, model, programs, measured, arguments)
    document["woken_alike"] = woken_alike(document["fib"], arguments)
    machine.save(document, arguments.json)
    return 0


if __name__ == "__main__":
    sys.exit(main())
