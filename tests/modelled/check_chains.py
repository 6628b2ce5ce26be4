#!/usr/bin/env python3
"""Modelled time of kernels with as many instructions, which need each other or do not.

Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
See LICENSE for license information.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

    check_chains.py --runner FILE product.mlir

A thread alone waits for what each instruction needs. So a kernel of one warp with one
chain of additions takes a latency for each, and one with eight chains about an eighth;
what a loop computes anew in each round from nothing that changes takes nothing. Where the
card is full of warps, both issue as many and take the same. A product's kernel takes the
same in each run, though its arrays lie elsewhere.
"""

import argparse
import json
import pathlib
import subprocess
import sys
import tempfile

LATENCY_NS, ROUNDS, ADDS, WAYS = 2.8, 64, 64, 8  # the first: of runtime/emu/models/t4.model

KERNEL = """
gpu.module @kernels {{
  gpu.func @sum(%out: memref<?xf32>, %by: f32) kernel {{
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %rounds = arith.constant {rounds} : index
    %size = gpu.block_dim x
    %block = gpu.block_id x
    %thread = gpu.thread_id x
    %first = arith.muli %block, %size : index
    %at = arith.addi %first, %thread : index
    %s:{ways} = scf.for %i = %c0 to %rounds step %c1
        iter_args({begins}) -> ({types}) {{
{adds}
      scf.yield {ends} : {types}
    }}
{sums}
    memref.store %total, %out[%at] : memref<?xf32>
    gpu.return
  }}
}}
func.func @main() {{
  %grid = arith.constant {grid} : index
  %threads = arith.constant {threads} : index
  %all = arith.muli %grid, %threads : index
  %c1 = arith.constant 1 : index
  %by = arith.constant 1.5 : f32
  %out = gpu.alloc (%all) : memref<?xf32>
  gpu.launch_func @kernels::@sum blocks in (%grid, %c1, %c1) threads in (%threads, %c1, %c1)
      args(%out : memref<?xf32>, %by : f32)
  gpu.dealloc %out : memref<?xf32>
  return
}}
"""


def write(ways, grid, threads, same=False):
    """`same`: each round also computes a chain of its own, the same one."""
    adds, now = [], [f"%b{i}" for i in range(ways)]
    last = "%by"
    for number in range(ADDS):
        way = number % ways
        adds.append(f"      %n{number} = arith.addf {now[way]}, %by : f32")
        now[way] = f"%n{number}"
        if same:
            adds.append(f"      %k{number} = arith.mulf {last}, %by : f32")
            last = f"%k{number}"
    if same:
        adds.append(f"      %used = arith.addf {now[0]}, {last} : f32")
        now[0] = "%used"
    sums = ["    %t0 = arith.addf %s#0, %by : f32"]
    sums += [f"    %t{i} = arith.addf %t{i - 1}, %s#{i} : f32" for i in range(1, ways)]
    sums.append(f"    %total = arith.addf %t{ways - 1}, %by : f32")
    return "module attributes {gpu.container_module} {" + KERNEL.format(
        rounds=ROUNDS, ways=ways, grid=grid, threads=threads,
        begins=", ".join(f"%b{i} = %by" for i in range(ways)),
        types=", ".join(["f32"] * ways), adds="\n".join(adds), ends=", ".join(now),
        sums="\n".join(sums)) + "}\n"


def measure(runner, source, *options):
    """Nanoseconds of each kernel, in order."""
    with tempfile.TemporaryDirectory() as folder:
        trace = pathlib.Path(folder) / "trace.json"
        subprocess.run([runner, "--device=emu", "--model=t4", f"--trace={trace}", source,
                        *options], timeout=60, check=True, stdout=subprocess.DEVNULL)
        events = json.loads(trace.read_bytes())["traceEvents"]
    return [event["dur"] * 1e3 for event in events
            if event.get("cat") == "kernel" and event["ph"] == "X"]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--runner", required=True)
    parser.add_argument("product")
    arguments = parser.parse_args()
    problems, took = [], {}
    with tempfile.TemporaryDirectory() as folder:
        for name, text in (("chain", write(1, 1, 32)), ("beside", write(WAYS, 1, 32)),
                           ("same", write(1, 1, 32, True)),
                           ("full chain", write(1, 80, 1024)),
                           ("full beside", write(WAYS, 80, 1024))):
            source = pathlib.Path(folder) / "program.mlir"
            source.write_text(text)
            took[name] = measure(arguments.runner, source)[0]
    whole = ROUNDS * ADDS * LATENCY_NS
    if not whole < took["chain"] < 1.2 * whole:
        problems.append("a chain takes a latency for each addition")
    if not took["chain"] / WAYS < took["beside"] < took["chain"] / WAYS * 2.5:
        problems.append(f"{WAYS} chains take about a {WAYS}th of one")
    if took["same"] > 1.1 * took["chain"]:
        problems.append("what is the same in each round is computed once")
    if abs(took["full beside"] / took["full chain"] - 1) > 0.1:
        problems.append("a full card issues as many instructions")
    products = {tuple(measure(arguments.runner, arguments.product, "--entry=product",
                              *["--input=64x64xf32=iota"] * 2)) for _ in range(3)}
    if len(products) != 1:
        problems.append(f"a product takes the same in each run: {products}")
    if problems:
        sys.exit("\n".join(problems) + f"\n{took}")


if __name__ == "__main__":
    main()
