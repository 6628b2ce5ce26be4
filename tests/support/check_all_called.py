#!/usr/bin/env python3
"""Fails unless a test program calls every function that a library exports.

Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
See LICENSE for license information.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

    check_all_called.py NM LIBRARY PROGRAM [ARGUMENT...]

The program says what it called in lines "called NAME".
"""

import subprocess
import sys

# Compiled kernels call these, on threads of the emulated device alone.
OF_KERNELS = "agpu_native_"
# What libasync_gpu_mpi.so needs of it.
PRIVATE = "agpu__"


def main():
    nm, library = sys.argv[1:3]
    symbols = subprocess.run([nm, "-D", "--defined-only", library], check=True,
                             capture_output=True, text=True).stdout
    exported = {line.split()[-1] for line in symbols.splitlines()
                if line.split()[-2] == "T"}
    exported = {name for name in exported
                if not name.startswith((OF_KERNELS, PRIVATE))}
    printed = subprocess.run(sys.argv[3:], check=True, capture_output=True,
                             text=True).stdout
    called = {line.split()[1] for line in printed.splitlines()
              if line.startswith("called ")}
    if not exported:
        print(f"{library} exports nothing")
    for name in sorted(exported - called):
        print(f"{name} is exported, and never called")
    for name in sorted(called - exported):
        print(f"{name} is called, and not exported")
    return 0 if exported and exported == called else 1


if __name__ == "__main__":
    sys.exit(main())
