#!/usr/bin/env python3
"""Checks that ranks on one machine divide its CPUs: how many workers each starts.

Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
See LICENSE for license information.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

    check_rank_cpus.py --bin DIR --launcher FILE LIBRARY FILE.mlir

LIBRARY is openmpi or mpich; the program may have no messages.
"""

import argparse
import os
import re
import sys

import run_ranks

STARTED = re.compile(r"exec: started with (\d+) workers")
DIVIDES = ("OMPI_COMM_WORLD_LOCAL_SIZE", "MPI_LOCALNRANKS", "SLURM_STEP_TASKS_PER_NODE")


def count_workers(command, environment):
    """Of each process, in any order."""
    status, output, errors = run_ranks.run(command, environment, 100)
    if status != 0:
        sys.exit(f"{' '.join(command)} ended with status {status}:\n{output}{errors}")
    return [int(count) for count in STARTED.findall(errors)]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", required=True)
    parser.add_argument("--launcher", required=True)
    parser.add_argument("library", choices=run_ranks.ENVIRONMENT)
    parser.add_argument("program")
    arguments = parser.parse_args()
    if not os.path.exists(arguments.launcher):
        print(f"left out: {arguments.library} is not installed")
        return 77
    for name in (*DIVIDES, "ASYNC_GPU_NUM_THREADS"):
        os.environ.pop(name, None)
    environment = {**run_ranks.ENVIRONMENT[arguments.library],
                   "ASYNC_GPU_LOG": "exec", "ASYNC_GPU_DEVICE": "emu"}
    command = [f"{arguments.bin}/async-gpu-runner", arguments.program]
    (alone,) = count_workers(command, environment)
    problems = []
    for ranks in (1, 2, 4):
        launched = [arguments.launcher, "-n", str(ranks), *command]
        for setting, each in ((None, max(1, alone // ranks)), ("3", 3)):
            extra = {"ASYNC_GPU_NUM_THREADS": setting} if setting else {}
            found = count_workers(launched, {**environment, **extra})
            print(f"{ranks} ranks, ASYNC_GPU_NUM_THREADS={setting}: {found} workers")
            if found != [each] * ranks:
                problems.append(f"{ranks} ranks on {alone} CPUs, ASYNC_GPU_NUM_THREADS="
                                f"{setting}: {found} workers, not {each} each")
    print("\n".join(problems))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
