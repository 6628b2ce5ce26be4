#!/usr/bin/env python3
"""Assembles the PTX of every program given, for one chip.

Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
See LICENSE for license information.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

    check_ptx.py --opt ASYNC_GPU_OPT --chip sm_75 FILE.mlir...

Skipped (exit status 77) where no ptxas is found: in PATH, under CUDA_HOME or
in /usr/local/cuda. A program without kernels has no PTX and is passed over;
at least one has to have some.
"""

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile

SKIPPED = 77


def find_ptxas():
    folders = [os.environ.get("CUDA_HOME", ""), "/usr/local/cuda"]
    path = os.pathsep.join([os.environ.get("PATH", "")] +
                           [f"{folder}/bin" for folder in folders if folder])
    return shutil.which("ptxas", path=path)


def has_kernel(path):
    with open(path) as file:
        return re.search(r"\bgpu\.(launch|module)\b", file.read()) is not None


def run(command):
    """What the command writes; None after reporting that it failed."""
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode == 0:
        return done.stdout
    print(f"{' '.join(command)}: exit status {done.returncode}\n"
          f"{done.stdout}{done.stderr}")
    return None


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--opt", required=True)
    parser.add_argument("--chip", required=True)
    parser.add_argument("files", nargs="+")
    arguments = parser.parse_args()
    ptxas = find_ptxas()
    if not ptxas:
        print("skipped: no ptxas was found")
        return SKIPPED

    failures = 0
    kernels = 0
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "module.ptx")
        for source in filter(has_kernel, arguments.files):
            text = run([arguments.opt, "--emit=ptx",
                        f"--async-gpu-lower=gpu-chip={arguments.chip}", source])
            if not text:
                failures += 1
                print(f"{source}: no PTX")
                continue
            with open(path, "w") as file:
                file.write(text)
            kernels += len(re.findall(r"\.entry\s", text))
            if run([ptxas, f"-arch={arguments.chip}", "-o", os.devnull,
                    path]) is None:
                failures += 1
                print(f"the PTX above is of {source}")
    print(f"{kernels} kernels assembled for {arguments.chip}, "
          f"{failures} failures")
    return 1 if failures or not kernels else 0


if __name__ == "__main__":
    sys.exit(main())
