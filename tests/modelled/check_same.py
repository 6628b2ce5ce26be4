#!/usr/bin/env python3
"""Modelled time beside a busy machine: no clock is read.

Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
See LICENSE for license information.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

    check_same.py --runner FILE PROGRAM.mlir...

Runs of each program, all at the same time, half of them on one CPU, write the same trace,
byte for byte, with one worker and with several: which thread of this machine comes first
does not count, nor how many CPUs it has.
"""

import argparse
import concurrent.futures
import os
import pathlib
import subprocess
import sys
import tempfile

RUNS = 12


def run(runner, program, workers, trace, cpus):
    subprocess.run(
        ["taskset", "--cpu-list", ",".join(map(str, cpus)), runner, "--device=emu",
         "--model=h100", f"--model-cpus={workers}", "--graphs=on", f"--trace={trace}",
         program], check=True, timeout=200, stdout=subprocess.DEVNULL,
        env={name: value for name, value in os.environ.items()
             if name != "ASYNC_GPU_NUM_THREADS"})
    return trace.read_bytes()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--runner", required=True)
    parser.add_argument("programs", nargs="+", type=pathlib.Path)
    arguments = parser.parse_args()
    problems = []
    cpus = sorted(os.sched_getaffinity(0))
    with tempfile.TemporaryDirectory() as folder, \
            concurrent.futures.ThreadPoolExecutor(RUNS) as pool:
        for program in arguments.programs:
            for workers in (1, 3):
                traces = list(pool.map(
                    lambda number: run(arguments.runner, program, workers,
                                       pathlib.Path(folder) / f"{number}.json",
                                       cpus[:1] if number % 2 else cpus),
                    range(RUNS)))
                others = sum(trace != traces[0] for trace in traces)
                if others:
                    problems.append(f"{program.stem} with {workers} workers: {others} of "
                                    f"{RUNS} traces differ from the first")
    print("\n".join(problems) or "all runs of a program are the same")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
