#!/usr/bin/env python3
"""Runs a command and compares what it does with what is expected.

Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
See LICENSE for license information.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

    run_program.py [--expected FILE] [--status N] [--stderr REGEX]...
                   [--seconds N] [--peak-mib N] -- COMMAND...

Standard output has to equal FILE byte for byte (be empty without --expected),
the exit status has to be N (0). Standard error has to be empty, or, with
--stderr, match every REGEX somewhere. "{device}" in the command stands for
ASYNC_GPU_TEST_DEVICE, by default emu. With --peak-mib the command may never
have more memory than that in use. Tokens, values, groups and frames alive at
the end of the program are a failure.
"""

import argparse
import difflib
import os
import re
import resource
import subprocess
import sys


def parse_arguments():
    parser = argparse.ArgumentParser()
    parser.add_argument("--expected")
    parser.add_argument("--status", type=int, default=0)
    parser.add_argument("--stderr", action="append", default=[])
    parser.add_argument("--seconds", type=float, default=50)
    parser.add_argument("--peak-mib", type=float)
    parser.add_argument("--endless", action="store_true",
                        help="work on the device does not end")
    parser.add_argument("command", nargs="+")
    return parser.parse_args()


def log_categories():
    """ASYNC_GPU_LOG, with those that tell what is left at the end."""
    categories = os.environ.get("ASYNC_GPU_LOG", "").split(",")
    return ",".join(sorted({*filter(None, categories), "async", "device"}))


def split_log(text):
    """Standard error without what the category "device" logs, and that."""
    lines = text.splitlines(keepends=True)
    log = [line for line in lines if line.startswith("device: ")]
    if "device" in os.environ.get("ASYNC_GPU_LOG", "").split(","):
        return text, "".join(log)
    return "".join(line for line in lines if line not in log), "".join(log)


def main():
    arguments = parse_arguments()
    device = os.environ.get("ASYNC_GPU_TEST_DEVICE", "emu")
    command = [part.replace("{device}", device) for part in arguments.command]
    expected = ""
    if arguments.expected:
        with open(arguments.expected) as file:
            expected = file.read()
    try:
        done = subprocess.run(command, capture_output=True, text=True,
                              errors="replace", stdin=subprocess.DEVNULL,
                              env=dict(os.environ,
                                       ASYNC_GPU_LOG=log_categories()),
                              timeout=arguments.seconds)
    except subprocess.TimeoutExpired as late:
        print(f"no end after {arguments.seconds:g} s: {' '.join(command)}")
        for name, text in (("output", late.stdout), ("errors", late.stderr)):
            print(f"--- standard {name} so far:")
            print((text or b"").decode(errors="replace"))
        return 1

    problems = []
    done.stderr, log = split_log(done.stderr)
    # However a program ends, unless a signal ends it.
    if ("using the" in log and done.returncode >= 0 and not arguments.endless and
            "gave all devices back" not in log):
        problems.append("devices were not given back")
    if re.search("emu: device .* is left with", log):
        problems.append("something was left on a device:\n" + log)
    if done.returncode != arguments.status:
        problems.append(f"exit status {done.returncode}, "
                        f"expected {arguments.status}")
    if done.stdout != expected:
        problems.append("standard output differs:\n" + "".join(
            difflib.unified_diff(expected.splitlines(keepends=True),
                                 done.stdout.splitlines(keepends=True),
                                 "expected", "actual")))
    if "alive at the end" in done.stderr:
        problems.append("objects are alive at the end")
    if done.stderr and not arguments.stderr:
        problems.append("standard error is not empty")
    for expression in arguments.stderr:
        if not re.search(expression, done.stderr):
            problems.append(f"standard error has no match of: {expression}")
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
    if arguments.peak_mib and peak > arguments.peak_mib:
        problems.append(f"{peak:.1f} MiB of memory, "
                        f"{arguments.peak_mib:g} are allowed")
    if not problems:
        return 0
    print("command: " + " ".join(command))
    for problem in problems:
        print("problem: " + problem)
    if done.stderr:
        print("--- standard error:\n" + done.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main())
