#!/usr/bin/env -S python3 -B
"""What a round of a loop costs with and without graphs, by counting and by modelled time.

Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
See LICENSE for license information.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

    bench/graphs.py              count and print
    bench/graphs.py --times      only the modelled times
    bench/graphs.py --record     write results/graphs.json, with what was counted and timed
    bench/graphs.py --calls      only the calls of rounds with regions of the host or of several
                                 devices, of whole programs, and with memory of rounds; with
                                 --record, these are put into the file

Loops of 1 to 1,000 kernels in one stream and in four, loops with a call of a library,
loops that the device ends and rounds that branch run on a driver that does
nothing (gpu/null_libcuda.c) under valgrind's callgrind: what is counted is the
runtime's own, instructions of the host. The difference between many rounds and
few leaves out the start, and the graph's building. Calls of the driver are counted
on the emulated device. What it takes to build a graph is the difference between two
rounds, of which the second is a graph, and one; its memory, what two rounds with graphs
allocate beyond two without. Times are those of whole runs on the emulated device, which
keeps the time of models of cards.
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

# Loops of other kinds, and kernels of a round beside what makes the kind.
KINDS = ("call", "call, new arguments", "while", "branch")
KERNELS = (1, 10)
LIBRARY = ROOT / "integration/gpu/graph_calls_library.c"
HALO = ROOT / "integration/devices/graph_halo.mlir"
# Whole programs: what is replaced by few rounds, and by many.
WHOLE = {"bfs": ("integration/gpu/loop_bfs.mlir", lambda text, rounds: text.replace(
             "43", str(rounds)).replace("constant 42", f"constant {rounds - 1}")),
         "block": ("integration/gpu/graph_block.mlir", lambda text, rounds: text.replace(
             "constant 100 :", f"constant {rounds} :")),
         "two in flight": ("integration/gpu/graph_flights.mlir", lambda text, rounds:
                           text.replace("constant 101 :", f"constant {rounds} :")),
         "shapes": ("integration/gpu/graph_shapes.mlir", lambda text, rounds:
                    text.replace("constant 50 :", f"constant {rounds} :"))}
WHOLE_ROUNDS = {"bfs": (43, 143), "block": (28, 100), "two in flight": (101, 501),
                "shapes": (57, 169)}

# What is timed: kernels of a round in so many streams, and what they are given.
TIMED = ((1, 1, "same"), (3, 1, "same"), (10, 1, "same"), (10, 1, "changed"), (100, 1, "same"),
         (100, 1, "changed"), (10, 4, "same"), (100, 4, "changed"))
TIMED_ROUNDS = (16, 64, 256)
MODELS = ("t4", "a100", "h100")
WAYS = ("off", "auto", "on")

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


# As that, on the function's own stream: what the host has a copy of is always above %low.
OTHER = """\
module attributes {{gpu.container_module}} {{
  gpu.module @k {{
    gpu.func @step(%a: memref<8xi32>, %i: index) kernel {{
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : i32
      %n = arith.index_cast %i : index to i32
      %x = arith.addi %n, %c1 : i32
      memref.store %x, %a[%c0] : memref<8xi32>
      gpu.return
    }}
  }}
  func.func private @add_and_copy(memref<8xi32>, memref<8xi32>, i32)
      attributes {{async_gpu.capture = "thread_local"}}
  func.func @main() {{
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %one = arith.constant 1 : i32
    %low = arith.constant -1 : i32
    %rounds = arith.constant {rounds} : index
    %a = gpu.alloc() : memref<8xi32>
    %b = gpu.alloc() : memref<8xi32>
    %seen = memref.alloc() : memref<8xi32>
    memref.store %one, %seen[%c0] : memref<8xi32>
    gpu.memset %a, %one : memref<8xi32>, i32
    gpu.memset %b, %one : memref<8xi32>, i32
{loop}
    gpu.dealloc %a : memref<8xi32>
    gpu.dealloc %b : memref<8xi32>
    memref.dealloc %seen : memref<8xi32>
    return
  }}
}}
"""
STEP = """\
      gpu.launch_func @k::@step blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1)
          args(%a : memref<8xi32>, %c0 : index)
"""
CALL = """\
    scf.for %i = %c0 to %rounds step %c1 {{
{steps}      %number = arith.index_cast %i : index to i32
      func.call @add_and_copy(%a, %b, {given}) {{async_gpu.enqueue}}
          : (memref<8xi32>, memref<8xi32>, i32) -> ()
    }}
"""
LOOK = """\
      gpu.memcpy %seen, %a : memref<8xi32>, memref<8xi32>
      %x = memref.load %seen[%c0] : memref<8xi32>
      %is = arith.cmpi sgt, %x, %low : i32
"""
WHILE = """\
    %all = scf.while (%i = %c1) : (index) -> index {{
{steps}{look}      %in = arith.cmpi slt, %i, %rounds : index
      %again = arith.andi %is, %in : i1
      scf.condition(%again) %i : index
    }} do {{
    ^bb0(%i: index):
      %next = arith.addi %i, %c1 : index
      scf.yield %next : index
    }}
"""
BRANCH = """\
    scf.for %i = %c0 to %rounds step %c1 {{
{steps}{look}      scf.if %is {{
{step}      }} else {{
        gpu.memset %b, %one : memref<8xi32>, i32
      }}
    }}
"""


def make_other(kind, kernels, rounds):
    loop = {"while": WHILE, "branch": BRANCH}.get(kind, CALL)
    return OTHER.format(rounds=rounds, loop=loop.format(
        steps=STEP * kernels, step=STEP, look=LOOK,
        given="%number" if "new" in kind else "%one"))


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


def make_host_program(rounds):
    """A round of a kernel, two copies, and a region of the host between these."""
    kind = "memref<64xf32>"
    return PROGRAM.format(
        count=1, rounds=rounds,
        body=f"""      %t0 = async.execute [%t] {{
        gpu.launch_func @k::@step blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1)
          args(%a0 : {kind}, %i : index)
        gpu.memcpy %s, %a0 : {kind}, {kind}
        async.yield
      }}
      %t1 = async.execute [%t0] {{
        %x = memref.load %s[%i] : {kind}
        memref.store %x, %s[%c0] : {kind}
        async.yield
      }}
      %t2 = async.execute [%t1] {{
        gpu.memcpy %a0, %s : {kind}, {kind}
        async.yield
      }}
      scf.yield %t2 : !async.token""",
        allocate=f"    %a0 = gpu.alloc() : {kind}\n"
                 f"    %s = gpu.alloc host_shared () : {kind}",
        free=f"    gpu.dealloc %a0 : {kind}\n    gpu.dealloc %s : {kind}")


def make_memory_program(rounds):
    """A round of a kernel on memory of its own, between two copies."""
    kind = "memref<64xf32>"
    return PROGRAM.format(
        count=1, rounds=rounds,
        body=f"""      %t0 = async.execute [%t] {{
        %m = gpu.alloc() : {kind}
        gpu.memcpy %m, %a0 : {kind}, {kind}
        gpu.launch_func @k::@step blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1)
          args(%m : {kind}, %c0 : index)
        gpu.memcpy %a0, %m : {kind}, {kind}
        gpu.dealloc %m : {kind}
        async.yield
      }}
      scf.yield %t0 : !async.token""",
        allocate=f"    %a0 = gpu.alloc() : {kind}", free=f"    gpu.dealloc %a0 : {kind}")


class Counter:
    def __init__(self, build, folder):
        self.build, self.folder = build, pathlib.Path(folder)

    def compile(self, text, graphs, more="gpu-bare-pointers=true"):
        source, program = self.folder / "p.mlir", self.folder / "p"
        source.write_text(text)
        subprocess.run([self.build / "bin/async-gpu-opt", source,
                        f"--async-gpu-lower=graphs={graphs} {more}",
                        f"--link={LIBRARY},-I{ROOT / 'include'}",
                        "--emit=exe", "-o", program], check=True)
        return program

    def valgrind(self, program, *options):
        variables = dict(os.environ, ASYNC_GPU_DEVICE="cuda",
                         ASYNC_GPU_NUM_THREADS="1",
                         LD_LIBRARY_PATH=str(self.build / "bench/gpu/null"))
        return subprocess.run(["valgrind", *options, program], env=variables,
                              capture_output=True, text=True, timeout=300)

    def allocated_bytes(self, program):
        done = self.valgrind(program, "--tool=memcheck")
        found = re.search(r"frees, ([\d,]+) bytes allocated", done.stderr)
        if done.returncode or not found:
            raise SystemExit(done.stdout + done.stderr)
        return int(found[1].replace(",", ""))

    def build_of(self, nodes):
        """Instructions and bytes of a graph of so many nodes."""
        programs = [make_program(nodes, 1, rounds, "read") for rounds in (1, 2)]
        one, two = (self.instructions(self.compile(text, "on"))
                    for text in programs)
        off, on = (self.allocated_bytes(self.compile(programs[1], graphs))
                   for graphs in ("off", "on"))
        return {"nodes": nodes, "instructions": two - one, "bytes": on - off}

    def instructions(self, program):
        done = self.valgrind(program, "--tool=callgrind",
                             "--callgrind-out-file=/dev/null")
        found = re.search(r"Collected : (\d+)", done.stderr)
        if done.returncode or not found:
            raise SystemExit(done.stdout + done.stderr)
        return int(found[1])

    def calls(self, program, devices=1, **settings):
        variables = dict(os.environ, ASYNC_GPU_DEVICE="emu", ASYNC_GPU_LOG="driver",
                         ASYNC_GPU_EMU_DEVICES=str(devices), **settings)
        done = subprocess.run([program], env=variables, capture_output=True,
                              text=True, timeout=300, check=True)
        return sum(line.startswith("driver: ") and "Query" not in line
                   for line in done.stderr.splitlines())

    def count(self, make, kernels, graphs):
        """Of a round of the program that `make` has of so many."""
        programs, (fewest, most) = [], ROUNDS[kernels < 64]
        for rounds in (fewest, most):
            program = self.compile(make(rounds), graphs)
            programs.append((self.instructions(program), self.calls(program)))
        (few, few_calls), (many, many_calls) = programs
        rounds = most - fewest
        return {"instructions": round((many - few) / rounds, 1),
                "calls": round((many_calls - few_calls) / rounds, 2)}


    def time(self, text, ways=WAYS, **settings):
        """{model: {way: microseconds of the run}}"""
        took = {model: {} for model in MODELS}
        trace, profile = self.folder / "p.trace", self.folder / "p.json"
        for way in ways:
            program = self.compile(text, way, "gpu-count=true")
            for model in MODELS:
                subprocess.run([program], check=True, capture_output=True,
                               env=dict(os.environ, ASYNC_GPU_DEVICE="emu",
                                        ASYNC_GPU_EMU_MODEL=model,
                                        ASYNC_GPU_NUM_THREADS="1",
                                        ASYNC_GPU_TRACE=str(trace), **settings))
                subprocess.run([self.build / "bin/async-gpu-report",
                                f"--profile={profile}", trace], check=True)
                took[model][way] = json.loads(profile.read_bytes())["span_ns"] / 1e3
        return took


def count_loops(counter):
    for kernels, streams in LOOPS:
        def count(graphs, given="read"):
            return counter.count(lambda rounds: make_program(
                kernels, streams, rounds, given), kernels, graphs)
        off, same = count("off"), count("on", "same")
        read, changed = count("on"), count("on", "changed")
        nodes = kernels // streams * streams + (streams > 1)
        yield {"kernels": kernels, "streams": streams,
               "off": off, "same": same, "read": read, "changed": changed,
               "record_a_node": round((read["instructions"] -
                                       off["instructions"]) / nodes, 1),
               "update_a_node": round((changed["instructions"] -
                                       read["instructions"]) / nodes, 1)}


def count_others(counter):
    for kind in KINDS:
        for kernels in KERNELS:
            yield {"program": kind, "kernels": kernels,
                   **{way: counter.count(lambda rounds: make_other(
                       kind, kernels, rounds), kernels, way) for way in ("off", "on")}}


def count_host(counter):
    """Calls of the driver for a round with a region of the host in the middle."""
    few, many = 17, 49
    for way in ("off", "on"):
        counts = [counter.calls(counter.compile(make_host_program(rounds), way))
                  for rounds in (few, many)]
        yield {"program": "region of the host", "graphs": way,
               "calls": round((counts[1] - counts[0]) / (many - few), 2)}


def count_devices(counter):
    """The same for a round of three devices: halves that exchange their ends, and a sum."""
    text = HALO.read_text()
    few, many = 29, 141  # both leave as many rounds beside whole graphs, of seven
    for way in ("off", "on"):
        counts = [counter.calls(counter.compile(
            text.replace("%n = arith.constant 20 :", f"%n = arith.constant {rounds} :"), way),
            devices=3) for rounds in (few, many)]
        yield {"program": "three devices", "graphs": way,
               "calls": round((counts[1] - counts[0]) / (many - few), 2)}


def count_whole(counter):
    """The same for whole programs, whose results integration/ checks."""
    for name, (path, change) in WHOLE.items():
        text, (few, many) = (ROOT / path).read_text(), WHOLE_ROUNDS[name]
        for way in ("off", "on"):
            counts = [counter.calls(counter.compile(change(text, rounds), way, ""))
                      for rounds in (few, many)]
            yield {"program": name, "graphs": way,
                   "calls": round((counts[1] - counts[0]) / (many - few), 2)}


def count_memory(counter):
    """Of rounds that allocate: memory that is kept for the next, or is ordered before and
    behind each graph; by calls of a round, and by time of 256."""
    few, many = 25, 121
    text = make_memory_program(256)
    for memory, settings in (("kept", {}), ("ordered", {"ASYNC_GPU_KEEP_BYTES": "0"})):
        counts = [counter.calls(counter.compile(make_memory_program(rounds), "on"), **settings)
                  for rounds in (few, many)]
        took = counter.time(text, ("on",), **settings)
        yield {"memory": memory, "calls": round((counts[1] - counts[0]) / (many - few), 2),
               "took": {model: ways["on"] for model, ways in took.items()}}


def time_all(counter):
    for rounds in TIMED_ROUNDS:
        for kernels, streams, given in TIMED:
            yield {"program": "loop", "kernels": kernels, "streams": streams,
                   "given": given, "rounds": rounds,
                   "took": counter.time(make_program(kernels, streams, rounds, given))}
        for kind in KINDS:
            for kernels in KERNELS:
                yield {"program": kind, "kernels": kernels, "rounds": rounds,
                       "took": counter.time(make_other(kind, kernels, rounds))}


def said(rows):
    """All of them, each printed when it is there."""
    result = []
    for row in rows:
        result.append(row)
        say(json.dumps(row))
    return result


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build")
    parser.add_argument("--record", action="store_true")
    parser.add_argument("--times", action="store_true")
    parser.add_argument("--calls", action="store_true")
    arguments = parser.parse_args()
    machine.require(arguments.build, "bin/async-gpu-opt", "bench/gpu/null/libcuda.so.1")
    with tempfile.TemporaryDirectory() as folder:
        counter = Counter(arguments.build, folder)
        if arguments.calls:
            counted = {"host": said(count_host(counter)),
                       "devices": said(count_devices(counter)),
                       "whole": said(count_whole(counter)),
                       "memory": said(count_memory(counter))}
            if arguments.record:
                document = json.loads(RECORDED.read_text()) | counted
                RECORDED.write_text(json.dumps(document, indent=1) + "\n")
            return
        times = said(time_all(counter))
        if arguments.times:
            return
        results = said(count_loops(counter))
        others = said(count_others(counter))
        host, devices = said(count_host(counter)), said(count_devices(counter))
        whole, memory = said(count_whole(counter)), said(count_memory(counter))
        built = said(map(counter.build_of, SIZES))
    if arguments.record:
        RECORDED.write_text(json.dumps(
            {"machine": machine.describe(), "results": results, "others": others,
             "host": host, "devices": devices, "whole": whole, "memory": memory,
             "built": built, "times": times}, indent=1) + "\n")


if __name__ == "__main__":
    main()
