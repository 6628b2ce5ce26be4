#!/usr/bin/env python3
"""Modelled time of accesses of workgroup memory that differ in their addresses alone.

Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
See LICENSE for license information.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

    check_banks.py --runner FILE

A block of 1,024 threads loads and stores words of workgroup memory. Lanes that access
words of one bank come one after the other; those that access the same word do not. A
vector of four words takes as many clocks as four words, or half as many where neighbours
load the same.
"""

import argparse
import pathlib
import sys
import tempfile

from check_chains import measure

ROUNDS, WORDS = 32, 8192

PROGRAM = """
module attributes {{gpu.container_module}} {{
gpu.module @kernels {{
  gpu.func @access(%out: memref<1024xf32>) workgroup(%words: memref<{words}xf32, 3>) kernel {{
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %rounds = arith.constant {rounds} : index
    %divisor = arith.constant {divisor} : index
    %factor = arith.constant {factor} : index
    %most = arith.constant {most} : index
    %zero = arith.constant 0.0 : f32
    %thread = gpu.thread_id x
    %part = arith.divui %thread, %divisor : index
    %far = arith.muli %part, %factor : index
    %at = arith.remui %far, %most : index
    %sum = scf.for %i = %c0 to %rounds step %c1 iter_args(%so_far = %zero) -> f32 {{
      {access}
      scf.yield %next : f32
    }}
    memref.store %sum, %out[%thread] : memref<1024xf32>
    gpu.return
  }}
}}
func.func @main() {{
  %c1 = arith.constant 1 : index
  %threads = arith.constant 1024 : index
  %out = gpu.alloc () : memref<1024xf32>
  gpu.launch_func @kernels::@access blocks in (%c1, %c1, %c1) threads in (%threads, %c1, %c1)
      args(%out : memref<1024xf32>)
  gpu.dealloc %out : memref<1024xf32>
  return
}}
}}
"""

LOAD = f"""%got = memref.load %words[%at] : memref<{WORDS}xf32, 3>
      %next = arith.addf %so_far, %got : f32"""
STORE = f"""memref.store %so_far, %words[%at] : memref<{WORDS}xf32, 3>
      %next = arith.addf %so_far, %zero : f32"""
VECTOR = f"""%got = vector.load %words[%at] : memref<{WORDS}xf32, 3>, vector<4xf32>
      %one = vector.extract %got[0] : f32 from vector<4xf32>
      %next = arith.addf %so_far, %one : f32"""

# What a warp accesses: the op, by what a thread's number is divided and multiplied, and
# clocks of the banks.
CASES = {
    "loads side by side": (LOAD, 1, 1, 1),
    "loads of the same word": (LOAD, 1024, 1, 1),
    "loads of every second word": (LOAD, 1, 2, 2),
    "loads of one bank": (LOAD, 1, 32, 32),
    "stores side by side": (STORE, 1, 1, 1),
    "stores of every fourth word": (STORE, 1, 4, 4),
    "vectors side by side": (VECTOR, 1, 4, 4),
    "vectors with gaps": (VECTOR, 1, 8, 8),
    "vectors that neighbours share": (VECTOR, 2, 4, 2),
}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--runner", required=True)
    arguments = parser.parse_args()
    took = {}
    with tempfile.TemporaryDirectory() as folder:
        source = pathlib.Path(folder) / "program.mlir"
        for name, (access, divisor, factor, _) in CASES.items():
            source.write_text(PROGRAM.format(rounds=ROUNDS, words=WORDS, most=WORDS - 4,
                                             access=access, divisor=divisor, factor=factor))
            took[name] = measure(arguments.runner, source)[0]
    # A clock of the T4 for each of 32 warps in each round; the rest is the same for all.
    # Accesses of up to two clocks are hidden: a thread waits longer for what it loads.
    clock_ns, most = 32 * ROUNDS / 1.59, CASES["loads of one bank"][3]
    problems = []
    for name, (_, _, _, clocks) in CASES.items():
        expected = (took["loads side by side"] if clocks <= 2 else
                    took["loads of one bank"] - (most - clocks) * clock_ns)
        if abs(took[name] / expected - 1) > 0.02:
            problems.append(f"{name}: {took[name]:.0f} ns, {expected:.0f} are expected "
                            f"of {clocks} clocks a warp")
    if not took["loads of one bank"] > 20 * clock_ns:
        problems.append("lanes that load other words of one bank do not")
    if problems:
        sys.exit("\n".join(problems) + f"\n{took}")


if __name__ == "__main__":
    main()
