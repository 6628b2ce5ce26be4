#!/usr/bin/env python3
"""Runs random rounds of regions of the device and of the host.

Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
See LICENSE for license information.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

    rounds.py --runner FILE [--ptx FOLDER] [--first N] [--count N] [--seeds N]
              [--keep DIR] [--faults --opt FILE]

Program number N is the same each time: a function with some loops, whose rounds have
random regions, each behind the last ones that used the same buffers, in this round or
the one before: kernels, fills and copies, memory that a region allocates, or the round,
which any device frees, and host code, most of it such as may be a node of a graph, with
the round's number or without. In two of five programs some do so in each second or third
round alone, so that shapes of rounds come by turns. Two of three programs have two or three devices: memory and
regions are on any. Several callers run it at the same
time, on memory of their own. It prints what this script computes, with graphs off, on
and auto, with any number of threads, in schedules that seeds draw, under the checks for
races and for memory. With --ptx it runs on the driver in that folder (tests/ptx). With
--faults it is compiled by --opt, and in each run, of as many as --seeds for each program,
one call of the driver fails, on one of the devices (faults.py).
"""

import argparse
import random
import sys

import faults
import graph_device

CELLS = 8
WORD = 1 << 32
TYPE = f"memref<{CELLS}xi32>"
# Buffers of the device, those that the host reaches, and the host's own.
DEVICE, SHARED, OWN = ["d0", "d1", "d2"], ["s0", "s1"], ["o0", "o1"]
BUFFERS = DEVICE + SHARED + OWN


class Region:
    def __init__(self, draw, devices):
        self.kind = draw.choice(["kernel", "kernel", "fill", "copy", "copy", "host", "host",
                                 "host", "through"])
        places = {"kernel": DEVICE + SHARED, "fill": DEVICE, "copy": DEVICE + SHARED,
                  "through": DEVICE + SHARED, "host": SHARED + OWN}[self.kind]
        self.device = draw.choice([None, *range(devices)]) if devices > 1 else None
        self.a, self.b = draw.sample(places, 2)
        self.priority = draw.choice([0, 0, 0, -1, -4])
        if self.kind == "host" and draw.random() < 0.7:
            self.a = draw.choice([name for name in SHARED if name != self.b])
        self.uses = [self.a] if self.kind == "fill" else [self.a, self.b]
        self.number = draw.randrange(1, 6)
        self.changes = draw.random() < 0.4  # with the round
        # Host code that stays a task: its length is not known, or the program says so.
        self.stays = draw.choice([None] * 5 + ["long", "off"])
        self.every = 1  # rounds of so many in which it does anything

    def body(self, at):
        lines = self.work(at)
        return lines if self.every == 1 else [
            f"scf.if %in{at} {{", *(f"  {line}" for line in lines), "}"]

    def work(self, at):
        a, b, number = f"%{self.a}", f"%{self.b}", f"%n{at}"
        if self.kind == "kernel":
            return [f"gpu.launch_func @kernels::@scale blocks in (%c1, %c1, %c1) threads in "
                    f"(%cells, %c1, %c1) args({a} : {TYPE}, {b} : {TYPE}, {number} : i32)"]
        if self.kind == "fill":
            return [f"gpu.memset {a}, {number} : {TYPE}, i32"]
        if self.kind == "copy":
            return [f"gpu.memcpy {a}, {b} : {TYPE}, {TYPE}"]
        if self.kind == "through":  # memory of its own
            return [f"%m{at} = gpu.alloc() : {TYPE}",
                    f"gpu.memcpy %m{at}, {b} : {TYPE}, {TYPE}",
                    f"gpu.memcpy {a}, %m{at} : {TYPE}, {TYPE}",
                    f"gpu.dealloc %m{at} : {TYPE}"]
        end = "%unknown" if self.stays == "long" else "%cells"
        return [f"scf.for %j{at} = %c0 to {end} step %c1 {{",
                f"  func.call @mix({a}, {b}, %j{at}, {number}) : ({TYPE}, {TYPE}, index, i32) "
                "-> ()",
                "}"]

    def attributes(self):
        says = ['async_gpu.graphs = "off"'] if self.stays == "off" else []
        if self.device is not None:
            says.append(f"async_gpu.device = {self.device} : i32")
        if self.priority:
            says.append(f"async_gpu.priority = {self.priority} : i32")
        return f" attributes {{{', '.join(says)}}}" if says else ""

    def run(self, memory, number):
        a, b = memory[self.a], memory[self.b]
        for j in range(CELLS):
            if self.kind == "kernel":
                a[j] = (a[j] * 3 + b[j] + number) % WORD
            elif self.kind == "fill":
                a[j] = number
            elif self.kind in ("copy", "through"):
                a[j] = b[j]
            else:
                a[j] = (a[j] + b[j] * 5 + j + number) % WORD


class Loop:
    def __init__(self, draw, number, devices):
        self.number = number
        self.rounds = draw.choice([1, 2, 5, 11, 20, 40])
        self.known = draw.random() < 0.5
        self.regions = [Region(draw, devices) for _ in range(draw.randrange(2, 7))]
        # Memory of the round: its last region copies there and back, and it is freed.
        self.passes = None
        if draw.random() < 0.3:
            self.passes = Region(draw, devices)
            self.passes.kind, self.passes.a = "copy", draw.choice(DEVICE)
            self.passes.uses = [self.passes.a]
            number = draw.randrange(devices)
            self.freed_on = (f" attributes {{async_gpu.device = {number} : i32}}"
                             if devices > 1 else "")
        self.used = [name for name in BUFFERS
                     if any(name in region.uses for region in
                            self.regions + [self.passes] * bool(self.passes))]

    def text(self, tokens):
        """The loop, behind and with the tokens of buffers."""
        n, used = self.number, self.used
        now = {name: f"%t{n}_{name}" for name in used}
        given = ", ".join(f"{now[name]} = {tokens[name]}" for name in used)
        types = ", ".join(["!async.token"] * len(used))
        rounds = f"%known{n}" if self.known else f"%rounds{n}"
        text = [f"%known{n} = arith.constant {self.rounds} : index",
                f"memref.store %known{n}, %counts[%c0] : memref<1xindex>",
                f"%rounds{n} = memref.load %counts[%c0] : memref<1xindex>",
                f"%l{n}:{len(used)} = scf.for %i{n} = %c0 to {rounds} step %c1 "
                f"iter_args({given}) -> ({types}) {{",
                f"  %round{n} = arith.index_cast %i{n} : index to i32"]
        if self.passes:
            text.append(f"  %pass{n} = gpu.alloc() : {TYPE}")
        for i, region in enumerate(self.regions):
            at = f"{n}_{i}"
            text += [f"  %k{at} = arith.constant {region.number} : i32",
                     f"  %n{at} = arith.addi %k{at}, "
                     f"{f'%round{n}' if region.changes else '%zero'} : i32"]
            if region.every > 1:
                text += [f"  %every{at} = arith.constant {region.every} : index",
                         f"  %rest{at} = arith.remui %i{n}, %every{at} : index",
                         f"  %in{at} = arith.cmpi eq, %rest{at}, %c0 : index"]
            behind = ", ".join(dict.fromkeys(now[name] for name in region.uses))
            text += [f"  %r{at} = async.execute [{behind}]{region.attributes()} {{",
                     *(f"    {line}" for line in region.body(at)), "    async.yield", "  }"]
            for name in region.uses:
                now[name] = f"%r{at}"
        if self.passes:
            a, there = f"%{self.passes.a}", f"%pass{n}"
            on = self.passes.attributes()
            text += [f"  %there{n} = async.execute [{now[self.passes.a]}]{on} {{",
                     f"    gpu.memcpy {there}, {a} : {TYPE}, {TYPE}",
                     f"    gpu.memset {a}, %zero : {TYPE}, i32", "    async.yield", "  }",
                     f"  %back{n} = async.execute [%there{n}] {{",
                     f"    gpu.memcpy {a}, {there} : {TYPE}, {TYPE}", "    async.yield", "  }",
                     f"  %freed{n} = async.execute [%back{n}]{self.freed_on} {{",
                     f"    gpu.dealloc {there} : {TYPE}", "    async.yield", "  }"]
            now[self.passes.a] = f"%freed{n}"
        text += [f"  scf.yield {', '.join(now[name] for name in used)} : {types}", "}"]
        for i, name in enumerate(used):
            tokens[name] = f"%l{n}#{i}"
        return text

    def run(self, memory):
        for i in range(self.rounds):
            for region in self.regions:
                if i % region.every == 0:
                    region.run(memory, region.number + (i if region.changes else 0))


class Program:
    def __init__(self, number):
        draw = random.Random(number)
        self.devices = number % 3 + 1
        self.loops = [Loop(draw, i, self.devices) for i in range(draw.randrange(1, 3))]
        self.callers = draw.randrange(1, 4)
        self.places = [draw.randrange(self.devices) for _ in DEVICE]
        self.times = draw.randrange(1, 4)
        turns = random.Random(f"turns of {number}")  # what else is drawn stays
        if turns.random() < 0.4:
            for region in (region for loop in self.loops for region in loop.regions):
                region.every = turns.choice([1, 1, 2, 3])

    def expected(self):
        memory = {name: [0] * CELLS for name in BUFFERS}
        for _ in range(self.times):
            for loop in self.loops:
                loop.run(memory)
        values = []
        for name in BUFFERS:
            value = 0
            for cell in memory[name]:
                value = (value * 31 + cell) % WORD
            values.append(value - WORD if value >> 31 else value)
        return [str(value) for value in values] * self.callers

    def text(self):
        given = ", ".join(f"%{name}" for name in BUFFERS)
        types = ", ".join([TYPE] * len(BUFFERS))
        parameters = ", ".join(f"%{name}: {TYPE}" for name in BUFFERS)
        rounds, tokens = [], {name: f"%f_{name}" for name in BUFFERS}
        for name in BUFFERS:
            rounds.append(f"%f_{name} = async.execute {{ async.yield }}")
        for loop in self.loops:
            rounds += loop.text(tokens)
        rounds += [f"async.await {token} : !async.token"
                   for token in dict.fromkeys(tokens.values())]
        caller = []
        for name in BUFFERS:
            kind = {"d": f"func.call @on{self.places[int(name[1]) % len(DEVICE)]}() : () -> ",
                    "s": "gpu.alloc host_shared () : ", "o": "memref.alloc() : "}[name[0]]
            caller.append(f"%{name} = {kind}{TYPE}")
            caller.append(f"gpu.memset %{name}, %zero : {TYPE}, i32" if name in DEVICE else
                          f"func.call @clear(%{name}) : ({TYPE}) -> ()")
        caller += [f"func.call @rounds({given}) : ({types}) -> ()"] * self.times
        caller.append(f"%back = memref.alloc() : {TYPE}")
        for i, name in enumerate(BUFFERS):
            source = f"%{name}"
            if name in DEVICE:
                caller.append(f"gpu.memcpy %back, %{name} : {TYPE}, {TYPE}")
                source = "%back"
            caller += [f"%p{i} = arith.constant {i} : index",
                       f"%q{i} = arith.addi %at, %p{i} : index",
                       f"func.call @sum({source}, %out, %q{i}) : "
                       f"({TYPE}, memref<?xi32>, index) -> ()",
                       f"{'memref' if name in OWN else 'gpu'}.dealloc %{name} : {TYPE}"]
        caller.append(f"memref.dealloc %back : {TYPE}")
        spawns = []
        for i in range(self.callers):
            spawns += [f"%at{i} = arith.constant {len(BUFFERS) * i} : index",
                       f"%w{i} = async.execute {{",
                       f"  func.call @caller(%out, %at{i}) : (memref<?xi32>, index) -> ()",
                       "  async.yield", "}"]
        spawns += [f"async.await %w{i} : !async.token" for i in range(self.callers)]
        places = "".join(f"""
  func.func private @on{i}() -> {TYPE} attributes {{async_gpu.device = {i} : i32}} {{
    %m = gpu.alloc() : {TYPE}
    return %m : {TYPE}
  }}""" if self.devices > 1 else f"""
  func.func private @on{i}() -> {TYPE} {{
    %m = gpu.alloc() : {TYPE}
    return %m : {TYPE}
  }}""" for i in range(self.devices))
        constants = """%c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %cells = arith.constant 8 : index
    %zero = arith.constant 0 : i32"""
        lines = "\n    ".join
        return f"""module attributes {{gpu.container_module}} {{
  gpu.module @kernels {{
    gpu.func @scale(%a: {TYPE}, %b: {TYPE}, %n: i32) kernel {{
      %three = arith.constant 3 : i32
      %t = gpu.thread_id x
      %x = memref.load %a[%t] : {TYPE}
      %y = memref.load %b[%t] : {TYPE}
      %z = arith.muli %x, %three : i32
      %v = arith.addi %z, %y : i32
      %w = arith.addi %v, %n : i32
      memref.store %w, %a[%t] : {TYPE}
      gpu.return
    }}
  }}
  func.func private @mix(%a: {TYPE}, %b: {TYPE}, %j: index, %n: i32) {{
    %five = arith.constant 5 : i32
    %x = memref.load %a[%j] : {TYPE}
    %y = memref.load %b[%j] : {TYPE}
    %z = arith.muli %y, %five : i32
    %i = arith.index_cast %j : index to i32
    %v = arith.addi %z, %i : i32
    %u = arith.addi %x, %v : i32
    %w = arith.addi %u, %n : i32
    memref.store %w, %a[%j] : {TYPE}
    return
  }}
  func.func private @clear(%a: {TYPE}) {{
    {constants}
    scf.for %j = %c0 to %cells step %c1 {{
      memref.store %zero, %a[%j] : {TYPE}
    }}
    return
  }}
  func.func private @sum(%a: {TYPE}, %out: memref<?xi32>, %at: index) {{
    {constants}
    %factor = arith.constant 31 : i32
    %s = scf.for %j = %c0 to %cells step %c1 iter_args(%t = %zero) -> i32 {{
      %x = memref.load %a[%j] : {TYPE}
      %y = arith.muli %t, %factor : i32
      %z = arith.addi %y, %x : i32
      scf.yield %z : i32
    }}
    memref.store %s, %out[%at] : memref<?xi32>
    return
  }}

  {places}
  func.func @rounds({parameters}) {{
    {constants}
    %counts = memref.alloc() : memref<1xindex>
    memref.store %cells, %counts[%c0] : memref<1xindex>
    %unknown = memref.load %counts[%c0] : memref<1xindex>
    {lines(rounds)}
    memref.dealloc %counts : memref<1xindex>
    return
  }}
  func.func @caller(%out: memref<?xi32>, %at: index) {{
    {constants}
    {lines(caller)}
    return
  }}
  func.func @main() {{
    {constants}
    %count = arith.constant {len(BUFFERS) * self.callers} : index
    %out = memref.alloc(%count) : memref<?xi32>
    {lines(spawns)}
    scf.for %i = %c0 to %count step %c1 {{
      %v = memref.load %out[%i] : memref<?xi32>
      vector.print %v : i32
    }}
    memref.dealloc %out : memref<?xi32>
    return
  }}
}}
"""


def main():
    parser = argparse.ArgumentParser()
    graph_device.add_arguments(parser)
    parser.add_argument("--faults", action="store_true")
    parser.add_argument("--opt", help="async-gpu-opt")
    arguments = parser.parse_args()
    if arguments.faults and not arguments.opt:
        parser.error("--faults needs --opt")
    if arguments.faults:
        runs, failures, failed = faults.run_programs(arguments, Program)
        graphs = sum(count for name, count in failed.items() if name and "Graph" in name)
        print(f"{runs} runs, in {runs - failed[None]} of which a call failed, in {graphs} one "
              f"of graphs, {failures} failures")
        return 1 if failures or not graphs else 0
    runs, failures, seen = graph_device.run_programs(
        arguments, Program, lambda lines: graph_device.count_calls(
            lines, nodes="cuGraphAddHostNode", launches="cuGraphLaunch"))
    print(f"{runs} runs, {seen['launches']} graphs launched, {seen['nodes']} nodes of host "
          f"code, {failures} failures")
    return 1 if failures or not seen["nodes"] or not seen["launches"] else 0


if __name__ == "__main__":
    sys.exit(main())
