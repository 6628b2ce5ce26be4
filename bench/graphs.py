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
few leaves out the start, and the graph's building. Calls of the driver are counted
on the emulated device. What it takes to build a graph is the difference between two
rounds, of which the second is a graph, and one; its memory, by massif, that between
two rounds with graphs and without.
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
# Few rounds and many, of which the first is no graph: as a graph has several rounds
# of few kernels, and one of many.
ROUNDS = {True: (193, 577), False: (13, 65)}
# What kernels are given: a constant; a number that the host reads, and that stays
# the same; one that is another in each round.
GIVEN = {"same": ("%c0", ""),
         "read": ("%given", "      %given = memref.load %host[%c0] : memref<2xindex>"),
         "changed": ("%i", "")}
# Kernels of a round, and its streams.
LOOPS = ((1, 1), (10, 1), (100, 1), (1000, 1), (10, 4), (100, 4), (1000, 4))

# Nodes of a graph that is built.
SIZES = (10, 100, 1000, 10000)

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
    %zero = arith.constant 0.0 : f32
{allocate}
    // The compiler knows neither.
    %host = memref.alloc() : memref<2xindex>
    memref.store %c0, %host[%c0] : memref<2xindex>
    %number = arith.constant {rounds} : index
    memref.store %number, %host[%c1] : memref<2xindex>
    %rounds = memref.load %host[%c1] : memref<2xindex>
    %first = async.execute {{
      gpu.memset %a0, %zero : memref<64xf32>, f32
      async.yield
    }}
    %last = scf.for %i = %c0 to %rounds step %c1 iter_args(%t = %first) -> !async.token {{
{body}
    }}
    async.await %last : !async.token
{free}
    memref.dealloc %host : memref<2xindex>
    return
  }}
}}
"""


def make_program(kernels, streams, rounds, given):
    """A round of so many kernels, which are given what the table says."""
    given, before = GIVEN[given]
    inner, launches = kernels // streams, 1
    while inner > 250:
        inner, launches = inner // 2, launches * 2
    body, tokens = [before], []
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

    def valgrind(self, program, *options):
        variables = dict(os.environ, ASYNC_GPU_DEVICE="cuda",
                         ASYNC_GPU_NUM_THREADS="1",
                         LD_LIBRARY_PATH=str(self.build / "bench/gpu/null"))
        return subprocess.run(["valgrind", *options, program], env=variables,
                              capture_output=True, text=True, timeout=300)

    def peak_bytes(self, program):
        out = self.folder / "massif"
        self.valgrind(program, "--tool=massif", f"--massif-out-file={out}")
        return max(map(int, re.findall(r"mem_heap_B=(\d+)", out.read_text())))

    def build_of(self, nodes):
        """Instructions and bytes of a graph of so many nodes."""
        programs = [make_program(nodes, 1, rounds, "read") for rounds in (1, 2)]
        one, two = (self.instructions(self.compile(text, "on"))
                    for text in programs)
        off, on = (self.peak_bytes(self.compile(programs[1], graphs))
                   for graphs in ("off", "on"))
        return {"nodes": nodes, "instructions": two - one, "bytes": on - off}

    def instructions(self, program):
        done = self.valgrind(program, "--tool=callgrind",
                             "--callgrind-out-file=/dev/null")
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

    def count(self, kernels, streams, graphs, given="read"):
        programs, (fewest, most) = [], ROUNDS[kernels < 64]
        for rounds in (fewest, most):
            program = self.compile(
                make_program(kernels, streams, rounds, given), graphs)
            programs.append((self.instructions(program), self.calls(program)))
        (few, few_calls), (many, many_calls) = programs
        rounds = most - fewest
        return {"instructions": round((many - few) / rounds, 1),
                "calls": round((many_calls - few_calls) / rounds, 2)}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build")
    parser.add_argument("--record", action="store_true")
    arguments = parser.parse_args()
    machine.require(arguments.build, "bin/async-gpu-opt", "bench/gpu/null/libcuda.so.1")
    results, built = [], []
    with tempfile.TemporaryDirectory() as folder:
        counter = Counter(arguments.build, folder)
        for kernels, streams in LOOPS:
            off = counter.count(kernels, streams, "off")
            same = counter.count(kernels, streams, "on", "same")
            read = counter.count(kernels, streams, "on")
            changed = counter.count(kernels, streams, "on", "changed")
            nodes = kernels // streams * streams + (streams > 1)
            row = {
                "kernels": kernels, "streams": streams,
                "off": off, "same": same, "read": read, "changed": changed,
                "record_a_node": round((read["instructions"] -
                                        off["instructions"]) / nodes, 1),
                "update_a_node": round((changed["instructions"] -
                                        read["instructions"]) / nodes, 1)}
            results.append(row)
            say(json.dumps(row))
        for nodes in SIZES:
            built.append(counter.build_of(nodes))
            say(json.dumps(built[-1]))
    if arguments.record:
        RECORDED.write_text(json.dumps(
            {"machine": machine.describe(), "results": results, "built": built},
            indent=1) +
            "\n")


if __name__ == "__main__":
    main()
