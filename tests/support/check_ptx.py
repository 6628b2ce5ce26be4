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

    failed = False
    assembled = 0
    with tempfile.TemporaryDirectory() as folder:
        ptx = os.path.join(folder, "program.ptx")
        for path in filter(has_kernel, arguments.files):
            for command in (
                [arguments.opt, f"--async-gpu-lower=gpu-chip={arguments.chip}",
                 "--emit=ptx", path, "-o", ptx],
                [ptxas, f"-arch={arguments.chip}", "-o", os.devnull, ptx],
            ):
                done = subprocess.run(command, capture_output=True, text=True)
                if done.returncode != 0:
                    failed = True
                    print(f"{' '.join(command)}: exit status "
                          f"{done.returncode}\n{done.stdout}{done.stderr}")
                    break
            else:
                with open(ptx) as file:
                    kernels = re.findall(r"\.entry\s+(\w+)", file.read())
                if not kernels:
                    failed = True
                    print(f"{path}: its PTX has no kernel")
                assembled += len(kernels)
    print(f"{assembled} kernels assembled for {arguments.chip}")
    return 1 if failed or not assembled else 0


if __name__ == "__main__":
    sys.exit(main())
