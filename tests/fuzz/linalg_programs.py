#!/usr/bin/env python3
"""Random programs of linalg on tensors, which become kernels.

Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
See LICENSE for license information.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

    linalg_programs.py --runner FILE [--first N] [--count N] [--shape emu|gpu]
                       [--opt FILE] [--seconds N] [--keep FOLDER] [-- ARGUMENT...]

Each program is a function of ops that are neighbours: elementwise ops with operands
that are broadcast or transposed, fills, reductions along any dimensions, norms,
contractions, convolutions, pooling, slices, paddings, other shapes. Results are new,
filled, or put where another value was, which is read or not, and may have more uses than one.
Chains are of ops over the same rows, as softmax and norms are, which one kernel may do.
Sizes are known or not. Numbers are small integers, so that any order of additions
gives the same. Each program is done here at once, on lists, by upstream's definition of
the ops, and has to give the same on the emulated device: each as it is, or with drawn seeds
and all checks. --shape=gpu makes the kernels that are for GPUs (with --opt).
ARGUMENTs are for the runner.
"""

import argparse
import ast
import itertools
import math
import os
import pathlib
import random
import struct
import subprocess
import sys
import tempfile

# As struct calls them, and NumPy.
TYPES = {"f32": ("f", "<f4"), "f64": ("d", "<f8"), "i32": ("i", "<i4"), "i64": ("q", "<i8")}
SIZES = [1, 2, 3, 4, 5, 7, 8, 9, 12, 16, 17, 24, 32, 33, 40, 64]
# What a value may be, so that sums of floats are exact, and how much work there is.
MOST, MOST_ELEMENTS, MOST_STEPS = 1 << 22, 6000, 60000


class Value:
    def __init__(self, name, shape, data):
        self.name, self.shape, self.data = name, tuple(shape), data

    def bound(self):
        return max((abs(x) for x in self.data), default=0)


def strides_of(shape):
    strides = [1] * len(shape)
    for d in range(len(shape) - 2, -1, -1):
        strides[d] = strides[d + 1] * shape[d + 1]
    return strides


def positions(shape):
    return itertools.product(*(range(size) for size in shape))


class Term:
    """A subscript: sums of loops times steps, and a number."""

    def __init__(self, steps, add=0):
        self.steps, self.add = steps, add

    def text(self):
        parts = [f"d{loop}" + (f" * {step}" if step != 1 else "")
                 for loop, step in self.steps.items()]
        if self.add or not parts:
            parts.append(str(self.add))
        return " + ".join(parts)


def loops_map(loops):
    return [Term({loop: 1}) for loop in loops]


class Generator:
    """Draws a program; `values` are what its ops have given so far."""

    def __init__(self, number):
        self.random = random.Random(number)
        self.type = self.random.choice(["f32", "f32", "f32", "f64", "i32", "i64"])
        self.is_float = self.type[0] == "f"
        self.pool = self.random.sample(SIZES, 3)
        self.pool.append(self.random.choice([100, 130, 257, 300, self.pool[0]]))
        self.dynamic = set()
        if self.random.random() < 0.3:
            self.dynamic = set(self.random.sample(self.pool, 2)) - {1}
        self.arguments, self.values, self.lines, self.count = [], [], [], 0

    # Text ---------------------------------------------------------------

    def name(self, prefix="v"):
        self.count += 1
        return f"%{prefix}{self.count}"

    def put(self, line):
        self.lines.append("    " + line)

    def tensor(self, shape):
        return "tensor<" + "".join(
            f"{'?' if size in self.dynamic else size}x" for size in shape) + self.type + ">"

    def constant(self, number):
        name = self.name("c")
        text = f"{number:.1f}" if self.is_float else str(number)
        self.put(f"{name} = arith.constant {text} : {self.type}")
        return name

    def empty(self, shape):
        name = self.name("e")
        sizes = ", ".join(f"%size{size}" for size in shape if size in self.dynamic)
        self.put(f"{name} = tensor.empty({sizes}) : {self.tensor(shape)}")
        return name

    # Values -------------------------------------------------------------

    def add(self, value):
        self.values.append(value)
        return value

    def argument(self, shape):
        data = [self.random.randint(-3, 3) for _ in range(math.prod(shape))]
        value = Value(f"%a{len(self.arguments)}", shape, data)
        self.arguments.append(value)
        return self.add(value)

    def pick(self, fits=lambda value: True):
        """A value, mostly a late one; None where none fits."""
        found = [value for value in self.values if fits(value)]
        if not found:
            return None
        return self.random.choice(found[-3:] if self.random.random() < 0.7 else found)

    def of_shape(self, shape):
        """A value of this shape, mostly one that is there."""
        shape = tuple(shape)
        value = self.pick(lambda value: value.shape == shape)
        return self.argument(shape) if not value or self.random.random() < 0.2 else value

    def small(self, value, most):
        """A value whose elements are at most that: maybe it is clamped."""
        if value.bound() <= most:
            return value
        low, high = self.constant(-most), self.constant(most)
        kinds = ("maximumf", "minimumf") if self.is_float else ("maxsi", "minsi")
        lines = [f"%l = arith.{kinds[0]} %x0, {low} : {self.type}",
                 f"%r = arith.{kinds[1]} %l, {high} : {self.type}"]
        return self.generic(value.shape, [(value, loops_map(range(len(value.shape))))],
                            [(None, loops_map(range(len(value.shape))))], lines,
                            [f"max(min(x0, {most}), {-most})"], ["%r"])[0]

    def start(self, shape, number=None):
        """What an output begins with: (its name, its data)."""
        kind = self.random.random()
        value = self.pick(lambda value: value.shape == tuple(shape))
        if kind < 0.25 and value:
            return value.name, list(value.data)
        if kind < 0.35 and value and len(shape):
            name = self.name("s")
            self.put(f"{name} = linalg.copy ins({value.name} : {self.tensor(shape)}) "
                     f"outs({self.empty(shape)} : {self.tensor(shape)}) -> "
                     f"{self.tensor(shape)}")
            return name, list(value.data)
        if number is None:
            number = self.random.choice([0, 0, 0, 1, -2])
        return self.filled(shape, number)

    def filled(self, shape, number):
        number_name, empty, name = self.constant(number), self.empty(shape), self.name("s")
        self.put(f"{name} = linalg.fill ins({number_name} : {self.type}) outs({empty} : "
                 f"{self.tensor(shape)}) -> {self.tensor(shape)}")
        return name, [number] * math.prod(shape)

    # Ops ----------------------------------------------------------------

    def generic(self, loops, inputs, outputs, lines, expressions, results):
        """A linalg.generic of (value, map) inputs and (start or None, map) outputs over
        loops of these sizes. Its body is in IR `lines` of %x0.. and %o0.. that make
        `results`, and in Python `expressions` of x0.., o0.. and d0.. Gives its values."""
        shapes = []
        for _, terms in outputs:
            shapes.append([1 if not term.steps else loops[next(iter(term.steps))]
                           for term in terms])
        outs = []
        for (given, _), shape in zip(outputs, shapes):
            outs.append(given or (self.empty(shape), [0] * math.prod(shape)))
        used = {loop for _, terms in outputs for term in terms for loop in term.steps}
        names = ", ".join(f"d{i}" for i in range(len(loops)))
        maps = ", ".join(
            f"affine_map<({names}) -> ({', '.join(term.text() for term in terms)})>"
            for _, terms in inputs + outputs)
        kinds = ", ".join('"parallel"' if i in used else '"reduction"'
                          for i in range(len(loops)))
        made = [self.name() for _ in outs]
        types = [self.tensor(shape) for shape in shapes]
        head = made[0] if len(made) == 1 else f"{made[0]}:{len(made)}"
        text = f"{head} = linalg.generic {{indexing_maps = [{maps}], " \
            f"iterator_types = [{kinds}]}}"
        if inputs:
            text += f" ins({', '.join(v.name for v, _ in inputs)} : " \
                f"{', '.join(self.tensor(v.shape) for v, _ in inputs)})"
        self.put(f"{text} outs({', '.join(name for name, _ in outs)} : {', '.join(types)}) {{")
        block = [f"%x{i}: {self.type}" for i in range(len(inputs))] + \
            [f"%o{i}: {self.type}" for i in range(len(outs))]
        self.put(f"^bb0({', '.join(block)}):")
        for line in lines:
            self.put("  " + line)
        self.put(f"  linalg.yield {', '.join(results)} : "
                 f"{', '.join([self.type] * len(results))}")
        single = types[0] if len(types) == 1 else f"({', '.join(types)})"
        self.put(f"}} -> {single}")
        data = [list(start) for _, start in outs]
        self.run(loops, [(v.data, v.shape, terms) for v, terms in inputs],
                 [(d, shape, terms) for d, shape, (_, terms) in zip(data, shapes, outputs)],
                 expressions)
        return [self.add(Value(name if len(made) == 1 else f"{made[0]}#{i}", shape, d))
                for i, (name, shape, d) in enumerate(zip(made, shapes, data))]

    @staticmethod
    def run(loops, inputs, outputs, expressions):
        source, indent = ["def go(I, O):"], " "
        for loop, size in enumerate(loops):
            source.append(f"{indent}for d{loop} in range({size}):")
            indent += " "

        def place(shape, terms):
            parts = ["0"]
            for stride, term in zip(strides_of(shape), terms):
                parts += [f"d{loop}*{step * stride}" for loop, step in term.steps.items()]
                parts.append(str(term.add * stride))
            return "+".join(parts)
        for i, (_, shape, terms) in enumerate(inputs):
            source.append(f"{indent}x{i}=I[{i}][{place(shape, terms)}]")
        for i, (_, shape, terms) in enumerate(outputs):
            source.append(f"{indent}p{i}={place(shape, terms)};o{i}=O[{i}][p{i}]")
        source.append(f"{indent}{','.join(f'O[{i}][p{i}]' for i in range(len(outputs)))}="
                      f"{','.join(expressions)}")
        scope = {}
        exec("\n".join(source), scope)  # pylint: disable=exec-used
        scope["go"]([data for data, _, _ in inputs], [data for data, _, _ in outputs])

    def seen_as(self, shape):
        """An operand of an elementwise op over `shape`: all of it, transposed, or of
        some of its dimensions."""
        def maps(value):
            left, terms = list(range(len(shape))), []
            for size in value.shape:
                found = [d for d in left if shape[d] == size]
                if found and (size != 1 or self.random.random() < 0.5):
                    loop = found[0] if self.random.random() < 0.8 else \
                        self.random.choice(found)
                    left.remove(loop)
                    terms.append(Term({loop: 1}))
                elif size == 1:
                    terms.append(Term({}))
                else:
                    return None
            return terms
        found = []
        for value in self.values:
            terms = maps(value)
            if terms is not None:
                found.append((value, terms))
        if not found or (shape and self.random.random() < 0.15):
            dims = sorted(self.random.sample(range(len(shape)),
                                             self.random.randint(0, len(shape))))
            return self.argument([shape[d] for d in dims]), loops_map(dims)
        return self.random.choice(found[-4:])

    def body(self, names, loops):
        """Lines, a Python expression and a result of an elementwise function of what is at
        most 40."""
        # In IR, in Python, and what it may be.
        lines, known = [], [(f"%{name}", name, 40) for name in names]
        if self.random.random() < 0.3:
            number = self.random.randint(-2, 2)
            known.append((self.constant(number), str(number), 2))
        if loops and self.random.random() < 0.1:
            loop = self.random.randrange(len(loops))
            lines += [f"%index = linalg.index {loop} : index",
                      "%long = arith.index_cast %index : index to i64"]
            lines.append(f"%number = arith.sitofp %long : i64 to {self.type}"
                         if self.is_float else
                         f"%number = arith.trunci %long : i64 to {self.type}"
                         if self.type == "i32" else
                         f"%number = arith.addi %long, %long : {self.type}")
            known.append(("%number", f"(2*d{loop})" if self.type == "i64" else f"d{loop}",
                          600))
        table = [("addf", "addi", "({}+{})"), ("subf", "subi", "({}-{})"),
                 ("mulf", "muli", "({}*{})"), ("maximumf", "maxsi", "max({},{})"),
                 ("minimumf", "minsi", "min({},{})")]
        todo = list(known)
        for i in range(max(len(todo) - 1, self.random.randint(1, 4))):
            a = todo.pop(0) if todo else self.random.choice(known)
            b = todo.pop(0) if todo else self.random.choice(known)
            name = f"%y{i}"
            if self.random.random() < 0.15:
                compare = "arith.cmpf olt" if self.is_float else "arith.cmpi slt"
                lines += [f"%t{i} = {compare.split()[0]} {compare.split()[1]}, {a[0]}, "
                          f"{b[0]} : {self.type}",
                          f"{name} = arith.select %t{i}, {b[0]}, {a[0]} : {self.type}"]
                made = f"({b[1]} if {a[1]}<{b[1]} else {a[1]})"
                most = max(a[2], b[2])
            else:
                row = self.random.choice(table)
                if row[0] == "mulf" and a[2] * b[2] > MOST:
                    row = table[0]
                most = a[2] * b[2] if row[0] == "mulf" else a[2] + b[2]
                lines.append(f"{name} = arith.{row[0 if self.is_float else 1]} {a[0]}, "
                             f"{b[0]} : {self.type}")
                made = row[2].format(a[1], b[1])
            if len(made) < 200:
                known.append((name, made, most))
            todo.insert(0, (name, made, most))
        return lines, todo[0][1], todo[0][0]

    def elementwise(self, value=None):
        base = value or self.pick() or self.of_shape(self.draw_shape())
        shape = list(base.shape)
        if len(shape) < 3 and self.random.random() < 0.15:
            shape.insert(self.random.randint(0, len(shape)), self.random.choice(self.pool))
        if math.prod(shape) > MOST_ELEMENTS:
            return
        loops = len(shape)
        inputs = [(base, loops_map(range(loops)))] if tuple(shape) == base.shape else []
        while not inputs or self.random.random() < 0.5:
            inputs.append(self.seen_as(shape))
        inputs = [(self.small(value, 40), terms) for value, terms in inputs[:3]]
        self.random.shuffle(inputs)
        outputs, names = [], [f"x{i}" for i in range(len(inputs))]
        terms = loops_map(range(loops))
        if self.random.random() < 0.2:
            self.random.shuffle(terms)
        out = [shape[next(iter(term.steps))] for term in terms]
        if self.random.random() < 0.3:
            name, data = self.start(out)
            outputs.append(((name, data), terms))
            if max((abs(x) for x in data), default=0) <= 40 and self.random.random() < 0.5:
                names.append("o0")
        else:
            outputs.append((None, terms))
        lines, expression, result = self.body(names, shape)
        expressions, results = [expression], [result]
        if self.random.random() < 0.1:  # a second output
            outputs.append((None, loops_map(range(loops))))
            expressions.append("x0")
            results.append("%x0")
        self.generic(shape, inputs, outputs, lines, expressions, results)

    def reduction(self, value=None, along=None):
        value = value or self.pick(lambda value: value.shape)
        if not value:
            return None
        rank = len(value.shape)
        along = along or self.random.sample(range(rank), self.random.randint(1, rank))
        terms, keep = [], self.random.random() < 0.4
        for d in range(rank):
            if d not in along:
                terms.append(Term({d: 1}))
            elif keep:
                terms.append(Term({}))
        kind = self.random.choice(["sum", "sum", "max", "min", "squares", "products"])
        inputs = [(value, loops_map(range(rank)))]
        if kind == "products":
            inputs.append(self.seen_as(value.shape))
        most = 8 if kind in ("squares", "products") else 1000
        if kind in ("max", "min"):
            most = MOST
        inputs = [(self.small(v, most), t) for v, t in inputs]
        shape = [1 if not term.steps else value.shape[next(iter(term.steps))]
                 for term in terms]
        start = self.start(shape, {"max": -9, "min": 9}.get(kind))
        if kind not in ("max", "min") and \
                max((abs(x) for x in start[1]), default=0) > 1000:
            start = self.filled(shape, 1)
        f = self.is_float
        add, mul = ("addf", "mulf") if f else ("addi", "muli")
        t = self.type
        if kind in ("max", "min"):
            op = {"max": ("maxsi", "maximumf"), "min": ("minsi", "minimumf")}[kind][f]
            lines, expression = [f"%r = arith.{op} %o0, %x0 : {t}"], f"{kind}(o0,x0)"
        elif kind == "sum":
            lines, expression = [f"%r = arith.{add} %x0, %o0 : {t}"], "x0+o0"
        else:
            other = "x0" if kind == "squares" else "x1"
            lines = [f"%p = arith.{mul} %x0, %{other} : {t}",
                     f"%r = arith.{add} %o0, %p : {t}"]
            expression = f"o0+x0*{other}"
        return self.generic(value.shape, inputs, [(start, terms)], lines, [expression],
                            ["%r"])[0]

    def norm(self):
        """As softmax and layer norms are: a reduction, an elementwise op of what it gives and
        of what it has read, and both again."""
        value = self.pick(lambda value: len(value.shape) >= 2)
        if not value:
            return
        along = [len(value.shape) - 1 if self.random.random() < 0.7
                 else self.random.randrange(len(value.shape))]
        for _ in range(self.random.randint(1, 2)):
            made = self.reduction(value, along)
            rank, dims = len(value.shape), [d for d in range(len(value.shape))
                                            if d not in along]
            terms = [Term({d: 1}) for d in dims] if len(made.shape) < rank else \
                [Term({}) if d in along else Term({d: 1}) for d in range(rank)]
            lines, expression, result = self.body(["x0", "x1"], [])
            inputs = [(self.small(value, 40), loops_map(range(rank))),
                      (self.small(made, 40), terms)]
            value = self.generic(value.shape, inputs, [(None, loops_map(range(rank)))],
                                 lines, [expression], [result])[0]

    def expanded(self, value):
        """The value with one more dimension, of one element, in front of the last, and the
        loops that its dimensions are by those of the value; itself where sizes are not
        known."""
        rank = len(value.shape)
        if self.is_dynamic(value.shape) or self.random.random() < 0.7:
            return value, list(range(rank))
        shape = list(value.shape[:-1]) + [1, value.shape[-1]]
        dims = [[d] for d in range(rank - 1)] + [[rank - 1, rank]]
        name = self.name()
        self.put(f"{name} = tensor.expand_shape {value.name} {dims} output_shape {shape} : "
                 f"{self.tensor(value.shape)} into {self.tensor(shape)}")
        return Value(name, shape, list(value.data)), list(range(rank - 1)) + [None, rank - 1]

    def chain(self):
        """Reductions along the last dimension, and elementwise ops of rows, of what the
        reductions give, and of what is the same for all rows."""
        draw = self.random
        shape = [draw.choice([1, 2, 3, 5, 8]) for _ in range(draw.randint(0, 2))] + \
            [draw.choice([8, 16, 24, 31, 32, 33, 40, 64, 96, 100, 130, 257, 300, 1030, 2050])]
        while math.prod(shape) > MOST_ELEMENTS:
            shape.pop(0)
        rank, rows = len(shape), loops_map(range(len(shape)))
        elements, numbers = [self.of_shape(shape)], []
        for step in range(draw.randint(-1, 6), -2, -1):
            # Ends with a reduction and elements of what it gives.
            if not numbers or step == 0 or (step > 0 and draw.random() < 0.35):
                value, loops = self.expanded(elements[-1])
                made = self.reduction(value, [len(loops) - 1])
                terms = [Term({}) if loop is None or loop == rank - 1 else Term({loop: 1})
                         for loop in loops[:len(made.shape)]]
                numbers.append((made, terms))
                continue
            if step > 0 and draw.random() < 0.2:  # of each row's number
                made, terms = draw.choice(numbers)
                lines, expression, result = self.body(["x0"], [])
                loops = loops_map(range(len(made.shape)))
                numbers.append((self.generic(
                    made.shape, [(self.small(made, 40), loops)], [(None, loops)], lines,
                    [expression], [result])[0], terms))
                continue
            inputs = [(elements[-1], rows), numbers[-1]]
            while len(inputs) < 5 and draw.random() < 0.5:
                inputs.append(draw.choice(
                    numbers[-3:] + [(draw.choice(elements), rows),
                                    (self.of_shape(shape[-1:]), rows[-1:])]))
            draw.shuffle(inputs)
            inputs = [(self.small(value, 40), terms) for value, terms in inputs]
            lines, expression, result = self.body([f"x{i}" for i in range(len(inputs))], [])
            elements.append(self.generic(shape, inputs, [(None, rows)], lines, [expression],
                                         [result])[0])

    def products(self, sizes, left, right, result, extra=()):
        """A sum of products of loops of `sizes`."""
        a, b = (self.small(value, 8) for value in extra or ())
        start = self.start([1 if not term.steps else sizes[next(iter(term.steps))]
                            for term in result])
        if max((abs(x) for x in start[1]), default=0) > 1000:
            start = self.filled([sizes[next(iter(term.steps))] for term in result], 0)
        add, mul = ("addf", "mulf") if self.is_float else ("addi", "muli")
        lines = [f"%p = arith.{mul} %x0, %x1 : {self.type}",
                 f"%r = arith.{add} %o0, %p : {self.type}"]
        made = self.generic(sizes, [(a, left), (b, right)], [(start, result)], lines,
                            ["o0+x0*x1"], ["%r"])[0]
        if self.random.random() < 0.6:
            self.elementwise(made)

    def contraction(self):
        value = self.pick(lambda value: len(value.shape) == 2) or \
            self.argument([self.random.choice(self.pool) for _ in range(2)])
        rows, inner = value.shape
        columns = self.random.choice(self.pool)
        batch = self.random.choice([2, 3]) if self.random.random() < 0.3 else 0
        if rows * inner * columns * max(batch, 1) > MOST_STEPS:
            return
        # Loops: rows, columns, inner, batch.
        sizes = [rows, columns, inner] + ([batch] if batch else [])
        left, right, result = [0, 2], [2, 1], [0, 1]
        if self.random.random() < 0.5:
            right.reverse()
        if self.random.random() < 0.2:
            result.reverse()
        if batch:
            right.insert(0, 3)
            result.insert(0, 3)
            if self.random.random() < 0.5:
                left.insert(0, 3)
                value = self.of_shape([sizes[i] for i in left])
        other = self.of_shape([sizes[i] for i in right])
        pair = [(value, loops_map(left)), (other, loops_map(right))]
        self.random.shuffle(pair)
        self.products(sizes, pair[0][1], pair[1][1], loops_map(result),
                      (pair[0][0], pair[1][0]))

    def convolution(self):
        """One or two dimensions, of channels that are first or last; or of each channel on
        its own, with a window of weights or the most in it."""
        draw, rank = self.random, self.random.randint(1, 2)
        window = [draw.randint(1, 3) for _ in range(rank)]
        steps = [draw.choice([1, 1, 2]) for _ in range(rank)]
        wide = [draw.choice([1, 2, 4, 5, 7, 8, 14, 16]) for _ in range(rank)]
        channels = draw.choice([1, 2, 3, 4, 8])
        filters = draw.choice([1, 2, 5, 8, 16])
        apart = draw.random() < 0.4
        if self.dynamic or math.prod(wide) * math.prod(window) * channels * \
                (1 if apart else filters) > MOST_STEPS:
            return
        space = [Term({i: steps[i], rank + i: 1}) for i in range(rank)]
        spaces = [(wide[i] - 1) * steps[i] + window[i] for i in range(rank)]
        # Loops: the result's, the window's, channels, filters.
        sizes = wide + window + [channels] + ([] if apart else [filters])
        c, f = 2 * rank, 2 * rank + (0 if apart else 1)
        front = draw.random() < 0.6

        def join(one, many):
            return [one] + many if front else many + [one]
        source = self.of_shape(join(channels, spaces))
        if self.random.random() < 0.4:
            source = self.padded(join(0, [1] * rank), source)
            sizes[:rank] = [(spaces[i] + 2 - window[i]) // steps[i] + 1
                            for i in range(rank)]
        left = join(Term({c: 1}), space)
        result = join(Term({f: 1}), loops_map(range(rank)))
        if apart and draw.random() < 0.5:  # pooling
            start = self.filled([sizes[next(iter(term.steps))] for term in result], -99)
            op = "maximumf" if self.is_float else "maxsi"
            self.generic(sizes[:-1] + [channels],
                         [(source, left),
                          (self.argument(window), loops_map(range(rank, 2 * rank)))],
                         [(start, result)], [f"%r = arith.{op} %o0, %x0 : {self.type}"],
                         ["max(o0,x0)"], ["%r"])
            return
        loops = list(range(rank, 2 * rank))
        weights = [c] + loops if apart else [f, c] + loops
        self.products(sizes, left, loops_map(weights), result,
                      (source, self.argument([sizes[i] for i in weights])))

    def padded(self, by, value):
        """`value` with `by` zeros at both ends of each dimension."""
        shape = [size + 2 * more for size, more in zip(value.shape, by)]
        number = self.constant(0)
        name = self.name()
        widths = ", ".join(str(more) for more in by)
        arguments = ", ".join(f"%i{d}: index" for d in range(len(by)))
        self.put(f"{name} = tensor.pad {value.name} low[{widths}] high[{widths}] {{")
        self.put(f"^bb0({arguments}):")
        self.put(f"  tensor.yield {number} : {self.type}")
        self.put(f"}} : {self.tensor(value.shape)} to {self.tensor(shape)}")
        data, strides = [0] * math.prod(shape), strides_of(shape)
        for x, at in zip(value.data, positions(value.shape)):
            data[sum((i + more) * s for i, more, s in zip(at, by, strides))] = x
        return self.add(Value(name, shape, data))

    def padding(self):
        value = self.pick(lambda value: value.shape and not self.is_dynamic(value.shape))
        if value and math.prod(size + 2 for size in value.shape) <= MOST_ELEMENTS:
            by = [self.random.randint(0, 1) for _ in value.shape]
            if not self.is_dynamic([s + 2 * b for s, b in zip(value.shape, by)]):
                self.padded(by, value)

    def is_dynamic(self, shape):
        return any(size in self.dynamic for size in shape)

    def transpose(self):
        value = self.pick(lambda value: len(value.shape) >= 2)
        if not value:
            return
        order = self.random.sample(range(len(value.shape)), len(value.shape))
        shape = [value.shape[d] for d in order]
        empty, name = self.empty(shape), self.name()
        self.put(f"{name} = linalg.transpose ins({value.name} : {self.tensor(value.shape)}) "
                 f"outs({empty} : {self.tensor(shape)}) permutation = {order}")
        strides = strides_of(value.shape)
        self.add(Value(name, shape, [value.data[sum(i * strides[d]
                                                    for i, d in zip(at, order))]
                                     for at in positions(shape)]))

    def part(self, shape):
        """Offsets, sizes and strides of a part of `shape`, as text and as positions."""
        offsets, sizes, steps = [], [], []
        for size in shape:
            step = 2 if size >= 4 and self.random.random() < 0.2 else 1
            count = self.random.randint(1, (size + step - 1) // step)
            offsets.append(self.random.randint(0, size - (count - 1) * step - 1))
            sizes.append(count)
            steps.append(step)
        strides = strides_of(shape)
        places = [sum((o + i * s) * d for o, i, s, d in zip(offsets, at, steps, strides))
                  for at in positions(sizes)]
        return sizes, places, f"{offsets} {sizes} {steps}"

    def slice(self):
        value = self.pick(lambda value: value.shape)
        if not value:
            return
        sizes, places, text = self.part(value.shape)
        if self.is_dynamic(sizes):
            return
        kind = self.random.random()
        name = self.name()
        if kind < 0.5:
            self.put(f"{name} = tensor.extract_slice {value.name}{text} : "
                     f"{self.tensor(value.shape)} to {self.tensor(sizes)}")
            self.add(Value(name, sizes, [value.data[i] for i in places]))
            return
        given = self.of_shape(sizes)
        self.put(f"{name} = tensor.insert_slice {given.name} into {value.name}{text} : "
                 f"{self.tensor(sizes)} into {self.tensor(value.shape)}")
        data = list(value.data)
        for place, x in zip(places, given.data):
            data[place] = x
        self.add(Value(name, value.shape, data))

    def reshape(self):
        value = self.pick(lambda value: value.shape and not self.is_dynamic(value.shape))
        if not value:
            return
        shape, rank, name = list(value.shape), len(value.shape), self.name()
        if rank >= 2 and self.random.random() < 0.5:
            d = self.random.randrange(rank - 1)
            made = shape[:d] + [shape[d] * shape[d + 1]] + shape[d + 2:]
            op, groups = "collapse_shape", len(made)
            ending = ""
        else:
            d = self.random.randrange(rank)
            by = self.random.choice([x for x in (1, 2, 3, 4, 8, shape[d])
                                     if shape[d] % x == 0])
            made = shape[:d] + [by, shape[d] // by] + shape[d + 1:]
            op, groups = "expand_shape", rank
            ending = f" output_shape {made}"
        if self.is_dynamic(made) or len(made) > 4:
            return
        dims, at = [], 0
        for group in range(groups):
            dims.append([at, at + 1] if group == d else [at])
            at += len(dims[-1])
        self.put(f"{name} = tensor.{op} {value.name} {dims}{ending} : "
                 f"{self.tensor(shape)} into {self.tensor(made)}")
        self.add(Value(name, made, list(value.data)))

    def fill(self):
        shape = (self.pick() or self.argument(self.draw_shape())).shape
        name, data = self.filled(shape, self.random.randint(-2, 2))
        self.add(Value(name, shape, data))

    # The program --------------------------------------------------------

    def draw_shape(self):
        while True:
            shape = [self.random.choice(self.pool)
                     for _ in range(self.random.choice([1, 2, 2, 3]))]
            if math.prod(shape) <= MOST_ELEMENTS:
                return shape

    def program(self):
        """Its text, its arguments, and its results."""
        for _ in range(self.random.randint(1, 3)):
            self.argument(self.draw_shape())
        makers = [self.elementwise] * 5 + [self.reduction] * 3 + [self.norm] * 2 + [self.chain] * 3 + \
            [self.contraction] * 4 + [self.convolution] * 2 + \
            [self.transpose, self.slice, self.reshape, self.fill, self.padding]
        for _ in range(self.random.randint(2, 7)):
            self.random.choice(makers)()
        made = [value for value in self.values if value not in self.arguments] or \
            self.values
        body = "\n".join(self.lines)
        results = [value for value in made[:-1] if f"{value.name} " not in body + " " and
                   f"{value.name}," not in body or self.random.random() < 0.15]
        results = results[-4:] + [made[-1]]
        parameters = ", ".join(f"{value.name}: {self.tensor(value.shape)}"
                               for value in self.arguments)
        types = ", ".join(self.tensor(value.shape) for value in results)
        lines = [f"func.func @main({parameters}) -> ({types}) {{"]
        lines += [f"    %size{size} = arith.constant {size} : index"
                  for size in self.dynamic if not self.find_size(size)]
        for size in self.dynamic:
            found = self.find_size(size)
            if found:
                lines += [f"    %dim{size} = arith.constant {found[1]} : index",
                          f"    %size{size} = tensor.dim {found[0].name}, %dim{size} : "
                          f"{self.tensor(found[0].shape)}"]
        lines += self.lines
        lines.append(f"    return {', '.join(value.name for value in results)} : {types}")
        return "\n".join(lines) + "\n}\n", self.arguments, results

    def find_size(self, size):
        """An argument and its dimension of this size, which is not written."""
        for value in self.arguments:
            if size in value.shape:
                return value, value.shape.index(size)
        return None


def read_array(path):
    data = pathlib.Path(path).read_bytes()
    length = struct.unpack("<H", data[8:10])[0]
    return ast.literal_eval(data[10:10 + length].decode()), data[10 + length:]


def command_of(options, path, generator, arguments, results, folder):
    """What runs the program, and the files of its results."""
    command, letter = [options.runner, str(path)], TYPES[generator.type][0]
    for i, value in enumerate(arguments):
        file = pathlib.Path(folder) / f"in{i}"
        file.write_bytes(struct.pack(f"<{len(value.data)}{letter}", *value.data))
        sizes = "".join(f"{size}x" for size in value.shape)
        command.append(f"--input={sizes}{generator.type}=@{file}")
    files = [os.path.join(folder, f"out{i}.npy") for i in range(len(results))]
    return command + [f"--output={file}" for file in files], files


def problem_of(command, environment, generator, results, files, seconds):
    """What is wrong with a run, or None."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, env=environment,
                              stdin=subprocess.DEVNULL, timeout=seconds, check=False)
    except subprocess.TimeoutExpired:
        return f"no end after {seconds:g} s"
    if done.returncode or done.stderr:
        return f"exit status {done.returncode}\n{done.stderr}"
    letter, name = TYPES[generator.type]
    for i, (value, file) in enumerate(zip(results, files)):
        header, data = read_array(file)
        if header["descr"] != name or tuple(header["shape"]) != value.shape:
            return f"result {i} is {header}"
        got = struct.unpack(f"<{len(value.data)}{letter}", data)
        wrong = [k for k, (a, b) in enumerate(zip(got, value.data)) if a != b]
        if wrong:
            return (f"result {i}, {value.name}: {len(wrong)} of {len(got)} elements are "
                    f"wrong, element {wrong[0]} is {got[wrong[0]]} instead of "
                    f"{value.data[wrong[0]]}")
    return None


def check(number, options, folder):
    generator = Generator(number)
    text, arguments, results = generator.program()
    path = pathlib.Path(folder) / f"{number}.mlir"
    path.write_text(text)
    source = path
    environment = dict(os.environ, ASYNC_GPU_DEVICE="emu", ASYNC_GPU_LOG="async")
    if number % 2:
        environment.update(ASYNC_GPU_EMU_CHECK="races,memory",
                           ASYNC_GPU_NUM_THREADS=str(number % 6 + 1),
                           ASYNC_GPU_SEED=str(number + 1),
                           ASYNC_GPU_EMU_SEED=str(number + 1))
    if options.shape == "gpu":
        source = pathlib.Path(folder) / "gpu.mlir"
        done = subprocess.run([options.opt, str(path), "-o", str(source),
                               "--async-gpu-from-linalg=device=gpu memory=unified"],
                              capture_output=True, text=True, check=False)
        if done.returncode:
            problem = done.stderr
            print(f"program {number}: {problem}")
            return False
    command, files = command_of(options, source, generator, arguments, results, folder)
    if options.shape == "gpu":
        command.append("--memory=unified")
    problem = problem_of(command + options.arguments, environment, generator, results,
                         files, options.seconds)
    if problem:
        print(f"program {number}: {problem}")
        if options.keep:
            kept = pathlib.Path(options.keep)
            kept.mkdir(parents=True, exist_ok=True)
            (kept / path.name).write_text(text)
    path.unlink()
    return not problem


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--runner", required=True)
    parser.add_argument("--opt")
    parser.add_argument("--shape", default="emu", choices=["emu", "gpu"])
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--count", type=int, default=10)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--keep")
    parser.add_argument("arguments", nargs="*", help="for the runner")
    options = parser.parse_args()
    if options.shape == "gpu" and not options.opt:
        parser.error("--shape=gpu takes --opt")
    with tempfile.TemporaryDirectory() as folder:
        failures = sum(not check(number, options, folder)
                       for number in range(options.first, options.first + options.count))
    print(f"{options.count} programs, {failures} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
