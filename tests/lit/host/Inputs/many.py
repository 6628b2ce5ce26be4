"""Prints a program with many awaits in one region, or many regions.

Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
See LICENSE for license information.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

    many.py awaits|asserts|regions N

awaits: a region awaits N tokens, one after the other; asserts: a region spawns
N others with an assertion behind each; regions: a function spawns and awaits N.
"""

import sys


def spawn(i):
    return [f"%t{i} = async.execute {{", "  async.yield", "}"]


def wait(i):
    return [f"async.await %t{i} : !async.token"]


def main():
    kind, count = sys.argv[1], int(sys.argv[2])
    lines = []
    if kind == "regions":
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
    print("func.func @main(%arg0: i1) {")
    print("\n".join(lines))
    print("return\n}")


main()
