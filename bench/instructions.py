#!/usr/bin/env -S python3 -B
"""How many instructions a task takes, and whether that has grown.

Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
See LICENSE for license information.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

    bench/instructions.py                  count and print
    bench/instructions.py --check          fail where a count has grown by more
                                           than 5 % over the recorded one
    bench/instructions.py --record         record the counts; then put them into
                                           the document: report.py --write

Unlike times, instructions do not drift with the machine's load. They are
counted by valgrind's callgrind, in programs that one worker runs by itself
(tasks/programs/inside.mlir), at two sizes: the difference leaves out what
starting and ending a process takes. What is recorded is in
results/instructions.json; it holds for one release of the C compiler, of LLVM
and of the C library, and with others --check ends with status 77, skipped. So
it does where valgrind is not installed (apt-get install valgrind).
"""

import argparse
import json
import os
import pathlib
import platform
import re
import shutil
import subprocess
import sys

import machine
from machine import ROOT, say
from programs import Builder
from workloads import fibonacci_tasks

RECORDED = ROOT / "bench/results/instructions.json"
ALLOWED_GROWTH = 0.05
SKIPPED = 77

# Name, what the program calls it, two sizes, tasks of a size.
COUNTED = [
    ("W1 fib, async.execute", "fib", 13, 18, fibonacci_tasks),
    ("W1 fib, async.func", "fib-func", 13, 18, fibonacci_tasks),
    ("W2 fan-out", "fan-out", 1000, 9000, lambda n: n),
    # So few that the spawner need not wait for them to become fewer.
    ("W2 fan-out, opaque", "fan-out-opaque", 400, 1900, lambda n: n),
    ("W3 chain, opaque", "chain-opaque", 400, 1900, lambda n: n),
]


def count_instructions(program, name, size):
    """All instructions of one process."""
    variables = {key: value for key, value in os.environ.items()
                 if not key.startswith("ASYNC_GPU_")}
    variables["ASYNC_GPU_NUM_THREADS"] = "1"
    # Warm: with the memory that the run needs, so that growing is not counted.
    command = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null",
               str(program), name, str(size), str(size)]
    done = subprocess.run(command, env=variables, capture_output=True,
                          text=True, timeout=100)
    found = re.search(r"Collected : (\d+)", done.stderr)
    if done.returncode or not found:
        raise SystemExit(f"{' '.join(command)}\n{done.stdout}{done.stderr}")
    return int(found[1])


def count_per_task(program, name, small, large, tasks):
    # Both sizes run twice, once to warm up.
    difference = (count_instructions(program, name, large)
                  - count_instructions(program, name, small))
    return difference / (2 * (tasks(large) - tasks(small)))


def major(version):
    return version.split(".")[0] if version else "unknown"


def tools(build, llvm):
    """What the counts depend on beside the sources."""
    compiler = "unknown"
    for file in (build / "CMakeFiles").glob("*/CMakeCCompiler.cmake"):
        text = file.read_text()
        name = re.search(r'CMAKE_C_COMPILER_ID "(.*?)"', text)
        version = re.search(r'CMAKE_C_COMPILER_VERSION "(.*?)"', text)
        if name and version:
            compiler = f"{name[1]} {major(version[1])}"
    cache = (build / "CMakeCache.txt").read_text()
    kind = re.search(r"^CMAKE_BUILD_TYPE:\w+=(.*)$", cache, re.M)
    version = machine.first_line([str(llvm / "bin/llvm-config"), "--version"])
    return {
        "architecture": platform.machine(),
        "compiler": compiler,
        "build_type": kind[1] if kind else "unknown",
        "llvm": major(version),
        "libc": " ".join(platform.libc_ver()),
    }


def check(counts, recorded):
    """1 where a count has grown too much, otherwise 0."""
    status = 0
    for name, count in counts.items():
        before = recorded["instructions_per_task"].get(name)
        if before is None:
            say(f"error: {name} has not been recorded; "
                "bench/instructions.py --record does that")
            status = 1
        elif count > before * (1 + ALLOWED_GROWTH):
            say(f"error: {name}: {count:.1f} instructions a task, recorded "
                f"are {before:.1f}: more than {ALLOWED_GROWTH:.0%} over that")
            status = 1
        elif count < before * (1 - ALLOWED_GROWTH):
            say(f"note: {name} has come down from {before:.1f}; "
                "bench/instructions.py --record keeps it there")
    return status


def main():
    parser = argparse.ArgumentParser(
        description="How many instructions a task takes.")
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build")
    parser.add_argument("--llvm", type=pathlib.Path,
                        default=pathlib.Path("/usr/lib/llvm-22"))
    action = parser.add_mutually_exclusive_group()
    action.add_argument("--check", action="store_true")
    action.add_argument("--record", action="store_true")
    arguments = parser.parse_args()
    machine.require(arguments.build, "CMakeCache.txt", "bin/async-gpu-opt",
                    "lib/libasync_gpu_runtime.so")

    if not shutil.which("valgrind"):
        say("skipped: valgrind is not installed")
        return SKIPPED
    made_with = tools(arguments.build, arguments.llvm)
    recorded = json.loads(RECORDED.read_text()) if RECORDED.exists() else None
    if arguments.check and recorded and recorded["tools"] != made_with:
        say(f"skipped: recorded with {recorded['tools']}, this is {made_with}")
        return SKIPPED

    builder = Builder(arguments.build, arguments.llvm,
                      arguments.build / "bench/instructions")
    program = builder.async_gpu_inside()
    counts = {}
    for title, *workload in COUNTED:
        counts[title] = round(count_per_task(program, *workload), 1)
        say(f"{title}: {counts[title]} instructions a task")
    if arguments.record:
        document = machine.header("instructions")
        document.update(tools=made_with, instructions_per_task=counts)
        machine.save(document, RECORDED)
    if arguments.check:
        if not recorded:
            say(f"error: there is no {RECORDED}")
            return 1
        return check(counts, recorded)
    return 0


if __name__ == "__main__":
    sys.exit(main())
