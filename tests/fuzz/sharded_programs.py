#!/usr/bin/env python3
"""Random programs on tensors that are split among ranks, against the same on one process.

Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
See LICENSE for license information.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

    sharded_programs.py --runner FILE --openmpi FILE --mpich FILE [--shims FOLDER]
                        [--first N] [--count N] [--functions N] [--ranks N]
                        [--keep FOLDER]

Program number N is the same each time, and runs under one of the libraries that are
there. It has a grid of one to three axes and some functions of products, sums, windows,
paddings, transposes, slices and loops on small tensors, of which a few are annotated.
All numbers are integers that f64 holds exactly. Of two programs one computes interiors
beside the exchange of halos, and cuts reductions into two to four pieces, wherever that
can be done; of three one has a device with memory of its own, and of five one has
arguments of sizes that types do not have; of seven one gathers what the others add up; of
eleven one gives tensors other dimensions. Of two programs one is compiled for any number
of ranks.
With --shims each message ends as late as the profiling layer (tests/mpi/shim.c) draws, by
the program's number. With --keep programs that fail are left in FOLDER.
"""

import argparse
import os
import pathlib
import random
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import run_sharded  # noqa: E402

GRIDS = {1: ["?", "1x?"], 2: ["?", "2", "1x2", "2x1x?"], 3: ["?", "3", "?x3", "3x1"],
         4: ["?", "2x2", "?x2", "4", "2x1x2", "1x2x?"],
         6: ["2x3", "3x?", "?"], 8: ["2x2x2", "2x?", "4x2"]}
PARALLEL, REDUCTION = '"parallel"', '"reduction"'


class Unknown(int):
    """A size that types do not have."""

    def __eq__(self, other):
        return isinstance(other, Unknown) and int(self) == int(other)

    __hash__ = int.__hash__

    def __str__(self):
        return "?"

    __format__ = object.__format__


def type_of(sizes):
    return "tensor<" + "".join(f"{size}x" for size in sizes) + "f64>"


class Function:
    def __init__(self, draw, axes, is_dynamic=False, gathers=False, reshapes=False):
        self.draw, self.axes = draw, axes
        self.lines, self.values, self.count, self.shardings = [], [], 0, {}
        self.is_dynamic, self.gathers, self.given = is_dynamic, gathers, []
        self.reshapes = reshapes

    def name(self):
        self.count += 1
        return f"%v{self.count}"

    def emit(self, text):
        self.lines.append("  " * self.depth + text)

    def pick(self, fits=lambda sizes: True):
        found = [value for value in self.values if fits(value[1])]
        return self.draw.choice(found[-4:]) if found else None

    def add(self, name, sizes):
        self.values.append((name, list(sizes)))

    def number(self, size):
        """The name of a size that types do not have, as of any tensor of that size, or the
        size of another."""
        if not isinstance(size, Unknown):
            return str(size)
        value, sizes = self.draw.choice([each for each in self.values if size in each[1]])
        index, name = self.name(), self.name()
        self.emit(f"{index} = arith.constant {sizes.index(size)} : index")
        self.emit(f"{name} = tensor.dim {value}, {index} : {type_of(sizes)}")
        return name

    def empty(self, sizes):
        numbers = [self.number(size) for size in sizes if isinstance(size, Unknown)]
        name = self.name()
        self.emit(f"{name} = tensor.empty({', '.join(numbers)}) : {type_of(sizes)}")
        return name

    def filled(self, sizes, number="%zero"):
        empty, name = self.empty(sizes), self.name()
        self.emit(f"{name} = linalg.fill ins({number} : f64) outs({empty} : "
                  f"{type_of(sizes)}) -> {type_of(sizes)}")
        return name

    def generic(self, inputs, output, maps, kinds, body, sizes):
        name = self.name()
        operands = ", ".join(value for value, _ in inputs)
        types = ", ".join(type_of(each) for _, each in inputs)
        letters = ", ".join("abcdef"[:len(kinds)])
        maps = ", ".join(f"affine_map<({letters}) -> ({each})>" for each in maps)
        arguments = ", ".join([f"%x{i}: f64" for i in range(len(inputs))] + ["%o: f64"])
        self.emit(f"{name} = linalg.generic {{indexing_maps = [{maps}], iterator_types = "
                  f"[{', '.join(kinds)}]}} ins({operands} : {types}) outs({output} : "
                  f"{type_of(sizes)}) {{")
        self.emit(f"^bb0({arguments}):")
        for line in body:
            self.emit("  " + line)
        self.emit(f"}} -> {type_of(sizes)}")
        return name

    # Each step adds a value, if there is one that it can take.

    def annotate(self):
        value, sizes = self.pick()
        axes = list(range(self.axes))
        self.draw.shuffle(axes)
        split = [[] for _ in sizes]
        for axis in axes[:self.draw.randint(1, self.axes)]:
            self.draw.choice(split).append(axis)
        self.shard(value, sizes, split)

    def shard(self, value, sizes, split):
        name, sharding = self.name(), self.name()
        written = ", ".join(str(each) for each in split)
        self.emit(f"{sharding} = shard.sharding @grid split_axes = [{written}] : "
                  "!shard.sharding")
        users = self.draw.choice(["", " annotate_for_users"])
        self.emit(f"{name} = shard.shard {value} to {sharding}{users} : {type_of(sizes)}")
        self.add(name, sizes)
        return name

    def scatter(self):
        """A sum along what is split, that is split along the same axes."""
        found = self.pick(lambda sizes: len(sizes) > 1)
        if not found:
            return
        value, sizes = found
        axes = list(range(self.axes))
        self.draw.shuffle(axes)
        axes = axes[:self.draw.randint(1, self.axes)]
        last, to = len(sizes) - 1, sizes[:-1]
        part = self.shard(value, sizes, [[]] * last + [axes])
        letters = "abcdef"[:len(sizes)]
        begin = self.pick(lambda s: s == to) if self.draw.random() < 0.5 else None
        total = self.generic(
            [(part, sizes)], begin[0] if begin else self.filled(to),
            [", ".join(letters), ", ".join(letters[:-1])], [PARALLEL] * last + [REDUCTION],
            ["%s = arith.addf %o, %x0 : f64", "linalg.yield %s : f64"], to)
        self.add(total, to)
        self.shard(total, to, [axes] + [[]] * (last - 1))

    def multiply(self, left, right, begin=None):
        """The product of two matrices, a value that is not offered to others."""
        sizes = [left[1][0], right[1][1]]
        output, name = begin or self.filled(sizes), self.name()
        self.emit(f"{name} = linalg.matmul ins({left[0]}, {right[0]} : {type_of(left[1])}, "
                  f"{type_of(right[1])}) outs({output} : {type_of(sizes)}) -> "
                  f"{type_of(sizes)}")
        return name, sizes

    def chain(self):
        """Products with sums along what is split, or of which each rank has columns that are
        gathered, each the only user of the one before."""
        value = self.pick(lambda sizes: len(sizes) == 2)
        if not value:
            return
        axes = list(range(self.axes))
        self.draw.shuffle(axes)
        axes = axes[:self.draw.randint(1, self.axes)]
        if not self.gathers:
            value = (self.shard(*value, [[], axes]), value[1])
        for _ in range(self.draw.randint(1, 3)):
            sizes = [value[1][1], self.draw.randint(1, 6)]
            weights = self.filled(sizes, "%two")
            if self.gathers:
                value = (self.shard(*value, [[], []]), value[1])
                weights = self.shard(weights, sizes, [[], axes])
            value = self.multiply(value, (weights, sizes))
            letters = self.draw.choice([["a, b", "a, b"], ["a, b", "b, a"]])
            to = value[1] if letters[0] == letters[1] else value[1][::-1]
            value = (self.generic([value], self.empty(to), letters, [PARALLEL] * 2,
                                  ["%s = arith.addf %x0, %one : f64",
                                   "linalg.yield %s : f64"], to), to)
        self.add(*value)

    def product(self):
        left = self.pick(lambda sizes: len(sizes) == 2)
        right = left and self.pick(lambda s: len(s) == 2 and s[0] == left[1][1])
        if not right:
            return
        sizes = [left[1][0], right[1][1]]
        begin = self.pick(lambda s: s == sizes) if self.draw.random() < 0.5 else None
        self.add(*self.multiply(left, right, begin and begin[0]))

    def elementwise(self):
        value, sizes = self.pick()
        other, _ = self.pick(lambda each: each == sizes)
        op, empty, name = (self.draw.choice(["add", "sub", "max"]), self.empty(sizes),
                           self.name())
        kind = type_of(sizes)
        self.emit(f"{name} = linalg.{op} ins({value}, {other} : {kind}, {kind}) outs({empty} : "
                  f"{kind}) -> {kind}")
        self.add(name, sizes)

    def indices(self):
        value, sizes = self.pick()
        letters = ", ".join("abcdef"[:len(sizes)])
        body = [f"%n = linalg.index {self.draw.randrange(len(sizes))} : index",
                "%m = arith.index_cast %n : index to i64",
                "%f = arith.sitofp %m : i64 to f64", "%s = arith.addf %x0, %f : f64",
                "linalg.yield %s : f64"]
        self.add(self.generic([(value, sizes)], self.empty(sizes), [letters] * 2,
                              [PARALLEL] * len(sizes), body, sizes), sizes)

    def transpose(self):
        found = self.pick(lambda sizes: len(sizes) > 1)
        if not found:
            return
        value, sizes = found
        order = list(range(len(sizes)))
        self.draw.shuffle(order)
        to = [sizes[i] for i in order]
        empty, name = self.empty(to), self.name()
        self.emit(f"{name} = linalg.transpose ins({value} : {type_of(sizes)}) outs({empty} : "
                  f"{type_of(to)}) permutation = {order}")
        self.add(name, to)

    def reduce(self):
        found = self.pick(lambda sizes: len(sizes) > 1)
        if not found:
            return
        value, sizes = found
        dim = self.draw.randrange(len(sizes))
        to = sizes[:dim] + sizes[dim + 1:]
        op, begin = self.draw.choice([("addf", "%zero"), ("addf", "%two"),
                                      ("maximumf", "%low"), ("minimumf", "%two")])
        output, name = self.filled(to, begin), self.name()
        self.emit(f"{name} = linalg.reduce {{arith.{op}}} ins({value} : {type_of(sizes)}) "
                  f"outs({output} : {type_of(to)}) dimensions = [{dim}]")
        self.add(name, to)

    def broadcast(self):
        value, sizes = self.pick(lambda sizes: len(sizes) < 3) or (None, None)
        if not value:
            return
        dim, size = self.draw.randint(0, len(sizes)), self.draw.randint(1, 7)
        to = sizes[:dim] + [size] + sizes[dim:]
        empty, name = self.empty(to), self.name()
        self.emit(f"{name} = linalg.broadcast ins({value} : {type_of(sizes)}) outs({empty} : "
                  f"{type_of(to)}) dimensions = [{dim}]")
        self.add(name, to)

    def padded(self, value, sizes, low, high):
        to = [a + b + c if a + c else b for a, b, c in zip(low, sizes, high)]
        name = self.name()
        self.emit(f"{name} = tensor.pad {value} low{low} high{high} {{")
        self.emit("^bb0(" + ", ".join(f"%p{i}: index" for i in range(len(sizes))) + "):")
        self.emit("  tensor.yield %two : f64")
        self.emit(f"}} : {type_of(sizes)} to {type_of(to)}")
        return name, to

    def pad(self):
        value, sizes = self.pick()
        low = [self.draw.randint(0, 2) for _ in sizes]
        high = [self.draw.randint(0, 2) for _ in sizes]
        self.add(*self.padded(value, sizes, low, high))

    def window(self):
        """Sums of a window along one dimension, with padding, strides and gaps."""
        value, sizes = self.pick()
        self.add(*self.windowed(value, sizes, self.draw.randrange(len(sizes)),
                                self.draw.choice([1, 1, 2]), self.draw.choice([1, 1, 2]),
                                self.draw.randint(0, 3), self.draw.randint(0, 3)))

    def windowed(self, value, sizes, dim, stride, gap, low, high, width=3):
        while (low + sizes[dim] + high - 1) // gap + 1 < width:
            high += 1
        if low + high:
            zeros = [0] * len(sizes)
            value, sizes = self.padded(value, sizes, zeros[:dim] + [low] + zeros[dim + 1:],
                                       zeros[:dim] + [high] + zeros[dim + 1:])
        to = list(sizes)
        to[dim] = (sizes[dim] - gap * (width - 1) - 1) // stride + 1
        letters = list("abcdef"[:len(sizes) + 1])
        out, last = letters[:-1], letters[-1]
        read = list(out)
        read[dim] = f"{out[dim]} * {stride} + {last} * {gap}"
        window = self.filled([width], "%one")
        name = self.generic(
            [(value, sizes), (window, [width])], self.filled(to),
            [", ".join(read), last, ", ".join(out)],
            [PARALLEL] * len(sizes) + [REDUCTION],
            ["%m = arith.mulf %x0, %x1 : f64", "%s = arith.addf %o, %m : f64",
             "linalg.yield %s : f64"], to)
        return name, to

    def slice(self):
        value, sizes = self.pick()
        to = [self.draw.choice([size, size, self.draw.randint(1, size)]) for size in sizes]
        offsets = [self.draw.randint(0, size - part) for size, part in zip(sizes, to)]
        numbers = ", ".join(self.number(size) for size in to)
        name = self.name()
        self.emit(f"{name} = tensor.extract_slice {value}{offsets} [{numbers}] "
                  f"{[1] * len(to)} : {type_of(sizes)} to {type_of(to)}")
        self.add(name, to)

    def reshape(self, op, value, sizes, groups, to):
        """`groups` are of the side with more dimensions."""
        shape = ""
        if op == "expand":
            shape = f"output_shape [{', '.join(self.number(size) for size in to)}] "
        name = self.name()
        self.emit(f"{name} = tensor.{op}_shape {value} {groups} {shape}: {type_of(sizes)} "
                  f"into {type_of(to)}")
        self.add(name, to)

    def collapse(self):
        found = self.pick(lambda sizes: len(sizes) > 1)
        if not found:
            return
        value, sizes = found
        first = self.draw.randrange(len(sizes) - 1)
        pair = sizes[first:first + 2]
        size = int(pair[0]) * int(pair[1])
        if any(isinstance(each, Unknown) for each in pair):
            size = Unknown(size)
        groups = [[i] for i in range(first)] + [[first, first + 1]] + \
            [[i] for i in range(first + 2, len(sizes))]
        self.reshape("collapse", value, sizes, groups,
                     sizes[:first] + [size] + sizes[first + 2:])

    def expand(self):
        value, sizes = self.pick(lambda sizes: len(sizes) < 4) or (None, None)
        if not value:
            return
        dim = self.draw.randrange(len(sizes))
        size = sizes[dim]
        outer = self.draw.choice([each for each in range(1, size + 1) if size % each == 0])
        pair = [outer, size // outer]
        if isinstance(size, Unknown):
            pair = self.draw.choice([[1, size], [size, 1]])
        groups = [[i] for i in range(dim)] + [[dim, dim + 1]] + \
            [[i + 1] for i in range(dim + 1, len(sizes))]
        self.reshape("expand", value, sizes, groups, sizes[:dim] + pair + sizes[dim + 1:])

    def cast(self):
        value, sizes = self.pick()
        to = [Unknown(size) if self.draw.random() < 0.5 else size for size in sizes]
        name = self.name()
        self.emit(f"{name} = tensor.cast {value} : {type_of(sizes)} to {type_of(to)}")
        self.add(name, to)

    def loop(self):
        """Rounds of a stencil, or of sums with a value from outside."""
        value, sizes = self.pick()
        kind, carried, name = type_of(sizes), self.name(), self.name()
        self.emit(f"{name} = scf.for %i = %c0 to %c2 step %c1 iter_args({carried} = {value}) "
                  f"-> {kind} {{")
        outside, self.depth = self.values, self.depth + 1
        self.values = [each for each in outside if each[1] == sizes] + [(carried, sizes)]
        for _ in range(self.draw.randint(1, 2)):
            known = [i for i, size in enumerate(sizes) if not isinstance(size, Unknown)]
            if self.draw.random() < 0.6 and known:
                dim = self.draw.choice(known)
                self.add(*self.windowed(*self.values[-1], dim, 1, 1, 1, 1))
            else:
                self.elementwise()
            if self.draw.random() < 0.2:
                self.annotate()
        self.emit(f"scf.yield {self.values[-1][0]} : {kind}")
        self.values, self.depth = outside, self.depth - 1
        self.emit("}")
        self.add(name, sizes)

    def text(self, name):
        self.depth = 1
        size = self.draw.choice([lambda: self.draw.randint(1, 9), lambda: 6])
        arguments = [[size() for _ in range(self.draw.choice([1, 2, 2, 2, 3]))]
                     for _ in range(self.draw.randint(2, 3))]
        if len(arguments) > 1:
            arguments[1] = [arguments[0][-1], size()]
        if self.is_dynamic:
            for sizes in arguments:
                for i, each in enumerate(sizes):
                    sizes[i] = Unknown(each) if self.draw.random() < 0.6 else each
            arguments[1][0] = arguments[0][-1]
            self.given = [str(int(size)) for sizes in arguments for size in sizes
                          if isinstance(size, Unknown)]
        for i, sizes in enumerate(arguments):
            self.add(f"%arg{i}", sizes)
        for number, literal in (("zero", "0.0"), ("one", "1.0"), ("two", "2.0"),
                                ("low", "0xFFF0000000000000")):
            self.emit(f"%{number} = arith.constant {literal} : f64")
        for number in range(3):
            self.emit(f"%c{number} = arith.constant {number} : index")
        self.annotate()
        steps = [self.annotate, self.product, self.product, self.elementwise, self.indices,
                 self.transpose, self.reduce, self.broadcast, self.pad, self.window,
                 self.window, self.slice, self.loop, self.scatter, self.chain, self.chain]
        if self.reshapes:
            steps = [*steps, *[self.collapse, self.expand] * 5, self.cast, self.annotate]
        for _ in range(self.draw.randint(4, 9)):
            self.draw.choice(steps)()
            if max(map(len, (sizes for _, sizes in self.values))) > 4:
                break
        results = self.values[-1:] + [self.draw.choice(self.values)]
        types = ", ".join(type_of(sizes) for _, sizes in results)
        self.emit(f"return {', '.join(value for value, _ in results)} : {types}")
        given = ", ".join(f"%arg{i}: {type_of(sizes)}" for i, sizes in enumerate(arguments))
        return (f"func.func @{name}({given}) -> ({types}) {{\n" + "\n".join(self.lines)
                + "\n}\n")


def make_program(number, functions, ranks=None):
    """(text, names of its functions, ranks, sizes of each that types do not have)."""
    draw = random.Random(number)
    ranks = ranks or draw.choice([2, 2, 3, 3, 4])
    grid = draw.choice(GRIDS[ranks])
    names = [f"f{i}" for i in range(functions)]
    made = [Function(draw, grid.count("x") + 1, number % 5 == 4, number % 7 == 4,
                     number % 11 == 6)
            for _ in names]
    text = "".join(function.text(name) for function, name in zip(made, names))
    return (f"shard.grid @grid(shape = {grid})\n" + text, names, ranks,
            [function.given for function in made])


def find_problems(number, path, names, ranks, sizes, library, launcher, arguments):
    options = ["-O0"]
    if number % 3 == 1:
        options.append("--memory=discrete")
    shard = "--shard=interior=auto" if number % 2 else \
        f"--shard=interior=always,pieces={2 + number // 2 % 3}"
    options.append(shard if number % 4 < 2 else shard + ",ranks=0")
    shim = os.path.join(arguments.shims, f"libmpi-shim-{library}.so")
    preloaded = ":".join(filter(None, [os.environ.get("LD_PRELOAD"), shim]))
    prefix = ["env", f"LD_PRELOAD={preloaded}", f"MPI_SHIM_SEED={number + 1}"] \
        if os.path.exists(shim) else []
    return list(run_sharded.find_problems(arguments.runner, launcher, library, str(path), names,
                                          [(ranks, options)], sizes=sizes, prefix=prefix))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--runner", required=True)
    parser.add_argument("--openmpi", default="")
    parser.add_argument("--mpich", default="")
    parser.add_argument("--shims", default="")
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--count", type=int, default=4)
    parser.add_argument("--functions", type=int, default=4)
    parser.add_argument("--ranks", type=int)
    parser.add_argument("--keep")
    arguments = parser.parse_args()
    launchers = [(name, getattr(arguments, name)) for name in ("openmpi", "mpich")
                 if os.path.exists(getattr(arguments, name))]
    if not launchers:
        print("left out: no MPI library is installed")
        return 77
    failures = 0
    for number in range(arguments.first, arguments.first + arguments.count):
        text, names, ranks, sizes = make_program(number, arguments.functions, arguments.ranks)
        library, launcher = launchers[number // 2 % len(launchers)]
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / f"{number}.mlir"
            path.write_text(text)
            problems = find_problems(number, path, names, ranks, sizes, library, launcher,
                                     arguments)
        if problems:
            failures += 1
            print(f"program {number}, {library}: " + "\n".join(problems))
            if arguments.keep:
                kept = pathlib.Path(arguments.keep)
                kept.mkdir(parents=True, exist_ok=True)
                (kept / path.name).write_text(text)
    print(f"{arguments.count} programs, {failures} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
