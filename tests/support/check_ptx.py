#!/usr/bin/env python3
"""Assembles the PTX of every program given, for one chip.

Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
See LICENSE for license information.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

    check_ptx.py --opt ASYNC_GPU_OPT --chip sm_75 [--lower OPTIONS] FILE.mlir...

Skipped (exit status 77) where no ptxas is found: in PATH, under CUDA_HOME or
in /usr/local/cuda. A program without kernels has no PTX and is passed over, and
so is a file of errors for a test to find; at least one has to have some. A file
whose constructs only some chips have says so in a line `// CHIPS: sm_80 sm_90`,
and is passed over for others. A chip of which there is a variant with more
(sm_90a) stands for that too.
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


def chips_of(path, chip):
    """The chips to compile the file for: `chip` or a variant of it, or none."""
    with open(path) as file:
        text = file.read()
    if not re.search(r"\bgpu\.(launch|module)\b", text) or \
            "--verify-diagnostics" in text:
        return []
    listed = re.search(r"^// CHIPS:(.*)$", text, re.MULTILINE)
    if not listed:
        return [chip]
    return [name for name in listed.group(1).split()
            if name.rstrip("af") == chip]


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
    parser.add_argument("--lower", default="")
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
        pairs = [(source, chip) for source in arguments.files
                 for chip in chips_of(source, arguments.chip)]
        for source, chip in pairs:
            text = run([arguments.opt, "--emit=ptx",
                        "--async-gpu-lower=gpu-targets=ptx "
                        f"gpu-chip={chip} {arguments.lower}", source])
            if not text:
                failures += 1
                print(f"{source}: no PTX for {chip}")
                continue
            kernels += len(re.findall(r"\.entry\s", text))
            # One text for each gpu.module that is not merged with others.
            for module in re.split(r"^(?=\.version)", text, flags=re.M)[1:]:
                with open(path, "w") as file:
                    file.write(module)
                if run([ptxas, f"-arch={chip}", "-o", os.devnull,
                        path]) is None:
                    failures += 1
                    print(f"the PTX above is of {source}, for {chip}")
    print(f"{kernels} kernels assembled for {arguments.chip}, "
          f"{failures} failures")
    return 1 if failures or not kernels else 0


if __name__ == "__main__":
    sys.exit(main())
