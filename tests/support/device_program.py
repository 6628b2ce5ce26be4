"""Builds a program that uses a device, and runs it on the emulated one.

Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
See LICENSE for license information.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import collections
import os
import re
import subprocess
import sys

import compiled
import driver_log
import program
import run_program

SKIPPED = 77

# How a program has ended. `calls` are those of the driver, `message` is what it
# wrote to stderr without what is logged, `log` is all of stderr.
Run = collections.namedtuple("Run", "status output message calls log is_late")


def add_arguments(parser):
    parser.add_argument("--opt", required=True, help="async-gpu-opt")
    parser.add_argument("--seconds", type=float, default=20)
    parser.add_argument("file", help="a program, compiled or not")


def settings_of(described):
    """The environment that its first RUN line asks for."""
    settings = {f"ASYNC_GPU_{name}": values[0]
                for name, values in described.main_way().settings}
    if "DEVICES" in described.keys:
        settings["ASYNC_GPU_EMU_DEVICES"] = described.keys["DEVICES"]
    return settings


def build(arguments):
    """The program's path, compiled as it says, and whether it fails by itself. What
    it needs of the environment is set."""
    if not arguments.file.endswith(".mlir"):
        return arguments.file, False
    described = program.Program(arguments.file, run_program.SETS)
    settings = settings_of(described)
    os.environ.update(settings)
    options = described.options
    if settings.get("ASYNC_GPU_EMU_CHECK"):
        options.append("--async-gpu-lower=check-accesses=true")
    try:
        path = compiled.program(arguments.opt, described.path, options)
    except compiled.NeedsToolkit:
        print("skipped: no CUDA toolkit was found")
        sys.exit(SKIPPED)
    return path, program.status_of(described.main()) != 0


# What each thread of a kernel writes whose assertion fails.
ASSERTION = re.compile(r"thread: \[\d+,\d+,\d+\] Assertion `.*` failed\.$")


def run(path, seconds, settings):
    """Runs the program with everything logged."""
    environment = {**os.environ, "ASYNC_GPU_DEVICE": "emu",
                   "ASYNC_GPU_LOG": "driver,async,device", **settings}
    try:
        done = subprocess.run([path], capture_output=True, text=True,
                              errors="replace", stdin=subprocess.DEVNULL,
                              env=environment, timeout=seconds)
    except subprocess.TimeoutExpired as late:
        return Run(None, "", "", [], (late.stderr or b"").decode(), True)
    message = "".join(
        line for line in done.stderr.splitlines(keepends=True)
        if not line.startswith(("driver: ", "device: ", "async: ")) and
        not ASSERTION.search(line))
    return Run(done.returncode, done.stdout, message,
               driver_log.read_calls(done.stderr), done.stderr, False)
