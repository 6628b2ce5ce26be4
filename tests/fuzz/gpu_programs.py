"""Random programs that move data between buffers of host and device.

Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
See LICENSE for license information.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

Copies and fills of parts of buffers (with offsets and strides), kernels and host
loops on them, by themselves or in regions that depend on the last ones that used
the same buffers. Each is written as MLIR and done here at once, on lists. One
program in eight ends by a kernel that is given a buffer of the host, which a
device cannot reach: that has to end it by an error. Those of racing_program end
by a copy that the host does not await before it touches, or frees, what the copy
uses.
"""

import random

SIZE = 24
MASK = (1 << 64) - 1

HEAD = """
func.func private @scale(%m: memref<24xi64>, %a: i64, %b: i64) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c24 = arith.constant 24 : index
  scf.for %i = %c0 to %c24 step %c1 {
    %x = memref.load %m[%i] : memref<24xi64>
    %y = arith.muli %x, %a : i64
    %j = arith.index_cast %i : index to i64
    %z = arith.addi %y, %j : i64
    %w = arith.addi %z, %b : i64
    memref.store %w, %m[%i] : memref<24xi64>
  }
  return
}

func.func private @yes() -> i1 {
  %yes = arith.constant true
  return %yes : i1
}

func.func private @clear(%m: memref<24xi64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c24 = arith.constant 24 : index
  %zero = arith.constant 0 : i64
  scf.for %i = %c0 to %c24 step %c1 {
    memref.store %zero, %m[%i] : memref<24xi64>
  }
  return
}

func.func private @print(%m: memref<24xi64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c24 = arith.constant 24 : index
  %zero = arith.constant 0 : i64
  %factor = arith.constant 31 : i64
  %s = scf.for %i = %c0 to %c24 step %c1 iter_args(%t = %zero) -> i64 {
    %x = memref.load %m[%i] : memref<24xi64>
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
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : index
"""


def signed(value):
    value &= MASK
    return value - (1 << 64) if value >> 63 else value


class Generator:
    """Makes one program: text, output, and whether it succeeds."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.refused = seed % 8 == 7
        self.names = 0
        self.refusals = []  # errors of the compiler that are right
        self.lines = []
        self.contents = {}  # name of a buffer -> its elements
        self.tokens = {}    # and of the token of the last region that used it
        self.on_device = set()

    def name(self, letter):
        self.names += 1
        return f"%{letter}{self.names}"

    def put(self, line):
        self.lines.append("  " + line)

    def constant(self, value):
        name = self.name("k")
        self.put(f"{name} = arith.constant {value} : i64")
        return name

    def index(self, value):
        """A size that the compiler sees, or one that it does not."""
        if self.random.random() < 0.5:
            return str(value), True
        name = self.name("n")
        self.put(f"{name} = arith.constant {value} : index")
        return name, False

    def view(self, buffer, count):
        """Part of a buffer: its name, its type, its places."""
        if count == SIZE and self.random.random() < 0.5:
            return buffer, f"memref<{SIZE}xi64>", range(SIZE)
        stride = self.random.choice([1, 1, 2, 3])
        while stride * (count - 1) >= SIZE:
            stride -= 1
        offset = self.random.randrange(SIZE - stride * (count - 1))
        places = range(offset, offset + stride * count, stride)
        name = self.name("s")
        at, at_known = self.index(offset)
        # Shapes of both sides of a copy are the same type.
        layout = f"strided<[{stride}], offset: {offset if at_known else '?'}>"
        kind = f"memref<{count}xi64, {layout}>"
        self.put(f"{name} = memref.subview {buffer}[{at}] [{count}] [{stride}]"
                 f" : memref<{SIZE}xi64> to {kind}")
        return name, kind, places

    def add_copy(self, buffers):
        target, source = buffers
        count = self.random.randint(1, SIZE)
        to, to_kind, to_places = self.view(target, count)
        of, of_kind, of_places = self.view(source, count)
        self.put(f"gpu.memcpy {to}, {of} : {to_kind}, {of_kind}")
        new = [self.contents[source][place] for place in of_places]
        for place, value in zip(to_places, new):
            self.contents[target][place] = value

    def add_fill(self, buffers):
        value = self.random.choice([0, -1, 5, 1 << 40, -(1 << 33)])
        name = self.constant(value)
        target, kind, places = self.view(buffers[0],
                                         self.random.randint(1, SIZE))
        self.put(f"gpu.memset {target}, {name} : {kind}, i64")
        for place in places:
            self.contents[buffers[0]][place] = value

    def add_kernel(self, buffers):
        """to[8 i + j] gets what of[same] and a number make of it."""
        target, source = buffers
        number = self.random.randint(-9, 9)
        if number == 0 and self.refused:
            number = 1  # what is multiplied by 0 is not loaded, so there is no error
        name = self.constant(number)
        blocks = self.random.randint(1, SIZE // 4)
        count = self.name("n")
        self.put(f"{count} = arith.constant {blocks} : index")
        self.put(f"gpu.launch blocks(%a, %b, %c) in (%g = {count}, %h = %c1, "
                 f"%i = %c1) threads(%x, %y, %z) in (%u = %c4, %v = %c1, "
                 f"%w = %c1) {{")
        own = ()
        loaded = "%r"
        if self.random.random() < 0.4:
            # By way of memory that the thread has for itself, in a loop.
            loaded = "%r0"
            through = ("  %m = memref.alloca() : memref<2xi64>",
                       "  memref.store %o, %m[%l] : memref<2xi64>",
                       "  %n = memref.load %m[%l] : memref<2xi64>")
            if self.random.random() < 0.5:
                own = ("%r = scf.for %l = %zero to %c2 step %c1 iter_args(%o = %r0) "
                       "-> (i64) {",
                       *through,
                       "  scf.yield %n : i64",
                       "}")
            else:
                own = ("%r, %end = scf.while (%o = %r0, %l = %zero) : (i64, index) "
                       "-> (i64, index) {",
                       *through,
                       "  %goes = arith.cmpi slt, %l, %c1 : index",
                       "  scf.condition(%goes) %n, %l : i64, index",
                       "} do {",
                       "^body(%kept: i64, %turn: index):",
                       "  %own = memref.alloca() : memref<1xi64>",
                       "  memref.store %kept, %own[%zero] : memref<1xi64>",
                       "  %again = memref.load %own[%zero] : memref<1xi64>",
                       "  %next = arith.addi %turn, %c1 : index",
                       "  scf.yield %again, %next : i64, index",
                       "}")
        for line in ("%p = arith.muli %a, %c4 : index",
                     "%q = arith.addi %p, %x : index",
                     f"{loaded} = memref.load {source}[%q] : memref<{SIZE}xi64>",
                     *own,
                     f"%s = memref.load {target}[%q] : memref<{SIZE}xi64>",
                     f"%t = arith.muli %r, {name} : i64",
                     "%v1 = arith.addi %s, %t : i64",
                     f"memref.store %v1, {target}[%q] : memref<{SIZE}xi64>",
                     "gpu.terminator"):
            self.put("  " + line)
        self.put("}")
        for i in range(4 * blocks):
            self.contents[target][i] = signed(
                self.contents[target][i] + self.contents[source][i] * number)

    def add_loop(self, buffers):
        a, b = self.random.randint(-3, 3), self.random.randint(-99, 99)
        names = [self.constant(a), self.constant(b)]
        self.put(f"func.call @scale({buffers[0]}, {names[0]}, {names[1]}) : "
                 f"(memref<{SIZE}xi64>, i64, i64) -> ()")
        self.contents[buffers[0]] = [
            signed(x * a + i + b)
            for i, x in enumerate(self.contents[buffers[0]])]

    def add_statement(self, buffers):
        host = [b for b in buffers if b not in self.on_device]
        device = [b for b in buffers if b in self.on_device]
        self.random.shuffle(host)
        self.random.shuffle(device)
        choice = self.random.randrange(5)
        if choice == 0 and host:
            self.add_loop(host)
        elif choice == 1 and device:
            self.add_fill(device)
        elif choice == 2 and len(device) > 1:
            self.add_kernel(device[:2])
        elif len(buffers) > 1:
            pair = self.random.sample(buffers, 2)
            if set(pair) & self.on_device:
                self.add_copy(pair)

    def add_branches(self):
        """Branches that await different regions, or one more often."""
        self.put("scf.if %yes {")
        for last in (False, True):
            for _ in range(self.random.randrange(3)):
                token = self.name("t")
                self.put(f"{token} = async.execute {{ async.yield }}")
                for _ in range(self.random.randint(1, 2)):
                    self.put(f"async.await {token} : !async.token")
            self.put("}" if last else "} else {")

    def add_scope(self, buffers):
        """Statements in an op with a region, with memory of the stack, which is
        filled in front of them and used behind them."""
        before, after = self.random.choice([
            ("memref.alloca_scope {", []),
            ("scf.execute_region {", ["scf.yield"]),
            ("scf.if %yes {", []),
            ("scf.index_switch %zero\ndefault {", ["scf.yield"]),
            ("scf.parallel (%at) = (%zero) to (%c1) step (%c1) {",
             ["scf.reduce"]),
            ("scf.forall (%at) in (1) {", []),
            ("scf.for %round = %zero to %c1 step %c1 {", []),
            ("scf.while (%now = %zero) : (index) -> index {\n"
             "  %more = arith.cmpi eq, %now, %zero : index\n"
             "  scf.condition(%more) %now : index\n"
             "  } do {\n  ^bb0(%then: index):", ["scf.yield %c1 : index"])])
        self.put(before)
        number = self.random.randint(-99, 99)
        value, memory, again = self.constant(number), *map(self.name, "mx")
        self.put(f"{memory} = memref.alloca() : memref<2xi64>")
        self.put(f"memref.store {value}, {memory}[%c1] : memref<2xi64>")
        # Each round of scf.while has another buffer, which a frame does not have:
        # the compiler refuses that where a region of its own sees it.
        is_while = before.startswith("scf.while")
        if self.random.random() < (0.1 if is_while else 0.4):
            if is_while:
                self.refusals.append("gives each round another buffer")
            token, doubled, old = self.name("t"), self.name("x"), self.name("x")
            self.put(f"{token} = async.execute {{")
            self.put(f"{old} = memref.load {memory}[%c1] : memref<2xi64>")
            self.put(f"{doubled} = arith.addi {old}, {old} : i64")
            self.put(f"memref.store {doubled}, {memory}[%c1] : memref<2xi64>")
            self.put("async.yield")
            self.put("}")
            self.put(f"async.await {token} : !async.token")
            number *= 2
        for _ in range(self.random.randint(0, 2)):
            self.add_statement(buffers)
        self.put(f"{again} = memref.load {memory}[%c1] : memref<2xi64>")
        for buffer in sorted(self.on_device & set(buffers))[:1]:
            self.put(f"gpu.memset {buffer}, {again} : memref<{SIZE}xi64>, i64")
            self.contents[buffer] = [number] * SIZE
        for line in after:
            self.put(line)
        self.put("}")

    def add_step(self):
        """Some statements: at once, in a region, or in one inside another."""
        buffers = self.random.sample(sorted(self.contents),
                                     self.random.randint(1, 3))
        count = self.random.randint(1, 4)
        behind = sorted({self.tokens[b] for b in buffers if b in self.tokens})
        if self.random.random() < 0.25:
            for token in behind:
                self.put(f"async.await {token} : !async.token")
            for _ in range(count):
                self.add_statement(buffers)
            for buffer in buffers:
                self.tokens.pop(buffer, None)
            return
        token = self.name("t")
        depends = f" [{', '.join(behind)}]" if behind else ""
        self.put(f"{token} = async.execute{depends} {{")
        nested = self.random.random() < 0.2
        if nested:
            inner = self.name("t")
            self.put(f"{inner} = async.execute {{")
            self.add_statement(buffers)
            self.put("async.yield")
            self.put("}")
            self.put(f"async.await {inner} : !async.token")
        for _ in range(count):
            choice = self.random.random()
            if choice < 0.15:
                self.add_branches()
            elif choice < 0.3:
                self.add_scope(buffers)
            else:
                self.add_statement(buffers)
        self.put("async.yield")
        self.put("}")
        for buffer in buffers:
            self.tokens[buffer] = token

    def await_all(self):
        for token in sorted(set(self.tokens.values())):
            self.put(f"async.await {token} : !async.token")
        self.tokens = {}

    def begin(self):
        """Buffers, and steps that have all been awaited."""
        self.put("%zero = arith.constant 0 : index")
        self.put("%yes = func.call @yes() : () -> i1")
        for _ in range(self.random.randint(1, 3)):
            name = self.name("h")
            self.put(f"{name} = memref.alloc() : memref<{SIZE}xi64>")
            self.put(f"call @clear({name}) : (memref<{SIZE}xi64>) -> ()")
            self.contents[name] = [0] * SIZE
        for _ in range(self.random.randint(2, 4)):
            name = self.name("d")
            self.put(f"{name} = gpu.alloc() : memref<{SIZE}xi64>")
            value = self.random.randint(-9, 9)
            self.put(f"gpu.memset {name}, {self.constant(value)} : "
                     f"memref<{SIZE}xi64>, i64")
            self.on_device.add(name)
            self.contents[name] = [value] * SIZE
        # The constant has to stand before the op that uses it.
        fixed = []
        for line in self.lines:
            if "arith.constant" in line and fixed and "gpu.memset" in fixed[-1]:
                fixed.insert(len(fixed) - 1, line)
            else:
                fixed.append(line)
        self.lines = fixed
        for _ in range(self.random.randint(4, 14)):
            self.add_step()
        self.await_all()

    def text(self):
        lines = "\n".join(self.lines)
        return f"{HEAD}{lines}\n  return\n}}\n"

    def program(self):
        self.begin()
        if self.refused:
            host = next(b for b in self.contents if b not in self.on_device)
            device = sorted(self.on_device)[0]
            self.on_device.add(host)
            self.add_kernel([device, host])
            return self.text(), "", False
        output = ""
        last = self.name("h")
        self.put(f"{last} = memref.alloc() : memref<{SIZE}xi64>")
        for name in sorted(self.contents):
            shown = name
            if name in self.on_device:
                kind = f"memref<{SIZE}xi64>"
                self.put(f"gpu.memcpy {last}, {name} : {kind}, {kind}")
                self.put(f"gpu.dealloc {name} : {kind}")
                shown = last
            self.put(f"call @print({shown}) : (memref<{SIZE}xi64>) -> ()")
            total = 0
            for x in self.contents[name]:
                total = signed(total * 31 + x)
            output += f"{total}\n"
        return self.text(), output, True

    def racing_program(self):
        """The text of one whose last copy the host does not await."""
        self.begin()
        host = self.random.choice(
            [b for b in self.contents if b not in self.on_device])
        device = self.random.choice(sorted(self.on_device))
        pair = [host, device]
        self.random.shuffle(pair)
        token = self.name("t")
        self.put(f"{token} = async.execute {{")
        if self.random.random() < 0.5:
            self.add_fill([device])
        self.add_copy(pair)
        self.put("async.yield")
        self.put("}")
        kind = f"memref<{SIZE}xi64>"
        touches = [f"memref.dealloc {host} : {kind}",
                   f"call @clear({host}) : ({kind}) -> ()"]
        if pair[0] == host:
            touches.append(f"call @print({host}) : ({kind}) -> ()")
        self.put(self.random.choice(touches))
        self.put(f"async.await {token} : !async.token")
        return self.text()
