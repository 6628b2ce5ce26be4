#!/usr/bin/env python3
"""Runs random rounds that call a library which enqueues.

Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
See LICENSE for license information.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

    library_calls.py --runner FILE --library FILE [--ptx FOLDER] [--first N] [--count N]
                     [--seeds N] [--keep DIR]

Program number N is the same each time: a function with some loops of the host, each with
random calls of integration/gpu/graph_calls_library.c, kernels, fills and copies, by
themselves or in regions that depend on the last one, on buffers that may go by turns.
Calls are given numbers that are the same in each round or not; some may be captured in
one mode or another, some may not, and some that say they may cannot be. Several callers
run the function at the same time, on memory of their own. It prints what this script
computes, with graphs off, on and auto, with any number of threads, in schedules that
seeds draw, under the checks for races and for memory. With --ptx it runs on the driver in that
folder (tests/ptx).
"""

import argparse
import random
import sys

import graph_device

CELLS = 8
WORD = 1 << 32
TYPE = f"memref<{CELLS}xi32>"
BUFFERS = 3
# Functions of the library, and how many buffers each takes.
CALLS = {"add_and_copy": 2, "fork_and_join": 3, "copy_pageable": 2}
MODES = ("thread_local", "thread_local", "relaxed", "never", None)


class Op:
    """One op of a round: what it is, on which buffers, with which number."""

    def __init__(self, draw, is_rare):
        self.kind = draw.choice(["call"] * 4 + ["scale", "fill", "copy"])
        self.buffers = draw.sample(range(BUFFERS), BUFFERS)
        self.number = draw.randrange(1, 6)
        self.changes = draw.random() < 0.2  # with the round
        if self.kind == "call":
            self.function = draw.choice(["add_and_copy", "add_and_copy", "fork_and_join",
                                         *["copy_pageable"] * is_rare])
            self.mode = draw.choice(MODES)

    def text(self, names, number):
        a, b = (names[i] for i in self.buffers[:2])
        if self.kind == "scale":
            return (f"gpu.launch_func @kernels::@scale blocks in (%cells, %c1, %c1) threads in "
                    f"(%c1, %c1, %c1) args({a} : {TYPE})")
        if self.kind == "fill":
            return f"gpu.memset {a}, {number} : {TYPE}, i32"
        if self.kind == "copy":
            return f"gpu.memcpy {a}, {b} : {TYPE}, {TYPE}"
        given = [names[i] for i in self.buffers[:CALLS[self.function]]]
        types = [TYPE] * len(given)
        if self.function != "fork_and_join":
            given, types = given + [number], types + ["i32"]
        says = f', async_gpu.capture = "{self.mode}"' if self.mode else ""
        return (f"func.call @{self.function}({', '.join(given)}) {{async_gpu.enqueue{says}}}"
                f" : ({', '.join(types)}) -> ()")

    def run(self, memory, number):
        a, b, c = self.buffers
        if self.kind == "scale":
            memory[a] = memory[a] * 3 % WORD
        elif self.kind == "fill":
            memory[a] = number
        elif self.kind == "copy":
            memory[a] = memory[b]
        elif self.function == "add_and_copy":
            memory[a] = memory[b] = (memory[a] + memory[b] + number) % WORD
        elif self.function == "fork_and_join":
            memory[a] = (memory[a] + memory[c] + 1) % WORD
            memory[b] = (memory[b] + memory[c] + 2) % WORD
            memory[a] = (memory[a] + memory[b]) % WORD
        else:
            memory[b] = number
            memory[a] = (memory[a] + number) % WORD


class Loop:
    def __init__(self, draw, number):
        self.number = number
        self.rounds = draw.choice([1, 3, 7, 12, 20, 40])
        self.ops = [Op(draw, draw.random() < 0.1) for _ in range(draw.randrange(1, 6))]
        self.turns = draw.random() < 0.3      # buffers go by turns
        self.in_region = draw.random() < 0.4  # of a round's own

    def text(self):
        n = self.number
        names = [f"%x{n}_{i}" if self.turns else f"%m{i}" for i in range(BUFFERS)]
        lines = [f"%round{n} = arith.index_cast %i{n} : index to i32"]
        for i, op in enumerate(self.ops):
            number = f"%n{n}_{i}"
            lines.append(f"%k{n}_{i} = arith.constant {op.number} : i32")
            lines.append(f"{number} = arith.addi %k{n}_{i}, "
                         f"{f'%round{n}' if op.changes else '%zero'} : i32")
        body = [op.text(names, f"%n{n}_{i}") for i, op in enumerate(self.ops)]
        carried, results = [], []
        if self.turns:
            carried = [(f"%x{n}_{i}", f"%m{i}", TYPE) for i in range(BUFFERS)]
            results = [f"%x{n}_{(i + 1) % BUFFERS}" for i in range(BUFFERS)]
        if self.in_region:
            carried.append((f"%t{n}", f"%first{n}", "!async.token"))
            results.append(f"%u{n}")
            body = [f"%u{n} = async.execute [%t{n}] {{", *body, "async.yield", "}"]
        lines += body
        head = f"scf.for %i{n} = %c0 to %rounds{n} step %c1"
        if carried:
            types = ", ".join(kind for *_, kind in carried)
            given = ", ".join(f"{name} = {start}" for name, start, _ in carried)
            head = f"%l{n}:{len(carried)} = {head} iter_args({given}) -> ({types})"
            lines.append(f"scf.yield {', '.join(results)} : {types}")
        # The number of rounds is read, so that the compiler does not know it.
        text = [f"%number{n} = arith.constant {self.rounds} : index",
                f"memref.store %number{n}, %counts[%c0] : memref<1xindex>",
                f"%rounds{n} = memref.load %counts[%c0] : memref<1xindex>"]
        if self.in_region:
            text.append(f"%first{n} = async.execute {{ async.yield }}")
        text += [head + " {", *lines, "}"]
        if self.in_region:
            text.append(f"async.await %l{n}#{len(carried) - 1} : !async.token")
        return text

    def run(self, memory):
        places = list(range(BUFFERS))
        for i in range(self.rounds):
            seen = [memory[place] for place in places]
            for op in self.ops:
                op.run(seen, op.number + (i if op.changes else 0))
            for place, value in zip(places, seen):
                memory[place] = value
            if self.turns:
                places = places[1:] + places[:1]


class Program:
    def __init__(self, number):
        draw = random.Random(number)
        self.loops = [Loop(draw, i) for i in range(draw.randrange(1, 4))]
        # One that is not reentrant has one caller.
        alone = any(op.kind == "call" and op.function == "copy_pageable"
                    for loop in self.loops for op in loop.ops)
        self.callers = 1 if alone else draw.randrange(1, 4)
        self.times = draw.randrange(1, 4)

    def expected(self):
        memory = [0] * BUFFERS
        for _ in range(self.times):
            for loop in self.loops:
                loop.run(memory)
        signed = [value - WORD if value >> 31 else value for value in memory]
        return [str(value) for value in signed] * self.callers

    def text(self):
        loops = "\n    ".join(line for loop in self.loops for line in loop.text())
        buffers = ", ".join(f"%m{i}: {TYPE}" for i in range(BUFFERS))
        given = ", ".join(f"%m{i}" for i in range(BUFFERS))
        types = ", ".join([TYPE] * BUFFERS)
        lines = [f"%m{i} = gpu.alloc() : {TYPE}\n"
                 f"    gpu.memset %m{i}, %zero : {TYPE}, i32" for i in range(BUFFERS)]
        lines += [f"func.call @rounds({given}) : ({types}) -> ()"] * self.times
        for i in range(BUFFERS):
            lines.append(f"%h{i} = memref.alloc() : {TYPE}\n"
                         f"    gpu.memcpy %h{i}, %m{i} : {TYPE}, {TYPE}\n"
                         f"    %v{i} = memref.load %h{i}[%last] : {TYPE}\n"
                         f"    memref.store %v{i}, %out[%p{i}] : memref<?xi32>\n"
                         f"    memref.dealloc %h{i} : {TYPE}\n"
                         f"    gpu.dealloc %m{i} : {TYPE}")
        places = "\n    ".join(f"%q{i} = arith.constant {i} : index\n"
                               f"    %p{i} = arith.addi %at, %q{i} : index"
                               for i in range(BUFFERS))
        caller = "\n    ".join(lines)
        spawns = "\n    ".join(
            f"%at{i} = arith.constant {BUFFERS * i} : index\n"
            f"    %w{i} = async.execute {{\n"
            f"      func.call @caller(%out, %at{i}) : (memref<?xi32>, index) -> ()\n"
            f"      async.yield\n    }}" for i in range(self.callers))
        awaits = "\n    ".join(f"async.await %w{i} : !async.token"
                               for i in range(self.callers))
        constants = """%c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %zero = arith.constant 0 : i32"""
        return f"""module attributes {{gpu.container_module}} {{
  gpu.module @kernels {{
    gpu.func @scale(%a: {TYPE}) kernel {{
      %three = arith.constant 3 : i32
      %b = gpu.block_id x
      %x = memref.load %a[%b] : {TYPE}
      %y = arith.muli %x, %three : i32
      memref.store %y, %a[%b] : {TYPE}
      gpu.return
    }}
  }}
  func.func private @add_and_copy({TYPE}, {TYPE}, i32)
  func.func private @copy_pageable({TYPE}, {TYPE}, i32)
  func.func private @fork_and_join({TYPE}, {TYPE}, {TYPE})

  func.func @rounds({buffers}) {{
    {constants}
    %cells = arith.constant {CELLS} : index
    %counts = memref.alloc() : memref<1xindex>
    {loops}
    memref.dealloc %counts : memref<1xindex>
    return
  }}
  func.func @caller(%out: memref<?xi32>, %at: index) {{
    {constants}
    %last = arith.constant {CELLS - 1} : index
    {places}
    {caller}
    return
  }}
  func.func @main() {{
    {constants}
    %count = arith.constant {BUFFERS * self.callers} : index
    %out = memref.alloc(%count) : memref<?xi32>
    {spawns}
    {awaits}
    scf.for %i = %c0 to %count step %c1 {{
      %v = memref.load %out[%i] : memref<?xi32>
      vector.print %v : i32
    }}
    memref.dealloc %out : memref<?xi32>
    return
  }}
}}
"""


def count(lines):
    return {**graph_device.count_calls(lines, captures="cuStreamEndCapture",
                                       children="cuGraphAddChildGraphNode"),
            "refused": sum("it cannot be captured" in line for line in lines)}


def main():
    parser = argparse.ArgumentParser()
    graph_device.add_arguments(parser)
    parser.add_argument("--library", required=True)
    arguments = parser.parse_args()
    runs, failures, seen = graph_device.run_programs(
        arguments, Program, count, options=[f"--shared-libs={arguments.library}"])
    print(f"{runs} runs, {seen['captures']} captures, {seen['children']} child graphs, "
          f"{seen['refused']} calls that cannot be captured, {failures} failures")
    return 1 if failures or not seen["captures"] or not seen["children"] else 0


if __name__ == "__main__":
    sys.exit(main())
