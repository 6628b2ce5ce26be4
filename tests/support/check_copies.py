#!/usr/bin/env -S python3 -B
"""Counts what a program copies on devices that reach the host's memory, and others.

Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
See LICENSE for license information.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

    check_copies.py -- ASYNC_GPU_RUNNER ARGUMENT... FILE.mlir

The driver's log is read. With --memory=unified, which the runner chooses for the
emulated device as well, the program copies and stages nothing; with
--memory=discrete, which it chooses for one that is so or that checks accesses, it
does, and prints the same.
"""

import argparse
import os
import subprocess
import sys

import driver_log

DISCRETE = {"ASYNC_GPU_EMU_MEMORY": "discrete"}
CHECKED = {"ASYNC_GPU_EMU_CHECK": "memory"}
WAYS = [("unified", ["--memory=unified"], {}), ("unified", [], {}),
        ("unified", ["--memory=unified"], CHECKED),
        ("unified", [], {**CHECKED, "ASYNC_GPU_EMU_MEMORY": "unified"}),
        ("discrete", ["--memory=discrete"], {}), ("discrete", [], DISCRETE),
        ("discrete", [], CHECKED)]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("command", nargs="+")
    command = parser.parse_args().command
    outputs = set()
    for kind, options, settings in WAYS:
        done = subprocess.run(
            [*command, *options], capture_output=True, text=True, timeout=60,
            stdin=subprocess.DEVNULL,
            env=dict(os.environ, ASYNC_GPU_DEVICE="emu", ASYNC_GPU_LOG="driver",
                     ASYNC_GPU_COMPLETION="poll", **settings))
        calls = [call.name for call in driver_log.read_calls(done.stderr)]
        copies = sum(name.startswith(("cuMemcpy", "cuLaunchHostFunc",
                                      "cuMemHost")) for name in calls)
        outputs.add(done.stdout)
        if (done.returncode or "cuLaunchKernel" not in calls or
                len(outputs) != 1 or (copies == 0) != (kind == "unified")):
            sys.exit(f"{options} with {settings}: exit status {done.returncode}, "
                     f"{copies} copies\n{done.stdout}{done.stderr}")


if __name__ == "__main__":
    main()
