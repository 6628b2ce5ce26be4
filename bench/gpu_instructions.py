#!/usr/bin/env -S python3 -B
"""How many instructions the runtime adds to a launch and to a region, and
whether that has grown.

Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
See LICENSE for license information.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

    bench/gpu_instructions.py              count and print
    bench/gpu_instructions.py --check      fail where a count has grown by more
                                           than 5 % over the recorded one
    bench/gpu_instructions.py --record     record the counts

What a driver's call costs, both sides of bench-gpu pay alike: the runtime, and
the same calls written by hand. So they run on a driver that does nothing
(gpu/null_libcuda.c), valgrind's callgrind counts, and the difference is the
runtime's own: what is true of it on any GPU. What is recorded is in
results/gpu-instructions.json; where other tools have built the runtime, or
without valgrind, --check ends with status 77, skipped.
"""

import argparse
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

import instructions
import machine
from machine import ROOT, say

RECORDED = ROOT / "bench/results/gpu-instructions.json"
SMALL, LARGE = 1000, 41000


def count_instructions(build, workload, peer, calls):
    """All instructions of a process that makes so many."""
    variables = {key: value for key, value in os.environ.items()
                 if not key.startswith("ASYNC_GPU_")}
    variables.update(ASYNC_GPU_DEVICE="cuda", ASYNC_GPU_NUM_THREADS="1",
                     LD_LIBRARY_PATH=str(build / "bench/gpu/null"))
    command = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null",
               str(build / "bin/bench-gpu"), "count", workload, peer,
               str(calls)]
    done = subprocess.run(command, env=variables, capture_output=True,
                          text=True, timeout=100)
    found = re.search(r"Collected : (\d+)", done.stderr)
    if done.returncode or not found:
        raise SystemExit(f"{' '.join(command)}\n{done.stdout}{done.stderr}")
    return int(found[1])


def count_per_call(build, workload, peer):
    # The difference leaves out what starting and ending a process takes.
    difference = (count_instructions(build, workload, peer, LARGE)
                  - count_instructions(build, workload, peer, SMALL))
    return difference / (LARGE - SMALL)


def main():
    parser = argparse.ArgumentParser(
        description="How many instructions the runtime adds to GPU work.")
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build")
    parser.add_argument("--llvm", type=pathlib.Path,
                        default=pathlib.Path("/usr/lib/llvm-22"))
    action = parser.add_mutually_exclusive_group()
    action.add_argument("--check", action="store_true")
    action.add_argument("--record", action="store_true")
    arguments = parser.parse_args()
    machine.require(arguments.build, "CMakeCache.txt", "bin/bench-gpu",
                    "bench/gpu/null/libcuda.so.1")

    if not shutil.which("valgrind"):
        say("skipped: valgrind is not installed")
        return instructions.SKIPPED
    made_with = instructions.tools(arguments.build, arguments.llvm)
    recorded = json.loads(RECORDED.read_text()) if RECORDED.exists() else None
    if arguments.check and recorded and recorded["tools"] != made_with:
        say(f"skipped: recorded with {recorded['tools']}, this is {made_with}")
        return instructions.SKIPPED

    counts = {}
    for workload in ("launch", "region"):
        ours, theirs = (count_per_call(arguments.build, workload, peer)
                        for peer in ("async-gpu", "by-hand"))
        counts[workload] = round(ours - theirs, 1)
        say(f"{workload}: {counts[workload]} instructions of the runtime, "
            f"beside {theirs:.1f} written by hand")
    if arguments.record:
        document = machine.header("gpu-instructions")
        document.update(tools=made_with, instructions_per_task=counts)
        machine.save(document, RECORDED)
    if arguments.check:
        if not recorded:
            say(f"error: there is no {RECORDED}")
            return 1
        return instructions.check(counts, recorded)
    return 0


if __name__ == "__main__":
    sys.exit(main())
