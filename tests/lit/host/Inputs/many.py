"""Prints a program with many awaits in one region, or many regions.

Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
See LICENSE for license information.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

    many.py awaits|asserts|regions|kernels N

awaits: a region awaits N tokens, one after the other; asserts: a region spawns
N others with an assertion behind each; regions: a function spawns and awaits N; kernels: N
regions, each with a kernel of its own, in chains of ten.
"""

import sys


def spawn(i):
    return [f"%t{i} = async.execute {{", "  async.yield", "}"]


def wait(i):
    return [f"async.await %t{i} : !async.token"]


def kernels(count):
    lines = ["%n = arith.constant 128 : index", "%c1 = arith.constant 1 : index",
             "%d = gpu.alloc () : memref<128xi32>"]
    for i in range(count):
        after = f"[%t{i - 1}] " if i % 10 else ""
        lines += [
            f"%t{i} = async.execute {after}{{",
            "  gpu.launch blocks(%bx, %by, %bz)"
            " in (%gx = %c1, %gy = %c1, %gz = %c1)"
            " threads(%i, %j, %k) in (%sx = %n, %sy = %c1, %sz = %c1) {",
            f"    %c = arith.constant {i} : i32",
            "    %v = memref.load %d[%i] : memref<128xi32>",
            "    %w = arith.addi %v, %c : i32",
            "    memref.store %w, %d[%i] : memref<128xi32>",
            "    gpu.terminator", "  }", "  async.yield", "}"]
    for i in range(count):
        if i % 10 == 9 or i == count - 1:
            lines += wait(i)
    return lines + ["gpu.dealloc %d : memref<128xi32>"]


def main():
    kind, count = sys.argv[1], int(sys.argv[2])
    lines = []
    if kind == "kernels":
        lines += kernels(count)
    elif kind == "regions":
        for i in range(count):
            lines += spawn(i) + wait(i)
    else:
        body = []
        for i in range(count):
            if kind == "awaits":
                lines += spawn(i)
                body += wait(i)
            else:
                body += spawn(i) + [f'cf.assert %arg0, "it holds"']
        if kind == "asserts":
            for i in range(count):
                body += wait(i)
        lines += ["%all = async.execute {"] + body + ["async.yield", "}",
                                                     "async.await %all : "
                                                     "!async.token"]
    print("func.func @main(" + ("" if kind == "kernels" else "%arg0: i1") + ") {")
    print("\n".join(lines))
    print("return\n}")


main()
