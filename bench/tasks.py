#!/usr/bin/env -S python3 -B
"""What a task costs, beside the runtimes that people would use instead.

Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
See LICENSE for license information.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

    bench/tasks.py [--cpus 1,2] [--rounds 7] [--only fib,chain] [--peers ...]
                   [--json FILE] [--budget SECONDS] [--scale S] [--realtime]
                   [--quiet-only] [--build build]

Builds the workloads for this project, for upstream MLIR and for each peer that
is installed (oneTBB, GCC's and LLVM's OpenMP, StarPU), names those that are
not, and runs all of them in turn: one process a sample, A B C A B C, so that
what else the machine does meets all. Each result is checked. The tables have
medians, and the median of the ratios within a round. They go to stderr, and as
JSON, with quartiles, to --json (default: stdout). With --budget samples are as
long as that time allows; otherwise all programs do the same number of tasks,
which takes half an hour.

    apt-get install --no-install-recommends clang-22 libomp-22-dev libtbb-dev \\
        libstarpu-dev pkg-config g++

Afterwards some of the workloads run on the most CPUs beside one, two and four
processes that are always busy, of the same priority and of a lower one, without
--realtime; --quiet-only leaves that out.

docs/performance.md explains the workloads.
"""

import argparse
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

import busy
import machine
from machine import ROOT, say
from programs import PROGRAMS, Builder, Unavailable
from sizes import Calibrated, scaled
from workloads import ON_OURS, OURS, WORKLOADS, best_peer, is_safe

# Their threads poll: with the priority of --realtime they do not let each other
# go on.
POLLING = ["starpu"]

PACKAGES = ["libtbb12", "libgomp1", "libomp-22-dev", "libstarpu-1.3-9",
            "mlir-22-tools", "llvm-22"]


def environment(cpus, home):
    """For a sample on these CPUs: the same number of threads for all."""
    variables = {name: value for name, value in os.environ.items()
                 if not name.startswith(("ASYNC_GPU_", "OMP_", "KMP_"))}
    variables.update(
        OMP_NUM_THREADS=str(len(cpus)), STARPU_NCPU=str(len(cpus)),
        STARPU_WORKERS_CPUID=" ".join(map(str, cpus)), STARPU_NCUDA="0",
        STARPU_NOPENCL="0", STARPU_SILENT="1", STARPU_HOME=home)
    return variables


def sample(program, way, workload, cpus, size, extra, variables, realtime):
    """One process: what it measured, or how it failed."""
    command = [program, way.name, size, workload.warmup, *extra]
    try:
        done = subprocess.run(
            list(map(str, command)), env=variables, capture_output=True,
            text=True, timeout=30,
            preexec_fn=lambda: machine.use_cpus(cpus, realtime))
    except subprocess.TimeoutExpired:
        return {"failure": "no end after 30 s"}
    if done.returncode:
        return {"failure": f"exit status {done.returncode}",
                "stderr": done.stderr[-300:]}
    measured = json.loads(done.stdout)
    expected = workload.result(size) if workload.result else extra[1]
    if measured["result"] != expected:
        return {"failure": f"wrong result {measured['result']}"}
    measured["tasks"] = workload.count(size)
    measured["ns"] = measured["seconds"] / measured["tasks"] * 1e9
    measured["cpu_ns"] = measured["cpu_seconds"] / measured["tasks"] * 1e9
    if workload.name == "idle":
        measured["ns"] = measured["cpu_ns"] = (
            measured["cpu_seconds"] / measured["seconds"] * 1e9)
    return measured


def measure(ways, rounds, run, resting):
    """All samples of one workload: a list of (way, samples)."""
    samples = {way: [] for way in ways}
    for _ in range(rounds):
        for way in ways:
            if any("failure" in s for s in samples[way]):
                continue  # it would fail again, perhaps after a long time
            start = time.monotonic()
            samples[way].append(run(way))
            # Others have had to wait for that: their turn.
            busy = min(time.monotonic() - start,
                       samples[way][-1].get("cpu_seconds", 0) + 0.1)
            time.sleep(busy * resting)
    return list(samples.items())


def quartiles(values):
    """The first and the third; of one sample, that."""
    if len(values) < 2:
        return values * 2
    first, _, third = statistics.quantiles(values, method="inclusive")
    return [first, third]


def summarize(way, samples, ours):
    """One line of a table as a dictionary."""
    row = {"peer": way.title, "bound": way.bound}
    good = [s for s in samples if "failure" not in s]
    if len(good) < len(samples):
        row["failure"] = samples[-1]["failure"]
    else:
        row.update(
            median_ns=statistics.median(s["ns"] for s in good),
            min_ns=min(s["ns"] for s in good),
            max_ns=max(s["ns"] for s in good),
            quartiles_ns=quartiles([s["ns"] for s in good]),
            cpu_ns=statistics.median(s["cpu_ns"] for s in good),
            tasks=good[0]["tasks"],
            peak_mib=max(s["peak_kib"] for s in good) / 1024)
        if all("failure" not in s for s in ours):
            pairs = list(zip(ours, samples))
            row["ratio"] = statistics.median(o["ns"] / s["ns"]
                                             for o, s in pairs)
            row["cpu_ratio"] = statistics.median(o["cpu_ns"] / s["cpu_ns"]
                                                 for o, s in pairs)
    return row


def number(value, factor=1):
    """Three digits that count, with commas between thousands."""
    if value is None:
        return "-"
    value = float(f"{value / factor:.3g}")
    return f"{value:,.0f}" if value >= 100 else f"{value:g}"


def print_table(workload, rows, cpus, beside=""):
    say(f"\n{workload.title}, {cpus} CPU{'s' if cpus > 1 else ''}{beside}")
    heads = [workload.unit, "min", "max", "CPU time", "peak MiB", "ours/this",
             "CPU time"]
    say(f"  {'':28}" + "".join(f"{head:>11}" for head in heads))
    for row in rows:
        if "failure" in row:
            say(f"  {row['peer']:28}  failed: {row['failure']}")
            continue
        times = [row[key] for key in ("median_ns", "min_ns", "max_ns",
                                      "cpu_ns")]
        cells = [number(time, workload.factor) for time in times]
        cells.append(number(row["peak_mib"]))
        if row["peer"] != OURS:
            cells += [number(row.get("ratio")), number(row.get("cpu_ratio"))]
        is_plain = row["bound"] or is_safe(row) or row["peer"] == ON_OURS
        mark = "" if is_plain else "  runs tasks on waiters"
        say(f"  {row['peer']:28}" + "".join(f"{c:>11}" for c in cells) + mark)


def print_summary(results):
    """Ours beside the best peer of each workload."""
    say("\nBeside the best peer (floors and serial code are none)")
    heads = ["CPUs", "", "ours", "best peer", "ratio"]
    say(f"  {'':18}" + "".join(f"{head:>10}" for head in heads) + "  peer")
    for workload, count, rows in results:
        ours = next((r for r in rows if r["peer"] == OURS), {})
        best = best_peer(rows)
        if not best or "failure" in ours:
            continue
        cells = [str(count), workload.unit,
                 number(ours["median_ns"], workload.factor),
                 number(best["median_ns"], workload.factor),
                 number(best.get("ratio"))]
        say(f"  {workload.name:18}" + "".join(f"{c:>10}" for c in cells)
            + f"  {best['peer']}")


def build(arguments, wanted):
    """The programs that can be built: a dictionary of paths."""
    builder = Builder(arguments.build, arguments.llvm,
                      arguments.folder or arguments.build / "bench/programs")
    programs = {}
    for name, make in PROGRAMS.items():
        if name not in wanted:
            continue
        try:
            programs[name] = make(builder)
        except Unavailable as missing:
            say(f"{name}: left out, not installed: {missing}")
    return programs


def parse_arguments():
    parser = argparse.ArgumentParser(
        description="What a task costs, beside other runtimes.")
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build")
    parser.add_argument("--llvm", default="/usr/lib/llvm-22")
    parser.add_argument("--cpus", default="1,2", help="numbers of CPUs, one "
                        "run each (default: 1,2)")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--only", help="workloads, comma-separated")
    parser.add_argument("--peers", help="programs, comma-separated")
    parser.add_argument("--budget", type=float, metavar="SECONDS",
                        help="choose the sizes so that all takes so long")
    parser.add_argument("--scale", type=float, default=1,
                        help="factor of the sizes, for a quick look")
    parser.add_argument("--realtime", action="store_true", help="run before all "
                        "other work on the machine, as root")
    parser.add_argument("--quiet-only", action="store_true",
                        help="nothing beside other work")
    parser.add_argument("--folder", help="where to put the programs")
    parser.add_argument("--json", help="file for what was measured")
    arguments = parser.parse_args()
    machine.require(arguments.build, "bin/async-gpu-opt", "lib/libasync_gpu_runtime.so")
    known = [workload.name for workload in WORKLOADS]
    for names, all_names in ((arguments.only, known),
                             (arguments.peers, list(PROGRAMS))):
        for name in (names or "").split(","):
            if name and name not in all_names:
                parser.error(f"'{name}' is none of {', '.join(all_names)}")
    arguments.cpus = [int(n) for n in arguments.cpus.split(",")]
    available = len(os.sched_getaffinity(0))
    if not all(1 <= n <= available for n in arguments.cpus):
        parser.error(f"--cpus: this process may use 1 to {available}")
    if arguments.budget and arguments.scale != 1:
        parser.error("--budget chooses the sizes that --scale is a factor of")
    if arguments.realtime and not machine.can_use_realtime():
        parser.error("--realtime: not allowed for this user")
    return arguments


def measure_memory(program, workload, cpus, variables, arguments):
    """The peak of our own memory with all tasks there are, in MiB."""
    measured = sample(program, workload.ways[0], workload, cpus, workload.size,
                      workload.extra, variables, arguments.realtime)
    return measured.get("peak_kib", float("inf")) / 1024


def measure_all(workloads, programs, home, arguments):
    """Yields workload, number of CPUs and what measure() gives."""
    resting = 0.5 if arguments.realtime else 0

    def run(workload, way, cpus, size, extra):
        realtime = arguments.realtime and way.program not in POLLING
        return sample(programs[way.program], way, workload, cpus, size, extra,
                      environment(cpus, home), realtime)

    runs = [(workload, sorted(os.sched_getaffinity(0))[:count])
            for count in arguments.cpus for workload in workloads]

    def ways(workload):
        return [way for way in workload.ways if way.program in programs]

    calibrated = None
    if arguments.budget:
        start = time.monotonic()
        calibrated = Calibrated(arguments.rounds, run)
        for workload, cpus in runs:
            for way in ways(workload):
                calibrated.try_out(workload, way, cpus)
        finding = time.monotonic() - start
        reserved = 0 if arguments.quiet_only else min(
            BUSY_ALL_SECONDS, arguments.budget / 4)
        seconds, needed = calibrated.share_out(
            (arguments.budget - finding - reserved) / (1 + resting))
        say(f"{finding:.0f} s to find sizes; samples of "
            f"{seconds * 1000:.0f} ms, {finding + needed * (1 + resting):.0f} "
            "s for all")

    for workload, cpus in runs:
        def run_way(way):
            if calibrated and calibrated.failure(workload, way, cpus):
                return calibrated.failure(workload, way, cpus)
            size, extra = (calibrated.size(workload, way, cpus) if calibrated
                           else scaled(workload, way, arguments.scale))
            return run(workload, way, cpus, size, extra)
        rounds = min(arguments.rounds, workload.rounds)
        yield workload, cpus, measure(ways(workload), rounds, run_way, resting)


# The samples of a workload beside other work: their time, and how many.
BUSY_SECONDS = 0.02
BUSY_ROUNDS = 3
# What that takes in all, about, of a --budget.
BUSY_ALL_SECONDS = 60


def measure_busy(workloads, programs, home, arguments):
    """Yields workload, condition and what measure() gives, on the most CPUs."""
    cpus = sorted(os.sched_getaffinity(0))[:max(arguments.cpus)]
    variables = environment(cpus, home)
    for workload in workloads:
        ways = [way for way in workload.ways
                if way.program in programs and not way.bound]

        def run(_, way, cpus, size, extra):
            return sample(programs[way.program], way, workload, cpus, size,
                          extra, variables, False)

        sizes = Calibrated(1, run)
        for way in ways:
            sizes.try_out(workload, way, cpus)
        sizes.share_out(BUSY_SECONDS * len(ways))
        ways = [way for way in ways if not sizes.failure(workload, way, cpus)]
        for condition in busy.CONDITIONS:
            with busy.beside(condition, cpus):
                yield workload, condition, measure(
                    ways, min(arguments.rounds, BUSY_ROUNDS),
                    lambda way: run(workload, way, cpus,
                                    *sizes.size(workload, way, cpus)), 0)


def main():
    arguments = parse_arguments()
    wanted = (arguments.peers or ",".join(PROGRAMS)).split(",")
    programs = build(arguments, {OURS, *wanted})
    only = arguments.only.split(",") if arguments.only else None
    workloads = [workload for workload in WORKLOADS
                 if not only or workload.name in only]
    document = machine.header("tasks")
    document.update(versions=machine.packages(*PACKAGES),
                    rounds=arguments.rounds, scale=arguments.scale,
                    budget=arguments.budget, realtime=arguments.realtime,
                    results=[])
    tables = []
    with tempfile.TemporaryDirectory() as home:
        for workload, cpus, measured in measure_all(workloads, programs, home,
                                                    arguments):
            ours = next(s for way, s in measured if way.program == OURS)
            rows = [summarize(way, s, ours) for way, s in measured]
            if workload.memory and arguments.scale == 1:
                rows[0]["full_peak_mib"] = measure_memory(
                    programs[OURS], workload, cpus, environment(cpus, home),
                    arguments)
            print_table(workload, rows, len(cpus))
            tables.append((workload, len(cpus), rows))
            document["results"].append({
                "workload": workload.name, "cpus": len(cpus), "rows": rows})
        beside_others = [] if arguments.quiet_only else [
            workload for workload in workloads if workload.busy]
        for workload, condition, measured in measure_busy(
                beside_others, programs, home, arguments):
            ours = next(s for way, s in measured if way.program == OURS)
            rows = [summarize(way, s, ours) for way, s in measured]
            print_table(workload, rows, max(arguments.cpus),
                        f", beside {busy.title(condition)}")
            document["results"].append({
                "workload": workload.name, "cpus": max(arguments.cpus),
                "busy": condition[0], "nicer": condition[1], "rows": rows})
    print_summary(tables)
    machine.save(document, arguments.json)
    failed = [workload.name for workload, _, rows in tables
              if any(row["peer"] == OURS and "failure" in row for row in rows)]
    if failed:
        say(f"async-gpu failed in: {', '.join(failed)}")
    return int(bool(failed))


if __name__ == "__main__":
    sys.exit(main())
