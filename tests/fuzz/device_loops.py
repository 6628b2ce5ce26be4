#!/usr/bin/env python3
"""Runs random loops that end by what a kernel has computed.

Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
See LICENSE for license information.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

    device_loops.py --runner FILE [--ptx FOLDER] [--first N] [--count N] [--seeds N]
                    [--keep DIR]

Program number N is the same each time: a function with one to three loops, each with
random kernels, fills and copies on one stream before the condition and after it, in
branches and inner loops that look at what kernels have computed, and
a condition that is random arithmetic on cells that a kernel counts in. Some loops carry
numbers: a bound on their rounds, and what kernels are given. In some the host counts the
rounds in its own memory, which no device can. Some are loops of the host whose rounds branch.
Several callers run the function at the same
time, twice each, on memory of their own. It prints what this script computes, with graphs
off, on and auto, with any number of threads and in schedules that seeds draw, under the
check for races. With --ptx it runs on the driver in that folder (tests/ptx).
"""

import argparse
import random
import sys

import graph_device

CELLS = 4
WORD = 1 << 32
PREDICATES = {"slt": lambda a, b: a < b, "sle": lambda a, b: a <= b,
              "ne": lambda a, b: a != b}


class Kernel:
    """x[to] = x[from] * factor + y[other] + more, and + given for some."""

    def __init__(self, draw, number):
        self.name = f"k{number}"
        self.to, self.from_, self.other = (draw.randrange(CELLS) for _ in range(3))
        self.factor, self.more = draw.randrange(1, 9), draw.randrange(100)

    def text(self):
        return self.variant("", "", "%e") + self.variant(
            "_given", ", %given: i32", "%f", "      %f = arith.addi %e, %given : i32\n")

    def variant(self, suffix, parameter, result, more=""):
        return f"""
    gpu.func @{self.name}{suffix}(%x: memref<{CELLS}xi32>, %y: memref<{CELLS}xi32>{parameter}) kernel {{
      %to = arith.constant {self.to} : index
      %from = arith.constant {self.from_} : index
      %other = arith.constant {self.other} : index
      %factor = arith.constant {self.factor} : i32
      %more = arith.constant {self.more} : i32
      %a = memref.load %x[%from] : memref<{CELLS}xi32>
      %b = memref.load %y[%other] : memref<{CELLS}xi32>
      %c = arith.muli %a, %factor : i32
      %d = arith.addi %c, %b : i32
      %e = arith.addi %d, %more : i32
{more}
      memref.store {result}, %x[%to] : memref<{CELLS}xi32>
      gpu.return
    }}"""

    def run(self, x, y, given=0):
        x[self.to] = (x[self.from_] * self.factor + y[self.other] + self.more
                      + given) % WORD


COUNT = f"""
    gpu.func @fold(%x: memref<{CELLS}xi32>, %more: i32) kernel {{
      %c0 = arith.constant 0 : index
      %a = memref.load %x[%c0] : memref<{CELLS}xi32>
      %b = arith.addi %a, %more : i32
      memref.store %b, %x[%c0] : memref<{CELLS}xi32>
      gpu.return
    }}
    gpu.func @count(%s: memref<2xi32>) kernel {{
      %c0 = arith.constant 0 : index
      %one = arith.constant 1 : i32
      %a = memref.load %s[%c0] : memref<2xi32>
      %b = arith.addi %a, %one : i32
      memref.store %b, %s[%c0] : memref<2xi32>
      gpu.return
    }}"""


GRID = "blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1)"


class Branch:
    """Looks at a cell, and does this or that."""

    def __init__(self, draw, kernels, depth):
        self.name, self.cell = draw.choice("ab"), draw.randrange(CELLS)
        self.bits, self.bit = draw.choice(((1, 0), (1, 1), (3, 2), (2, 2)))
        # Of what is carried, where there is anything.
        self.of_given = draw.random() < 0.3
        self.then = Work(draw, kernels, 3, depth - 1)
        self.other = Work(draw, kernels, 3, depth - 1) if draw.random() < 0.5 else None

    def text(self, given, n):
        type_ = f"memref<{CELLS}xi32>"
        lines = [f"%bits{n} = arith.constant {self.bits} : i32",
                 f"%bit{n} = arith.constant {self.bit} : i32"]
        value = given
        if not self.of_given:
            value = f"%look{n}"
            lines += [f"gpu.memcpy %looks, %{self.name} : {type_}, {type_}",
                      f"%cell{n} = arith.constant {self.cell} : index",
                      f"{value} = memref.load %looks[%cell{n}] : {type_}"]
        lines += [f"%masked{n} = arith.andi {value}, %bits{n} : i32",
                  f"%is{n} = arith.cmpi eq, %masked{n}, %bit{n} : i32",
                  f"scf.if %is{n} {{", *self.then.lines(given, f"{n}t")]
        if self.other:
            lines += ["} else {", *self.other.lines(given, f"{n}e")]
        return [*lines, "}"]

    def run(self, memory, given):
        value = given
        if not self.of_given:
            memory["looks"][:] = memory[self.name]
            value = memory["looks"][self.cell]
        if value & self.bits == self.bit:
            self.then.run(memory, given)
        elif self.other:
            self.other.run(memory, given)


class Inner:
    """A loop that ends by what a kernel counts."""

    def __init__(self, draw, kernels, depth):
        self.before = Work(draw, kernels, 2, depth - 1)
        self.after = Work(draw, kernels, 3, depth - 1)
        self.limit = draw.randrange(4)

    def text(self, given, n):
        two = "memref<2xi32>"
        return [f"gpu.memset %t, %zero : {two}, i32", "scf.while : () -> () {",
                *self.before.lines(given, f"{n}b"),
                f"gpu.launch_func @kernels::@count {GRID} args(%t : {two})",
                f"gpu.memcpy %u, %t : {two}, {two}",
                f"%inner{n} = memref.load %u[%c0] : {two}",
                f"%most{n} = arith.constant {self.limit} : i32",
                f"%again{n} = arith.cmpi sle, %inner{n}, %most{n} : i32",
                f"scf.condition(%again{n})", "} do {",
                *self.after.lines(given, f"{n}a"), "scf.yield", "}"]

    def run(self, memory, given):
        # One in it counts in the same cell, from 0 on.
        memory["count"] = 0
        while True:
            self.before.run(memory, given)
            memory["count"] += 1
            if memory["count"] > self.limit:
                return
            self.after.run(memory, given)


class Work:
    """Launches, fills and copies of %a and %b, in order, with branches and loops."""

    def __init__(self, draw, kernels, most, depth=2):
        self.pieces = [self.draw_piece(draw, kernels, depth)
                       for _ in range(draw.randrange(most))]

    @staticmethod
    def draw_piece(draw, kernels, depth):
        names = draw.sample("ab", 2)
        what = draw.choice(("launch", "launch", "given", "given", "fill", "copy", "loop",
                            "branch", "inner"))
        if what == "inner" and depth == 2:
            return Inner(draw, kernels, 1)
        if what in ("branch", "inner"):
            if depth:
                return Branch(draw, kernels, depth)
            what = "launch"
        return what, names, draw.choice(kernels), draw.randrange(50), draw.randrange(1, 4)

    def text(self, indent, given):
        """`given` is a number that kernels take, plus one of this script's."""
        return "".join(f"{indent}{line}\n" for line in self.lines(given, ""))

    def lines(self, given, prefix):
        lines, grid = [], GRID
        type_ = f"memref<{CELLS}xi32>"
        for place, piece in enumerate(self.pieces):
            number = f"{prefix}{place}"
            if not isinstance(piece, tuple):
                lines += piece.text(given, number)
                continue
            what, (x, y), kernel, value, times = piece
            arguments = f"%{x} : {type_}, %{y} : {type_}"
            launch = f"gpu.launch_func @kernels::@{kernel.name} {grid} args({arguments})"
            if what == "launch":
                lines.append(launch)
            elif what == "given":
                lines += [f"%w{number} = arith.constant {value} : i32",
                          f"%g{number} = arith.addi {given}, %w{number} : i32",
                          f"gpu.launch_func @kernels::@{kernel.name}_given {grid} "
                          f"args({arguments}, %g{number} : i32)"]
            elif what == "fill":
                lines += [f"%v{number} = arith.constant {value} : i32",
                          f"gpu.memset %{x}, %v{number} : {type_}, i32"]
            elif what == "copy":
                lines.append(f"gpu.memcpy %{x}, %{y} : {type_}, {type_}")
            else:
                launch = f"gpu.launch_func @kernels::@{kernel.name} {grid} args({arguments})"
                lines += [f"%n{number} = arith.constant {times} : index",
                          f"scf.for %i{number} = %c0 to %n{number} step %c1 {{",
                          f"  {launch}", "}"]
        return lines

    def run(self, memory, given):
        for piece in self.pieces:
            if not isinstance(piece, tuple):
                piece.run(memory, given)
                continue
            what, (x, y), kernel, value, times = piece
            if what == "fill":
                memory[x][:] = [value] * CELLS
            elif what == "copy":
                memory[x][:] = memory[y]
            elif what == "given":
                kernel.run(memory[x], memory[y], given + value)
            else:
                for _ in range(times if what == "loop" else 1):
                    kernel.run(memory[x], memory[y])


class Loop:
    """One that carries numbers has its round's, and one that starts as FIRST."""

    FIRST = 7

    def __init__(self, draw, kernels):
        self.before, self.after = Work(draw, kernels, 4), Work(draw, kernels, 3)
        self.predicate = draw.choice(sorted(PREDICATES))
        self.factor, self.rounds = draw.randrange(1, 5), draw.randrange(1, 12)
        self.is_limit_given = draw.random() < 0.5
        self.carries = draw.random() < 0.6
        self.bound = draw.randrange(12)
        self.times, self.plus = draw.randrange(1, 4), draw.randrange(9)
        self.type = draw.choice(("i8", "i16", "i64", "index"))
        self.host_counts = draw.random() < 0.2

    def limit(self):
        return self.factor * self.rounds

    def text(self, number):
        limit = f"%limit{number}"
        constant = f"{limit} = arith.constant {self.limit()} : i32\n"
        inside = "" if self.is_limit_given else f"      {constant}"
        type_, head, end = self.type, "() -> ()", "%go"
        names, block, yields, after, results = "", "", "", "", ""
        if self.carries:
            head = f"({type_}, i32) -> ({type_}, i32)"
            names = f" (%i = %first{number}, %x = %seven)"
            end = f"%both) %i, %xx : {type_}, i32"
            inside += f"""      %bound = arith.constant {self.bound} : {type_}
      %in = arith.cmpi slt, %i, %bound : {type_}
      %times = arith.constant {self.times} : i32
      %xt = arith.muli %x, %times : i32
      %xx = arith.addi %xt, %count : i32
"""
            block = f"    ^bb0(%i: {type_}, %x: i32):"
            after = f"""      %one{type_} = arith.constant 1 : {type_}
      %plus = arith.constant {self.plus} : i32
      %next = arith.addi %i, %one{type_} : {type_}
      %more = arith.addi %x, %plus : i32
"""
            yields = f" %next, %more : {type_}, i32"
            results = f"%end{number}, %last{number} = "
        else:
            end += ")"
        if self.host_counts:
            after += """      %old = memref.load %rounds[%c0] : memref<1xi32>
      %new = arith.addi %old, %one : i32
      memref.store %new, %rounds[%c0] : memref<1xi32>
"""
        given = "%x" if self.carries else "%seven"
        grid = "blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1)"
        return f"""
    gpu.memset %s, %zero : memref<2xi32>, i32
    {constant if self.is_limit_given else ''}
    %first{number} = arith.constant 0 : {type_}
    {results}scf.while{names} : {head} {{
{self.before.text('      ', given)}
      gpu.launch_func @kernels::@count {grid}
        args(%s : memref<2xi32>)
      gpu.memcpy %h, %s : memref<2xi32>, memref<2xi32>
      %count = memref.load %h[%c0] : memref<2xi32>
      %factor = arith.constant {self.factor} : i32
{inside}
      %product = arith.muli %count, %factor : i32
      %go = arith.cmpi {self.predicate}, %product, {limit} : i32
      {'%both = arith.andi %go, %in : i1' if self.carries else ''}
      scf.condition({end}
    }} do {{
{block}
{after}
{self.after.text('      ', given)}
      scf.yield{yields}
    }}
{self.fold(number, grid)}"""

    def fold(self, number, grid):
        """What the host has of the loop goes to a[0]."""
        values = ["%seen" + str(number)]
        lines = f"    %seen{number} = memref.load %looks[%c1] : memref<{CELLS}xi32>\n"
        if self.carries:
            values += [f"%last{number}", f"%end{number}"]
            cast = {"index": "index_cast", "i64": "trunci"}.get(self.type, "extsi")
            lines += f"    %end{number}_ = arith.{cast} %end{number} : {self.type} to i32\n"
            values[-1] += "_"
        if self.host_counts:
            lines += f"    %r{number} = memref.load %rounds[%c0] : memref<1xi32>\n"
            values.append(f"%r{number}")
        return lines + "".join(
            f"    gpu.launch_func @kernels::@fold {grid} args(%a : memref<{CELLS}xi32>, "
            f"{value} : i32)\n" for value in values)

    def run(self, memory):
        count = i = 0
        x = self.FIRST
        while True:
            self.before.run(memory, x)
            count += 1
            go = PREDICATES[self.predicate](count * self.factor, self.limit())
            if self.carries:
                go = go and i < self.bound
                x = (x * self.times + count) % WORD
            if not go:
                break
            if self.host_counts:
                memory["rounds"] += 1
            self.after.run(memory, x)
            if self.carries:
                i, x = i + 1, (x + self.plus) % WORD
        folded = [memory["looks"][1]] + ([x, i] if self.carries else []) + (
            [memory["rounds"]] if self.host_counts else [])
        memory["a"][0] = (memory["a"][0] + sum(folded)) % WORD


class Rounds:
    """A loop of the host whose rounds branch; in some, it looks at more in each."""

    FIRST = 7

    def __init__(self, draw, kernels):
        self.work = Work(draw, kernels, 5)
        self.work.pieces += [Branch(draw, kernels, 2), *Work(draw, kernels, 3).pieces]
        self.rounds = draw.choice((1, 3, 9, 17, 20))
        self.plus = draw.randrange(9)
        self.host_counts = draw.random() < 0.2
        self.is_private = draw.random() < 0.5

    def text(self, number):
        memref = f"memref<{CELLS}xi32>"
        own = (f"    %own{number} = memref.alloc() : {memref}\n",
               f"    memref.dealloc %own{number} : {memref}\n") if self.is_private else ("", "")
        work = self.work.text("      ", "%x")
        if self.is_private:
            work = work.replace("%looks", f"%own{number}")
        count = """      %old = memref.load %rounds[%c0] : memref<1xi32>
      %seen = memref.load %looks[%c0] : memref<4xi32>
      %sum = arith.addi %old, %seen : i32
      %new = arith.addi %sum, %one : i32
      memref.store %new, %rounds[%c0] : memref<1xi32>
""" if self.host_counts else ""
        grid = "blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1)"
        values = [f"%seen{number}", f"%last{number}", f"%r{number}"]
        return f"""
{own[0]}    %times{number} = arith.constant {self.rounds} : index
    %last{number} = scf.for %i = %c0 to %times{number} step %c1 iter_args(%x = %seven) -> (i32) {{
      %plus = arith.constant {self.plus} : i32
      %more = arith.addi %x, %plus : i32
{work}{count}
      scf.yield %more : i32
    }}
{own[1]}    %seen{number} = memref.load %looks[%c1] : {memref}
    %r{number} = memref.load %rounds[%c0] : memref<1xi32>
""" + "".join(f"    gpu.launch_func @kernels::@fold {grid} args(%a : {memref}, "
              f"{value} : i32)\n" for value in values)

    def run(self, memory):
        x = self.FIRST
        own = memory | {"looks": [0] * CELLS} if self.is_private else memory
        for _ in range(self.rounds):
            self.work.run(own, x)
            if self.host_counts:
                memory["rounds"] = (memory["rounds"] + memory["looks"][0] + 1) % WORD
            x = (x + self.plus) % WORD
        folded = [memory["looks"][1], x, memory["rounds"]]
        memory["a"][0] = (memory["a"][0] + sum(folded)) % WORD


class Program:
    def __init__(self, number):
        draw = random.Random(number)
        self.kernels = [Kernel(draw, i) for i in range(3)]
        self.loops = [Loop(draw, self.kernels) for _ in range(draw.randrange(1, 4))]
        self.callers = draw.randrange(1, 4)
        draw = random.Random(number + (1 << 20))
        for _ in range(draw.randrange(3)):
            self.loops.insert(draw.randrange(len(self.loops) + 1), Rounds(draw, self.kernels))

    def expected(self):
        lines = []
        for caller in range(self.callers):
            memory = {name: [caller + 1] * CELLS for name in "ab"}
            memory |= {"rounds": 0, "looks": [0] * CELLS}
            for _ in range(2):
                for loop in self.loops:
                    loop.run(memory)
            lines += [str(cell - WORD if cell >= WORD // 2 else cell)
                      for cell in memory["a"]]
        return lines

    def text(self):
        memref = f"memref<{CELLS}xi32>"
        loops = "".join(loop.text(i) for i, loop in enumerate(self.loops))
        kernels = "".join(kernel.text() for kernel in self.kernels) + COUNT
        callers = range(self.callers)
        starts = "".join(
            f"    %o{i} = memref.alloc() : {memref}\n    %v{i} = arith.constant {i + 1} : i32\n"
            f"    %t{i} = async.execute {{\n"
            f"      func.call @run(%o{i}, %v{i}) : ({memref}, i32) -> ()\n"
            f"      async.yield\n    }}\n" for i in callers)
        ends = "".join(
            f"    async.await %t{i} : !async.token\n" for i in callers) + "".join(
            f"    scf.for %i = %c0 to %cells step %c1 {{\n"
            f"      %x = memref.load %o{i}[%i] : {memref}\n      vector.print %x : i32\n"
            f"    }}\n    memref.dealloc %o{i} : {memref}\n" for i in callers)
        return f"""module attributes {{gpu.container_module}} {{
  gpu.module @kernels {{{kernels}
  }}
  func.func private @run(%out: {memref}, %first: i32) {{
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %seven = arith.constant {Loop.FIRST} : i32
    %rounds = memref.alloc() : memref<1xi32>
    memref.store %zero, %rounds[%c0] : memref<1xi32>
    %h = memref.alloc() : memref<2xi32>
    %u = memref.alloc() : memref<2xi32>
    %looks = memref.alloc() : {memref}
    linalg.fill ins(%zero : i32) outs(%looks : {memref})
    %t = gpu.alloc() : memref<2xi32>
    %a = gpu.alloc() : {memref}
    %b = gpu.alloc() : {memref}
    %s = gpu.alloc() : memref<2xi32>
    gpu.memset %a, %first : {memref}, i32
    gpu.memset %b, %first : {memref}, i32
    scf.for %time = %c0 to %c2 step %c1 {{{loops}
    }}
    gpu.memcpy %out, %a : {memref}, {memref}
    gpu.dealloc %a : {memref}
    gpu.dealloc %b : {memref}
    gpu.dealloc %s : memref<2xi32>
    gpu.dealloc %t : memref<2xi32>
    memref.dealloc %u : memref<2xi32>
    memref.dealloc %looks : {memref}
    memref.dealloc %h : memref<2xi32>
    memref.dealloc %rounds : memref<1xi32>
    return
  }}
  func.func @main() {{
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %cells = arith.constant {CELLS} : index
{starts}{ends}    return
  }}
}}
"""


def count(lines):
    nodes = [line for line in lines if line.startswith("driver: cuGraphAddNode(")]
    return {"branches": sum("kind=0" in line for line in nodes),
            "loops": sum("kind=1" in line for line in nodes)}


def main():
    parser = argparse.ArgumentParser()
    graph_device.add_arguments(parser)
    runs, failures, seen = graph_device.run_programs(
        parser.parse_args(), Program, count, most_threads=16)
    print(f"{runs} runs, {seen['loops']} loops and {seen['branches']} branches built for "
          f"the device, {failures} failures")
    return 1 if failures or not seen["loops"] or not seen["branches"] else 0


if __name__ == "__main__":
    sys.exit(main())
