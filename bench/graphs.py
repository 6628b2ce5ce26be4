#!/usr/bin/env -S python3 -B
"""What a round of a loop costs with and without graphs, by counting.

Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
See LICENSE for license information.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

    bench/graphs.py              count and print
    bench/graphs.py --record     count and write results/graphs.json

Loops of 1 to 1,000 kernels in one stream and in four run on a driver that does
nothing (gpu/null_libcuda.c) under valgrind's callgrind: what is counted is the
runtime's own, instructions of the host. The difference between many rounds and
few leaves out the start, and the graph's building, which is what few rounds take
longer. Calls of the driver are counted on the emulated device.
"""

import argparse
import json
import os
import pathlib
import re
import subprocess
import tempfile

import machine
from machine import ROOT, say

RECORDED = ROOT / "bench/results/graphs.json"
FEW, MANY = 12, 112
# Kernels of a round, and its streams.
LOOPS = ((1, 1), (10, 1), (100, 1), (1000, 1), (10, 4), (100, 4), (1000, 4))

PROGRAM = """\
module attributes {{gpu.container_module}} {{
  gpu.module @k {{
    gpu.func @step(%a: memref<64xf32>, %i: index) kernel {{
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1.0 : f32
      %n = arith.index_cast %i : index to i32
      %f = arith.sitofp %n : i32 to f32
      %x = arith.addf %f, %c1 : f32
      memref.store %x, %a[%c0] : memref<64xf32>
      gpu.return
    }}
  }}
  func.func @main() {{
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %count = arith.constant {count} : index
    %rounds = arith.constant {rounds} : index
    %zero = arith.constant 0.0 : f32
{allocate}
    %first = async.execute {{
      gpu.memset %a0, %zero : memref<64xf32>, f32
      async.yield
    }}
    %last = scf.for %i = %c0 to %rounds step %c1 iter_args(%t = %first) -> !async.token {{
{body}
    }}
    async.await %last : !async.token
{free}
    return
  }}
}}
"""


def make_program(kernels, streams, rounds, changes):
    """A round of so many kernels; what they are given `changes` or not."""
    given = "%i" if changes else "%c0"
    inner, launches = kernels // streams, 1
    while inner > 250:
        inner, launches = inner // 2, launches * 2
    body, tokens = [], []
    for s in range(streams):
        launch = (f"          gpu.launch_func @k::@step blocks in (%c1, %c1, %c1)"
                  f" threads in (%c1, %c1, %c1) args(%a{s} : memref<64xf32>,"
                  f" {given} : index)\n") * launches
        body.append(f"      %t{s} = async.execute [%t] {{\n"
                    f"        scf.for %j = %c0 to %count step %c1 {{\n{launch}"
                    f"        }}\n        async.yield\n      }}")
        tokens.append(f"%t{s}")
    if streams > 1:
        body.append(
            f"      %t{streams} = async.execute [{', '.join(tokens)}] {{\n"
            "        gpu.launch_func @k::@step blocks in (%c1, %c1, %c1) threads"
            f" in (%c1, %c1, %c1) args(%a0 : memref<64xf32>, {given} : index)\n"
            "        async.yield\n      }")
        tokens.append(f"%t{streams}")
    body.append(f"      scf.yield {tokens[-1]} : !async.token")
    names = [f"%a{s}" for s in range(streams)]
    return PROGRAM.format(
        count=inner, rounds=rounds, body="\n".join(body),
        allocate="\n".join(f"    {name} = gpu.alloc() : memref<64xf32>"
                           for name in names),
        free="\n".join(f"    gpu.dealloc {name} : memref<64xf32>"
                       for name in names))


class Counter:
    def __init__(self, build, folder):
        self.build, self.folder = build, pathlib.Path(folder)

    def compile(self, text, graphs):
        source, program = self.folder / "p.mlir", self.folder / "p"
        source.write_text(text)
        subprocess.run([self.build / "bin/async-gpu-opt", source,
                        f"--async-gpu-lower=graphs={graphs} "
                        "gpu-bare-pointers=true",
                        "--emit=exe", "-o", program], check=True)
        return program

    def instructions(self, program):
        variables = dict(os.environ, ASYNC_GPU_DEVICE="cuda",
                         ASYNC_GPU_NUM_THREADS="1",
                         LD_LIBRARY_PATH=str(self.build / "bench/gpu/null"))
        done = subprocess.run(
            ["valgrind", "--tool=callgrind",
             "--callgrind-out-file=/dev/null", program], env=variables,
            capture_output=True, text=True, timeout=300)
        found = re.search(r"Collected : (\d+)", done.stderr)
        if done.returncode or not found:
            raise SystemExit(done.stdout + done.stderr)
        return int(found[1])

    def calls(self, program):
        variables = dict(os.environ, ASYNC_GPU_DEVICE="emu",
                         ASYNC_GPU_LOG="driver")
        done = subprocess.run([program], env=variables, capture_output=True,
                              text=True, timeout=300, check=True)
        return sum(line.startswith("driver: ") and "Query" not in line
                   for line in done.stderr.splitlines())

    def count(self, kernels, streams, graphs, changes=False):
        programs = []
        for rounds in (FEW, MANY):
            program = self.compile(
                make_program(kernels, streams, rounds, changes), graphs)
            programs.append((self.instructions(program), self.calls(program)))
        (few, few_calls), (many, many_calls) = programs
        a_round = (many - few) / (MANY - FEW)
        return {"instructions": round(a_round, 1),
                "calls": round((many_calls - few_calls) / (MANY - FEW), 2),
                "start": few - round(FEW * a_round)}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build")
    parser.add_argument("--record", action="store_true")
    arguments = parser.parse_args()
    results = []
    with tempfile.TemporaryDirectory() as folder:
        counter = Counter(arguments.build, folder)
        for kernels, streams in LOOPS:
            off = counter.count(kernels, streams, "off")
            same = counter.count(kernels, streams, "on")
            changed = counter.count(kernels, streams, "on", changes=True)
            nodes = kernels // streams * streams + (streams > 1)
            row = {
                "kernels": kernels, "streams": streams,
                "off": off, "same": same, "changed": changed,
                "update_a_node": round((changed["instructions"] -
                                        same["instructions"]) / nodes, 1),
                "build_a_node": round((same["start"] - off["start"]) / nodes)}
            results.append(row)
            say(json.dumps(row))
    if arguments.record:
        RECORDED.write_text(json.dumps(
            {"machine": machine.describe(), "results": results}, indent=1) +
            "\n")


if __name__ == "__main__":
    main()
