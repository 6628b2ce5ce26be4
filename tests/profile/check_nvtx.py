#!/usr/bin/env python3
"""A tool for NVTX is told of what a trace shows.

Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
See LICENSE for license information.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

    check_nvtx.py --runner FILE --tool LIBRARY PROGRAM.mlir...

With tests/nvtx/injection.c as the tool: on each thread, ranges end in the order in
which they have begun, and there are as many of regions, and of waits, as the trace of
the same run has slices. Without a trace the same is told.
"""

import argparse
import collections
import json
import os
import pathlib
import subprocess
import sys
import tempfile

CATEGORIES = {"1": "region", "2": "wait"}


def count_ranges(log):
    """How many of each category, and what is wrong."""
    counts, problems = collections.Counter(), []
    open_ranges = collections.defaultdict(list)
    for line in log.read_text().splitlines():
        word, *rest = line.split(" ", 5)
        if word == "push":
            thread, depth, category = rest[:3]
            if int(depth) != len(open_ranges[thread]):
                problems.append(line)
            open_ranges[thread].append(category)
            counts[CATEGORIES[category]] += 1
        elif word == "pop":
            if not open_ranges[rest[0]]:
                problems.append(line)
            else:
                open_ranges[rest[0]].pop()
        elif word not in ("domain", "category", "thread"):
            problems.append(line)
    problems += [f"open on {thread}: {left}" for thread, left in open_ranges.items()
                 if left]
    return counts, problems


def read_dump(runner, path):
    report = pathlib.Path(runner).with_name("async-gpu-report")
    return json.loads(subprocess.run([report, "--json", path], check=True, timeout=60,
                                     capture_output=True).stdout)


def check(runner, tool, program, threads, folder):
    log, trace = pathlib.Path(folder, "log"), pathlib.Path(folder, "run.trace")
    environment = dict(os.environ, NVTX_INJECTION64_PATH=tool, FAKE_NVTX_LOG=str(log),
                       ASYNC_GPU_NUM_THREADS=threads)
    for traced in (False, True):
        if traced:
            environment["ASYNC_GPU_TRACE"] = str(trace)
        subprocess.run([runner, program], check=True, env=environment, timeout=100,
                       stdout=subprocess.DEVNULL)
        counts, problems = count_ranges(log)
        yield from problems
        if not counts["region"]:
            yield "no region"
        lines = log.read_text().splitlines()
        if lines.count("domain async-gpu") != 1:
            yield "no domain of our own"
    slices = collections.Counter(
        event["cat"] for event in read_dump(runner, trace)["traceEvents"]
        if event["ph"] == "X" and not event.get("args", {}).get("in_place"))
    for category in CATEGORIES.values():
        if counts[category] != slices[category]:
            yield f"{counts[category]} ranges, {slices[category]} slices: {category}"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--runner", required=True)
    parser.add_argument("--tool", required=True)
    parser.add_argument("programs", nargs="+")
    arguments = parser.parse_args()
    failed = False
    with tempfile.TemporaryDirectory() as folder:
        for program in arguments.programs:
            for threads in ("1", "3"):
                for problem in check(arguments.runner, arguments.tool, program, threads,
                                     folder):
                    print(f"{program}, {threads} threads: {problem}")
                    failed = True
    sys.exit(failed)


if __name__ == "__main__":
    main()
