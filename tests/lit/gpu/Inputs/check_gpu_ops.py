"""Fails where an op of the gpu dialect does not occur in a test.

    check_gpu_ops.py GPUOps.h.inc TEST.mlir

The header is MLIR's own and names every op.
"""

# Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import re
import sys


def main():
    with open(sys.argv[1]) as header:
        ops = set(re.findall(r'"gpu\.([a-z0-9_]+)"', header.read()))
    with open(sys.argv[2]) as test:
        tested = set(re.findall(r"\bgpu\.([a-z0-9_]+)", test.read()))
    if len(ops) < 20:
        sys.exit("the header names no ops")
    missing = sorted(ops - tested)
    if missing:
        sys.exit("not tested: " + " ".join("gpu." + op for op in missing))


main()
