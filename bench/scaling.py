#!/usr/bin/env -S python3 -B
"""How the executor scales to more threads than this machine has: a simulation.

Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
See LICENSE for license information.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

    bench/scaling.py [--rounds 15] [--realtime] [--json FILE]

Two models, each with as little measured on two threads as it can do with, so
that what it says of the rest on two threads, beside what is measured, is a test
of it. What follows for more threads is a bound: both leave out that more threads
may get in each other's way more than two do, memory bandwidth, and other
sockets.

Tasks. Workers with deques run W1, fib(n) with two tasks a call: each runs its
newest task, steals the oldest one of a victim drawn at random when it has none,
and takes time for both. A node takes part of its time before it spawns its two
tasks and the rest after both have ended, on the worker that ran the last one.
The model's numbers are the time of a task on one thread, and how much more CPU
time it takes when a second thread takes part (lines of the cache that both
write), both measured with the largest fib(n); the time until the next worker
takes part, which has to be woken, from the time of one of the smaller ones on
two threads; and an assumed time of a steal.

Cholesky. W7's tasks with their dependencies: one thread spawns them in order, and
any worker that is free runs the oldest that is ready. The kernels take what they
take in serial code, by their number of operations; a task costs its program beside
that what it does on one thread, half of it where it is spawned and half where it
runs. That is measured for each of the peers, too, so that what differs between the
programs is that cost alone: neither their order nor who gets in whose way.

Loops. W4's compute-bound loop, over and over with few elements, so that threads
stay between two of them. On p threads a loop takes 1/p of its time on one, and
what sharing it takes: for two threads that is measured with one of the lengths;
each further thread is assumed to add the time in which a cache line goes from
one to another, twice, as all of them join and leave by the same word.
"""

import argparse
import heapq
import json
import os
import pathlib
import random
import statistics
import subprocess
import sys

import machine
from machine import ROOT, say
from programs import Builder, Unavailable
from tasks import environment
from tasks_cholesky import tasks as cholesky_tasks
from workloads import fibonacci_tasks

SIZES = [14, 17, 20, 23, 27]
START_FROM = 17
THREADS = [1, 2, 4, 8, 16, 32, 64]

# Elements of a loop, those from which the cost of sharing is taken, and how many
# elements are done in a run.
LOOPS = [20, 50, 100, 200, 500, 2000, 20000]
SHARING_FROM = 200
LOOP_ELEMENTS = 400000

# Elements of a piece, by the estimate of async-gpu-parallel for that loop: no
# more threads than there are pieces take part.
PIECE = 5

# Operations of a task, in units of a tile's sums.
OPERATIONS = {"potrf": 1 / 3, "trsm": 1, "update": 2}
CHOLESKY_PEERS = ["async_gpu", "onetbb", "libgomp", "libomp"]
CHOLESKY_TURNS = 40

# How much of a node's time comes before its two tasks are spawned.
BEFORE = 0.6


def simulate(n, threads, task, steal, start, seed=1):
    """Nanoseconds that fib(n) takes; `task`, `steal` and `start` are too."""
    draw = random.Random(seed)
    # A task is [n, parent, tasks below that have not ended].
    root = [n, None, 0]
    deques = [[] for _ in range(threads)]
    first = [0] * threads  # of each deque: what lies before has been stolen
    deques[0].append(root)
    # Worker by worker is woken, each by the one before.
    events = [(worker * start, worker) for worker in range(threads)]
    heapq.heapify(events)
    while True:
        now, worker = heapq.heappop(events)
        own = deques[worker]
        if len(own) > first[worker]:
            node = own.pop()
        else:
            own.clear()
            first[worker] = 0
            victim = draw.randrange(threads)
            # A failed look takes less than a steal: nothing is moved.
            if victim == worker or len(deques[victim]) <= first[victim]:
                heapq.heappush(events, (now + steal / 4 + 1, worker))
                continue
            node = deques[victim][first[victim]]
            first[victim] += 1
            now += steal
        if node[0] >= 2:
            now += task * BEFORE
            node[2] = 2
            own.append([node[0] - 2, node, 0])
            own.append([node[0] - 1, node, 0])
        else:
            now += task
            # Ends the leaf, and every node whose last task this was.
            above = node[1]
            while above:
                above[2] -= 1
                if above[2]:
                    break
                now += task * (1 - BEFORE)
                above = above[1]
            else:
                return now
        heapq.heappush(events, (now, worker))


def measure(program, words, count, arguments):
    """The least time and CPU time of a run in nanoseconds: of the run that
    other work on the machine has disturbed least."""
    variables = environment(range(count), "/tmp")
    variables["ASYNC_GPU_NUM_THREADS"] = str(count)
    runs = []
    for _ in range(arguments.rounds):
        done = subprocess.run(
            [program, *map(str, words)], env=variables, capture_output=True,
            text=True, check=True,
            preexec_fn=lambda: machine.use_cpus(range(count),
                                                arguments.realtime))
        runs.append(json.loads(done.stdout))
    return {"ns": min(run["seconds"] for run in runs) * 1e9,
            "cpu_ns": min(run["cpu_seconds"] for run in runs) * 1e9}


def simulate_all(n, model):
    """Speed-ups over one thread, by number of threads."""
    steal, start = model["steal_ns"], model["start_ns"]
    alone = simulate(n, 1, model["task_ns"], steal, start)
    speedups = {1: 1.0}
    for threads in THREADS[1:]:
        task = model["task_ns"] * model["inflation"]
        speedups[threads] = alone / statistics.median(
            simulate(n, threads, task, steal, start, seed)
            for seed in range(1 if n > 25 else 3))
    return speedups


def scale_tasks(program, arguments):
    """The model of tasks, and its rows."""
    measured = {n: {count: measure(program, ["fib", n, 14], count, arguments)
                    for count in (1, 2)} for n in SIZES}
    alone, both = measured[SIZES[-1]][1], measured[SIZES[-1]][2]
    model = {"task_ns": alone["ns"] / fibonacci_tasks(SIZES[-1]),
             "inflation": max(1, both["cpu_ns"] / alone["cpu_ns"]),
             "steal_ns": arguments.steal, "start_from": START_FROM}
    # Until then one thread works, afterwards both.
    short = measured[START_FROM]
    model["start_ns"] = max(0, 2 * short[2]["ns"] - short[1]["ns"])
    say(f"a task: {model['task_ns']:.0f} ns, on two threads "
        f"{model['inflation']:.2f} times that; the next worker takes part "
        f"after {model['start_ns'] / 1000:.0f} us, by fib({START_FROM})")
    rows = [{"name": f"fib({n})", "ns": measured[n][1]["ns"],
             "measured_speedup": measured[n][1]["ns"] / measured[n][2]["ns"],
             "simulated_speedup": simulate_all(n, model)} for n in SIZES]
    return {"model": model, "rows": rows}


def scale_loops(program, arguments):
    """The model of loops, and its rows."""
    def time_loop(elements, count):
        loops = LOOP_ELEMENTS // elements
        words = ["iterate", loops, loops // 10 + 1, "elements", elements]
        return measure(program, words, count, arguments)["ns"] / loops

    measured = {elements: {count: time_loop(elements, count)
                           for count in (1, 2)} for elements in LOOPS}
    known = measured[SHARING_FROM]
    model = {"sharing_ns": max(0, known[2] - known[1] / 2),
             "join_ns": 2 * arguments.transfer, "sharing_from": SHARING_FROM}
    say(f"sharing a loop with a second thread: {model['sharing_ns']:.0f} ns, "
        f"by {SHARING_FROM} elements")

    def speedup(elements, alone, threads):
        threads = min(threads, elements // PIECE)
        if threads == 1:
            return 1.0
        return alone / (alone / threads + model["sharing_ns"]
                        + (threads - 2) * model["join_ns"])

    rows = [{"name": f"{elements} elements", "ns": times[1],
             "measured_speedup": times[1] / times[2],
             "simulated_speedup": {
                 threads: speedup(elements, times[1], threads)
                 for threads in THREADS}}
            for elements, times in measured.items()]
    return {"model": model, "rows": rows}


def simulate_graph(tasks, nanoseconds, threads, cost):
    """Nanoseconds that the graph takes, a task of which costs so many."""
    waiting = [len(after) for _, _, after in tasks]
    behind = [[] for _ in tasks]
    for number, (_, _, after) in enumerate(tasks):
        for before in after:
            behind[before].append(number)
    # Thread 0 spawns, and runs tasks when it has spawned all.
    spawned = [(number + 1) * cost / 2 for number in range(len(tasks))]
    free = [0.0] * threads
    free[0] = spawned[-1]
    heapq.heapify(free)
    ready = [(spawned[number], number) for number, count in enumerate(waiting)
             if not count]
    heapq.heapify(ready)
    starts, end = [0.0] * len(tasks), 0.0
    while ready:
        at, number = heapq.heappop(ready)
        start = max(at, heapq.heappop(free))
        done = start + cost / 2 + nanoseconds[number]
        heapq.heappush(free, done)
        end = max(end, done)
        for after in behind[number]:
            starts[after] = max(starts[after], done)
            waiting[after] -= 1
            if not waiting[after]:
                heapq.heappush(ready, (max(starts[after], spawned[after]),
                                       after))
    return end


def scale_cholesky(builder, arguments):
    """The costs of tasks, and the speed-ups over serial code."""
    tasks = cholesky_tasks()
    words = ["cholesky", CHOLESKY_TURNS, 2]

    def time_alone(program):
        return measure(program, words, 1, arguments)["ns"] / CHOLESKY_TURNS

    serial = time_alone(builder.serial())
    unit = serial / sum(OPERATIONS[kernel] for kernel, _, _ in tasks)
    nanoseconds = [OPERATIONS[kernel] * unit for kernel, _, _ in tasks]
    rows = []
    for name in CHOLESKY_PEERS:
        try:
            alone = time_alone(getattr(builder, name)())
        except Unavailable as missing:
            say(f"{name}: left out, not installed: {missing}")
            continue
        cost = max(0, alone - serial) / len(tasks)
        rows.append({"name": name.replace("_", "-"), "task_ns": cost,
                     "simulated_speedup": {
                         threads: serial / simulate_graph(
                             tasks, nanoseconds, threads, cost)
                         for threads in THREADS}})
    return {"model": {"serial_ns": serial, "tasks": len(tasks)}, "rows": rows}


def print_cholesky(part):
    say(f"Cholesky, {part['model']['serial_ns'] / 1000:.0f} us in serial code; "
        "ns a task, and speed-ups over that on so many threads, simulated")
    say(f"{'':16}{'ns/task':>9}" + "".join(f"{t:8}" for t in THREADS))
    for row in part["rows"]:
        say(f"{row['name']:16}{row['task_ns']:9.0f}" + "".join(
            f"{x:8.2f}" for x in row["simulated_speedup"].values()))


def print_rows(rows):
    say(f"{'':16}{'us':>9}{'measured':>10}  simulated")
    say(f"{'':25}{'2':>10}" + "".join(f"{t:8}" for t in THREADS))
    for row in rows:
        say(f"{row['name']:16}{row['ns'] / 1000:9.1f}"
            f"{row['measured_speedup']:10.2f}"
            + "".join(f"{x:8.2f}" for x in row["simulated_speedup"].values()))


def main():
    parser = argparse.ArgumentParser(
        description="How the executor scales: a simulation.")
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build")
    parser.add_argument("--llvm", default="/usr/lib/llvm-22")
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--steal", type=float, default=1000,
                        help="ns of a steal (default: 1000)")
    parser.add_argument("--transfer", type=float, default=100,
                        help="ns in which a cache line goes to another thread "
                        "(default: 100)")
    parser.add_argument("--realtime", action="store_true", help="run before all "
                        "other work on the machine, as root")
    parser.add_argument("--json", help="file for all figures")
    arguments = parser.parse_args()
    if arguments.realtime and not machine.can_use_realtime():
        parser.error("--realtime: not allowed for this user")
    if len(os.sched_getaffinity(0)) < 2:
        parser.error("the models need two CPUs")
    document = machine.header("scaling")
    builder = Builder(arguments.build, arguments.llvm,
                      arguments.build / "bench/programs")
    document["tasks"] = scale_tasks(builder.async_gpu_inside(), arguments)
    print_rows(document["tasks"]["rows"])
    document["loops"] = scale_loops(builder.async_gpu(), arguments)
    print_rows(document["loops"]["rows"])
    document["cholesky"] = scale_cholesky(builder, arguments)
    print_cholesky(document["cholesky"])
    machine.save(document, arguments.json)
    return 0


if __name__ == "__main__":
    sys.exit(main())
