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
host and the device, one behind the other and without a token. Each program is
written as MLIR and done here at once, on lists. With --sequential it has to print
the same, however the threads of host and device are scheduled, and without a race
(ASYNC_GPU_EMU_CHECK=races). ARGUMENTs are for the runner.
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
func.func @main() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant SIZE : index
  %zero = arith.constant 0 : i64
"""


def signed(value):
    value &= MASK
    return value - (1 << 64) if value >> 63 else value


class Generator:
    """One program. A statement is a function that does it on `self.memory`, put
    together while its text is written."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.names = 0
        self.lines = []
        self.memory = {}
        self.output = []
        self.host, self.device = [], []
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
        m = self.random.choice(self.device)
        n = self.random.choice(self.device)
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
        if m in self.device and self.random.random() < 0.5:
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

    def copy(self):
        m, n = self.any(), self.any()
        if m == n:
            return self.fill()
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
        steps += [self.statement() for _ in range(self.random.randint(1, 3))]
        (self.device if on_device else self.host).remove(name)
        self.put(f"{'gpu' if on_device else 'memref'}.dealloc {name} : {WHOLE}")

        def do():
            for step in steps:
                step()
        return do

    def loop(self):
        trips = self.random.randrange(4)
        n, _ = self.constant(trips, "index")
        self.put(f"scf.for {self.name('i')} = %c0 to {n} step %c1 {{")
        self.depth += 1
        steps = [self.statement() for _ in range(self.random.randint(1, 4))]
        self.depth -= 1
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
        steps += [self.statement() for _ in range(self.random.randint(2, 5))]
        self.depth -= 1
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
        self.depth += 1
        yes = [self.statement() for _ in range(self.random.randint(1, 3))]
        no = []
        if self.random.random() < 0.5:
            self.put("} else {")
            no = [self.statement() for _ in range(self.random.randint(1, 3))]
        self.depth -= 1
        self.put("}")

        def do():
            for step in yes if self.memory[m][place] & 1 else no:
                step()
        return do

    def statement(self):
        makers = [self.scale, self.kernel_scale, self.kernel_scale, self.mix,
                  self.mix, self.fill, self.part, self.part, self.copy,
                  self.copy, self.store, self.print_, self.device_call,
                  self.global_]
        if self.depth < 4:
            makers += [self.loop, self.loop, self.branch, self.temporary,
                       self.pipeline]
        return self.random.choice(makers)()

    def program(self):
        """Its text, and what it prints."""
        self.memory["@"] = [1] * SIZE
        steps = []
        for _ in range(self.random.randint(1, 3)):
            steps.append(self.clear(self.allocate(False)))
        for _ in range(self.random.randint(1, 3)):
            steps.append(self.clear(self.allocate(True)))
        steps += [self.statement() for _ in range(self.random.randint(4, 14))]
        for buffer in list(self.device):
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
        for buffer in self.host:
            self.put(f"memref.dealloc {buffer} : {WHOLE}")
        for buffer in self.device:
            self.put(f"gpu.dealloc {buffer} : {WHOLE}")
        for step in steps:
            step()
        text = (HEAD.replace("WHOLE", WHOLE).replace("VIEW", VIEW)
                .replace("SIZE", str(SIZE)))
        text += "\n".join(self.lines) + "\n  return\n}\n}\n"
        return text, "".join(line + "\n" for line in self.output)


def problem_of(command, environment, expected, seconds):
    try:
        done = subprocess.run(command, capture_output=True, text=True,
                              env=environment, stdin=subprocess.DEVNULL,
                              timeout=seconds)
    except subprocess.TimeoutExpired:
        return f"no end after {seconds:g} s"
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
    failures = 0
    with tempfile.TemporaryDirectory() as scratch:
        for number in range(options.first, options.first + options.count):
            text, expected = Generator(number).program()
            path = pathlib.Path(scratch) / f"{number}.mlir"
            path.write_text(text)
            for seed in range(options.seeds):
                environment = dict(
                    os.environ, ASYNC_GPU_DEVICE="emu",
                    ASYNC_GPU_LOG="async", ASYNC_GPU_EMU_CHECK="races,memory",
                    ASYNC_GPU_NUM_THREADS=str((number + seed) % options.threads
                                              + 1),
                    ASYNC_GPU_SEED=str(number * 31 + seed + 1),
                    ASYNC_GPU_EMU_SEED=str(number * 17 + seed + 1))
                problem = problem_of([options.runner, "--sequential",
                                      *LEAST[number % len(LEAST)], str(path),
                                      *options.arguments], environment,
                                     expected, options.seconds)
                if not problem:
                    continue
                failures += 1
                print(f"program {number}, seed {seed}: {problem}")
                if options.keep:
                    kept = pathlib.Path(options.keep)
                    kept.mkdir(parents=True, exist_ok=True)
                    (kept / path.name).write_text(text)
                break
    print(f"{options.count} programs, {failures} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
