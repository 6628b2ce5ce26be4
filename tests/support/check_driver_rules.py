#!/usr/bin/env -S python3 -B
"""Checks the driver calls of a program against what the driver asks of any.

Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
See LICENSE for license information.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

    check_driver_rules.py --opt ASYNC_GPU_OPT FILE.mlir

Compiles the program and runs it, as it is, in another schedule and with other
settings. The rules are in driver_rules.py. A program that fails by itself makes
calls that do, and keeps what it had; all other rules hold for it, too.
"""

import argparse
import sys

import device_program
import driver_rules

SETTINGS = ({}, {"ASYNC_GPU_EMU_SEED": "11"},
            {"ASYNC_GPU_COMPLETION": "poll", "ASYNC_GPU_STREAMS": "8",
             "ASYNC_GPU_EMU_MEMORY_POOLS": "0"})
# Calls of a program for which the first two of these have to do.
LONG = 10000
# What a program that fails does not keep to. Its end is on whatever thread.
FAILING = {"succeeds", "does_not_block", "frees_its_memory",
           "frees_what_is_allocated",
           "has_pointers", "has_legal_geometry", "asks_for_much_shared_memory",
           "stays_in_bounds"}


def main():
    parser = argparse.ArgumentParser()
    device_program.add_arguments(parser)
    arguments = parser.parse_args()
    failed = False
    path, fails = device_program.build(arguments)
    for settings in SETTINGS:
        done = device_program.run(path, arguments.seconds, settings)
        problems = [f"{text} ({rule})"
                    for rule, text in driver_rules.find_problems(done.calls)
                    if not (fails and rule in FAILING)]
        # Some mistakes are found only in memory that streams order.
        if done.status != fails and not (
                fails and done.status == 0 and
                "ASYNC_GPU_EMU_MEMORY_POOLS" in settings):
            problems.append(f"exit status {done.status}")
        if not done.calls:
            problems.append("the program calls no driver")
        for problem in problems:
            print("problem: " + problem)
        if problems:
            failed = True
            print(f"--- stderr with {settings}:\n{done.log}")
        if settings and len(done.calls) > LONG:
            break
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
