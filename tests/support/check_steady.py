#!/usr/bin/env python3
"""Checks that a program that goes on asks the driver for nothing new.

Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
See LICENSE for license information.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

    check_steady.py [--warm-up N] [--rounds N] -- RUNNER... FILE.mlir

Runs the program's @main in a loop, WARM-UP and then WARM-UP + ROUNDS times, and
compares the calls of the driver that create, destroy, load or look something
up: their numbers must be the same. Only the pools of events and of memory for both
sides may have grown a little: there are as many as the host was ever ahead of the
device, which depends on when the machine lets each thread run. One for each round
would be two hundred more.
"""

import argparse
import collections
import os
import re
import subprocess
import sys
import tempfile

# What the device's start and end call as well, which is the same in both runs.
KINDS = ["cuStreamCreate", "cuStreamCreateWithPriority", "cuStreamDestroy",
         "cuEventCreate",
         "cuEventDestroy", "cuModuleLoadDataEx", "cuModuleUnload",
         "cuModuleGetFunction", "cuFuncLoad", "cuFuncSetAttribute", "cuDeviceGetAttribute",
         "cuDeviceGetCount", "cuDeviceGet", "cuDevicePrimaryCtxRetain",
         "cuMemAlloc", "cuMemAllocManaged", "cuMemFree"]

SLACK = {"cuEventCreate": 100, "cuEventDestroy": 100,
         "cuMemAllocManaged": 10, "cuMemFree": 10}


def repeat(text, rounds):
    """The program with its @main called `rounds` times by a new one."""
    found = re.search(r"func\.func @main\(\)(?: -> (\w+))?", text)
    if not found:
        sys.exit("no 'func.func @main()' in the program")
    result = f"%ignored = func.call @once() : () -> {found.group(1)}" \
        if found.group(1) else "func.call @once() : () -> ()"
    last = "%zero = arith.constant 0 : i32\n  return %zero : i32" \
        if found.group(1) else "return"
    main = f"""
func.func @main() {'-> i32' if found.group(1) else ''} {{
  %from = arith.constant 0 : index
  %step = arith.constant 1 : index
  %to = arith.constant {rounds} : index
  scf.for %i = %from to %to step %step {{
    {result}
  }}
  {last}
}}
"""
    text = text.replace("@main", "@once")
    # Into the module where there is one around everything.
    if re.search(r"^module\b", text, re.MULTILINE):
        end = text.rindex("}")
        return text[:end] + main + text[end:]
    return text + main


def count_calls(command, text):
    with tempfile.NamedTemporaryFile("w", suffix=".mlir") as file:
        file.write(text)
        file.flush()
        done = subprocess.run(command + [file.name], capture_output=True,
                              text=True, errors="replace",
                              stdin=subprocess.DEVNULL,
                              env={**os.environ, "ASYNC_GPU_LOG": "driver"})
    if done.returncode != 0:
        sys.exit(f"exit status {done.returncode}:\n{done.stderr[-2000:]}")
    return collections.Counter(
        re.findall(r"^driver: (\w+)\(", done.stderr, re.MULTILINE))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--warm-up", type=int, default=100)
    parser.add_argument("--rounds", type=int, default=200)
    parser.add_argument("command", nargs="+")
    arguments = parser.parse_args()
    *command, program = arguments.command
    with open(program) as file:
        text = file.read()
    for flags in re.findall(r"^// FLAGS: (.*)$", text, re.MULTILINE):
        command += flags.split()
    before, after = (
        count_calls(command, repeat(text, rounds))
        for rounds in (arguments.warm_up,
                       arguments.warm_up + arguments.rounds))
    if before == after:
        sys.exit("the program calls the driver no more when it goes on")
    grown = {kind: (before[kind], after[kind]) for kind in KINDS
             if abs(after[kind] - before[kind]) >
             SLACK.get(kind, 0)}
    for kind, (few, many) in grown.items():
        print(f"{kind}: {few} after {arguments.warm_up} rounds, {many} after "
              f"{arguments.warm_up + arguments.rounds}")
    return 1 if grown else 0


if __name__ == "__main__":
    sys.exit(main())
