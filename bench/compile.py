#!/usr/bin/env python3
"""How long programs of many regions, each with a kernel, take to compile.

Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
See LICENSE for license information.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

    bench/compile.py [--build DIR] [SIZE ...]

Prints, for 250, 500 and 1,000 regions or the sizes given, the seconds of CPU
time of: host regions alone, lowered; regions with kernels, lowered for PTX and
for the emulated device; and the latter compiled and run by async-gpu-runner.
Each should grow with the size, and no faster. The least of three runs.
"""

import argparse
import os
import resource
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PROGRAMS = os.path.join(ROOT, "tests", "lit", "host", "Inputs", "many.py")
ROUNDS = 3
ROWS = [  # name, kind of program, tool, flags
    ("host regions", "regions", "async-gpu-opt", ["--async-gpu-lower"]),
    ("to PTX", "kernels", "async-gpu-opt",
     ["--async-gpu-lower=gpu-targets=ptx"]),
    ("to native code", "kernels", "async-gpu-opt",
     ["--async-gpu-lower=gpu-targets=native"]),
    ("compiled and run", "kernels", "async-gpu-runner", ["--device=emu"]),
]


def cpu_seconds(command):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(command, stdout=subprocess.DEVNULL, timeout=900)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode:
        sys.exit(f"compile.py: error: {' '.join(command)} failed")
    return (after.ru_utime + after.ru_stime -
            before.ru_utime - before.ru_stime)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", default=os.path.join(ROOT, "build"))
    parser.add_argument("sizes", metavar="SIZE", nargs="*", type=int,
                        default=[250, 500, 1000])
    arguments = parser.parse_args()
    print(f"{'seconds of CPU time':24}" +
          "".join(f"{size:>10}" for size in arguments.sizes))
    with tempfile.TemporaryDirectory() as folder:
        for name, kind, tool, flags in ROWS:
            cells = ""
            for size in arguments.sizes:
                path = os.path.join(folder, f"{kind}{size}.mlir")
                with open(path, "w") as out:
                    subprocess.run([sys.executable, PROGRAMS, kind, str(size)],
                                   stdout=out, check=True, timeout=60)
                command = [os.path.join(arguments.build, "bin", tool), path,
                           *flags]
                best = min(cpu_seconds(command) for _ in range(ROUNDS))
                cells += f"{best:10.2f}"
            print(f"{name:24}{cells}", flush=True)


if __name__ == "__main__":
    main()
