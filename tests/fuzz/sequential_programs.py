#!/usr/bin/env python3
"""Random sequential programs, whose regions are formed and whose data is placed.

Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
See LICENSE for license information.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

    sequential_programs.py --runner FILE [--first N] [--count N] [--seeds N]
                           [--threads N] [--seconds N] [--keep FOLDER]
                           [-- ARGUMENT...]

Kernels, copies, fills, loops of the host, views, calls (of functions with kernels,
with arguments that may be the same buffer), branches and loops, on buffers of the
host and the device, one behind the other and without a token. Buffers are handed on
by loops, branches, switches, blocks, selects, views and calls, so that only a run
tells which one a memref is of, and are freed by such memrefs. Some are of the
stack, in every kind of block. Each program is written as MLIR and done here at once, on lists. With --sequential it has to print
the same, however the threads of host and device are scheduled, and without a race
(ASYNC_GPU_EMU_CHECK=races), for devices that reach the host's memory and for others in
turn. ARGUMENTs are for the runner.
"""

import argparse
import os
import pathlib
import random
import subprocess
import sys
import tempfile

SIZE = 16
MASK = (1 << 64) - 1
WHOLE = f"memref<{SIZE}xi64>"
VIEW = "memref<?xi64, strided<[1], offset: ?>>"

# Where memory of the host lies that kernels are given.
KINDS = ["unified", "discrete"]

# What a region has to hold: nothing, what all of a program's small kernels and
# loops do, or what some of them do.
LEAST = [["--host-region-ops=0", "--device-region-ops=0"],
         ["--host-region-ops=500", "--device-region-ops=0"],
         ["--host-region-ops=600", "--device-region-ops=150"]]

HEAD = """
module attributes {gpu.container_module} {
gpu.module @k {
  gpu.func @scale(%m: WHOLE, %a: i64, %b: i64) kernel {
    %i = gpu.thread_id x
    %x = memref.load %m[%i] : WHOLE
    %y = arith.muli %x, %a : i64
    %z = arith.addi %y, %b : i64
    memref.store %z, %m[%i] : WHOLE
    gpu.return
  }
  gpu.func @mix(%m: WHOLE, %n: WHOLE, %a: i64) kernel {
    %i = gpu.thread_id x
    %x = memref.load %m[%i] : WHOLE
    %y = memref.load %n[%i] : WHOLE
    %u = arith.muli %x, %a : i64
    %z = arith.addi %u, %y : i64
    memref.store %z, %m[%i] : WHOLE
    gpu.return
  }
  gpu.func @fill(%m: WHOLE, %a: i64) kernel {
    %i = gpu.thread_id x
    memref.store %a, %m[%i] : WHOLE
    gpu.return
  }
  gpu.func @part(%m: WHOLE, %first: index, %a: i64) kernel {
    %t = gpu.thread_id x
    %i = arith.addi %t, %first : index
    %x = memref.load %m[%i] : WHOLE
    %z = arith.muli %x, %a : i64
    memref.store %z, %m[%i] : WHOLE
    gpu.return
  }
  // Which of the two it writes, only the kernel knows.
  gpu.func @choose(%m: WHOLE, %n: WHOLE, %c: i1, %a: i64) kernel {
    %i = gpu.thread_id x
    %p = arith.select %c, %m, %n : WHOLE
    %q = scf.if %c -> WHOLE {
      scf.yield %n : WHOLE
    } else {
      scf.yield %m : WHOLE
    }
    %x = memref.load %p[%i] : WHOLE
    %y = memref.load %q[%i] : WHOLE
    %u = arith.muli %x, %a : i64
    %z = arith.addi %u, %y : i64
    memref.store %z, %p[%i] : WHOLE
    gpu.return
  }
  gpu.func @view(%m: VIEW, %a: i64) kernel {
    %i = gpu.thread_id x
    %x = memref.load %m[%i] : VIEW
    %z = arith.addi %x, %a : i64
    memref.store %z, %m[%i] : VIEW
    gpu.return
  }
}
// The same on the host.
func.func private @hscale(%m: WHOLE, %a: i64, %b: i64) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.constant SIZE : index
  scf.for %i = %c0 to %n step %c1 {
    %x = memref.load %m[%i] : WHOLE
    %y = arith.muli %x, %a : i64
    %z = arith.addi %y, %b : i64
    memref.store %z, %m[%i] : WHOLE
  }
  return
}
func.func private @hmix(%m: WHOLE, %n: WHOLE, %a: i64) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %size = arith.constant SIZE : index
  scf.for %i = %c0 to %size step %c1 {
    %x = memref.load %m[%i] : WHOLE
    %y = memref.load %n[%i] : WHOLE
    %u = arith.muli %x, %a : i64
    %z = arith.addi %u, %y : i64
    memref.store %z, %m[%i] : WHOLE
  }
  return
}
// Kernels behind a call.
func.func private @dmix(%m: WHOLE, %n: WHOLE, %a: i64) {
  %c1 = arith.constant 1 : index
  %c16 = arith.constant SIZE : index
  gpu.launch_func @k::@scale blocks in (%c1, %c1, %c1) threads in (%c16, %c1, %c1) args(%n : WHOLE, %a : i64, %a : i64)
  gpu.launch_func @k::@mix blocks in (%c1, %c1, %c1) threads in (%c16, %c1, %c1) args(%m : WHOLE, %n : WHOLE, %a : i64)
  return
}
func.func private @dtwo(%m: WHOLE, %n: WHOLE, %a: i64, %b: i64) {
  %c1 = arith.constant 1 : index
  %c16 = arith.constant SIZE : index
  gpu.launch_func @k::@scale blocks in (%c1, %c1, %c1) threads in (%c16, %c1, %c1) args(%m : WHOLE, %a : i64, %b : i64)
  gpu.launch_func @k::@scale blocks in (%c1, %c1, %c1) threads in (%c16, %c1, %c1) args(%n : WHOLE, %b : i64, %a : i64)
  return
}
func.func private @pscale(%m: WHOLE, %a: i64, %b: i64) {
  %c1 = arith.constant 1 : index
  %c16 = arith.constant SIZE : index
  gpu.launch_func @k::@scale blocks in (%c1, %c1, %c1) threads in (%c16, %c1, %c1) args(%m : WHOLE, %a : i64, %b : i64)
  return
}
// Buffers change places, in a loop and in blocks.
func.func private @forswap(%m: WHOLE, %n: WHOLE, %k: index, %a: i64) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant SIZE : index
  %r:2 = scf.for %i = %c0 to %k step %c1 iter_args(%p = %m, %q = %n) -> (WHOLE, WHOLE) {
    gpu.launch_func @k::@mix blocks in (%c1, %c1, %c1) threads in (%c16, %c1, %c1) args(%p : WHOLE, %q : WHOLE, %a : i64)
    scf.yield %q, %p : WHOLE, WHOLE
  }
  memref.store %a, %r#0[%c1] : WHOLE
  return
}
func.func private @cfswap(%m: WHOLE, %n: WHOLE, %k: index, %a: i64) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant SIZE : index
  cf.br ^head(%c0, %m, %n : index, WHOLE, WHOLE)
^head(%i: index, %p: WHOLE, %q: WHOLE):
  %c = arith.cmpi slt, %i, %k : index
  cf.cond_br %c, ^body, ^done
^body:
  gpu.launch_func @k::@mix blocks in (%c1, %c1, %c1) threads in (%c16, %c1, %c1) args(%p : WHOLE, %q : WHOLE, %a : i64)
  %j = arith.addi %i, %c1 : index
  cf.br ^head(%j, %q, %p : index, WHOLE, WHOLE)
^done:
  memref.store %a, %p[%c1] : WHOLE
  return
}
// Memory that the caller frees.
func.func private @make(%a: i64) -> WHOLE {
  %c1 = arith.constant 1 : index
  %c16 = arith.constant SIZE : index
  %m = memref.alloc() : WHOLE
  gpu.launch_func @k::@fill blocks in (%c1, %c1, %c1) threads in (%c16, %c1, %c1) args(%m : WHOLE, %a : i64)
  return %m : WHOLE
}
func.func private @rounds(%k: index, %a: i64) -> (WHOLE, WHOLE) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant SIZE : index
  %m = memref.alloc() : WHOLE
  %n = memref.alloc() : WHOLE
  linalg.fill ins(%a : i64) outs(%m : WHOLE)
  gpu.launch_func @k::@fill blocks in (%c1, %c1, %c1) threads in (%c16, %c1, %c1) args(%n : WHOLE, %a : i64)
  %r:2 = scf.for %i = %c0 to %k step %c1 iter_args(%p = %m, %q = %n) -> (WHOLE, WHOLE) {
    %o = memref.alloc() : WHOLE
    memref.copy %p, %o : WHOLE to WHOLE
    memref.dealloc %p : WHOLE
    gpu.launch_func @k::@mix blocks in (%c1, %c1, %c1) threads in (%c16, %c1, %c1) args(%o : WHOLE, %q : WHOLE, %a : i64)
    scf.yield %q, %o : WHOLE, WHOLE
  }
  return %r#0, %r#1 : WHOLE, WHOLE
}
// Memory of the caller, one of two.
func.func private @pick(%c: i1, %m: WHOLE, %n: WHOLE) -> WHOLE {
  %r = arith.select %c, %m, %n : WHOLE
  return %r : WHOLE
}
memref.global "private" @shared : WHOLE = dense<1>
func.func private @print(%m: WHOLE) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.constant SIZE : index
  %zero = arith.constant 0 : i64
  %factor = arith.constant 31 : i64
  %s = scf.for %i = %c0 to %n step %c1 iter_args(%t = %zero) -> i64 {
    %x = memref.load %m[%i] : WHOLE
    %y = arith.muli %t, %factor : i64
    %z = arith.addi %y, %x : i64
    scf.yield %z : i64
  }
  vector.print %s : i64
  return
}
"""
CONSTANTS = f"""  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant {SIZE} : index
  %zero = arith.constant 0 : i64"""


def signed(value):
    value &= MASK
    return value - (1 << 64) if value >> 63 else value


class Memory(dict):
    """Contents of buffers, by the name of the buffer or of a memref that is one of
    them now."""

    def __init__(self):
        super().__init__()
        self.is_now = {}

    def buffer(self, name):
        while name in self.is_now:
            name = self.is_now[name]
        return name

    def __getitem__(self, name):
        return super().__getitem__(self.buffer(name))

    def __setitem__(self, name, contents):
        super().__setitem__(self.buffer(name), contents)

    def bind(self, names, others):
        """All at once: `names` are what `others` are now."""
        buffers = [self.buffer(other) for other in others]
        for name, buffer in zip(names, buffers):
            self.is_now[name] = buffer

    def renew(self, name, contents):
        """A buffer of its own, as an allocation makes one each time."""
        self.is_now.pop(name, None)
        self.count = getattr(self, "count", 0) + 1
        buffer = f"{name} {self.count}"
        super().__setitem__(buffer, contents)
        self.is_now[name] = buffer


class Generator:
    """One program. A statement is a function that does it on `self.memory`, put
    together while its text is written."""

    def __init__(self, seed):
        self.number = seed
        self.random = random.Random(seed)
        self.names = 0
        self.lines = []
        self.memory = Memory()
        self.output = []
        self.host, self.device = [], []
        self.refusals = []  # errors of the compiler that are right
        self.flows = set()  # memrefs that may be one of several buffers
        self.mixed = set()  # of these on the device, who may be the host's
        self.depth = 1

    def name(self, letter):
        self.names += 1
        return f"%{letter}{self.names}"

    def put(self, line):
        self.lines.append("  " * self.depth + line)

    def constant(self, value=None, kind="i64"):
        value = self.random.randint(2, 9) if value is None else value
        name = self.name("k")
        self.put(f"{name} = arith.constant {value} : {kind}")
        return name, value

    def allocate(self, on_device):
        name = self.name("d" if on_device else "h")
        op = "gpu.alloc" if on_device else "memref.alloc"
        self.put(f"{name} = {op}() : {WHOLE}")
        (self.device if on_device else self.host).append(name)
        self.memory[name] = [0] * SIZE
        return name

    def clear(self, name):
        if name in self.device:
            self.put(f"gpu.memset {name}, %zero : {WHOLE}, i64")
        else:
            self.put(f"linalg.fill ins(%zero : i64) outs({name} : {WHOLE})")

        def do():
            self.memory[name] = [0] * SIZE
        return do

    def any(self):
        return self.random.choice(self.host + self.device)

    def launch(self, kernel, arguments, threads="%c16"):
        self.put(f"gpu.launch_func @k::@{kernel} blocks in (%c1, %c1, %c1) "
                 f"threads in ({threads}, %c1, %c1) args("
                 + ", ".join(f"{n} : {t}" for n, t in arguments) + ")")

    # Statements. Each writes text, and returns what it does.

    def scale(self):
        m = self.any()
        a, av = self.constant()
        b, bv = self.constant()
        way = self.random.randrange(3)
        if m in self.host and way == 0:
            self.put(f"func.call @hscale({m}, {a}, {b}) : "
                     f"({WHOLE}, i64, i64) -> ()")
        elif m in self.host and way == 1:
            # In its place, many times over, so that it is worth a region.
            self.put(f"scf.for %r{self.names} = %c0 to %c1 step %c1 {{")
            self.depth += 1
            i, x, y, z = (self.name(c) for c in "ixyz")
            self.put(f"scf.for {i} = %c0 to %c16 step %c1 {{")
            self.put(f"  {x} = memref.load {m}[{i}] : {WHOLE}")
            self.put(f"  {y} = arith.muli {x}, {a} : i64")
            self.put(f"  {z} = arith.addi {y}, {b} : i64")
            self.put(f"  memref.store {z}, {m}[{i}] : {WHOLE}")
            self.put("}")
            self.depth -= 1
            self.put("}")
        elif m in self.host and way == 2:
            self.put(f"func.call @pscale({m}, {a}, {b}) : "
                     f"({WHOLE}, i64, i64) -> ()")
        else:
            self.launch("scale", [(m, WHOLE), (a, "i64"), (b, "i64")])

        def do():
            self.memory[m] = [(x * av + bv) & MASK for x in self.memory[m]]
        return do

    def kernel_scale(self):
        m = self.any()
        a, av = self.constant()
        self.launch("scale", [(m, WHOLE), (a, "i64"), (a, "i64")])

        def do():
            self.memory[m] = [(x * av + av) & MASK for x in self.memory[m]]
        return do

    def mix(self):
        m, n = self.any(), self.any()
        a, av = self.constant()
        both = m in self.host and n in self.host
        if both and self.random.random() < 0.6:
            self.put(f"func.call @hmix({m}, {n}, {a}) : "
                     f"({WHOLE}, {WHOLE}, i64) -> ()")
        else:
            self.launch("mix", [(m, WHOLE), (n, WHOLE), (a, "i64")])

        def do():
            self.memory[m] = [(x * av + y) & MASK for x, y in
                              zip(self.memory[m], self.memory[n])]
        return do

    def device_call(self):
        m, n = (self.random.choice([d for d in self.device
                                    if d not in self.flows])
                for _ in range(2))
        a, av = self.constant()
        if self.random.random() < 0.5:
            b, bv = self.constant()
            self.put(f"func.call @dtwo({m}, {n}, {a}, {b}) : "
                     f"({WHOLE}, {WHOLE}, i64, i64) -> ()")

            def do():
                for buffer, x, y in ((m, av, bv), (n, bv, av)):
                    self.memory[buffer] = [(v * x + y) & MASK
                                           for v in self.memory[buffer]]
            return do
        self.put(f"func.call @dmix({m}, {n}, {a}) : "
                 f"({WHOLE}, {WHOLE}, i64) -> ()")

        def do():
            self.memory[n] = [(x * av + av) & MASK for x in self.memory[n]]
            self.memory[m] = [(x * av + y) & MASK for x, y in
                              zip(self.memory[m], self.memory[n])]
        return do

    def fill(self):
        m = self.any()
        a, av = self.constant()
        if m in self.device and self.random.random() < 0.5 \
                and m not in self.mixed:
            self.put(f"gpu.memset {m}, {a} : {WHOLE}, i64")
        else:
            self.launch("fill", [(m, WHOLE), (a, "i64")])

        def do():
            self.memory[m] = [av] * SIZE
        return do

    def part(self):
        m = self.any()
        first = self.random.randrange(SIZE)
        count = self.random.randint(1, SIZE - first)
        a, av = self.constant()
        f, _ = self.constant(first, "index")
        c, _ = self.constant(count, "index")
        if self.random.random() < 0.5:
            self.launch("part", [(m, WHOLE), (f, "index"), (a, "i64")], c)
            combine = lambda x: x * av
        else:
            s, v = self.name("s"), self.name("v")
            known = f"memref<{count}xi64, strided<[1], offset: {first}>>"
            self.put(f"{s} = memref.subview {m}[{first}] [{count}] [1] : "
                     f"{WHOLE} to {known}")
            self.put(f"{v} = memref.cast {s} : {known} to {VIEW}")
            self.launch("view", [(v, VIEW), (a, "i64")], c)
            combine = lambda x: x + av

        def do():
            for i in range(first, first + count):
                self.memory[m][i] = combine(self.memory[m][i]) & MASK
        return do

    def apart(self, names):
        """Those that are no other's memory, one or two of them."""
        roots = [name for name in names if name not in self.flows]
        return self.random.sample(roots, min(len(roots), 2))

    def copy(self):
        both = self.apart(self.host + self.device)
        if len(both) < 2:
            return self.fill()
        m, n = both
        count = self.random.randint(1, SIZE)
        at = self.random.randrange(SIZE - count + 1)
        of = self.random.randrange(SIZE - count + 1)
        op = "gpu.memcpy"
        if m in self.host and n in self.host and self.random.random() < 0.6:
            op = "memref.copy"
        if self.random.random() < 0.5:
            at, of, count = 0, 0, SIZE
            to, source, kinds = m, n, (WHOLE, WHOLE)
        else:
            to, source = self.name("s"), self.name("s")
            kinds = tuple(f"memref<{count}xi64, strided<[1], offset: {o}>>"
                          for o in (at, of))
            self.put(f"{to} = memref.subview {m}[{at}] [{count}] [1] : "
                     f"{WHOLE} to {kinds[0]}")
            self.put(f"{source} = memref.subview {n}[{of}] [{count}] [1] : "
                     f"{WHOLE} to {kinds[1]}")
        if op == "memref.copy":
            self.put(f"memref.copy {source}, {to} : {kinds[1]} to {kinds[0]}")
        else:
            self.put(f"gpu.memcpy {to}, {source} : {kinds[0]}, {kinds[1]}")

        def do():
            self.memory[m][at:at + count] = self.memory[n][of:of + count]
        return do

    def store(self):
        m = self.random.choice(self.host)
        a, av = self.constant()
        place = self.random.randrange(SIZE)
        i, _ = self.constant(place, "index")
        self.put(f"memref.store {a}, {m}[{i}] : {WHOLE}")

        def do():
            self.memory[m][place] = av
        return do

    def print_(self):
        m = self.random.choice(self.host)
        if self.random.random() < 0.5:
            self.put(f"func.call @print({m}) : ({WHOLE}) -> ()")

            def do():
                s = 0
                for x in self.memory[m]:
                    s = (s * 31 + x) & MASK
                self.output.append(str(signed(s)))
            return do
        place = self.random.randrange(SIZE)
        i, _ = self.constant(place, "index")
        x = self.name("x")
        self.put(f"{x} = memref.load {m}[{i}] : {WHOLE}")
        self.put(f"vector.print {x} : i64")

        def do():
            self.output.append(str(signed(self.memory[m][place])))
        return do

    def global_(self):
        g = self.name("g")
        self.put(f"{g} = memref.get_global @shared : {WHOLE}")
        a, av = self.constant()
        way = self.random.randrange(2)
        if way == 0:
            self.launch("scale", [(g, WHOLE), (a, "i64"), (a, "i64")])

            def do():
                self.memory["@"] = [(x * av + av) & MASK
                                    for x in self.memory["@"]]
            return do
        m = self.random.choice(self.host)
        self.put(f"func.call @hmix({m}, {g}, {a}) : "
                 f"({WHOLE}, {WHOLE}, i64) -> ()")

        def do():
            self.memory[m] = [(x * av + y) & MASK for x, y in
                              zip(self.memory[m], self.memory["@"])]
        return do

    def temporary(self):
        """A buffer of a block of its own, freed at its end."""
        name = self.allocate(self.random.random() < 0.5)
        on_device = name in self.device
        steps = [self.clear(name)]
        more, forget = self.block(1, 3)
        steps += more
        forget()
        (self.device if on_device else self.host).remove(name)
        self.put(f"{'gpu' if on_device else 'memref'}.dealloc {name} : {WHOLE}")

        def do():
            for step in steps:
                step()
        return do

    def stack(self):
        """A buffer of the stack, in whatever block this is or in a scope."""
        name = self.name("h")
        around = self.random.choice(
            [None, None, "memref.alloca_scope", "scf.execute_region"])
        # Where it and what lives longer are one buffer's choice, neither has a
        # place of its own on the device.
        self.refusals.append("its address leaves the block that it lives in")
        if around:
            self.put(f"{around} {{")
        self.put(f"{name} = memref.alloca() : {WHOLE}")
        self.host.append(name)
        fill = self.clear(name)
        steps, forget = self.block(1, 4)
        forget()
        self.host.remove(name)
        if around == "scf.execute_region":
            self.put("  scf.yield")
        if around:
            self.put("}")

        def do():
            fill()
            for step in steps:
                step()
        return do

    def loop(self):
        trips = self.random.randrange(4)
        n, _ = self.constant(trips, "index")
        self.put(f"scf.for {self.name('i')} = %c0 to {n} step %c1 {{")
        steps, forget = self.block(1, 4)
        forget()
        self.put("}")

        def do():
            for _ in range(trips):
                for step in steps:
                    step()
        return do

    def pipeline(self):
        """A loop that fills a buffer first in each round."""
        name = self.allocate(self.random.random() < 0.5)
        on_device = name in self.device
        trips = self.random.randrange(5)
        n, _ = self.constant(trips, "index")
        self.put(f"scf.for {self.name('i')} = %c0 to {n} step %c1 {{")
        self.depth += 1
        steps = [self.clear(name)]
        self.depth -= 1
        more, forget = self.block(2, 5)
        steps += more
        forget()
        self.put("}")
        (self.device if on_device else self.host).remove(name)
        self.put(f"{'gpu' if on_device else 'memref'}.dealloc {name} : {WHOLE}")

        def do():
            for _ in range(trips):
                for step in steps:
                    step()
        return do

    def branch(self):
        """By what is in memory."""
        m = self.random.choice(self.host)
        place = self.random.randrange(SIZE)
        i, _ = self.constant(place, "index")
        one, _ = self.constant(1)
        x, y, c = (self.name(letter) for letter in "xyp")
        self.put(f"{x} = memref.load {m}[{i}] : {WHOLE}")
        self.put(f"{y} = arith.andi {x}, {one} : i64")
        self.put(f"{c} = arith.trunci {y} : i64 to i1")
        self.put(f"scf.if {c} {{")
        yes, forget = self.block(1, 3)
        forget()
        no = []
        if self.random.random() < 0.5:
            self.put("} else {")
            no, forget = self.block(1, 3)
            forget()
        self.put("}")

        def do():
            for step in yes if self.memory[m][place] & 1 else no:
                step()
        return do

    def chosen(self):
        """Buffers of one side to choose from, and where a choice goes; the device's
        may be the host's, too."""
        if self.random.random() < 0.7:
            return self.host, self.host
        if self.random.random() < 0.5:
            return self.device, self.device
        return self.host + self.device, self.device

    def condition(self):
        """A bit of memory of the host: its name, and how it is read."""
        m = self.random.choice(self.host)
        place = self.random.randrange(SIZE)
        i, _ = self.constant(place, "index")
        x, c = self.name("x"), self.name("p")
        self.put(f"{x} = memref.load {m}[{i}] : {WHOLE}")
        self.put(f"{c} = arith.trunci {x} : i64 to i1")
        return c, lambda: self.memory[m][place] & 1

    def block(self, least=0, most=3):
        """Statements of a block: what it gives is no name outside."""
        host, device = list(self.host), list(self.device)
        self.depth += 1
        steps = [self.statement()
                 for _ in range(self.random.randint(least, most))]
        self.depth -= 1
        return steps, lambda: self.forget(host, device)

    def forget(self, host, device):
        self.host[:] = [name for name in self.host if name in host]
        self.device[:] = [name for name in self.device if name in device]

    def give(self, name, to, *sources):
        if to is self.device and any(source in self.host or source in self.mixed
                                     for source in sources):
            self.mixed.add(name)
        to.append(name)
        self.flows.add(name)

    def select(self):
        names, to = self.chosen()
        m, n = self.random.choice(names), self.random.choice(names)
        c, bit = self.condition()
        r = self.name("f")
        self.put(f"{r} = arith.select {c}, {m}, {n} : {WHOLE}")
        self.give(r, to, m, n)
        # What the bit is when it is read.
        return lambda: self.memory.bind([r], [m if bit() else n])

    def branch_result(self):
        names, to = self.chosen()
        m, n = self.random.choice(names), self.random.choice(names)
        c, bit = self.condition()
        r = self.name("f")
        way = self.random.randrange(3)
        if way == 0:
            self.put(f"{r} = scf.if {c} -> ({WHOLE}) {{")
            yes, forget = self.block()
            self.put(f"  scf.yield {m} : {WHOLE}")
            forget()
            self.put("} else {")
            no, forget = self.block()
            self.put(f"  scf.yield {n} : {WHOLE}")
            forget()
            self.put("}")
        elif way == 1:
            k = self.name("k")
            self.put(f"{k} = arith.index_castui {c} : i1 to index")
            self.put(f"{r} = scf.index_switch {k} -> {WHOLE}")
            self.put("case 1 {")
            yes, forget = self.block()
            self.put(f"  scf.yield {m} : {WHOLE}")
            forget()
            self.put("}")
            self.put("default {")
            no, forget = self.block()
            self.put(f"  scf.yield {n} : {WHOLE}")
            forget()
            self.put("}")
        else:
            a = self.name("a")[1:]
            self.put(f"{r} = scf.execute_region -> {WHOLE} {{")
            self.put(f"  cf.cond_br {c}, ^y{a}, ^n{a}")
            self.put(f"^y{a}:")
            yes, forget = self.block()
            self.put(f"  cf.br ^e{a}({m} : {WHOLE})")
            forget()
            self.put(f"^n{a}:")
            no, forget = self.block()
            self.put(f"  cf.br ^e{a}({n} : {WHOLE})")
            forget()
            self.put(f"^e{a}(%e{a}: {WHOLE}):")
            self.put(f"  scf.yield %e{a} : {WHOLE}")
            self.put("}")
        self.give(r, to, m, n)

        def do():
            taken = bit()
            for step in yes if taken else no:
                step()
            self.memory.bind([r], [m if taken else n])
        return do

    def carried(self):
        """A loop that two buffers go round in, by scf.for or scf.while."""
        names, to = self.chosen()
        m, n = self.random.choice(names), self.random.choice(names)
        p, q, r, i = (self.name(letter) for letter in "ffri")
        trips = self.random.randrange(4)
        k, _ = self.constant(trips, "index")
        swaps = self.random.random() < 0.7
        is_while = self.random.random() < 0.5
        reads = is_while and to is self.host and self.random.random() < 0.5
        place = self.random.randrange(SIZE)
        if is_while:
            self.put(f"{r}:3 = scf.while ({p}w = {m}, {q}w = {n}, {i}w = %c0) "
                     f": ({WHOLE}, {WHOLE}, index) -> "
                     f"({WHOLE}, {WHOLE}, index) {{")
            if reads:
                x, at = self.name("x"), self.name("k")
                self.put(f"  {at} = arith.constant {place} : index")
                self.put(f"  {x} = memref.load {p}w[{at}] : {WHOLE}")
                self.put(f"  vector.print {x} : i64")
            self.put(f"  {i}c = arith.cmpi slt, {i}w, {k} : index")
            self.put(f"  scf.condition({i}c) {p}w, {q}w, {i}w : {WHOLE}, "
                     f"{WHOLE}, index")
            self.put("} do {")
            self.put(f"^bb0({p}: {WHOLE}, {q}: {WHOLE}, {i}: index):")
        else:
            self.put(f"{r}:2 = scf.for {i} = %c0 to {k} step %c1 "
                     f"iter_args({p} = {m}, {q} = {n}) -> "
                     f"({WHOLE}, {WHOLE}) {{")
        self.give(p, to, m, n)
        self.give(q, to, m, n)
        steps, forget = self.block(1, 4)
        forget()
        to.remove(p)
        to.remove(q)
        back = (q, p) if swaps else (p, q)
        if is_while:
            self.put(f"  {i}n = arith.addi {i}, %c1 : index")
            self.put(f"  scf.yield {back[0]}, {back[1]}, {i}n : {WHOLE}, "
                     f"{WHOLE}, index")
        else:
            self.put(f"  scf.yield {back[0]}, {back[1]} : {WHOLE}, {WHOLE}")
        self.put("}")
        self.give(r + "#0", to, m, n)
        self.give(r + "#1", to, m, n)

        def do():
            self.memory.bind([p, q], [m, n])
            for t in range(trips + 1):
                if reads:
                    self.output.append(str(signed(self.memory[p][place])))
                if t == trips:
                    break
                for step in steps:
                    step()
                self.memory.bind([p, q], back)
            self.memory.bind([r + "#0", r + "#1"], [p, q])
        return do

    def renewed(self):
        """A loop that allocates a buffer in each round, and frees the last one."""
        m, o, p, r = (self.name(letter) for letter in "hhfr")
        trips = self.random.randrange(4)
        k, _ = self.constant(trips, "index")
        a, av = self.constant()
        fills = self.random.random() < 0.5
        self.put(f"{m} = memref.alloc() : {WHOLE}")
        self.put(f"linalg.fill ins(%zero : i64) outs({m} : {WHOLE})")
        self.put(f"{r} = scf.for {self.name('i')} = %c0 to {k} step %c1 "
                 f"iter_args({p} = {m}) -> ({WHOLE}) {{")
        self.depth += 1
        self.put(f"{o} = memref.alloc() : {WHOLE}")
        if fills:
            self.launch("fill", [(o, WHOLE), (a, "i64")])
            self.launch("mix", [(o, WHOLE), (p, WHOLE), (a, "i64")])
        else:
            self.put(f"memref.copy {p}, {o} : {WHOLE} to {WHOLE}")
            self.launch("scale", [(o, WHOLE), (a, "i64"), (a, "i64")])
        self.depth -= 1
        self.give(o, self.host)
        self.give(p, self.host)
        steps, forget = self.block(0, 2)
        forget()
        self.host.remove(o)
        self.host.remove(p)
        self.put(f"  memref.dealloc {p} : {WHOLE}")
        self.put(f"  scf.yield {o} : {WHOLE}")
        self.put("}")
        self.give(r, self.host)
        rest, forget = self.block(0, 2)
        forget()
        self.host.remove(r)
        self.put(f"memref.dealloc {r} : {WHOLE}")

        def do():
            self.memory.renew(m, [0] * SIZE)
            self.memory.bind([p], [m])
            for _ in range(trips):
                before = self.memory[p]
                self.memory.renew(o, [(av * av + x if fills else x * av + av)
                                      & MASK for x in before])
                for step in steps:
                    step()
                self.memory.bind([p], [o])
            self.memory.bind([r], [p])
            for step in rest:
                step()
        return do

    def given(self):
        """What a call gives: its own memory, which is freed here."""
        a, av = self.constant()
        if self.random.random() < 0.5:
            r = [self.name("r")]
            self.put(f"{r[0]} = func.call @make({a}) : (i64) -> {WHOLE}")
            contents = [av]
        else:
            name = self.name("r")
            r = [f"{name}#0", f"{name}#1"]
            trips = self.random.randrange(4)
            k, _ = self.constant(trips, "index")
            self.put(f"{name}:2 = func.call @rounds({k}, {a}) : (index, i64) "
                     f"-> ({WHOLE}, {WHOLE})")
            contents = [av, av]
            for _ in range(trips):
                x, y = contents
                contents = [y, (x * av + y) & MASK]
        for name in r:
            self.host.append(name)
        steps, forget = self.block(1, 3)
        forget()
        for name in r:
            self.host.remove(name)
            self.put(f"memref.dealloc {name} : {WHOLE}")

        def do():
            for name, value in zip(r, contents):
                self.memory.renew(name, [value] * SIZE)
            for step in steps:
                step()
        return do

    def picked(self):
        """What a call gives that is the caller's: the host writes to it."""
        m, n = self.random.choice(self.host), self.random.choice(self.host)
        c, bit = self.condition()
        r = self.name("f")
        a, av = self.constant()
        place = self.random.randrange(SIZE)
        i, _ = self.constant(place, "index")
        self.put(f"{r} = func.call @pick({c}, {m}, {n}) : "
                 f"(i1, {WHOLE}, {WHOLE}) -> {WHOLE}")
        self.put(f"memref.store {a}, {r}[{i}] : {WHOLE}")

        def do():
            self.memory[m if bit() else n][place] = av
        return do

    def swapped(self):
        """Arguments that change places."""
        both = self.apart(self.host)
        if len(both) < 2:
            return self.fill()
        m, n = both
        a, av = self.constant()
        trips = self.random.randrange(4)
        k, _ = self.constant(trips, "index")
        name = self.random.choice(["forswap", "cfswap"])
        self.put(f"func.call @{name}({m}, {n}, {k}, {a}) : "
                 f"({WHOLE}, {WHOLE}, index, i64) -> ()")

        def do():
            p, q = m, n
            for _ in range(trips):
                self.memory[p] = [(x * av + y) & MASK for x, y in
                                  zip(self.memory[p], self.memory[q])]
                p, q = q, p
            self.memory[p][1] = av
        return do

    def chooses(self):
        """A kernel that chooses itself."""
        both = self.apart(self.host + self.device)
        if len(both) < 2:
            return self.fill()
        m, n = both
        c, bit = self.condition()
        a, av = self.constant()
        self.launch("choose", [(m, WHOLE), (n, WHOLE), (c, "i1"), (a, "i64")])

        def do():
            p, q = (m, n) if bit() else (n, m)
            self.memory[p] = [(x * av + y) & MASK for x, y in
                              zip(self.memory[p], self.memory[q])]
        return do

    def renamed(self):
        """The same memory, by way of other shapes and types."""
        names, to = self.chosen()
        m = self.random.choice(names)
        r, v = self.name("f"), self.name("v")
        way = self.random.randrange(4)
        if way == 0:
            square = f"memref<4x{SIZE // 4}xi64>"
            self.put(f"{v} = memref.expand_shape {m} [[0, 1]] output_shape "
                     f"[4, {SIZE // 4}] : {WHOLE} into {square}")
            self.put(f"{r} = memref.collapse_shape {v} [[0, 1]] : {square} "
                     f"into {WHOLE}")
        elif way == 1:
            self.put(f"{v} = memref.cast {m} : {WHOLE} to memref<*xi64>")
            self.put(f"{r} = memref.cast {v} : memref<*xi64> to {WHOLE}")
        elif way == 2:
            self.put(f"{r} = memref.reinterpret_cast {m} to offset: [0], "
                     f"sizes: [{SIZE}], strides: [1] : {WHOLE} to {WHOLE}")
        else:
            self.put(f"{v} = memref.alloca() : memref<1xindex>")
            self.put(f"memref.store %c16, {v}[%c0] : memref<1xindex>")
            self.put(f"{r} = memref.reshape {m}({v}) : ({WHOLE}, "
                     f"memref<1xindex>) -> {WHOLE}")
        self.give(r, to, m)
        return lambda: self.memory.bind([r], [m])

    def resized(self):
        """memref.realloc, of a buffer that is freed by its new name."""
        m, big, cut, r = (self.name(letter) for letter in "hbsr")
        size = SIZE * self.random.randint(1, 2)
        kind = f"memref<{size}xi64>"
        self.put(f"{m} = memref.alloc() : {WHOLE}")
        self.put(f"linalg.fill ins(%zero : i64) outs({m} : {WHOLE})")
        self.host.append(m)
        steps, forget = self.block(1, 2)
        forget()
        self.host.remove(m)
        self.put(f"{big} = memref.realloc {m} : {WHOLE} to {kind}")
        part = f"memref<{SIZE}xi64, strided<[1]>>"
        self.put(f"{cut} = memref.subview {big}[0] [{SIZE}] [1] : {kind} to "
                 f"{part}")
        self.put(f"{r} = memref.cast {cut} : {part} to {WHOLE}")
        self.give(r, self.host)
        rest, forget = self.block(1, 2)
        forget()
        self.host.remove(r)
        self.put(f"memref.dealloc {big} : {kind}")

        def do():
            self.memory.renew(m, [0] * SIZE)
            for step in steps:
                step()
            self.memory.bind([r], [m])
            for step in rest:
                step()
        return do

    def statement(self):
        makers = [self.scale, self.kernel_scale, self.kernel_scale, self.mix,
                  self.mix, self.fill, self.part, self.part, self.copy,
                  self.copy, self.store, self.print_, self.device_call,
                  self.global_, self.select, self.select, self.picked,
                  self.swapped, self.swapped, self.chooses, self.renamed]
        if self.depth < 4:
            makers += [self.loop, self.loop, self.branch, self.temporary,
                       self.stack, self.stack,
                       self.pipeline, self.branch_result, self.branch_result,
                       self.carried, self.carried, self.carried,
                       self.renewed, self.given, self.resized]
        return self.random.choice(makers)()

    def move_to_function(self, first, host, device):
        """The text of a function of the lines from the first on, which are its call
        then. What it begins has to have ended when it returns."""
        lines = self.lines[first:]
        self.forget(host, device)
        names = [*host, *device]
        self.lines[first:] = [f"  func.call @part({', '.join(names)}) : "
                              f"({', '.join([WHOLE] * len(names))}) -> ()"]
        arguments = ", ".join(f"{name}: {WHOLE}" for name in names)
        return "\n".join([f"func.func private @part({arguments}) {{", CONSTANTS,
                          *lines, "  return\n}\n"])

    def program(self):
        """Its text, what it prints, and what the compiler may say to refuse it."""
        self.memory["@"] = [1] * SIZE
        steps = []
        for _ in range(self.random.randint(1, 3)):
            steps.append(self.clear(self.allocate(False)))
        for _ in range(self.random.randint(1, 3)):
            steps.append(self.clear(self.allocate(True)))
        first, host, device = len(self.lines), list(self.host), list(self.device)
        steps += [self.statement() for _ in range(self.random.randint(4, 14))]
        part = ""
        if self.number % 3 == 1:
            part = self.move_to_function(first, host, device)
        for buffer in self.device[:]:
            h = self.allocate(False)
            self.put(f"gpu.memcpy {h}, {buffer} : {WHOLE}, {WHOLE}")

            def do(h=h, buffer=buffer):
                self.memory[h] = list(self.memory[buffer])
            steps.append(do)
        for h in self.host:
            self.put(f"func.call @print({h}) : ({WHOLE}) -> ()")

            def do(h=h):
                s = 0
                for x in self.memory[h]:
                    s = (s * 31 + x) & MASK
                self.output.append(str(signed(s)))
            steps.append(do)
        for buffer in (h for h in self.host if h not in self.flows):
            self.put(f"memref.dealloc {buffer} : {WHOLE}")
        for buffer in (d for d in self.device if d not in self.flows):
            self.put(f"gpu.dealloc {buffer} : {WHOLE}")
        for step in steps:
            step()
        text = (HEAD.replace("WHOLE", WHOLE).replace("VIEW", VIEW)
                .replace("SIZE", str(SIZE)))
        text += part + "func.func @main() {\n" + CONSTANTS + "\n"
        text += "\n".join(self.lines) + "\n  return\n}\n}\n"
        return text, "".join(line + "\n" for line in self.output), self.refusals


class Refused(Exception):
    """The compiler has said that it cannot lower the program, and why."""


def problem_of(command, environment, expected, refusals, seconds):
    """What is wrong with a run, or None. Raises Refused."""
    try:
        done = subprocess.run(command, capture_output=True, text=True,
                              env=environment, stdin=subprocess.DEVNULL,
                              timeout=seconds)
    except subprocess.TimeoutExpired:
        return f"no end after {seconds:g} s"
    if done.returncode == 1 and not done.stdout and \
            any(text in done.stderr for text in refusals):
        raise Refused
    if done.returncode or done.stderr:
        return f"exit status {done.returncode}\n{done.stderr}"
    if done.stdout != expected:
        return f"it prints\n{done.stdout}instead of\n{expected}"
    return None


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--runner", required=True)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--count", type=int, default=10)
    parser.add_argument("--seeds", type=int, default=2)
    parser.add_argument("--threads", type=int, default=6)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--keep")
    parser.add_argument("arguments", nargs="*", help="for the runner")
    options = parser.parse_args()
    failures = refused = 0
    with tempfile.TemporaryDirectory() as scratch:
        for number in range(options.first, options.first + options.count):
            text, expected, refusals = Generator(number).program()
            path = pathlib.Path(scratch) / f"{number}.mlir"
            path.write_text(text)
            for seed in range(options.seeds):
                kind = KINDS[seed % 2]
                environment = dict(
                    os.environ, ASYNC_GPU_DEVICE="emu",
                    ASYNC_GPU_LOG="async", ASYNC_GPU_EMU_CHECK="races,memory",
                    ASYNC_GPU_NUM_THREADS=str((number + seed) % options.threads
                                              + 1),
                    ASYNC_GPU_SEED=str(number * 31 + seed + 1),
                    ASYNC_GPU_EMU_SEED=str(number * 17 + seed + 1))
                try:
                    problem = problem_of([options.runner, "--sequential",
                                          f"--memory={kind}",
                                          *LEAST[number % len(LEAST)],
                                          str(path), *options.arguments],
                                         environment, expected,
                                         refusals if kind == "discrete" else [],
                                         options.seconds)
                except Refused:
                    refused += 1
                    break
                if not problem:
                    continue
                failures += 1
                print(f"program {number}, seed {seed}: {problem}")
                if options.keep:
                    kept = pathlib.Path(options.keep)
                    kept.mkdir(parents=True, exist_ok=True)
                    (kept / path.name).write_text(text)
                break
    print(f"{options.count} programs, {failures} failures"
          + (f", {refused} refused" if refused else ""))
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
