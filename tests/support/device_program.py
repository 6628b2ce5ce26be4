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

import driver_log

SKIPPED = 77

# How a program has ended. `calls` are those of the driver, `message` is what it
# wrote to stderr without what is logged, `log` is all of stderr.
Run = collections.namedtuple("Run", "status output message calls log is_late")


def add_arguments(parser):
    """The options that say how a program is compiled, and its file."""
    parser.add_argument("--opt", required=True, help="async-gpu-opt")
    parser.add_argument("--lower", help="options of --async-gpu-lower")
    parser.add_argument("--link", help="what else is linked")
    parser.add_argument("--seconds", type=float, default=20)
    parser.add_argument("file")


def build(arguments, folder):
    """Compiles the program ahead of time into the folder, if it is not compiled
    yet: its path."""
    if not arguments.file.endswith(".mlir"):
        return arguments.file
    path = os.path.join(folder, "program")
    command = [arguments.opt, "--emit=exe", arguments.file, "-o", path]
    if arguments.lower:
        command.append(f"--async-gpu-lower={arguments.lower}")
    if arguments.link:
        command.append(f"--link={arguments.link}")
    done = subprocess.run(command, stderr=subprocess.PIPE, text=True)
    sys.stderr.write(done.stderr)
    if needs_toolkit(done):
        print("skipped: no CUDA toolkit was found")
        sys.exit(SKIPPED)
    done.check_returncode()
    return path


def needs_toolkit(done):
    """True if async-gpu-opt has failed since there is no libdevice here."""
    return done.returncode != 0 and (
        "needs libdevice of a CUDA toolkit, and none was found" in done.stderr)


# What each thread of a kernel writes whose assertion fails.
ASSERTION = re.compile(r"thread: \[\d+,\d+,\d+\] Assertion `.*` failed\.$")


def run(path, seconds, settings):
    """Runs the program with everything logged."""
    environment = dict(os.environ, ASYNC_GPU_DEVICE="emu",
                       ASYNC_GPU_LOG="driver,async,device", **settings)
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
