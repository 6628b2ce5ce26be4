#!/usr/bin/env -S python3 -B
"""Compares how often a program calls each function of the driver with a file.

Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
See LICENSE for license information.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

    check_call_counts.py --opt ASYNC_GPU_OPT --counts FILE.calls FILE.mlir
    check_call_counts.py ... --update       writes FILE.calls again

What a program asks of the driver is as much decided by the compiler and the
runtime as what it prints, and a change of it is a gain or a loss that someone
should see. Where FILE.off.calls stands beside FILE.calls, that is what it asks
without graphs. Left out is what depends on the machine: how often the runtime asks
whether work is done, and calls of the thread that does so. The rest is the same
in every schedule; three are tried.
"""

import argparse
import collections
import difflib
import os
import shlex
import sys

import device_program

SCHEDULES = ({}, {"ASYNC_GPU_NUM_THREADS": "1", "ASYNC_GPU_EMU_SEED": "5"},
             {"ASYNC_GPU_NUM_THREADS": "4"})


def count(calls):
    counts = collections.Counter(
        call.name for call in calls
        if not call.name.endswith("Query") and
        call.thread_name not in ("agpu-completion", "agpu-helper"))
    return [f"{number:5} {name}\n" for name, number in sorted(counts.items())]


def check(path, seconds, counts_path, update, more):
    """Whether the program makes the calls of the file with the settings `more`."""
    runs = []
    for settings in SCHEDULES:
        done = device_program.run(path, seconds, {**settings, **more})
        if done.status != 0:
            sys.exit(f"exit status {done.status} with {settings}\n"
                     f"{done.log}")
        runs.append(count(done.calls))
    if update:
        with open(counts_path, "w") as file:
            file.writelines(runs[0])
    with open(counts_path) as file:
        expected = file.readlines()
    for settings, counts in zip(SCHEDULES, runs):
        if counts != expected:
            sys.stdout.writelines(difflib.unified_diff(
                expected, counts, counts_path, f"with {settings}", n=0))
            set_here = [f"{name}={value}" for name, value in os.environ.items()
                        if name.startswith("ASYNC_GPU_")]
            print("If that is as it should be, this writes the file again:\n  "
                  f"{shlex.join(['env', *set_here, *sys.argv])} --update")
            return False
    return True


def main():
    parser = argparse.ArgumentParser()
    device_program.add_arguments(parser)
    parser.add_argument("--counts", required=True)
    parser.add_argument("--update", action="store_true")
    arguments = parser.parse_args()
    path, _ = device_program.build(arguments)
    good = check(path, arguments.seconds, arguments.counts, arguments.update, {})
    without = arguments.counts.removesuffix(".calls") + ".off.calls"
    if os.path.exists(without):
        good &= check(path, arguments.seconds, without, arguments.update,
                      {"ASYNC_GPU_GRAPHS": "off"})
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
