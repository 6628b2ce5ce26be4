#!/usr/bin/env python3
"""Runs a compiled program under many schedules of device and host.

Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
See LICENSE for license information.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

    run_schedules.py --expected FILE [--count N] [--seconds N] [--host]
                     -- COMMAND...

Runs COMMAND with ASYNC_GPU_EMU_SEED = 1 to N, as many at a time as there are
CPUs; with --host also with ASYNC_GPU_SEED = 1 to N, and with 1 to 16 threads in
turn. Every run has to end in time with exit status 0, nothing on standard
error and FILE on standard output. Failures name the seed, which repeats the
schedule.
"""

import argparse
import concurrent.futures
import os
import subprocess
import sys

MAX_REPORTS = 5


# In turn; not a multiple of three, as kinds of seeds are.
THREADS = (1, 2, 3, 4, 8, 16, 2)


def settings(seed, host):
    """What repeats the schedule."""
    drawn = {"ASYNC_GPU_EMU_SEED": str(seed)}
    if host:
        drawn["ASYNC_GPU_SEED"] = str(seed)
        drawn["ASYNC_GPU_NUM_THREADS"] = str(THREADS[seed % len(THREADS)])
    return drawn


def run_once(command, drawn, seconds):
    """What is wrong with the run, and None where nothing is."""
    # With "async" in the log, objects alive at the end are an error.
    environment = dict(os.environ, ASYNC_GPU_DEVICE="emu",
                       ASYNC_GPU_LOG="async", **drawn)
    try:
        done = subprocess.run(command, capture_output=True, text=True,
                              errors="replace", env=environment,
                              stdin=subprocess.DEVNULL, timeout=seconds)
    except subprocess.TimeoutExpired:
        return f"no end after {seconds:g} s", ""
    what = f"exit status {done.returncode}\n{done.stderr}"
    if done.returncode != 0 or done.stderr:
        return what, done.stdout
    return None, done.stdout


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--expected", required=True)
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--seconds", type=float, default=20)
    parser.add_argument("--host", action="store_true")
    parser.add_argument("command", nargs="+")
    arguments = parser.parse_args()
    with open(arguments.expected) as file:
        expected = file.read()

    jobs = len(os.sched_getaffinity(0))
    failures = 0
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        seeds = range(1, arguments.count + 1)
        results = pool.map(
            lambda seed: run_once(arguments.command,
                                  settings(seed, arguments.host),
                                  arguments.seconds),
            seeds)
        for seed, (problem, output) in zip(seeds, results):
            if problem is None and output == expected:
                continue
            failures += 1
            if failures <= MAX_REPORTS:
                drawn = " ".join(
                    f"{name}={value}" for name, value in
                    settings(seed, arguments.host).items())
                print(f"{drawn}: {problem or 'wrong output'}")
                if output != expected:
                    print(f"--- standard output:\n{output}")
    print(f"{arguments.count} schedules, {failures} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
