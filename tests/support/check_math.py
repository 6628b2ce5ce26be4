#!/usr/bin/env python3
"""Compares the f32 functions of math=expand with the host's libm.

Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
See LICENSE for license information.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

    check_math.py --runner ASYNC_GPU_RUNNER [--table]

Each function is computed by a kernel at some thousand places of each of its
ranges. Bounds are in units in the last place of the exact result (no less than
the smallest normal number's), as docs/kernels.md states them. --table prints
what was found.
"""

import argparse
import math
import re
import struct
import subprocess
import sys
import tempfile

COUNT = 2048

# Function, from, to, bound.
RANGES = [
    ("exp", -87, 88.7, 4), ("exp", -1e-3, 1e-3, 4),
    ("exp2", -125, 127.9, 4),
    ("sinh", -89, 89, 6), ("sinh", -1, 1, 4), ("sinh", -1e-3, 1e-3, 2),
    ("cosh", -89, 89, 6), ("cosh", -1e-3, 1e-3, 4),
    ("tanh", -10, 10, 5), ("tanh", -0.6, 0.6, 4), ("tanh", -1e-3, 1e-3, 2),
    ("asinh", -1, 1, 10), ("asinh", -1e-3, 1e-3, 3), ("asinh", -1e6, -1e3, 4),
    ("asinh", 1e10, 3e38, 4),
    ("acosh", 1, 1.001, 6), ("acosh", 1, 100, 10), ("acosh", 1e10, 3e38, 4),
    ("atanh", -0.999, 0.999, 10), ("atanh", -1e-3, 1e-3, 4),
    ("tan", -1.5707, 1.5707, 5), ("tan", 1.5, 1.5707, 5), ("tan", -1e4, 1e4, 5),
]

# Function, argument, result.
VALUES = [
    ("exp", "inf", "inf"), ("exp", "-inf", "0"), ("exp", "200", "inf"),
    ("exp", "-200", "0"), ("exp", "nan", "nan"),
    ("sinh", "inf", "inf"), ("sinh", "-inf", "-inf"), ("sinh", "-0", "-0"),
    ("sinh", "nan", "nan"), ("cosh", "-inf", "inf"),
    ("tanh", "inf", "1"), ("tanh", "-inf", "-1"), ("tanh", "-0", "-0"),
    ("tanh", "nan", "nan"), ("asinh", "-inf", "-inf"), ("asinh", "-0", "-0"),
    ("asinh", "nan", "nan"), ("acosh", "1", "0"), ("acosh", "0.5", "nan"),
    ("acosh", "-3", "nan"), ("acosh", "-1e30", "nan"), ("acosh", "inf", "inf"),
    ("atanh", "1", "inf"), ("atanh", "-1", "-inf"), ("atanh", "2", "nan"),
    ("atanh", "-0", "-0"), ("tan", "-0", "-0"), ("tan", "inf", "nan"),
    ("tan", "nan", "nan"),
]


def bits(value):
    return struct.unpack("<I", struct.pack("<f", value))[0]


def single(value):
    return struct.unpack("<f", struct.pack("<f", value))[0]


def from_bits(value):
    return struct.unpack("<f", struct.pack("<I", value & 0xFFFFFFFF))[0]


def ulp(value):
    """Of a float of 32 bits near `value`."""
    return 2.0 ** (max(math.frexp(value)[1], -125) - 24)


REFERENCE = {name: getattr(math, name) for name in
             ("exp", "sinh", "cosh", "tanh", "asinh", "acosh", "atanh", "tan")}
REFERENCE["exp2"] = lambda x: 2.0 ** x

MAIN = """func.func private @printMemrefI32(memref<*xi32>)
    attributes {llvm.emit_c_interface}
func.func @main() {
  %c1 = arith.constant 1 : index
  %block = arith.constant 256 : index
"""

RANGE = """  %grid{n} = arith.constant {blocks} : index
  %o{n} = gpu.alloc host_shared () : memref<{count}xi32>
  gpu.launch blocks(%bx{n}, %by{n}, %bz{n}) in (%gx{n} = %grid{n}, %gy{n} = %c1, %gz{n} = %c1)
             threads(%tx{n}, %ty{n}, %tz{n}) in (%sx{n} = %block, %sy{n} = %c1, %sz{n} = %c1) {{
    %b = arith.muli %bx{n}, %sx{n} : index
    %i = arith.addi %b, %tx{n} : index
    %table = memref.get_global @places{n} : memref<{count}xi32>
    %xb = memref.load %table[%i] : memref<{count}xi32>
    %x = arith.bitcast %xb : i32 to f32
    %y = math.{function} %x : f32
    %yb = arith.bitcast %y : f32 to i32
    memref.store %yb, %o{n}[%i] : memref<{count}xi32>
    gpu.terminator
  }}
  %u{n} = memref.cast %o{n} : memref<{count}xi32> to memref<*xi32>
  func.call @printMemrefI32(%u{n}) : (memref<*xi32>) -> ()
"""

TABLE = """memref.global "private" constant @places{n} : memref<{count}xi32> =
    dense<[{places}]>
"""


def make_program(jobs):
    """jobs: (function, arguments); as many arguments as threads."""
    body, tables = MAIN, ""
    for n, (function, places) in enumerate(jobs):
        body += RANGE.format(n=n, blocks=len(places) // 256,
                             count=len(places), function=function)
        tables += TABLE.format(n=n, count=len(places), places=", ".join(
            str(struct.unpack("<i", struct.pack("<f", x))[0]) for x in places))
    return tables + body + "  return\n}\n"


def run(runner, text):
    with tempfile.NamedTemporaryFile("w", suffix=".mlir") as file:
        file.write(text)
        file.flush()
        done = subprocess.run([runner, "--gpu-math=expand", file.name],
                              capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(done.stderr[:4000])
    return [[from_bits(int(x)) for x in part.split("]")[0].split(",")]
            for part in re.split(r"data =\s*\[", done.stdout)[1:]]


def same(got, want):
    if math.isnan(want):
        return math.isnan(got)
    return got == want and math.copysign(1, got) == math.copysign(1, want)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runner", required=True)
    parser.add_argument("--table", action="store_true")
    arguments = parser.parse_args()
    jobs = [(function, [single(first + (last - first) * i / COUNT)
                        for i in range(COUNT)])
            for function, first, last, _ in RANGES]
    names = sorted({function for function, _, _ in VALUES})
    for name in names:
        places = [float(x) for function, x, _ in VALUES if function == name]
        jobs.append((name, (places * 256)[:256]))
    results = run(arguments.runner, make_program(jobs))
    failures = 0
    for (function, first, last, bound), (_, places), got in zip(
            RANGES, jobs, results):
        worst, where = 0.0, first
        for x, y in zip(places, got):
            want = REFERENCE[function](x)
            if abs(want) > 3.4028235e38:
                error = 0.0 if math.isinf(y) else math.inf
            else:
                error = abs(y - want) / ulp(want)
            if not error <= worst:
                worst, where = error, x
        if arguments.table or not worst <= bound:
            print(f"{function:6} {first:10g} to {last:10g}: {worst:8.2f} units "
                  f"in the last place at {where!r}, {bound} allowed")
        failures += not worst <= bound
    for name, got in zip(names, results[len(RANGES):]):
        rows = [(x, y) for function, x, y in VALUES if function == name]
        for (x, want), y in zip(rows, got):
            if not same(y, float(want)):
                print(f"{name}({x}) is {y}, not {want}")
                failures += 1
    print(f"{len(RANGES)} ranges and {len(VALUES)} values, {failures} wrong")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
