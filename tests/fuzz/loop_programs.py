"""Random nests of parallel loops, with what they have to print.

Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
See LICENSE for license information.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

Each statement is written twice, as MLIR and as Python that runs iterations one
after the other; what the Python gives is what the program has to print. All
values are 64 bits. Results are compared for any order of combining that keeps
the order of the iterations, so combiners are associative, and some of them not
commutative. Iterations store to elements of their own. The last loop of a
program with errors stands in a region and has assertions, some of which fail: the
first that does in the order of the iterations is the program's error.
"""

import random

MASK = (1 << 64) - 1

# Iterations of a loop of main with all that are in it, at most: enough for
# several pieces.
TOP = 12000

# How a combiner is written: MLIR of {a} and {b}, with names that begin with
# {t}, the result last; and Python.
COMBINERS = {
    "addi": ("{t} = arith.addi {a}, {b} : i64", "({a} + {b}) & MASK"),
    "swapped": ("{t} = arith.addi {b}, {a} : i64", "({a} + {b}) & MASK"),
    "muli": ("{t} = arith.muli {a}, {b} : i64", "{a} * {b} & MASK"),
    "xori": ("{t} = arith.xori {a}, {b} : i64", "{a} ^ {b}"),
    "andi": ("{t} = arith.andi {a}, {b} : i64", "{a} & {b}"),
    "ori": ("{t} = arith.ori {a}, {b} : i64", "{a} | {b}"),
    "maxsi": ("{t} = arith.maxsi {a}, {b} : i64", "max({a}, {b}, key=signed)"),
    "minsi": ("{t} = arith.minsi {a}, {b} : i64", "min({a}, {b}, key=signed)"),
    "maxui": ("{t} = arith.maxui {a}, {b} : i64", "max({a}, {b})"),
    "minui": ("{t} = arith.minui {a}, {b} : i64", "min({a}, {b})"),
    "last": ("""{t}z = arith.constant 0 : i64
                {t} = arith.ori {b}, {t}z : i64""", "{b}"),
    # The first of those with the largest upper bits.
    "largest": ("""{t}s = arith.constant 60 : i64
                   {t}x = arith.shrui {a}, {t}s : i64
                   {t}y = arith.shrui {b}, {t}s : i64
                   {t}c = arith.cmpi uge, {t}x, {t}y : i64
                   {t} = arith.select {t}c, {a}, {b} : i64""",
                "{a} if {a} >> 60 >= {b} >> 60 else {b}"),
    # x -> m x + c modulo 2^32, one after the other; m in the upper half.
    "maps": ("""{t}s = arith.constant 32 : i64
                {t}l = arith.constant 0xFFFFFFFF : i64
                {t}m = arith.shrui {a}, {t}s : i64
                {t}n = arith.shrui {b}, {t}s : i64
                {t}c = arith.andi {a}, {t}l : i64
                {t}d = arith.andi {b}, {t}l : i64
                {t}p = arith.muli {t}m, {t}n : i64
                {t}q = arith.shli {t}p, {t}s : i64
                {t}u = arith.muli {t}c, {t}n : i64
                {t}v = arith.addi {t}u, {t}d : i64
                {t}w = arith.andi {t}v, {t}l : i64
                {t} = arith.ori {t}q, {t}w : i64""", "maps({a}, {b})"),
    "called": ("{t} = func.call @combine({a}, {b}) : (i64, i64) -> i64",
               "({a} + {b} + 2 * {a} * {b}) & MASK"),
}

ORDERED = ["last", "largest", "maps"]
AFFINE = ["addi", "muli", "andi", "ori"]
NEUTRAL = {"addi": 0, "muli": 1, "andi": MASK, "ori": 0}

FUNCTIONS = """
func.func private @hide(%x: index) -> index {
  return %x : index
}

func.func private @combine(%a: i64, %b: i64) -> i64 {
  %two = arith.constant 2 : i64
  %c = arith.addi %a, %b : i64
  %d = arith.muli %a, %b : i64
  %e = arith.muli %d, %two : i64
  %f = arith.addi %c, %e : i64
  return %f : i64
}

func.func private @clear(%m: memref<?xi64>) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0 : i64
  %n = memref.dim %m, %c0 : memref<?xi64>
  scf.forall (%i) in (%n) {
    memref.store %zero, %m[%i] : memref<?xi64>
  }
  return
}

func.func private @checksum(%m: memref<?xi64>) -> i64 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0 : i64
  %factor = arith.constant 31 : i64
  %n = memref.dim %m, %c0 : memref<?xi64>
  %s = scf.for %i = %c0 to %n step %c1 iter_args(%t = %zero) -> i64 {
    %x = memref.load %m[%i] : memref<?xi64>
    %y = arith.muli %t, %factor : i64
    %z = arith.addi %y, %x : i64
    scf.yield %z : i64
  }
  return %s : i64
}
"""


class Failed(Exception):
    """An assertion, by its message."""


def signed(value):
    return value - (1 << 64) if value >> 63 else value


def maps(a, b):
    low = (1 << 32) - 1
    m, n = a >> 32, b >> 32
    return (m * n << 32 & MASK) | ((a & low) * n + (b & low) & low)


def checksum(elements):
    total = 0
    for element in elements:
        total = (total * 31 + element) & MASK
    return total


class Scope:
    """Values that a body sees, and where its iteration stores."""

    def __init__(self, values, depth=0, memories=()):
        self.values = list(values)
        self.memories = list(memories)  # of the stack, written before
        self.depth = depth

    def inner(self):
        return Scope(self.values, self.depth + 1, self.memories)


class Generator:
    def __init__(self, seed, errors=False):
        self.random = random.Random(seed)
        self.names = 0
        self.errors = errors
        self.asserts = False  # in what is written now
        self.results = {}  # what stands for a name in MLIR, if not %name
        self.lines, self.python = [], []
        self.indent = self.block = 1

    # ---- writing ------------------------------------------------------------

    def name(self, letter="v"):
        self.names += 1
        return f"{letter}{self.names}"

    def ref(self, name):
        return self.results.get(name, f"%{name}")

    def refs(self, names):
        return ", ".join(map(self.ref, names))

    def put(self, mlir, python=None):
        self.lines.append("  " * self.indent + mlir)
        if python is not None:
            self.say(python)

    def say(self, python):
        self.python.append(" " * self.block + python)

    def constant(self, value, type="i64"):
        name = self.name("c")
        self.put(f"%{name} = arith.constant {signed(value & MASK)} : {type}",
                 f"{name} = {value}")
        return name

    # ---- values -------------------------------------------------------------

    def pick(self, scope):
        if scope.values and self.random.random() < 0.85:
            return self.random.choice(scope.values)
        return self.constant(self.random.choice(
            [0, 1, 3, 7, 255, 1 << 40, MASK, self.random.getrandbits(64)]))

    def add_value(self, scope):
        a, b = self.pick(scope), self.pick(scope)
        name = self.name()
        op, python = self.random.choice([
            ("addi", "({a} + {b}) & MASK"), ("subi", "({a} - {b}) & MASK"),
            ("muli", "{a} * {b} & MASK"), ("xori", "{a} ^ {b}"),
            ("andi", "{a} & {b}"), ("maxsi", "max({a}, {b}, key=signed)")])
        self.put(f"%{name} = arith.{op} {self.refs([a, b])} : i64",
                 f"{name} = {python.format(a=a, b=b)}")
        scope.values.append(name)

    def add_if(self, scope):
        a, b = self.pick(scope), self.pick(scope)
        condition, name = self.name("b"), self.name()
        self.put(f"%{condition} = arith.cmpi ult, {self.refs([a, b])} : i64")
        self.put(f"%{name} = scf.if %{condition} -> i64 {{", f"if {a} < {b}:")
        for keyword in ("else", None):
            self.indent += 1
            self.block += 1
            inner = scope.inner()
            self.add_value(inner)
            if scope.depth < 3 and self.random.random() < 0.2:
                self.add_stack(inner)
            if self.asserts and self.random.random() < 0.3:
                self.add_assert(inner)
            self.put(f"scf.yield {self.ref(inner.values[-1])} : i64",
                     f"{name} = {inner.values[-1]}")
            self.indent -= 1
            self.block -= 1
            self.put("} else {" if keyword else "}",
                     "else:" if keyword else None)
        scope.values.append(name)

    def add_stack(self, scope):
        """Memory that the iteration has for itself, in an op with a region or in
        none, handed on by selects, branches and loops. What stands behind may
        read it, loops within too."""
        around = self.random.choice([None, None, "memref.alloca_scope",
                                     "scf.execute_region"])
        before = list(scope.memories)
        if around:
            self.put(f"{around} {{")
            self.indent += 1
        names = [self.name("m"), self.name("m")]
        for name in names:
            value = self.pick(scope)
            self.put(f"%{name} = memref.alloca() : memref<i64>")
            self.put(f"memref.store {self.ref(value)}, %{name}[] : memref<i64>",
                     f"{name} = [{value}]")
        scope.memories += names
        way = self.random.choice(["first", "select", "if", "for", "while"])
        scope.memories.append(getattr(self, "stack_" + way)(scope, names))
        if around:
            self.add_if(inner := scope.inner())
            self.add_read(inner)
            self.indent -= 1
            if around == "scf.execute_region":
                self.put("  scf.yield")
            self.put("}")
            scope.memories = before
        else:
            self.add_read(scope)

    def add_read(self, scope):
        memory = self.random.choice(scope.memories)
        name = self.name()
        self.put(f"%{name} = memref.load {self.ref(memory)}[] : memref<i64>",
                 f"{name} = {memory}[0]")
        scope.values.append(name)

    def stack_first(self, scope, names):
        return names[0]

    def condition(self, scope):
        a, b, condition = self.pick(scope), self.pick(scope), self.name("b")
        self.put(f"%{condition} = arith.cmpi ult, {self.refs([a, b])} : i64",
                 f"{condition} = {a} < {b}")
        return condition

    def stack_select(self, scope, names):
        condition, result = self.condition(scope), self.name("m")
        self.put(f"%{result} = arith.select %{condition}, {self.refs(names)} : "
                 "memref<i64>",
                 f"{result} = {names[0]} if {condition} else {names[1]}")
        return result

    def stack_if(self, scope, names):
        condition, result = self.condition(scope), self.name("m")
        self.put(f"%{result} = scf.if %{condition} -> memref<i64> {{",
                 f"if {condition}:")
        for name, last in zip(names, (False, True)):
            self.indent += 1
            self.block += 1
            inner = scope.inner()
            self.add_value(inner)
            self.put(f"memref.store {self.ref(inner.values[-1])}, %{name}[] : "
                     "memref<i64>", f"{name}[0] = {inner.values[-1]}")
            self.put(f"scf.yield %{name} : memref<i64>", f"{result} = {name}")
            self.indent -= 1
            self.block -= 1
            self.put("}" if last else "} else {", None if last else "else:")
        return result

    def stack_for(self, scope, names, is_while=False):
        """The two change places in each round, which adds one to the other."""
        trips = self.random.randint(0, 3)
        zero, one, end = (self.constant(n, "index") for n in (0, 1, trips))
        p, q, i, result = (self.name(letter) for letter in "pqir")
        two = "memref<i64>, memref<i64>"
        if is_while:
            more, old = self.name("b"), self.name("i")
            self.put(f"%{result}:3 = scf.while (%{p}w = %{names[0]}, %{q}w = "
                     f"%{names[1]}, %{old} = %{zero}) : ({two}, index) -> "
                     f"({two}, index) {{")
            self.put(f"  %{more} = arith.cmpi ult, %{old}, %{end} : index")
            self.put(f"  scf.condition(%{more}) %{p}w, %{q}w, %{old} : {two}, "
                     "index")
            self.put("} do {")
            self.put(f"^bb0(%{p}: memref<i64>, %{q}: memref<i64>, %{i}: index):")
        else:
            self.put(f"%{result}:2 = scf.for %{i} = %{zero} to %{end} step "
                     f"%{one} iter_args(%{p} = %{names[0]}, %{q} = %{names[1]}) "
                     f"-> ({two}) {{")
        self.say(f"{p}, {q} = {names[0]}, {names[1]}")
        self.say(f"for {i} in range({trips}):")
        self.indent += 1
        self.block += 1
        x, y, z = self.name(), self.name(), self.name()
        for name, memory in ((x, p), (y, q)):
            self.put(f"%{name} = memref.load %{memory}[] : memref<i64>",
                     f"{name} = {memory}[0]")
        self.put(f"%{z} = arith.addi %{x}, %{y} : i64",
                 f"{z} = ({x} + {y}) & MASK")
        self.put(f"memref.store %{z}, %{q}[] : memref<i64>", f"{q}[0] = {z}")
        self.say(f"{p}, {q} = {q}, {p}")
        if is_while:
            self.put(f"%{i}n = arith.addi %{i}, %{one} : index")
            self.put(f"scf.yield %{q}, %{p}, %{i}n : {two}, index")
        else:
            self.put(f"scf.yield %{q}, %{p} : {two}")
        self.indent -= 1
        self.block -= 1
        self.put("}")
        self.results[result] = f"%{result}#0"
        self.say(f"{result} = {p}")
        return result

    def stack_while(self, scope, names):
        return self.stack_for(scope, names, True)

    def add_assert(self, scope):
        """One that fails for one in some hundreds of values, as they come."""
        message = self.name("why")
        a, b = scope.values[-1], self.random.choice(scope.values)
        value = self.name()
        self.put(f"%{value} = arith.addi {self.refs([a, b])} : i64",
                 f"{value} = ({a} + {b}) & MASK")
        factor = self.random.getrandbits(64) | 1
        shift = self.random.randint(55, 58)
        wanted = self.random.getrandbits(64 - shift)
        names = [self.constant(number) for number in (factor, shift, wanted)]
        scaled, top, fine = self.name(), self.name(), self.name("b")
        self.put(f"%{scaled} = arith.muli {self.refs([value, names[0]])} : i64")
        self.put(f"%{top} = arith.shrui {self.refs([scaled, names[1]])} : i64")
        self.put(f"%{fine} = arith.cmpi ne, {self.refs([top, names[2]])} : i64")
        self.put(f'cf.assert %{fine}, "{message}"',
                 f"if ({value} * {factor} & MASK) >> {shift} == {wanted}: "
                 f"raise Failed('{message}')")

    # ---- loops --------------------------------------------------------------

    def bound(self, value, fixed):
        """An index of this value: a constant, or one that no one knows."""
        name = self.constant(value, "index")
        if fixed or self.random.random() < 0.5:
            return f"%{name}"
        hidden = self.name("h")
        self.put(f"%{hidden} = func.call @hide(%{name}) : (index) -> index")
        return f"%{hidden}"

    def dimension(self, budget, kind):
        """Lower bound, upper bound, step, iterations."""
        trips = self.random.choice([0, 1, 2, 5] + [budget] * 8)
        trips = min(trips, budget)
        lower = 0 if kind == "scf.forall" else self.random.randint(-30, 30)
        step = self.random.choice([1, 1, 1, 2, 3])
        slack = self.random.randint(0, step - 1)
        upper = lower + trips * step - (slack if trips else 0)
        if trips == 0 and kind != "scf.forall":
            upper -= self.random.randint(0, 5)
        return lower, upper, step, trips

    def body(self, scope, budget):
        kinds = ["value", "value", "if", "stack"]
        if scope.depth < 3 and budget >= 4:
            kinds += ["loop"]
        if scope.memories:
            kinds += ["read"]
        if self.asserts:
            kinds += ["assert"]
            self.add_assert(scope)
        for _ in range(self.random.randint(1, 4)):
            kind = self.random.choice(kinds)
            if kind == "loop":
                self.add_loop(scope, budget)
            else:
                getattr(self, "add_" + kind)(scope)

    def add_loop(self, scope, budget, store=None):
        """A loop; its results become values. `store`: an array of which each
        iteration of this loop sets an element."""
        kind = self.random.choice(
            ["scf.parallel"] * 4 + ["affine.parallel", "scf.forall", "scf.for"])
        if kind == "scf.forall" and not store:
            kind = "scf.parallel"
        if kind == "scf.for" and store:
            kind = "scf.parallel"
        count = 1 if kind == "scf.for" else self.random.choice([1, 1, 2, 3])
        each = max(1, int(budget ** (1 / count)))
        dimensions = [self.dimension(each, kind) for _ in range(count)]
        known = (AFFINE if kind == "affine.parallel" else
                 [*COMBINERS, *ORDERED, *ORDERED])
        combiners = [] if kind == "scf.forall" else [
            self.random.choice(known)
            for _ in range(self.random.choice([0, 1, 1, 2, 3]))]
        if not store:
            combiners = combiners or ["addi"]
        if kind == "scf.for":
            combiners = combiners[:1]
        fixed = kind in ("affine.parallel", "scf.forall")
        bounds = [] if fixed else [
            [self.bound(value, fixed) for value in dimension[:3]]
            for dimension in dimensions]
        ivs = [self.name("i") for _ in dimensions]
        results = [self.name() for _ in combiners]
        initial = [self.pick(scope) for _ in combiners]
        carried = self.begin(kind, dimensions, bounds, ivs, results, combiners,
                             initial)

        inner = scope.inner()
        for iv, (lower, _, step, trips) in zip(ivs, dimensions):
            self.say(" " * ivs.index(iv) +
                     f"for {iv} in range({lower}, {lower} + {trips} * {step}, "
                     f"{step}):")
        self.indent += 1
        self.block += len(ivs)
        for iv in ivs:
            wide = self.name()
            self.put(f"%{wide} = arith.index_cast %{iv} : index to i64",
                     f"{wide} = {iv} & MASK")
            inner.values.append(wide)
        iterations = 1
        for _, _, _, trips in dimensions:
            iterations *= max(1, trips)
        self.body(inner, budget // iterations)
        if store:
            self.add_store(store, inner, ivs, dimensions)
        self.end(kind, inner, results, combiners, carried)
        self.indent -= 1
        self.block -= len(ivs)
        self.put("}")
        scope.values += results

    def begin(self, kind, dimensions, bounds, ivs, results, combiners, initial):
        """The loop's first line. Returns what an scf.for carries."""
        assigned = ""
        if len(results) == 1:
            assigned = f"%{results[0]} = "
        elif results:
            assigned = f"%{results[0]}:{len(results)} = "
            self.results.update((result, f"%{results[0]}#{number}")
                                for number, result in enumerate(results))
        types = ", ".join("i64" for _ in results)
        variables = ", ".join(f"%{iv}" for iv in ivs)
        if not bounds:
            lower, upper, step = (
                ", ".join(str(dimension[k]) for dimension in dimensions)
                for k in range(3))
        else:
            lower, upper, step = (", ".join(bound[k] for bound in bounds)
                                  for k in range(3))
        for result, combiner, value in zip(results, combiners, initial):
            start = NEUTRAL[combiner] if not bounds else value
            self.say(f"{result} = {start}")
        if kind == "scf.for":
            carried = self.name("t")
            self.put(f"{assigned}scf.for {variables} = {lower} to {upper} step "
                     f"{step} iter_args(%{carried} = {self.ref(initial[0])}) -> i64 {{")
            return carried
        line = f"{assigned}{kind} ({variables}) = ({lower}) to ({upper}) "
        line += f"step ({step}) "
        if kind == "affine.parallel" and results:
            names = ", ".join(f'"{combiner}"' for combiner in combiners)
            line += f"reduce ({names}) -> ({types}) "
        elif results:
            line += f"init ({self.refs(initial)}) -> ({types}) "
        self.put(line + "{")
        return None

    def end(self, kind, inner, results, combiners, carried):
        """What the iteration gives, and how that is combined."""
        given = [self.pick(inner) for _ in results]
        for result, combiner, value in zip(results, combiners, given):
            python = COMBINERS[combiner][1].format(a=result, b=value)
            self.say(f"{result} = {python}")
        types = ", ".join("i64" for _ in results)
        values = self.refs(given)
        if kind == "scf.for":
            total = self.combine(combiners[0], carried, given[0])
            self.put(f"scf.yield {total} : i64")
        elif kind == "affine.parallel" and results:
            self.put(f"affine.yield {values} : {types}")
        elif kind == "scf.parallel" and results:
            self.put(f"scf.reduce({values} : {types}) {{")
            for number, combiner in enumerate(combiners):
                a, b = self.name("a"), self.name("a")
                self.put(f"^bb0(%{a}: i64, %{b}: i64):")
                total = self.combine(combiner, a, b)
                self.put(f"scf.reduce.return {total} : i64")
                self.put("}, {" if number + 1 < len(combiners) else "}")
        elif kind == "scf.parallel":
            self.put("scf.reduce")

    def combine(self, combiner, a, b):
        """The ops of a combiner. Returns what it gives."""
        result = f"%{self.name('x')}"
        text = COMBINERS[combiner][0].format(a=self.ref(a), b=self.ref(b),
                                             t=result)
        for line in text.splitlines():
            self.put(line.strip())
        return result

    def add_store(self, array, inner, ivs, dimensions):
        """Sets the element that has the iteration's number."""
        at, python = None, "0"
        for iv, (lower, _, step, trips) in zip(ivs, dimensions):
            first, by = (self.constant(value, "index")
                         for value in (lower, step))
            distance, number = self.name("k"), self.name("k")
            self.put(f"%{distance} = arith.subi %{iv}, %{first} : index")
            self.put(f"%{number} = arith.divsi %{distance}, %{by} : index")
            if at:
                row, sum_ = self.name("k"), self.name("k")
                length = self.constant(trips, "index")
                self.put(f"%{row} = arith.muli %{at}, %{length} : index")
                self.put(f"%{sum_} = arith.addi %{row}, %{number} : index")
                number = sum_
            at = number
            python = f"({python}) * {trips} + ({iv} - {lower}) // {step}"
        value = self.pick(inner)
        self.put(f"memref.store {self.ref(value)}, %{array}[%{at}] : memref<?xi64>",
                 f"{array}[{python}] = {value}")

    # ---- the program --------------------------------------------------------

    def top_loop(self):
        """A loop of main, in a region or not, and what it gives printed."""
        array = self.name("m") if self.random.random() < 0.5 else None
        if array:
            size = self.constant(TOP, "index")
            self.put(f"%{array} = memref.alloc(%{size}) : memref<?xi64>",
                     f"{array} = [0] * {TOP}")
            self.put(f"call @clear(%{array}) : (memref<?xi64>) -> ()")
        scope = Scope([self.constant(self.random.getrandbits(64))])
        region = self.asserts or self.random.random() < 0.4
        if region:
            token, value, found = self.name("t"), self.name("v"), self.name()
            self.put(f"%{token}, %{value} = async.execute -> "
                     "!async.value<i64> {")
            self.indent += 1
        self.add_loop(scope, TOP, array)
        result = scope.values[-1]
        if region:
            self.put(f"async.yield {self.ref(result)} : i64")
            self.indent -= 1
            self.put("}")
            self.put(f"%{found} = async.await %{value} : !async.value<i64>",
                     f"{found} = {result}")
            scope.values, result = [found], found
        for value in scope.values[-3:]:
            self.put(f"vector.print {self.ref(value)} : i64",
                     f"output.append(signed({value}))")
        if array:
            total = self.name()
            self.put(f"%{total} = call @checksum(%{array}) : (memref<?xi64>) "
                     "-> i64", f"{total} = checksum({array})")
            self.put(f"vector.print %{total} : i64",
                     f"output.append(signed({total}))")
            self.put(f"memref.dealloc %{array} : memref<?xi64>")

    def program(self):
        """The program's text, what it prints, and its error, or None."""
        for last in (False, False, True):
            self.asserts = self.errors and last
            self.top_loop()
        names = {"MASK": MASK, "signed": signed, "maps": maps,
                 "checksum": checksum, "output": [], "Failed": Failed}
        body = "\n".join(self.python)
        error = None
        try:
            exec(f"def run():\n{body}\nrun()", names)
        except Failed as failed:
            error = f"assertion failed: {failed}\n"
        text = (FUNCTIONS + "\nfunc.func @main() {\n" + "\n".join(self.lines)
                + "\n  return\n}\n")
        return (text, "".join(f"{value}\n" for value in names["output"]),
                error)
