#!/usr/bin/env python3
"""Whether the core sees tasks that run before what they depend on.

Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
See LICENSE for license information.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

    order_test.py TASK-BENCH --build BUILD

Builds a program of tasks as it is, and without the tokens that its tasks depend on. The
first has to end well in each of some drawn orders, and the second has to be found out.
"""

import argparse
import os
import pathlib
import re
import subprocess
import sys
import tempfile

from build import Builder

ARGUMENTS = ["-type", "shift", "-width", "6", "-steps", "20"]


class Unordered(Builder):
    """Makes programs whose tasks wait for nothing."""

    def generate(self, arguments, ranks=1):
        text, count = re.subn(r"async\.execute \[.*\]", "async.execute",
                              super().generate(arguments, ranks))
        if not count:
            sys.exit("error: the program has no task that depends on another")
        return text


def run(builder, name):
    """Whether each order ends well."""
    program = builder.program(name, ARGUMENTS)
    ends = [subprocess.run([program, *ARGUMENTS], capture_output=True, text=True, check=False,
                           timeout=60, env={**os.environ, "ASYNC_GPU_SEED": str(seed)})
            for seed in range(1, 4)]
    for end in ends:
        if end.returncode and "Assertion" not in end.stderr:
            sys.exit(f"error: {name}: {end.stderr}")
    return all(end.returncode == 0 for end in ends)


def main():
    p = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    p.add_argument("suite", type=pathlib.Path)
    p.add_argument("--build", type=pathlib.Path, required=True)
    options = p.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        if not run(Builder(options.suite, options.build, folder), "ordered"):
            sys.exit("error: a task has had a wrong input")
        if run(Unordered(options.suite, options.build, folder), "unordered"):
            sys.exit("error: nobody has seen that tasks ran in a wrong order")


if __name__ == "__main__":
    main()
