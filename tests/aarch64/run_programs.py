#!/usr/bin/env python3
"""Runs programs of integration/ and examples/, compiled for 64-bit ARM, under QEMU.

    run_programs.py --bin DIR --emulator COMMAND [--first N] [--sample N] [FILE.mlir...]

Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
See LICENSE for license information.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

Each program, or each FILE, runs once in each of its ways, compiled ahead of time. It
has to do what its comments say (program.py). With --sample, only every Nth program
runs, and --first says which. LEFT_OUT says what QEMU cannot run, and why. How much
memory a program takes is not looked at: QEMU's own is counted with it.
"""

import argparse
import concurrent.futures
import os
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "support"))
import compiled
import program
import run_program

TARGET = "aarch64-linux-gnu"
# QEMU has a thread of its own, which might be the program's and end the wait: the
# process is never at a standstill.
OWN_THREAD = "QEMU's own thread keeps the process from a standstill"
LEFT_OUT = dict.fromkeys(("integration/errors/group_helper", "integration/errors/group_unfilled",
                          "integration/errors/token_never", "integration/errors/wait_cycle"), OWN_THREAD)


class Tester(run_program.Tester):
    def __init__(self, arguments, tested):
        super().__init__(arguments, tested)
        self.slower = 10

    def path(self, run_options, function):
        return [*self.arguments.emulator.split(),
                *super().path([*run_options, f"--target={TARGET}"], function)]


def test(arguments, path):
    """(problems, runs) of a program"""
    tested = program.Program(path, run_program.SETS)
    if tested.name in LEFT_OUT:
        print(f"left out: {tested.name}: {LEFT_OUT[tested.name]}")
        return 0, 0
    tester = Tester(arguments, tested)
    count = 0
    try:
        for case, way, runs, _ in tester.all():
            way.words.pop("peak-mib", None)
            if "runner" in way.words:
                continue
            for run in runs[:1]:
                if run.in_runner and run.settings.get("EMU_CHECK"):
                    run.options.append("--async-gpu-lower=check-accesses=true")
                run.in_runner = False
                tester.run(case, run)
                count += 1
    except compiled.NeedsToolkit:
        pass
    return tester.problems, count


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bin", required=True)
    parser.add_argument("--emulator", required=True)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--sample", type=int, default=1)
    parser.add_argument("files", nargs="*", type=pathlib.Path)
    arguments = parser.parse_args()
    arguments.valgrind, arguments.sanitizers = None, ""
    files = arguments.files or program.find_all()
    files = files[arguments.first % arguments.sample::arguments.sample]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        found = list(pool.map(lambda path: test(arguments, path), files))
    problems, runs = (sum(each) for each in zip(*found))
    print(f"{runs} runs of {sum(1 for _, count in found if count)} programs, "
          f"{problems} went wrong")
    return 1 if problems or not runs else 0


if __name__ == "__main__":
    sys.exit(main())
