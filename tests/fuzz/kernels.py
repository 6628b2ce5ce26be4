#!/usr/bin/env python3
# Random kernels on the devices against their interpretation here.
#
# Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes kernels of barriers, exchanges through workgroup memory, warp
operations, and branches, loops and returns around them, with memory of the
thread's own in each, runs them on the emulated device, and compares what they compute with a sequential
interpretation: each statement for all threads before the next one.

    tests/fuzz/kernels.py --runner build/bin/async-gpu-runner --seeds 0-99

Each program runs with the loops over threads that the compiler makes where it
can, and with a coroutine for each thread; --methods chooses. With --ptx FOLDER
it also runs as PTX, on the driver in that folder (tests/ptx), with threads of a
warp that part where they have to and at will.

A seed is one program with several kernels. The first program that differs is
kept (--keep FILE), and its seed is printed. --kind types makes the kernels of
typed_kernels.py instead, of which each tries types and shapes of one sort."""

import argparse
import os
import random
import subprocess
import sys
import tempfile

import typed_kernels

VARIABLES = 4
WARP = 32
MASK = 0xFFFFFFFF


def signed(x):
    x &= MASK
    return x - (1 << 32) if x >> 31 else x


# ----------------------------------------------------------------------------
# Statements. Each can be written as MLIR (emit) and run for a set of threads
# of a block (run). `state` is the block's; `active` the threads that are there.
# ----------------------------------------------------------------------------


class Block:
    def __init__(self, number, size, inputs):
        self.number, self.size = number, size
        self.variables = [[inputs[t], t, number, 1] for t in range(size)]
        self.shared = [0] * size
        self.gone = set()


class Writer:
    def __init__(self):
        self.lines, self.count, self.depth = [], 0, 0

    def put(self, line):
        self.lines.append("  " * (self.depth + 3) + line)

    def value(self, text):
        self.count += 1
        self.put(f"%v{self.count} = {text}")
        return f"%v{self.count}"

    def constant(self, value, type="i32"):
        return self.value(f"arith.constant {value} : {type}")

    def load(self, variable):
        index = self.constant(variable, "index")
        return self.value(f"memref.load %p[{index}] : memref<{VARIABLES}xi32>")

    def store(self, value, variable):
        index = self.constant(variable, "index")
        self.put(f"memref.store {value}, %p[{index}] : memref<{VARIABLES}xi32>")

    def nested(self, statements):
        self.depth += 1
        for statement in statements:
            statement.emit(self)
        self.depth -= 1


SHARED = "memref<1024xi32, #gpu.address_space<workgroup>>"

OPERATIONS = {
    "addi": lambda a, b: a + b,
    "subi": lambda a, b: a - b,
    "muli": lambda a, b: a * b,
    "xori": lambda a, b: a ^ b,
    "andi": lambda a, b: a & b,
    "ori": lambda a, b: a | b,
    "maxsi": max,
    "minsi": min,
}


class Arithmetic:
    def __init__(self, rng):
        self.op = rng.choice(sorted(OPERATIONS))
        self.to, self.a, self.b = (rng.randrange(VARIABLES) for _ in range(3))
        self.constant = rng.randrange(-9, 99) if rng.random() < 0.4 else None

    def emit(self, w):
        a = w.load(self.a)
        b = w.load(self.b) if self.constant is None else w.constant(self.constant)
        w.store(w.value(f"arith.{self.op} {a}, {b} : i32"), self.to)

    def run(self, block, active):
        for t in active:
            v = block.variables[t]
            b = v[self.b] if self.constant is None else self.constant
            v[self.to] = signed(OPERATIONS[self.op](v[self.a], b))


class Exchange:
    """Each thread stores a variable, and loads that of another one."""

    def __init__(self, rng):
        self.variable, self.to = rng.randrange(VARIABLES), rng.randrange(VARIABLES)
        self.distance = rng.choice([1, 2, 7, 31, 32, 33])
        self.function = rng.random() < 0.3

    def emit(self, w):
        value, distance = w.load(self.variable), w.constant(self.distance, "index")
        if self.function:
            result = w.value(
                f"func.call @exchange(%shared, {value}, %t, %n, {distance}) : "
                "(memref<?xi32, #gpu.address_space<workgroup>>, i32, index, index, "
                "index) -> i32")
        else:
            w.put(f"memref.store {value}, %w[%t] : {SHARED}")
            w.put("gpu.barrier")
            far = w.value(f"arith.addi %t, {distance} : index")
            near = w.value(f"arith.remui {far}, %n : index")
            result = w.value(f"memref.load %w[{near}] : {SHARED}")
            w.put("gpu.barrier")
        w.store(result, self.to)

    def run(self, block, active):
        for t in active:
            block.shared[t] = block.variables[t][self.variable]
        for t in active:
            block.variables[t][self.to] = block.shared[(t + self.distance) % block.size]


class Shuffle:
    """Lanes read each other; where there is none, they keep their own. Lanes that
    are not there have no value, so that who is there is asked before."""

    def __init__(self, rng):
        self.mode = rng.choice(["xor", "up", "down", "idx"])
        self.offset = rng.randrange(WARP)
        self.variable, self.to = rng.randrange(VARIABLES), rng.randrange(VARIABLES)

    def emit(self, w):
        value, offset, width = w.load(self.variable), w.constant(self.offset), w.constant(WARP)
        w.count += 1
        number = w.count
        w.put(f"%v{number}, %ok{number} = gpu.shuffle {self.mode} {value}, {offset}, {width} : i32")
        full, yes, most = w.constant(-1), w.value("arith.constant true"), w.constant(WARP - 1)
        there = w.value(f"nvvm.vote.sync ballot {full}, {yes} -> i32")
        lane = w.value(f"arith.andi %t32, {most} : i32")
        source = {"xor": f"arith.xori {lane}, {offset}", "up": f"arith.subi {lane}, {offset}",
                  "down": f"arith.addi {lane}, {offset}", "idx": f"arith.ori {offset}, {offset}"}
        source = w.value(f"arith.andi {w.value(source[self.mode] + ' : i32')}, {most} : i32")
        bit = w.value(f"arith.trunci {w.value(f'arith.shrui {there}, {source} : i32')} : i32 to i1")
        both = w.value(f"arith.andi {bit}, %ok{number} : i1")
        w.store(w.value(f"arith.select {both}, %v{number}, {value} : i32"), self.to)

    def run(self, block, active):
        old = [v[self.variable] for v in block.variables]
        there = set(active)
        for t in active:
            lane, first = t % WARP, t - t % WARP
            source = {"xor": lane ^ self.offset, "up": lane - self.offset,
                      "down": lane + self.offset, "idx": self.offset}[self.mode]
            if not 0 <= source < WARP or first + source not in there:
                source = lane
            block.variables[t][self.to] = old[first + source]


class Vote:
    """Who of the warp has an odd number, as bits; a barrier of the warp."""

    def __init__(self, rng):
        self.variable, self.to = rng.randrange(VARIABLES), rng.randrange(VARIABLES)

    def emit(self, w):
        value = w.load(self.variable)
        bit = w.value(f"arith.trunci {value} : i32 to i1")
        full = w.constant(-1)
        ballot = w.value(f"nvvm.vote.sync ballot {full}, {bit} -> i32")
        w.put(f"nvvm.bar.warp.sync {full} : i32")
        w.store(ballot, self.to)

    def run(self, block, active):
        for first in range(0, block.size, WARP):
            lanes = [t for t in active if first <= t < first + WARP]
            ballot = sum(1 << t - first for t in lanes
                         if block.variables[t][self.variable] & 1)
            for t in lanes:
                block.variables[t][self.to] = signed(ballot)


class If:
    """By the thread (no waits inside), its warp, or its block."""

    def __init__(self, rng, kind, then, other):
        self.kind, self.then, self.other = kind, then, other
        self.modulus = rng.randrange(2, 5)

    def condition(self, block, t):
        x = {"thread": t, "warp": t // WARP, "block": block.number}[self.kind]
        return x % self.modulus == 0

    def emit(self, w):
        x = {"thread": "%t", "warp": "%warp", "block": "%b"}[self.kind]
        modulus, zero = w.constant(self.modulus, "index"), w.constant(0, "index")
        rest = w.value(f"arith.remui {x}, {modulus} : index")
        c = w.value(f"arith.cmpi eq, {rest}, {zero} : index")
        w.put(f"scf.if {c} {{")
        w.nested(self.then)
        w.put("} else {")
        w.nested(self.other)
        w.put("}")

    def run(self, block, active):
        yes = [t for t in active if self.condition(block, t)]
        no = [t for t in active if not self.condition(block, t)]
        for threads, statements in ((yes, self.then), (no, self.other)):
            if threads:
                run_all(statements, block, threads)


class Switch:
    """By the block."""

    def __init__(self, cases):
        self.cases = cases

    def emit(self, w):
        count = w.constant(len(self.cases), "index")
        w.put(f"%v{w.count + 1} = arith.remui %b, {count} : index")
        w.count += 1
        w.put(f"scf.index_switch %v{w.count}")
        for number, statements in enumerate(self.cases):
            w.put("default {" if number + 1 == len(self.cases) else f"case {number} {{")
            w.nested(statements)
            w.put("scf.yield")
            w.put("}")

    def run(self, block, active):
        run_all(self.cases[block.number % len(self.cases)], block, active)


class Loop:
    """As often as a constant or the block says, or (no waits) the thread."""

    def __init__(self, rng, kind, body):
        self.kind, self.body, self.trips = kind, body, rng.randrange(4)
        self.modulus = rng.randrange(1, 4)

    def emit(self, w):
        zero, one = w.constant(0, "index"), w.constant(1, "index")
        if self.kind == "constant":
            trips = w.constant(self.trips, "index")
        else:
            modulus = w.constant(self.modulus, "index")
            x = "%t" if self.kind == "thread" else "%b"
            trips = w.value(f"arith.remui {x}, {modulus} : index")
        w.count += 1
        w.put(f"scf.for %i{w.count} = {zero} to {trips} step {one} {{")
        w.nested(self.body)
        w.put("}")

    def trips_of(self, block, t):
        if self.kind == "constant":
            return self.trips
        return (t if self.kind == "thread" else block.number) % self.modulus

    def run(self, block, active):
        for i in range(4):
            threads = [t for t in active if i < self.trips_of(block, t)]
            if threads:
                run_all(self.body, block, threads)


class Across:
    """A value from before some statements that is used behind them."""

    def __init__(self, rng, body):
        self.body = body
        self.variable, self.to = rng.randrange(VARIABLES), rng.randrange(VARIABLES)

    def emit(self, w):
        value = w.load(self.variable)
        odd = w.value(f"arith.trunci {value} : i32 to i1")
        for statement in self.body:
            statement.emit(w)
        other = w.load(self.to)
        total = w.value(f"arith.addi {value}, {other} : i32")
        w.store(w.value(f"arith.select {odd}, {total}, {other} : i32"), self.to)

    def run(self, block, active):
        values = {t: block.variables[t][self.variable] for t in active}
        run_all(self.body, block, active)
        for t in active:
            if values[t] & 1:
                v = block.variables[t]
                v[self.to] = signed(values[t] + v[self.to])


class Fold:
    """A loop that hands a value from one iteration to the next."""

    def __init__(self, rng, body):
        self.body, self.trips = body, rng.randrange(4)
        self.variable, self.to = rng.randrange(VARIABLES), rng.randrange(VARIABLES)

    def emit(self, w):
        zero, one = w.constant(0, "index"), w.constant(1, "index")
        trips = w.constant(self.trips, "index")
        start = w.load(self.variable)
        w.count += 1
        number = w.count
        w.put(f"%v{number} = scf.for %i{number} = {zero} to {trips} step {one} "
              f"iter_args(%a{number} = {start}) -> i32 {{")
        w.nested(self.body)
        w.depth += 1
        three = w.constant(3)
        product = w.value(f"arith.muli %a{number}, {three} : i32")
        w.put(f"scf.yield {w.value(f'arith.addi {product}, {w.load(self.to)} : i32')} : i32")
        w.depth -= 1
        w.put("}")
        w.store(f"%v{number}", self.to)

    def run(self, block, active):
        values = {t: block.variables[t][self.variable] for t in active}
        for _ in range(self.trips):
            run_all(self.body, block, active)
            for t in active:
                values[t] = signed(values[t] * 3 + block.variables[t][self.to])
        for t in active:
            block.variables[t][self.to] = values[t]


class Scratch:
    """Two buffers of the thread's own around some statements, and which of them
    is used behind those: always the first, or the one that the thread, a branch
    or a loop that hands them on has chosen."""

    KIND = "memref<2xi32>"

    def __init__(self, rng, body):
        self.body, self.way = body, rng.choice(["first", "select", "if", "for"])
        self.modulus, self.trips = rng.randrange(2, 5), rng.randrange(4)
        self.a, self.b, self.to = (rng.randrange(VARIABLES) for _ in range(3))

    def emit(self, w):
        zero, one = w.constant(0, "index"), w.constant(1, "index")
        first, second = (w.value(f"memref.alloca() : {self.KIND}") for _ in range(2))
        for memory, variable in ((first, self.a), (second, self.b)):
            w.put(f"memref.store {w.load(variable)}, {memory}[{one}] : {self.KIND}")
        chosen = first
        if self.way in ("select", "if"):
            rest = w.value(f"arith.remui %t, {w.constant(self.modulus, 'index')} : index")
            c = w.value(f"arith.cmpi eq, {rest}, {zero} : index")
        if self.way == "select":
            chosen = w.value(f"arith.select {c}, {first}, {second} : {self.KIND}")
        elif self.way == "if":
            w.count += 1
            chosen = f"%v{w.count}"
            w.put(f"{chosen} = scf.if {c} -> {self.KIND} {{")
            w.put(f"  scf.yield {first} : {self.KIND}")
            w.put("} else {")
            w.put(f"  scf.yield {second} : {self.KIND}")
            w.put("}")
        elif self.way == "for":
            chosen = self.emit_rounds(w, zero, one, first, second)
        w.nested(self.body)
        x = w.value(f"memref.load {chosen}[{one}] : {self.KIND}")
        y = w.value(f"memref.load {first}[{one}] : {self.KIND}")
        y = w.value(f"arith.muli {y}, {w.constant(3)} : i32")
        w.store(w.value(f"arith.addi {x}, {y} : i32"), self.to)

    def emit_rounds(self, w, zero, one, first, second):
        trips = w.constant(self.trips, "index")
        w.count += 1
        n = w.count
        w.put(f"%v{n}:2 = scf.for %i{n} = {zero} to {trips} step {one} "
              f"iter_args(%p{n} = {first}, %q{n} = {second}) -> ({self.KIND}, "
              f"{self.KIND}) {{")
        w.depth += 1
        x = w.value(f"memref.load %p{n}[{one}] : {self.KIND}")
        y = w.value(f"memref.load %q{n}[{one}] : {self.KIND}")
        y = w.value(f"arith.muli {y}, {w.constant(5)} : i32")
        z = w.value(f"arith.addi {x}, {y} : i32")
        w.put(f"memref.store {z}, %q{n}[{one}] : {self.KIND}")
        w.put(f"scf.yield %q{n}, %p{n} : {self.KIND}, {self.KIND}")
        w.depth -= 1
        w.put("}")
        return f"%v{n}#0"

    def run(self, block, active):
        held = {}
        for t in active:
            memory = [block.variables[t][self.a], block.variables[t][self.b]]
            chosen = 0
            if self.way in ("select", "if"):
                chosen = int(t % self.modulus != 0)
            elif self.way == "for":
                for _ in range(self.trips):
                    other = 1 - chosen
                    memory[other] = signed(memory[chosen] + 5 * memory[other])
                    chosen = other
            held[t] = signed(memory[chosen] + 3 * memory[0])
        run_all(self.body, block, active)
        for t in active:
            block.variables[t][self.to] = held[t]


class Leave:
    """Some threads, or all of some blocks, return; they no longer count at
    barriers."""

    def __init__(self, rng, kind):
        self.kind = kind
        self.modulus, self.rest = rng.randrange(2, 6), rng.randrange(2)

    def emit(self, w):
        modulus, rest = w.constant(self.modulus, "index"), w.constant(self.rest, "index")
        x = "%b" if self.kind == "block" else "%t"
        x = w.value(f"arith.remui {x}, {modulus} : index")
        c = w.value(f"arith.cmpi eq, {x}, {rest} : index")
        label = w.count
        w.put(f"cf.cond_br {c}, ^gone{label}, ^stay{label}")
        w.put(f"^gone{label}:")
        emit_result(w)
        w.put("gpu.return")
        w.put(f"^stay{label}:")

    def run(self, block, active):
        block.gone |= {
            t for t in active
            if (block.number if self.kind == "block" else t) % self.modulus == self.rest}


def run_all(statements, block, active):
    for statement in statements:
        statement.run(block, [t for t in active if t not in block.gone])


def emit_result(w):
    total = w.load(0)
    for variable in range(1, VARIABLES):
        three = w.constant(3 * variable)
        total = w.value(f"arith.muli {total}, {three} : i32")
        total = w.value(f"arith.addi {total}, {w.load(variable)} : i32")
    w.put(f"memref.store {total}, %out[%g] : memref<?xi32>")


def result_of(variables):
    total = variables[0]
    for number in range(1, VARIABLES):
        total = signed(signed(total * 3 * number) + variables[number])
    return total


# ----------------------------------------------------------------------------
# Random programs
# ----------------------------------------------------------------------------


def statements(rng, depth, scope, waits):
    """Statements where all threads of `scope` (block, warp, thread) are. `waits`:
    for what: "" (nothing), "barriers" of the block, "all"."""
    made = []
    for _ in range(rng.randrange(1, 5)):
        choice = rng.random()
        inner = depth > 0 and choice < 0.45
        if inner and choice < 0.2:
            kinds = ["thread"]
            if scope != "thread":
                kinds += ["warp"]
            if scope == "block":
                kinds += ["block", "block"]
            kind = rng.choice(kinds)
            then = statements(rng, depth - 1, min_scope(scope, kind), waits)
            other = statements(rng, depth - 1, min_scope(scope, kind), waits)
            made.append(If(rng, kind, then, other))
        elif inner and choice < 0.27:
            kind = rng.choice([Across, Fold, Scratch])
            made.append(kind(rng, statements(rng, depth - 1, scope, waits)))
        elif inner and choice < 0.3 and scope == "block":
            made.append(Switch([statements(rng, depth - 1, scope, waits)
                                for _ in range(rng.randrange(2, 4))]))
        elif inner:
            kind = rng.choice(["constant", "block", "thread"])
            made.append(Loop(rng, kind, statements(
                rng, depth - 1, "thread" if kind == "thread" else scope, waits)))
        elif waits and scope == "block" and choice < 0.7:
            made.append(Exchange(rng))
        elif waits == "all" and scope != "thread" and choice < 0.85:
            made.append(rng.choice([Shuffle, Vote])(rng))
        else:
            made.append(Arithmetic(rng))
    return made


def min_scope(outer, kind):
    order = ["thread", "warp", "block"]
    return order[min(order.index(outer), order.index(kind))]


class Kernel:
    def __init__(self, rng, number):
        self.name = f"k{number}"
        self.block = rng.choice([1, 2, 31, 32, 33, 63, 64, 65, 100, 256])
        self.grid = rng.choice([1, 2, 3, 5, 7])
        waits = rng.choice(["barriers", "barriers", "all", ""])
        self.body = []
        for _ in range(rng.randrange(1, 4)):
            self.body += statements(rng, 3, "block", waits)
            if rng.random() < 0.25:
                kind = "block" if waits == "barriers" else rng.choice(["block", "thread"])
                self.body.append(Leave(rng, kind))

    def emit(self):
        w = Writer()
        w.nested(self.body)
        emit_result(w)
        head = f"""    gpu.func @{self.name}(%out: memref<?xi32>)
        workgroup(%w: {SHARED}) kernel {{
      %t = gpu.thread_id x
      %n = gpu.block_dim x
      %b = gpu.block_id x
      %g = gpu.global_id x
      %warp_size = arith.constant {WARP} : index
      %warp = arith.divui %t, %warp_size : index
      %shared = memref.cast %w : {SHARED} to memref<?xi32, #gpu.address_space<workgroup>>
      %p = memref.alloca() : memref<{VARIABLES}xi32>
      %zero = arith.constant 0 : i32
      memref.store %zero, %w[%t] : {SHARED}
      gpu.barrier
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c2 = arith.constant 2 : index
      %c3 = arith.constant 3 : index
      %in = memref.load %out[%g] : memref<?xi32>
      %t32 = arith.index_cast %t : index to i32
      %b32 = arith.index_cast %b : index to i32
      %one = arith.constant 1 : i32
      memref.store %in, %p[%c0] : memref<{VARIABLES}xi32>
      memref.store %t32, %p[%c1] : memref<{VARIABLES}xi32>
      memref.store %b32, %p[%c2] : memref<{VARIABLES}xi32>
      memref.store %one, %p[%c3] : memref<{VARIABLES}xi32>
"""
        return head + "\n".join(w.lines) + "\n      gpu.return\n    }\n"

    def interpret(self):
        """What the program prints for the kernel: a sum over its results."""
        total = 0
        for number in range(self.grid):
            first = number * self.block
            block = Block(number, self.block,
                          [signed((first + t) * 7919) for t in range(self.block)])
            run_all(self.body, block, list(range(self.block)))
            for variables in block.variables:
                total = signed(signed(total * 31) + result_of(variables))
        return total


PROGRAM = """module attributes {gpu.container_module} {
  gpu.module @kernels {
    func.func @exchange(%w: memref<?xi32, #gpu.address_space<workgroup>>, %v: i32,
                        %t: index, %n: index, %distance: index) -> i32 {
      memref.store %v, %w[%t] : memref<?xi32, #gpu.address_space<workgroup>>
      gpu.barrier
      %far = arith.addi %t, %distance : index
      %near = arith.remui %far, %n : index
      %o = memref.load %w[%near] : memref<?xi32, #gpu.address_space<workgroup>>
      gpu.barrier
      return %o : i32
    }
KERNELS  }

  func.func @fill(%n: index) -> memref<?xi32> {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %factor = arith.constant 7919 : i32
    %x = memref.alloc(%n) : memref<?xi32>
    scf.for %i = %c0 to %n step %c1 {
      %k = arith.index_cast %i : index to i32
      %v = arith.muli %k, %factor : i32
      memref.store %v, %x[%i] : memref<?xi32>
    }
    return %x : memref<?xi32>
  }

  func.func @print(%x: memref<?xi32>) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %zero = arith.constant 0 : i32
    %factor = arith.constant 31 : i32
    %n = memref.dim %x, %c0 : memref<?xi32>
    %sum = scf.for %i = %c0 to %n step %c1 iter_args(%s = %zero) -> i32 {
      %v = memref.load %x[%i] : memref<?xi32>
      %m = arith.muli %s, %factor : i32
      %r = arith.addi %m, %v : i32
      scf.yield %r : i32
    }
    vector.print %sum : i32
    memref.dealloc %x : memref<?xi32>
    return
  }

  func.func @main() {
    %c1 = arith.constant 1 : index
LAUNCHES    return
  }
}
"""

LAUNCH = """    %grid{0} = arith.constant {1} : index
    %block{0} = arith.constant {2} : index
    %n{0} = arith.muli %grid{0}, %block{0} : index
    %x{0} = func.call @fill(%n{0}) : (index) -> memref<?xi32>
    %d{0} = gpu.alloc(%n{0}) : memref<?xi32>
    gpu.memcpy %d{0}, %x{0} : memref<?xi32>, memref<?xi32>
    gpu.launch_func @kernels::@k{0} blocks in (%grid{0}, %c1, %c1)
        threads in (%block{0}, %c1, %c1) args(%d{0} : memref<?xi32>)
    gpu.memcpy %x{0}, %d{0} : memref<?xi32>, memref<?xi32>
    gpu.dealloc %d{0} : memref<?xi32>
    func.call @print(%x{0}) : (memref<?xi32>) -> ()
"""


def make_program(seed, kernel_count, kind):
    rng = random.Random(seed)
    if kind == "types":
        return typed_kernels.make_program(rng)
    kernels = [Kernel(rng, i) for i in range(kernel_count)]
    text = PROGRAM.replace("KERNELS", "".join(k.emit() for k in kernels))
    text = text.replace("LAUNCHES", "".join(
        LAUNCH.format(i, k.grid, k.block) for i, k in enumerate(kernels)))
    return text, "".join(f"{k.interpret()}\n" for k in kernels)


PTX = "ptx"


def settings_of(method, driver):
    """The environment of a method, which "ptx-at-will" is one of."""
    if not method.startswith(PTX):
        return dict(os.environ, ASYNC_GPU_DEVICE="emu")
    return dict(os.environ, ASYNC_GPU_DEVICE="cuda", LD_LIBRARY_PATH=driver,
                PTX_DEVICE_DIVERGE="" if method == PTX else "1")


def run_program(runner, text, method, driver):
    with tempfile.NamedTemporaryFile("w", suffix=".mlir") as file:
        file.write(text)
        file.flush()
        threads = [] if method.startswith(PTX) else [f"--gpu-native-threads={method}"]
        return subprocess.run([runner, file.name, *threads],
                              text=True, timeout=120, capture_output=True,
                              env=settings_of(method, driver), check=False)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runner", required=True, help="async-gpu-runner")
    parser.add_argument("--seeds", default="0-9", help="first-last")
    parser.add_argument("--kernels", type=int, default=6, help="in each program")
    parser.add_argument("--kind", default="flow", choices=["flow", "types"],
                        help="what is random")
    parser.add_argument("--methods", default="auto,coroutines",
                        help="values of --gpu-native-threads")
    parser.add_argument("--ptx", help="folder of a driver that interprets PTX")
    parser.add_argument("--keep", help="where to write a program that differs")
    parser.add_argument("--print", type=int, help="print the program of a seed")
    arguments = parser.parse_args()
    if arguments.print is not None:
        text, expected = make_program(arguments.print, arguments.kernels, arguments.kind)
        sys.stdout.write(text + "".join(f"// {line}\n" for line in expected.split()))
        return 0
    first, last = (int(x) for x in arguments.seeds.split("-"))
    methods = [m for m in arguments.methods.split(",") if m]
    if arguments.ptx:
        methods += [PTX, PTX + "-at-will"]
    for seed in range(first, last + 1):
        text, expected = make_program(seed, arguments.kernels, arguments.kind)
        for method in methods:
            result = run_program(arguments.runner, text, method, arguments.ptx)
            if not result.returncode and result.stdout == expected and not result.stderr:
                continue
            if arguments.keep:
                with open(arguments.keep, "w", encoding="utf-8") as file:
                    file.write(text)
            print(f"seed {seed} differs with {method} (status {result.returncode})\n"
                  f"--- expected:\n{expected}--- got:\n{result.stdout}{result.stderr[:4000]}")
            return 1
    print(f"{last - first + 1} programs agree")
    return 0


if __name__ == "__main__":
    sys.exit(main())
