#!/usr/bin/env -S python3 -B
"""Runs programs on a device whose streams' queues are nearly always full.

Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
See LICENSE for license information.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

    run_full.py --bin DIR [--first N] [--sample N] [FILE.mlir...]

Each program of integration/ and examples/ (or each FILE) that uses a device runs
once in each of its ways, with a queue of two entries for each stream, one connection
and two workers. It has to do what its comments say (program.py). With --sample, only
every Nth program runs, and --first says which. Left out are programs that no queue
of two is enough for (NEEDS_MORE).
"""

import argparse
import concurrent.futures
import pathlib
import sys

import compiled
import program
import run_program

FULL = {"EMU_QUEUE": "2", "env:CUDA_DEVICE_MAX_CONNECTIONS": "1",
        "NUM_THREADS": "2"}
# A kernel that waits for the host, and in front of what the host does for it more
# work than fits in the queue: as on a card, that is a deadlock.
NEEDS_MORE = {"integration/bridge/in_flight"}


def runs_of(tester):
    for case, way, runs, _ in tester.all():
        for run in runs[:1]:
            if "endless" not in way.words:
                run.settings.update(FULL)
                yield case, run


def test(arguments, path):
    """(problems, runs) of a program"""
    tested = program.Program(path, run_program.SETS)
    if not tested.uses_device and "gpu" not in " ".join(tested.flags) and \
            "sequential" not in tested.name:
        return 0, 0
    if tested.name in NEEDS_MORE:
        return 0, 0
    tester = run_program.Tester(arguments, tested)
    count = 0
    try:
        for case, run in runs_of(tester):
            tester.run(case, run)
            count += 1
    except compiled.NeedsToolkit:
        pass
    return tester.problems, count


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bin", required=True)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--sample", type=int, default=1)
    parser.add_argument("--sanitizers", default="")
    parser.add_argument("files", nargs="*", type=pathlib.Path)
    arguments = parser.parse_args()
    arguments.valgrind = None
    files = arguments.files or sorted(
        path for folder in ("integration", "examples")
        for path in (program.ROOT / folder).rglob("*.mlir")
        if not {"mpi", "shard", "upstream"} & set(path.parts))
    files = files[arguments.first % arguments.sample::arguments.sample]
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        found = list(pool.map(lambda path: test(arguments, path), files))
    problems, runs = (sum(each) for each in zip(*found))
    print(f"{runs} runs of {sum(1 for _, count in found if count)} programs, "
          f"{problems} went wrong")
    return 1 if problems or not runs else 0


if __name__ == "__main__":
    sys.exit(main())
