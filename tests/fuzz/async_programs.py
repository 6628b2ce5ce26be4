"""Random programs of the async dialect, with what they have to print.

Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
See LICENSE for license information.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

A program is first a tree of statements. It is printed as MLIR, and it is run
here: regions at once, where they are spawned, which the dialect allows and
which shares no code with the compiler. Names stand for values of these types:

    i  i64    b  i1    t  token    v  value<i64>    n  value<token>
    w  vector<32xi64>, all elements alike    x  value<vector<32xi64>>
    m  memref<*xi64> of rank 0 to 3, with one number    u  value<memref<*xi64>>
    r  memref<?xi64>, any layout, with one number    q  value<memref<?xi64>>

Statements are tuples; the first element names the method that prints it and the
one that runs it. A body is a pair: statements, and what it yields.
"""

import random

TYPES = {
    "i": "i64",
    "b": "i1",
    "t": "!async.token",
    "v": "!async.value<i64>",
    "n": "!async.value<!async.token>",
    "w": "vector<32xi64>",
    "x": "!async.value<vector<32xi64>>",
    "m": "memref<*xi64>",
    "u": "!async.value<memref<*xi64>>",
    "r": "memref<?xi64, strided<[?], offset: ?>>",
    "q": "!async.value<memref<?xi64, strided<[?], offset: ?>>>",
}
PAYLOAD = {"v": "i", "n": "t", "x": "w", "u": "m", "q": "r"}
VALUE = {payload: value for value, payload in PAYLOAD.items()}
MASK = (1 << 64) - 1

# What a number lies in: a buffer of some rank, its last element. All sizes are
# 2, so that a rank that has changed on the way is seen.
BUFFERS = """
func.func private @box(%number: i64, %rank: i64) -> memref<*xi64> {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %two = arith.constant 2 : i64
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %is0 = arith.cmpi eq, %rank, %zero : i64
  %is1 = arith.cmpi eq, %rank, %one : i64
  %is2 = arith.cmpi eq, %rank, %two : i64
  %r = scf.if %is0 -> memref<*xi64> {
    %m = memref.alloc() : memref<i64>
    memref.store %number, %m[] : memref<i64>
    %u = memref.cast %m : memref<i64> to memref<*xi64>
    scf.yield %u : memref<*xi64>
  } else {
    %s = scf.if %is1 -> memref<*xi64> {
      %m = memref.alloc(%c2) : memref<?xi64>
      memref.store %number, %m[%c1] : memref<?xi64>
      %u = memref.cast %m : memref<?xi64> to memref<*xi64>
      scf.yield %u : memref<*xi64>
    } else {
      %t = scf.if %is2 -> memref<*xi64> {
        %m = memref.alloc() : memref<2x2xi64>
        memref.store %number, %m[%c1, %c1] : memref<2x2xi64>
        %u = memref.cast %m : memref<2x2xi64> to memref<*xi64>
        scf.yield %u : memref<*xi64>
      } else {
        %m = memref.alloc(%c2, %c2) : memref<?x2x?xi64>
        memref.store %number, %m[%c1, %c1, %c1] : memref<?x2x?xi64>
        %u = memref.cast %m : memref<?x2x?xi64> to memref<*xi64>
        scf.yield %u : memref<*xi64>
      }
      scf.yield %t : memref<*xi64>
    }
    scf.yield %s : memref<*xi64>
  }
  return %r : memref<*xi64>
}

// The number plus a million for each rank and a thousand for the sum of sizes.
func.func private @unbox(%u: memref<*xi64>) -> i64 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %zero = arith.constant 0 : i64
  %thousand = arith.constant 1000 : i64
  %million = arith.constant 1000000 : i64
  %rank = memref.rank %u : memref<*xi64>
  %is0 = arith.cmpi eq, %rank, %c0 : index
  %is1 = arith.cmpi eq, %rank, %c1 : index
  %is2 = arith.cmpi eq, %rank, %c2 : index
  %x = scf.if %is0 -> i64 {
    %m = memref.cast %u : memref<*xi64> to memref<i64>
    %l = memref.load %m[] : memref<i64>
    scf.yield %l : i64
  } else {
    %a = scf.if %is1 -> i64 {
      %m = memref.cast %u : memref<*xi64> to memref<?xi64>
      %l = memref.load %m[%c1] : memref<?xi64>
      scf.yield %l : i64
    } else {
      %b = scf.if %is2 -> i64 {
        %m = memref.cast %u : memref<*xi64> to memref<?x?xi64>
        %l = memref.load %m[%c1, %c1] : memref<?x?xi64>
        scf.yield %l : i64
      } else {
        %m = memref.cast %u : memref<*xi64> to memref<2x?x2xi64>
        %l = memref.load %m[%c1, %c1, %c1] : memref<2x?x2xi64>
        scf.yield %l : i64
      }
      scf.yield %b : i64
    }
    scf.yield %a : i64
  }
  %sizes = scf.for %i = %c0 to %rank step %c1 iter_args(%s = %zero) -> i64 {
    %n = memref.dim %u, %i : memref<*xi64>
    %j = arith.index_cast %n : index to i64
    %t = arith.addi %s, %j : i64
    scf.yield %t : i64
  }
  %ranks = arith.index_cast %rank : index to i64
  %y = arith.muli %ranks, %million : i64
  %z = arith.muli %sizes, %thousand : i64
  %v = arith.addi %x, %y : i64
  %w = arith.addi %v, %z : i64
  return %w : i64
}

// Writes over what a frame below the caller's has left on the stack.
func.func private @scribble(%number: i64) -> i64 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c99 = arith.constant 99 : index
  %zero = arith.constant 0 : i64
  %m = memref.alloca() : memref<99xi64>
  scf.for %i = %c0 to %c99 step %c1 {
    memref.store %number, %m[%i] : memref<99xi64>
  }
  %s = scf.for %i = %c0 to %c99 step %c1 iter_args(%a = %zero) -> i64 {
    %x = memref.load %m[%i] : memref<99xi64>
    %b = arith.addi %a, %x : i64
    scf.yield %b : i64
  }
  return %s : i64
}
"""


def types_of(letters):
    return ", ".join(TYPES[letter] for letter in letters)


def results(letters):
    return f" -> ({types_of(letters)})" if letters else ""


class Error:
    """The failure of an assertion. Everything behind it has the same."""

    def __init__(self):
        self.observed = False


class Failed(Exception):
    """Ends a region, with an Error."""


class Ended(Exception):
    """Ends the program."""


class Object:
    """A token or value that has ended."""

    def __init__(self, error=None, payload=None):
        self.error, self.payload = error, payload


# -----------------------------------------------------------------------------
# Making programs
# -----------------------------------------------------------------------------


class Generator:
    """Makes the functions of one program. With `errors`, assertions may fail,
    and main asks whether they did instead of awaiting."""

    def __init__(self, seed, errors=False):
        self.random = random.Random(seed)
        self.errors = errors
        self.names = 0
        self.budget = self.random.randint(20, 90)
        self.flocks = 2
        self.loops_while = 0  # around what is made now: scf.while, or blocks
        self.refusals = []  # errors of the compiler that are right
        self.functions = []  # (name, kind, arguments, result letters, body)

    def name(self, letter):
        self.names += 1
        return f"{letter}{self.names}"

    def pick(self, scope, letter):
        """A name of that type, made first if the scope has none."""
        known = [name for name in scope.names if name[0] == letter]
        if known and self.random.random() < 0.95:
            # Newer ones are likelier.
            return known[max(self.random.randrange(len(known)),
                             self.random.randrange(len(known)))]
        return self.make(scope, letter)

    def make(self, scope, letter):
        name = self.name(letter)
        if letter == "i":
            scope.add(("constant", name, self.random.randint(-9, 9)), [name])
        elif letter == "b":
            a, b = self.pick(scope, "i"), self.pick(scope, "i")
            scope.add(("compare", name, a, b), [name])
        elif letter == "t":
            scope.add(("execute", [name], [], [], ([], [])), [name])
        elif letter == "w":
            scope.add(("broadcast", name, self.pick(scope, "i")), [name])
        elif letter == "r":
            scope.add(("fill", name, self.pick(scope, "i"), self.random.choice(
                ["whole", "part", "grown", "shrunk"])), [name])
        elif letter == "m":
            scope.add(("box", name, self.pick(scope, "i"),
                       self.random.randint(0, 3)), [name])
        else:
            inner = Scope(scope, True)
            payload = self.pick(inner, PAYLOAD[letter])
            token = self.name("t")
            scope.add(("execute", [token, name], [], [],
                       (inner.statements, [payload])), [token, name])
        return name

    def letters(self, most, choice="iittvvnwxmurrq"):
        return "".join(self.random.choice(choice)
                       for _ in range(self.random.randint(0, most)))

    def body(self, scope, depth, arguments, yielded, in_region=None,
             looped=False):
        """A body that sees `scope` and `arguments`."""
        inner = Scope(scope, scope.in_region if in_region is None
                      else in_region)
        inner.in_loop |= looped
        inner.is_bare &= in_region is None
        inner.names += arguments
        self.statements(inner, depth)
        return (inner.statements,
                [self.pick(inner, letter) for letter in yielded])

    def statements(self, scope, depth):
        kinds = ["arith", "execute", "await", "await", "select"]
        if depth > 0:
            kinds += ["own", "own", "differing", "execute", "if", "for", "while", "switch", "group",
                      "call", "asserted", "alike", "flock"]
        kinds += ["vector", "read", "read", "load", "load", "scribble"]
        if self.errors and scope.in_region:
            kinds += ["asserted"] * 3
        for _ in range(self.random.randint(1, 5)):
            if self.budget <= 0:
                return
            self.budget -= 1
            getattr(self, "add_" + self.random.choice(kinds))(scope, depth)

    def add_arith(self, scope, depth):
        name = self.name("i")
        operation = self.random.choice(["addi", "subi", "muli", "xori"])
        scope.add(("arith", name, operation, self.pick(scope, "i"),
                   self.pick(scope, "i")), [name])

    def add_vector(self, scope, depth):
        if self.random.random() < 0.5:
            name = self.name("i")
            scope.add(("reduce", name, self.pick(scope, "w")), [name])
            return
        name = self.name("w")
        scope.add(("add_vectors", name, self.pick(scope, "w"),
                   self.pick(scope, "w")), [name])

    def add_read(self, scope, depth):
        name = self.name("i")
        scope.add(("read", name, self.pick(scope, "m")), [name])

    def add_load(self, scope, depth):
        name = self.name("i")
        scope.add(("load", name, self.pick(scope, "r")), [name])

    def add_own(self, scope, depth):
        """Two buffers that no other statement knows, of the stack or not: filled,
        changed by regions one behind the other, handed on by a branch, a loop or
        blocks that hold statements, and read. The names are those of the buffers,
        of what is handed on, and of what is read."""
        names = [self.name(letter) for letter in "yyyi"]
        way = self.random.choice(["first", "select", "if", "switch", "for",
                                  "while", "blocks", "realloc"])
        around = self.random.choice([None, None, None, "memref.alloca_scope",
                                     "scf.execute_region"])
        kind = self.random.choice(["alloc", "alloca", "alloca"])
        if way == "realloc" or (scope.is_bare
                                and around != "memref.alloca_scope"):
            kind = "alloc"
        elif self.loops_while and around != "memref.alloca_scope":
            # Each round has another buffer, which a frame does not have.
            kind = self.random.choice(["alloc"] * 9 + ["alloca"])
            if kind == "alloca":
                self.refusals.append("gives each round another buffer")
        filled = [self.pick(scope, "i") for _ in range(2)]
        condition = self.pick(scope, "b")
        waits = self.random.random() < 0.7
        spawned = [self.random.randint(-9, 9)
                   for _ in range(self.random.choice([0, 1, 2, 3]))]
        self.loops_while += way == "while"
        bodies = [self.body(scope, depth - 1, [], "i",
                            looped=way in ("for", "while")) for _ in range(2)]
        self.loops_while -= way == "while"
        scope.add(("own", names, way, kind, around, filled, condition, spawned,
                   waits, self.random.randint(0, 3), bodies), [names[3]])

    def add_differing(self, scope, depth):
        """Branches that await different objects, or one of them more often, and
        give what they have awaited."""
        if self.errors and not scope.in_region:
            return
        condition = self.pick(scope, "b")
        letter = self.random.choice("irmw")
        choices = [self.pick(scope, VALUE[letter]) for _ in range(3)]
        tokens = [self.pick(scope, "t") for _ in range(3)]
        bodies = []
        for _ in range(2):
            inner = Scope(scope, scope.in_region)
            for _ in range(self.random.randint(0, 3)):
                inner.add(("await", [], self.random.choice(tokens)), [])
            result = self.name(letter)
            for _ in range(self.random.randint(1, 2)):
                result = self.name(letter)
                inner.add(("await", [result], self.random.choice(choices)),
                          [result])
            bodies.append((inner.statements, [result]))
        name = self.name(letter)
        scope.add(("if", [name], condition, bodies), [name])

    def add_scribble(self, scope, depth):
        name = self.name("i")
        scope.add(("scribble", name, self.pick(scope, "i")), [name])

    def add_alike(self, scope, depth):
        """Branches of the same ops, with other operands and places."""
        letters = self.random.choice(["i", "m", "w", "r", "im", "ri", "ti", "v"])
        condition = self.pick(scope, "b")
        awaited = self.random.choice("tvxuq")
        if self.errors and not scope.in_region:
            awaited = None
        bodies = []
        for _ in range(2):
            inner = Scope(scope, scope.in_region)
            yielded = [self.pick(inner, letter) for letter in letters]
            operand = self.pick(inner, awaited) if awaited else None
            read = self.pick(inner, "m")
            # Ops in the same order in both, behind what they need.
            if awaited:
                names = [self.name(PAYLOAD[awaited])] if awaited != "t" else []
                inner.add(("await", names, operand), names)
            name = self.name("i")
            inner.add(("read", name, read), [name])
            bodies.append((inner.statements,
                           [name if y[0] == "i" else y for y in yielded]))
        names = [self.name(letter) for letter in letters]
        scope.add(("if", names, condition, bodies), names)

    def add_flock(self, scope, depth):
        """Many regions, each of which calls a function that may block."""
        known = [function for function in self.functions
                 if function[1] in ("plain", "recursive")]
        if not known or self.flocks == 0 or scope.in_loop or self.errors:
            return
        self.flocks -= 1
        function = self.random.choice(known)
        count = self.random.choice([3, 17, 60])
        arguments = [self.pick(scope, name[0]) for name in function[2]]
        made = [self.name(letter) for letter in function[3]]
        scope.add(("flock", count, function[0], arguments, made), [])

    def add_execute(self, scope, depth):
        dependencies = [self.pick(scope, "t")
                        for _ in range(self.random.choice([0, 0, 1, 2]))]
        operands = [self.pick(scope, self.random.choice("vvnxuq"))
                    for _ in range(self.random.choice([0, 0, 1, 2]))]
        bound = [(name, self.name(PAYLOAD[name[0]])) for name in operands]
        values = self.letters(2, "vvnxuq")
        body = self.body(scope, depth - 1, [new for _, new in bound],
                         [PAYLOAD[letter] for letter in values], True)
        names = [self.name(letter) for letter in "t" + values]
        scope.add(("execute", names, dependencies, bound, body), names)

    def add_await(self, scope, depth):
        letter = self.random.choice("tvvnxuq")
        if self.errors and not scope.in_region:
            self.add_ask(scope, self.pick(scope, letter))
            return
        operand = self.pick(scope, letter)
        names = [self.name(PAYLOAD[letter])] if letter in PAYLOAD else []
        scope.add(("await", names, operand), names)

    def add_ask(self, scope, operand):
        name = self.name("b")
        scope.add(("ask", name, operand), [name])

    def add_select(self, scope, depth):
        letter = self.random.choice("itvnwxmurq")
        name = self.name(letter)
        scope.add(("select", name, self.pick(scope, "b"),
                   self.pick(scope, letter), self.pick(scope, letter)), [name])

    def add_if(self, scope, depth):
        condition = self.pick(scope, "b")
        letters = self.letters(3)
        bodies = [self.body(scope, depth - 1, [], letters) for _ in range(2)]
        names = [self.name(letter) for letter in letters]
        scope.add(("if", names, condition, bodies), names)

    def add_switch(self, scope, depth):
        operand = self.pick(scope, "i")
        letters = self.letters(2)
        bodies = [self.body(scope, depth - 1, [], letters) for _ in range(3)]
        names = [self.name(letter) for letter in letters]
        scope.add(("switch", names, operand, bodies), names)

    def add_for(self, scope, depth):
        letters = self.letters(3)
        initial = [self.pick(scope, letter) for letter in letters]
        carried = [self.name(letter) for letter in letters]
        counter = self.name("i")
        body = self.body(scope, depth - 1, carried + [counter], letters,
                         looped=True)
        names = [self.name(letter) for letter in letters]
        scope.add(("for", names, self.random.randint(0, 3), counter,
                   carried, initial, body), names)

    def add_while(self, scope, depth):
        letters = "i" + self.letters(2)
        count = self.name("i")
        scope.add(("constant", count, self.random.randint(0, 3)), [count])
        initial = [count] + [self.pick(scope, letter) for letter in letters[1:]]
        before = [self.name(letter) for letter in letters]
        after = [self.name(letter) for letter in letters]
        self.loops_while += 1
        body = self.body(scope, depth - 1, after[1:], letters[1:],
                         looped=True)
        self.loops_while -= 1
        names = [self.name(letter) for letter in letters]
        scope.add(("while", names, before, initial, after, body), names)

    def add_group(self, scope, depth):
        members = [self.pick(scope, self.random.choice("tvxuq"))
                   for _ in range(self.random.randint(0, 4))]
        name = self.name("g")
        ask = self.name("b") if self.errors and not scope.in_region else None
        scope.add(("group", name, members, ask), [ask] if ask else [])

    def add_asserted(self, scope, depth):
        """An assertion; one that may fail only where the error is seen."""
        if self.errors and scope.in_region:
            scope.add(("assert", self.make(scope, "b")), [])
            return
        name, other = self.name("b"), self.pick(scope, "i")
        scope.add(("compare", name, other, other), [name])
        scope.add(("assert", name), [])

    def add_call(self, scope, depth):
        # A plain function that awaits ends the program where that fails.
        known = [function for function in self.functions
                 if not self.errors or function[1] != "plain"]
        if not known:
            return
        function = self.random.choice(known)
        arguments = [self.pick(scope, name[0]) for name in function[2]]
        names = [self.name(letter) for letter in function[3]]
        scope.add(("call", names, function[0], arguments), names)

    def add_function(self):
        kind = self.random.choice(["plain", "plain", "async", "blocks",
                                   "recursive"])
        if kind == "recursive":
            self.add_recursive()
            return
        arguments = [self.name(letter) for letter in self.letters(3)]
        if kind == "plain":
            letters = self.letters(2)
            payloads = letters
        else:
            payloads = self.letters(2, "iitwmr")
            letters = "t" + "".join(VALUE[letter] for letter in payloads)
        scope = Scope(None, kind != "plain")
        scope.is_bare = kind != "plain"
        # Functions that call many others in many regions take too long.
        scope.in_loop = True
        scope.names += arguments
        body = self.body(scope, 2, [], payloads)
        if kind == "blocks":
            # ^loop(i, carried...) while i > 0, and then a branch to the end.
            count, carried = self.name("i"), [self.name(l) for l in payloads]
            self.loops_while += 1
            turn = self.body(scope, 1, carried + [count], payloads)
            self.loops_while -= 1
            end = [self.name(letter) for letter in payloads]
            body = (body, self.random.randint(0, 3), count, carried, turn, end)
        self.functions.append((f"f{len(self.functions)}", kind, arguments,
                               letters, body))

    def add_recursive(self):
        """An async function that spawns a region which calls it and awaits,
        calls it itself, and awaits both: twice as many turns each level."""
        payload = self.random.choice("iimwr")
        count = self.name("i")
        arguments = [count, self.name(payload)]
        scope = Scope(None, True)
        scope.in_loop = scope.is_bare = True
        scope.names += arguments
        leaf = self.body(scope, 1, [], [payload])
        one, other = self.name(payload), self.name(payload)
        body = self.body(scope, 1, [one, other], [payload])
        self.functions.append(
            (f"f{len(self.functions)}", "recursive", arguments,
             "t" + VALUE[payload],
             (self.random.randint(2, 5), leaf, one, other, body)))

    def program(self):
        for _ in range(self.random.randint(0, 3)):
            self.budget += 8
            self.add_function()
        scope = Scope(None, False)
        while self.budget > 0:
            self.statements(scope, 3)
        for name in list(scope.names):
            if name[0] in "tvnxuq":
                if self.errors:
                    self.add_ask(scope, name)
                elif name[0] in "vxuq":
                    new = self.name(PAYLOAD[name[0]])
                    scope.add(("await", [new], name), [new])
        for name in list(scope.names):
            if name[0] == "r":
                scope.add(("load", new := self.name("i"), name), [new])
            elif name[0] == "m":
                scope.add(("read", new := self.name("i"), name), [new])
            elif name[0] == "w":
                scope.add(("reduce", new := self.name("i"), name), [new])
        for name in scope.names:
            if name[0] in "ib":
                scope.statements.append(("print", name))
        return Program(self.functions, scope.statements)


class Scope:
    """Names that a body sees, and the statements it has so far."""

    def __init__(self, outer, in_region):
        self.names = list(outer.names) if outer else []
        self.in_region = in_region
        self.in_loop = outer.in_loop if outer else False
        # In an async.func, which upstream has for no scope of allocations.
        self.is_bare = outer.is_bare if outer else False
        self.statements = []

    def add(self, statement, names):
        self.statements.append(statement)
        self.names += names


# -----------------------------------------------------------------------------
# Printing programs
# -----------------------------------------------------------------------------


def percent(names):
    return ", ".join("%" + name for name in names)


def letters_of(names):
    return "".join(name[0] for name in names)


class Program:
    def __init__(self, functions, main):
        self.functions, self.main = functions, main
        self.lines, self.temporaries = [], 0

    def fresh(self):
        self.temporaries += 1
        return f"%tmp{self.temporaries}"

    def text(self, checksum=False):
        """With `checksum`, a function of that name gives what main prints."""
        self.emit(BUFFERS)
        for function in self.functions:
            self.print_function(*function)
        self.checksum = None
        if checksum:
            self.emit("func.func @checksum() -> i64 {")
            self.checksum = self.fresh()
            self.emit(f"{self.checksum} = arith.constant 0 : i64")
        else:
            self.emit("func.func @main() {")
        self.print_all(self.main)
        self.emit(f"return {self.checksum} : i64" if checksum else "return")
        self.emit("}")
        return "\n".join(self.lines) + "\n"

    def emit(self, line):
        self.lines.append(line)

    def print_all(self, statements):
        for statement in statements:
            getattr(self, "print_" + statement[0])(*statement[1:])

    def print_body(self, body, end, before=""):
        self.print_all(body[0])
        types = types_of(letters_of(body[1]))
        yielded = f" {before}{percent(body[1])} : {types}" if body[1] else ""
        self.emit(end + yielded)

    def print_recursive(self, name, arguments, letters, body):
        most, leaf, one, other, inner = body
        count, payload = arguments
        types = f"({types_of(letters_of(arguments))})"
        call = f"async.call @{name}({{}}, %{payload}) : {types}"
        zero, less, limit, top = (self.fresh() for _ in range(4))
        more, by = self.fresh(), self.fresh()
        # Whatever it is called with, it goes down a few levels.
        self.emit(f"{zero} = arith.constant 0 : i64")
        self.emit(f"{limit} = arith.constant {most} : i64")
        self.emit(f"{by} = arith.constant 1 : i64")
        self.emit(f"{top} = arith.minsi %{count}, {limit} : i64")
        self.emit(f"{more} = arith.cmpi sgt, {top}, {zero} : i64")
        kind = TYPES[payload[0]]
        result = self.fresh()
        self.emit(f"{result} = scf.if {more} -> ({kind}) {{")
        self.emit(f"{less} = arith.subi {top}, {by} : i64")
        spawned, value, token, own, inside, awaited = (
            self.fresh() for _ in range(6))
        held = TYPES[VALUE[payload[0]]]
        self.emit(f"{spawned}, {value} = async.execute -> {held} {{")
        self.emit(f"{token}, {inside} = {call.format(less)}"
                  f" -> (!async.token, {held})")
        self.emit(f"{awaited} = async.await {inside} : {held}")
        self.emit(f"async.yield {awaited} : {kind}")
        self.emit("}")
        again = self.fresh()
        self.emit(f"{again}, {own} = {call.format(less)}"
                  f" -> (!async.token, {held})")
        self.emit(f"%{one} = async.await {value} : {held}")
        self.emit(f"%{other} = async.await {own} : {held}")
        self.print_body(inner, "scf.yield")
        self.emit("} else {")
        self.print_body(leaf, "scf.yield")
        self.emit("}")
        self.emit(f"return {result} : {kind}")

    def print_function(self, name, kind, arguments, letters, body):
        signature = ", ".join(f"%{a}: {TYPES[a[0]]}" for a in arguments)
        word = "func.func" if kind == "plain" else "async.func"
        self.emit(f"{word} @{name}({signature}){results(letters)} {{")
        if kind == "recursive":
            self.print_recursive(name, arguments, letters, body)
            self.emit("}")
            return
        if kind == "blocks":
            first, count, counter, carried, turn, end = body
            self.print_all(first[0])
            start = self.fresh()
            self.emit(f"{start} = arith.constant {count} : i64")
            self.emit(f"cf.br ^loop{self.arguments([start], first[1])}")
            self.emit(f"^loop({self.parameters([counter] + carried)}):")
            zero, more = self.fresh(), self.fresh()
            self.emit(f"{zero} = arith.constant 0 : i64")
            self.emit(f"{more} = arith.cmpi sgt, %{counter}, {zero} : i64")
            self.emit(f"cf.cond_br {more}, ^turn, "
                      f"^end{self.arguments([], carried)}")
            self.emit("^turn:")
            self.print_all(turn[0])
            one, less = self.fresh(), self.fresh()
            self.emit(f"{one} = arith.constant 1 : i64")
            self.emit(f"{less} = arith.subi %{counter}, {one} : i64")
            self.emit(f"cf.br ^loop{self.arguments([less], turn[1])}")
            block = f"({self.parameters(end)})" if end else ""
            self.emit(f"^end{block}:")
            body = ([], end)
        self.print_body(body, "return")
        self.emit("}")

    def parameters(self, names):
        return ", ".join(f"%{n}: {TYPES[n[0]]}" for n in names)

    def arguments(self, integers, names):
        values = integers + ["%" + name for name in names]
        types = ["i64"] * len(integers) + [TYPES[n[0]] for n in names]
        if not values:
            return ""
        return f"({', '.join(values)} : {', '.join(types)})"

    def print_constant(self, name, value):
        self.emit(f"%{name} = arith.constant {value} : i64")

    def print_compare(self, name, a, b):
        self.emit(f"%{name} = arith.cmpi sle, %{a}, %{b} : i64")

    def print_arith(self, name, operation, a, b):
        self.emit(f"%{name} = arith.{operation} %{a}, %{b} : i64")

    def print_broadcast(self, name, operand):
        self.emit(f"%{name} = vector.broadcast %{operand} : i64 to "
                  f"{TYPES['w']}")

    def print_add_vectors(self, name, a, b):
        self.emit(f"%{name} = arith.addi %{a}, %{b} : {TYPES['w']}")

    def print_reduce(self, name, operand):
        self.emit(f"%{name} = vector.reduction <add>, %{operand} : "
                  f"{TYPES['w']} into i64")

    def print_box(self, name, operand, rank):
        number = self.fresh()
        self.emit(f"{number} = arith.constant {rank} : i64")
        self.emit(f"%{name} = func.call @box(%{operand}, {number}) : "
                  f"(i64, i64) -> {TYPES['m']}")

    def print_read(self, name, operand):
        self.emit(f"%{name} = func.call @unbox(%{operand}) : "
                  f"({TYPES['m']}) -> i64")

    def print_fill(self, name, operand, way):
        """A number in element 1: of all of a buffer, of part of one, of one that
        has grown or shrunk since."""
        one = self.fresh()
        self.emit(f"{one} = arith.constant 1 : index")
        at = "strided<[1]>"
        if way == "part":
            buffer, part = self.fresh(), self.fresh()
            at = "strided<[2], offset: 3>"
            self.emit(f"{buffer} = memref.alloc() : memref<9xi64>")
            self.emit(f"{part} = memref.subview {buffer}[3] [2] [2] : "
                      f"memref<9xi64> to memref<2xi64, {at}>")
            self.emit(f"memref.store %{operand}, {part}[{one}] : "
                      f"memref<2xi64, {at}>")
            self.emit(f"%{name} = memref.cast {part} : memref<2xi64, {at}> to "
                      f"{TYPES['r']}")
            return
        buffer, size = self.fresh(), self.fresh()
        count = {"whole": 2, "grown": 2, "shrunk": 99}[way]
        self.emit(f"{size} = arith.constant {count} : index")
        self.emit(f"{buffer} = memref.alloc({size}) : memref<?xi64>")
        self.emit(f"memref.store %{operand}, {buffer}[{one}] : memref<?xi64>")
        if way != "whole":
            other, new = self.fresh(), self.fresh()
            self.emit(f"{other} = arith.constant {101 - count} : index")
            self.emit(f"{new} = memref.realloc {buffer}({other}) : "
                      "memref<?xi64> to memref<?xi64>")
            buffer = new
        self.emit(f"%{name} = memref.cast {buffer} : memref<?xi64> to "
                  f"{TYPES['r']}")

    def print_load(self, name, operand):
        one = self.fresh()
        self.emit(f"{one} = arith.constant 1 : index")
        self.emit(f"%{name} = memref.load %{operand}[{one}] : {TYPES['r']}")

    # What no other statement knows: the two buffers of `own`.

    OWN = "memref<2xi64>"

    def print_own(self, names, way, kind, around, filled, condition, spawned,
                  waits, count, bodies):
        first, second, result, read = ("%" + name for name in names)
        if around:
            self.emit(f"{read} = {around} -> i64 {{")
            read = self.fresh()
        zero, one = self.fresh(), self.fresh()
        self.emit(f"{zero} = arith.constant 0 : index")
        self.emit(f"{one} = arith.constant 1 : index")
        for name, number in zip((first, second), filled):
            self.emit(f"{name} = memref.{kind}() : {self.OWN}")
            self.emit(f"memref.store %{number}, {name}[{one}] : {self.OWN}")
        self.print_changes((first, second), one, spawned, waits)
        getattr(self, "print_own_" + way)(first, second, result, condition,
                                          count, bodies, zero, one)
        self.emit(f"{read} = memref.load {result}[{one}] : {self.OWN}")
        if kind == "alloc":
            freed = result if way == "realloc" else first
            self.emit(f"memref.dealloc {freed} : {self.OWN}")
            self.emit(f"memref.dealloc {second} : {self.OWN}")
        if around:
            end = "memref.alloca_scope.return" if "scope" in around \
                else "scf.yield"
            self.emit(f"{end} {read} : i64")
            self.emit("}")

    def print_changes(self, buffers, one, spawned, waits):
        """Regions that each wait for the one before, by a dependency or by an
        await in them, and change a buffer."""
        before = None
        for number, by in enumerate(spawned):
            token, x, y, z = (self.fresh() for _ in range(4))
            depends = f" [{before}]" if before and waits else ""
            self.emit(f"{token} = async.execute{depends} {{")
            if before and not waits:
                self.emit(f"async.await {before} : !async.token")
            buffer = buffers[number % 2]
            self.emit(f"{x} = memref.load {buffer}[{one}] : {self.OWN}")
            self.emit(f"{y} = arith.constant {by} : i64")
            self.emit(f"{z} = arith.muli {x}, {y} : i64")
            self.emit(f"memref.store {z}, {buffer}[{one}] : {self.OWN}")
            self.emit("async.yield")
            self.emit("}")
            before = token
        if before:
            self.emit(f"async.await {before} : !async.token")

    def print_into(self, body, buffer, one):
        """The body, and what it gives into element 1."""
        self.print_all(body[0])
        self.emit(f"memref.store %{body[1][0]}, {buffer}[{one}] : {self.OWN}")

    def print_own_first(self, first, second, result, condition, count, bodies,
                        zero, one):
        self.emit(f"{result} = memref.cast {first} : {self.OWN} to {self.OWN}")

    def print_own_select(self, first, second, result, condition, count, bodies,
                         zero, one):
        self.emit(f"{result} = arith.select %{condition}, {first}, {second} : "
                  f"{self.OWN}")
        self.print_into(bodies[0], first, one)

    def print_own_if(self, first, second, result, condition, count, bodies,
                     zero, one):
        self.emit(f"{result} = scf.if %{condition} -> {self.OWN} {{")
        self.print_into(bodies[0], first, one)
        self.emit(f"scf.yield {first} : {self.OWN}")
        self.emit("} else {")
        self.print_into(bodies[1], first, one)
        self.emit(f"scf.yield {second} : {self.OWN}")
        self.emit("}")

    def print_own_switch(self, first, second, result, condition, count, bodies,
                         zero, one):
        index = self.fresh()
        self.emit(f"{index} = arith.index_castui %{condition} : i1 to index")
        self.emit(f"{result} = scf.index_switch {index} -> {self.OWN}")
        self.emit("case 1 {")
        self.print_into(bodies[0], first, one)
        self.emit(f"scf.yield {first} : {self.OWN}")
        self.emit("}")
        self.emit("default {")
        self.print_into(bodies[1], first, one)
        self.emit(f"scf.yield {second} : {self.OWN}")
        self.emit("}")

    def print_own_blocks(self, first, second, result, condition, count, bodies,
                         zero, one):
        label = self.fresh()[1:]
        self.emit(f"{result} = scf.execute_region -> {self.OWN} {{")
        self.emit(f"cf.cond_br %{condition}, ^y{label}, ^n{label}")
        for letter, body, buffer in zip("yn", bodies, (first, second)):
            self.emit(f"^{letter}{label}:")
            self.print_into(body, first, one)
            self.emit(f"cf.br ^e{label}({buffer} : {self.OWN})")
        self.emit(f"^e{label}(%e{label}: {self.OWN}):")
        self.emit(f"scf.yield %e{label} : {self.OWN}")
        self.emit("}")

    def print_own_realloc(self, first, second, result, condition, count, bodies,
                          zero, one):
        self.print_into(bodies[0], first, one)
        big = self.fresh()
        self.emit(f"{big} = memref.realloc {first} : {self.OWN} to "
                  "memref<77xi64>")
        self.emit(f"{result} = memref.realloc {big} : memref<77xi64> to "
                  f"{self.OWN}")

    def print_own_for(self, first, second, result, condition, count, bodies,
                      zero, one):
        p, q, i, end, pair = (self.fresh() for _ in range(5))
        two = f"{self.OWN}, {self.OWN}"
        self.emit(f"{end} = arith.constant {count} : index")
        self.emit(f"{pair}:2 = scf.for {i} = {zero} to {end} step {one} "
                  f"iter_args({p} = {first}, {q} = {second}) -> ({two}) {{")
        self.print_round(p, q, bodies[0], one)
        self.emit(f"scf.yield {q}, {p} : {two}")
        self.emit("}")
        self.emit(f"{result} = memref.cast {pair}#0 : {self.OWN} to {self.OWN}")

    def print_own_while(self, first, second, result, condition, count, bodies,
                        zero, one):
        old = [self.fresh() for _ in range(3)]
        p, q, i, end, more, pair, after = (self.fresh() for _ in range(7))
        types = f"{self.OWN}, {self.OWN}, index"
        self.emit(f"{end} = arith.constant {count} : index")
        self.emit(f"{pair}:3 = scf.while ({old[0]} = {first}, {old[1]} = "
                  f"{second}, {old[2]} = {zero}) : ({types}) -> ({types}) {{")
        self.emit(f"{more} = arith.cmpi ult, {old[2]}, {end} : index")
        self.emit(f"scf.condition({more}) {', '.join(old)} : {types}")
        self.emit("} do {")
        self.emit(f"^bb0({p}: {self.OWN}, {q}: {self.OWN}, {i}: index):")
        self.print_round(p, q, bodies[0], one)
        self.emit(f"{after} = arith.addi {i}, {one} : index")
        self.emit(f"scf.yield {q}, {p}, {after} : {types}")
        self.emit("}")
        self.emit(f"{result} = memref.cast {pair}#0 : {self.OWN} to {self.OWN}")

    def print_round(self, p, q, body, one):
        """Adds what the body gives, and the one buffer, to the other."""
        self.print_all(body[0])
        x, y, z, w = (self.fresh() for _ in range(4))
        self.emit(f"{x} = memref.load {p}[{one}] : {self.OWN}")
        self.emit(f"{y} = memref.load {q}[{one}] : {self.OWN}")
        self.emit(f"{z} = arith.addi {x}, {y} : i64")
        self.emit(f"{w} = arith.addi {z}, %{body[1][0]} : i64")
        self.emit(f"memref.store {w}, {q}[{one}] : {self.OWN}")

    def print_scribble(self, name, operand):
        self.emit(f"%{name} = func.call @scribble(%{operand}) : (i64) -> i64")

    def print_flock(self, count, function, arguments, made):
        zero, one, end, group, index, token, rank = (
            self.fresh() for _ in range(7))
        for name, value in ((zero, 0), (one, 1), (end, count)):
            self.emit(f"{name} = arith.constant {value} : index")
        self.emit(f"{group} = async.create_group {end} : !async.group")
        self.emit(f"scf.for {index} = {zero} to {end} step {one} {{")
        self.emit(f"{token} = async.execute {{")
        self.print_call(made, function, arguments)
        for name in made:
            if name[0] in "tvnxuq":
                result = f"{self.fresh()} = " if name[0] != "t" else ""
                self.emit(f"{result}async.await %{name} : {TYPES[name[0]]}")
        self.emit("async.yield")
        self.emit("}")
        self.emit(f"{rank} = async.add_to_group {token}, {group} : "
                  f"!async.token")
        self.emit("}")
        self.emit(f"async.await_all {group}")

    def print_execute(self, names, dependencies, bound, body):
        line = f"{percent(names)} = async.execute"
        if dependencies:
            line += f" [{percent(dependencies)}]"
        if bound:
            operands = ", ".join(f"%{old} as %{new}: {TYPES[old[0]]}"
                                 for old, new in bound)
            line += f" ({operands})"
        self.emit(line + results(letters_of(names[1:])) + " {")
        self.print_body(body, "async.yield")
        self.emit("}")

    def print_await(self, names, operand):
        result = f"%{names[0]} = " if names else ""
        self.emit(f"{result}async.await %{operand} : {TYPES[operand[0]]}")

    def print_ask(self, name, operand):
        kind = TYPES.get(operand[0], "!async.group")
        self.emit(f"async.runtime.await %{operand} : {kind}")
        self.emit(f"%{name} = async.runtime.is_error %{operand} : {kind}")

    def print_select(self, name, condition, a, b):
        self.emit(f"%{name} = arith.select %{condition}, %{a}, %{b} : "
                  f"{TYPES[name[0]]}")

    def define(self, names):
        return f"{percent(names)} = " if names else ""

    def print_if(self, names, condition, bodies):
        self.emit(f"{self.define(names)}scf.if %{condition}"
                  f"{results(letters_of(names))} {{")
        self.print_body(bodies[0], "scf.yield")
        self.emit("} else {")
        self.print_body(bodies[1], "scf.yield")
        self.emit("}")

    def print_switch(self, names, operand, bodies):
        index = self.fresh()
        self.emit(f"{index} = arith.index_cast %{operand} : i64 to index")
        types = f" -> {types_of(letters_of(names))}" if names else ""
        self.emit(f"{self.define(names)}scf.index_switch {index}{types}")
        for case, body in zip(["case 0", "case 2", "default"], bodies):
            self.emit(case + " {")
            self.print_body(body, "scf.yield")
            self.emit("}")

    def print_for(self, names, count, counter, carried, initial, body):
        zero, one, end, index = (self.fresh() for _ in range(4))
        for name, value in ((zero, 0), (one, 1), (end, count)):
            self.emit(f"{name} = arith.constant {value} : index")
        line = f"{self.define(names)}scf.for {index} = {zero} to {end} step {one}"
        if names:
            pairs = ", ".join(f"%{c} = %{i}" for c, i in zip(carried, initial))
            line += f" iter_args({pairs}){results(letters_of(names))}"
        self.emit(line + " {")
        self.emit(f"%{counter} = arith.index_cast {index} : index to i64")
        self.print_body(body, "scf.yield")
        self.emit("}")

    def print_while(self, names, before, initial, after, body):
        types = types_of(letters_of(names))
        pairs = ", ".join(f"%{b} = %{i}" for b, i in zip(before, initial))
        self.emit(f"{percent(names)} = scf.while ({pairs}) : ({types}) -> "
                  f"({types}) {{")
        zero, more = self.fresh(), self.fresh()
        self.emit(f"{zero} = arith.constant 0 : i64")
        self.emit(f"{more} = arith.cmpi sgt, %{before[0]}, {zero} : i64")
        self.emit(f"scf.condition({more}) {percent(before)} : {types}")
        self.emit("} do {")
        self.emit(f"^bb0({self.parameters(after)}):")
        one, less = self.fresh(), self.fresh()
        self.emit(f"{one} = arith.constant 1 : i64")
        self.emit(f"{less} = arith.subi %{after[0]}, {one} : i64")
        self.print_all(body[0])
        self.emit(f"scf.yield {', '.join([less] + ['%' + n for n in body[1]])}"
                  f" : {types}")
        self.emit("}")

    def print_group(self, name, members, ask):
        size = self.fresh()
        self.emit(f"{size} = arith.constant {len(members)} : index")
        self.emit(f"%{name} = async.create_group {size} : !async.group")
        for member in members:
            self.emit(f"{self.fresh()} = async.add_to_group %{member}, %{name}"
                      f" : {TYPES[member[0]]}")
        if ask:
            self.print_ask(ask, name)
        else:
            self.emit(f"async.await_all %{name}")

    def print_assert(self, condition):
        self.emit(f'cf.assert %{condition}, "of a random program"')

    def print_call(self, names, function, arguments):
        kind = next(f[1] for f in self.functions if f[0] == function)
        word = "func.call" if kind == "plain" else "async.call"
        self.emit(f"{self.define(names)}{word} @{function}"
                  f"({percent(arguments)}) : ({types_of(letters_of(arguments))})"
                  f" -> ({types_of(letters_of(names))})")

    def add_to_checksum(self, name):
        factor, product, value = self.fresh(), self.fresh(), f"%{name}"
        if name[0] == "b":
            value = self.fresh()
            self.emit(f"{value} = arith.extui %{name} : i1 to i64")
        self.emit(f"{factor} = arith.constant 31 : i64")
        self.emit(f"{product} = arith.muli {self.checksum}, {factor} : i64")
        self.checksum = self.fresh()
        self.emit(f"{self.checksum} = arith.addi {product}, {value} : i64")

    def print_print(self, name):
        if self.checksum:
            self.add_to_checksum(name)
            return
        self.emit(f"vector.print %{name} : {TYPES[name[0]]}")


# -----------------------------------------------------------------------------
# Running programs
# -----------------------------------------------------------------------------


def checksum(output):
    """What the function of that name gives for a program with this output."""
    total = 0
    for line in output:
        total = signed(total * 31 + int(line))
    return total


def signed(number):
    number &= MASK
    return number - (1 << 64) if number >> 63 else number


class Run:
    """What a program does: its output, and the errors that it had."""

    def __init__(self, program):
        self.functions = {f[0]: f for f in program.functions}
        self.output, self.errors = [], []
        self.run_all(program.main, {})
        self.succeeds = all(error.observed for error in self.errors)

    def run_all(self, statements, names):
        for statement in statements:
            getattr(self, "run_" + statement[0])(names, *statement[1:])

    def run_body(self, body, names):
        """What the body yields. It does not see names made in it before."""
        inner = dict(names)
        self.run_all(body[0], inner)
        return [inner[name] for name in body[1]]

    def run_region(self, body, letters):
        """A token and values: what `body` returns, or in error."""
        try:
            return [Object()] + [Object(payload=p) for p in body()]
        except Failed as failure:
            return [Object(failure.args[0]) for _ in letters]

    def run_constant(self, names, name, value):
        names[name] = value

    def run_compare(self, names, name, a, b):
        names[name] = int(names[a] <= names[b])

    def run_arith(self, names, name, operation, a, b):
        a, b = names[a], names[b]
        names[name] = signed({"addi": a + b, "subi": a - b, "muli": a * b,
                              "xori": a ^ b}[operation])

    def run_broadcast(self, names, name, operand):
        names[name] = names[operand]

    def run_add_vectors(self, names, name, a, b):
        names[name] = signed(names[a] + names[b])

    def run_reduce(self, names, name, operand):
        names[name] = signed(32 * names[operand])

    def run_box(self, names, name, operand, rank):
        names[name] = (names[operand], rank)

    def run_read(self, names, name, operand):
        number, rank = names[operand]
        names[name] = signed(number + 1000000 * rank + 2000 * rank)

    def run_fill(self, names, name, operand, way):
        names[name] = names[operand]

    def run_load(self, names, name, operand):
        names[name] = names[operand]

    def run_own(self, names, made, way, kind, around, filled, condition,
                spawned, waits, count, bodies):
        both = [[names[number]] for number in filled]
        for number, by in enumerate(spawned):
            buffer = both[number % 2]
            buffer[0] = signed(buffer[0] * by)
        first, second = both
        chosen = first
        if way == "select":
            chosen = first if names[condition] else second
            first[0], = self.run_body(bodies[0], names)
        elif way in ("if", "switch", "blocks"):
            chosen = first if names[condition] else second
            body = bodies[0 if names[condition] else 1]
            first[0], = self.run_body(body, names)
        elif way == "realloc":
            first[0], = self.run_body(bodies[0], names)
        elif way in ("for", "while"):
            p, q = both
            for _ in range(count):
                number, = self.run_body(bodies[0], names)
                q[0] = signed(p[0] + q[0] + number)
                p, q = q, p
            chosen = p
        names[made[3]] = chosen[0]

    def run_scribble(self, names, name, operand):
        names[name] = signed(99 * names[operand])

    def run_flock(self, names, count, function, arguments, made):
        for _ in range(count):
            inner = dict(names)
            self.run_call(inner, made, function, arguments)
            for name in made:
                if name[0] in "tvnxuq":
                    self.payload(inner[name])

    def payload(self, target):
        if target.error:
            raise Failed(target.error)
        return target.payload

    def run_execute(self, names, made, dependencies, bound, body):
        def run():
            inner = dict(names)
            for name in dependencies:
                self.payload(names[name])
            for old, new in bound:
                inner[new] = self.payload(names[old])
            return self.run_body(body, inner)
        names.update(zip(made, self.run_region(run, made)))

    def run_await(self, names, made, operand):
        payload = self.payload(names[operand])
        if made:
            names[made[0]] = payload

    def run_ask(self, names, name, operand):
        error = names[operand].error
        if error:
            error.observed = True
        names[name] = int(error is not None)

    def run_select(self, names, name, condition, a, b):
        names[name] = names[a if names[condition] else b]

    def run_if(self, names, made, condition, bodies):
        body = bodies[0 if names[condition] else 1]
        names.update(zip(made, self.run_body(body, names)))

    def run_switch(self, names, made, operand, bodies):
        body = bodies[{0: 0, 2: 1}.get(names[operand], 2)]
        names.update(zip(made, self.run_body(body, names)))

    def run_for(self, names, made, count, counter, carried, initial, body):
        values = [names[name] for name in initial]
        for i in range(count):
            inner = dict(names)
            inner.update(zip(carried, values))
            inner[counter] = i
            values = self.run_body(body, inner)
        names.update(zip(made, values))

    def run_while(self, names, made, before, initial, after, body):
        values = [names[name] for name in initial]
        while values[0] > 0:
            inner = dict(names)
            inner.update(zip(after, values))
            values = [values[0] - 1] + self.run_body(body, inner)
        names.update(zip(made, values))

    def run_group(self, names, name, members, ask):
        # Of several errors the first is the group's, and stands for all.
        errors = [names[m].error for m in members if names[m].error]
        for error in errors[1:]:
            if error is not errors[0]:
                error.observed = True
        group = Object(errors[0] if errors else None)
        if ask:
            names[name] = group
            self.run_ask(names, ask, name)
            for error in errors:
                error.observed = True
        else:
            self.payload(group)

    def run_assert(self, names, condition):
        if not names[condition]:
            error = Error()
            self.errors.append(error)
            raise Failed(error)

    def run_call(self, names, made, function, arguments):
        _, kind, parameters, letters, body = self.functions[function]
        inner = dict(zip(parameters, [names[name] for name in arguments]))

        def run():
            if kind == "recursive":
                return self.run_recursive(function, parameters, inner, body)
            if kind != "blocks":
                return self.run_body(body, inner)
            first, count, counter, carried, turn, _ = body
            # The blocks behind see what the first has made.
            self.run_all(first[0], inner)
            values = [inner[name] for name in first[1]]
            for i in range(count, 0, -1):
                inner.update(zip(carried, values))
                inner[counter] = i
                values = self.run_body(turn, inner)
            return values
        done = run() if kind == "plain" else self.run_region(run, letters)
        names.update(zip(made, done))

    def run_recursive(self, function, parameters, names, body):
        most, leaf, one, other, inner = body
        top = min(names[parameters[0]], most)
        if top <= 0:
            return self.run_body(leaf, names)
        errors = []
        for result in (one, other):
            called = {parameters[0]: top - 1,
                      parameters[1]: names[parameters[1]]}
            try:
                names[result], = self.run_recursive(function, parameters,
                                                    called, body)
            except Failed as failure:
                errors.append(failure)
        if errors:
            raise errors[0]
        return self.run_body(inner, names)

    def run_print(self, names, name):
        self.output.append(f"{names[name]}\n")
