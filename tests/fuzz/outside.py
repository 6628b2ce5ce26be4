#!/usr/bin/env python3
"""Calls random programs from threads that the runtime has not started.

Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
See LICENSE for license information.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

    outside.py --program FILE [--first N] [--count N] [--callers N]
               [--seconds N]

FILE is what outside_threads.c makes. All programs run in one process, one after
the other.
"""

import argparse
import os
import pathlib
import subprocess
import sys
import tempfile

import async_programs


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--program", required=True)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--count", type=int, default=12)
    parser.add_argument("--callers", type=int, default=8)
    parser.add_argument("--seconds", type=float, default=100)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        command = [arguments.program, str(arguments.callers)]
        for number in range(arguments.first, arguments.first + arguments.count):
            generator = async_programs.Generator(number)
            program = generator.program()
            if generator.refusals:
                continue
            output = async_programs.Run(program).output
            path = pathlib.Path(scratch) / f"{number}.mlir"
            path.write_text(program.text(checksum=True))
            command += [str(path), str(async_programs.checksum(output))]
        done = subprocess.run(command, timeout=arguments.seconds,
                              stdin=subprocess.DEVNULL,
                              env=dict(os.environ, ASYNC_GPU_DEVICE="emu"))
    return done.returncode


if __name__ == "__main__":
    sys.exit(main())
