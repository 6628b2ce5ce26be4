# Random kernels of one kind each, over all types.
#
# Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What types and shapes decide: workgroup buffers of odd sizes that vectors reach
into, parameters of packed vectors and integers of any width, what gpu.printf makes
of its arguments, shuffles of narrow width, transfers of vectors that permute and
repeat, constants of the host, and divisions.

A case writes 64-bit words to a buffer, some for each thread. Values are bits as an
integer everywhere here; those of floats are finite."""

import struct

import arithmetic

INTEGERS = ["i1", "i5", "i8", "i13", "i16", "i24", "i32", "i33", "i48", "i64"]
FLOATS = ["f16", "bf16", "f32", "f64"]
# What an element takes in memory is what it takes in a vector.
WHOLE = ["i8", "i16", "i32", "i64", *FLOATS]
SPACE = "#gpu.address_space<workgroup>"
MASK = (1 << 64) - 1


def width(type):
    return {"f16": 16, "bf16": 16, "f32": 32, "f64": 64}.get(type) or int(type[1:])


def finite(type, bits):
    """Without the top bit of the exponent, for floats."""
    bits &= (1 << width(type)) - 1
    return bits & ~(1 << width(type) - 2) if type in FLOATS else bits


def literal(type, bits):
    if type in FLOATS:
        return f"0x{bits:0{width(type) // 4}X}"
    if type == "i1":
        return "true" if bits else "false"
    return str(arithmetic.signed(bits, width(type)))


def number(type, bits):
    """As Python's float."""
    if type == "bf16":
        type, bits = "f32", bits << 16
    code = {"f16": ("<H", "<e"), "f32": ("<I", "<f"), "f64": ("<Q", "<d")}[type]
    return struct.unpack(code[1], struct.pack(code[0], bits))[0]


class Case:
    """Text of a kernel `name` and of its launch, and what it writes and prints."""

    def __init__(self, rng, name):
        self.rng, self.name = rng, name
        self.lines, self.count = [], 0
        self.threads = rng.choice([1, 2, 7, 31, 32, 33, 64])
        self.attributions, self.parameters, self.globals = [], [], ""
        self.captures = False  # Its body stands in the host's function.
        self.words = []  # For each slot: the word of each thread.
        self.printed = []

    # Text.

    def put(self, line):
        self.lines.append("      " + line)

    def value(self, text):
        self.count += 1
        self.put(f"%v{self.count} = {text}")
        return f"%v{self.count}"

    def constant(self, value, type="index"):
        return self.value(f"arith.constant {value} : {type}")

    # Values that depend on a number of type index, and the same here.

    def salt(self):
        return self.rng.getrandbits(64) | 1, self.rng.getrandbits(64)

    @staticmethod
    def mixed(salt, type, x):
        x = x * salt[0] + salt[1] & MASK
        return finite(type, x >> 64 - width(type))

    def mix(self, salt, type, x):
        factor, term = (self.constant(arithmetic.signed(s, 64), "i64") for s in salt)
        x = self.value(f"arith.index_cast {x} : index to i64")
        x = self.value(f"arith.muli {x}, {factor} : i64")
        x = self.value(f"arith.addi {x}, {term} : i64")
        bits = width(type)
        if bits == 64:
            narrow = x
        else:
            x = self.value(f"arith.shrui {x}, {self.constant(64 - bits, 'i64')} : i64")
            narrow = self.value(f"arith.trunci {x} : i64 to i{bits}")
        if type not in FLOATS:
            return narrow
        mask = self.constant(arithmetic.signed((1 << bits) - 1 & ~(1 << bits - 2), bits),
                             f"i{bits}")
        narrow = self.value(f"arith.andi {narrow}, {mask} : i{bits}")
        return self.value(f"arith.bitcast {narrow} : i{bits} to {type}")

    def write(self, value, type, words):
        """One more word for each thread."""
        bits = width(type)
        if type in FLOATS:
            value = self.value(f"arith.bitcast {value} : {type} to i{bits}")
        if bits < 64:
            value = self.value(f"arith.extui {value} : i{bits} to i64")
        slot = self.constant(len(self.words))
        self.put(f"memref.store {value}, %out[%t, {slot}] : memref<?x?xi64>")
        self.words.append(words)

    def write_vector(self, vector, type, sizes, words):
        """`words`: of a place, the word of each thread."""
        places = [()]
        for size in sizes:
            places = [(*p, i) for p in places for i in range(size)]
        shape = "x".join(map(str, [*sizes, type]))
        for place in places:
            at = ", ".join(map(str, place))
            value = self.value(f"vector.extract {vector}[{at}] : {type} from vector<{shape}>")
            self.write(value, type, words(place))

    # The whole.

    def kernel(self):
        if self.captures:
            return ""
        arguments = ", ".join(["%out: memref<?x?xi64>", *(
            f"%p{i}: {type}" for i, (type, _) in enumerate(self.parameters))])
        shared = ", ".join(f"%w{i}: {type}" for i, type in enumerate(self.attributions))
        shared = f"workgroup({shared}) " if shared else ""
        return (f"{self.globals}    gpu.func @{self.name}({arguments}) {shared}kernel {{\n"
                "      %t = gpu.thread_id x\n" + "\n".join(self.lines) +
                "\n      gpu.return\n    }\n")

    def launch(self):
        name = self.name
        text = "".join(f"    %{name}_p{i} = {made}\n"
                       for i, (_, made) in enumerate(self.parameters))
        arguments = ", ".join(["%{0}_out : memref<?x?xi64>".format(name), *(
            f"%{name}_p{i} : {type}" for i, (type, _) in enumerate(self.parameters))])
        run = f"""    gpu.launch_func @kernels::@{name} blocks in (%c1, %c1, %c1)
        threads in (%{name}_n, %c1, %c1) args({arguments})
"""
        if self.captures:
            body = "\n".join(self.lines).replace("%out", f"%{name}_out")
            run = f"""    gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
        threads(%t, %ty, %tz) in (%sx = %{name}_n, %sy = %c1, %sz = %c1) {{
{body}
      gpu.terminator
    }}
"""
        return text + f"""    %{name}_n = arith.constant {self.threads} : index
    %{name}_m = arith.constant {len(self.words)} : index
    %{name}_out = gpu.alloc host_shared (%{name}_n, %{name}_m) : memref<?x?xi64>
{run}    func.call @print_words(%{name}_out) : (memref<?x?xi64>) -> ()
    gpu.dealloc %{name}_out : memref<?x?xi64>
"""

    def expected(self):
        total = 0
        for thread in range(self.threads):
            for words in self.words:
                total = total * 31 + words[thread] & MASK
        return [*self.printed, str(arithmetic.signed(total, 64))]

    # Parts of several kinds.

    def workgroup_buffer(self, type, *sizes):
        """One that is filled: its name, its type, its elements."""
        memory = f"memref<{'x'.join(map(str, [*sizes, type]))}, {SPACE}>"
        if self.rng.random() < 0.4:
            buffer = self.value(f"memref.alloc() : {memory}")
        else:
            buffer = f"%w{len(self.attributions)}"
            self.attributions.append(memory)
        total = 1
        for size in sizes:
            total *= size
        salt = self.salt()
        start, stop = self.constant(0), self.constant(total)
        self.count += 1
        i = f"%i{self.count}"
        step = self.constant(self.threads)
        first = self.value(f"arith.addi %t, {start} : index")
        self.put(f"scf.for {i} = {first} to {stop} step {step} {{")
        value = self.mix(salt, type, i)
        place, rest = [], i
        for size in reversed(sizes):
            extent = self.constant(size)
            place.insert(0, self.value(f"arith.remui {rest}, {extent} : index"))
            rest = self.value(f"arith.divui {rest}, {extent} : index")
        self.put(f"memref.store {value}, {buffer}[{', '.join(place)}] : {memory}")
        self.put("}")
        return buffer, memory, [self.mixed(salt, type, e) for e in range(total)]

    def place(self, limit):
        """An index below `limit`, by the thread; and the same here."""
        factor, term = self.rng.randrange(1, 9), self.rng.randrange(9)
        x = self.value(f"arith.muli %t, {self.constant(factor)} : index")
        x = self.value(f"arith.addi {x}, {self.constant(term)} : index")
        x = self.value(f"arith.remui {x}, {self.constant(limit)} : index")
        return x, [(t * factor + term) % limit for t in range(self.threads)]


def make_buffers(case):
    """Vectors reach into buffers of odd sizes at any place."""
    rng, made = case.rng, []
    for _ in range(rng.randrange(1, 4)):
        type, size = rng.choice(WHOLE), rng.randrange(1, 70)
        count = rng.choice([c for c in (1, 2, 3, 4, 5, 7, 8, 16) if c <= size])
        made.append((type, size, count, *case.workgroup_buffer(type, size)))
    case.put("gpu.barrier")
    for type, size, count, buffer, memory, elements in made:
        if rng.random() < 0.6:
            vector, salt = f"vector<{count}x{type}>", case.salt()
            stored = min(size // count, case.threads)
            limit = case.constant(stored)
            c = case.value(f"arith.cmpi ult, %t, {limit} : index")
            case.put(f"scf.if {c} {{")
            at = case.value(f"arith.muli %t, {case.constant(count)} : index")
            parts = [case.mix(salt, type, case.value(
                f"arith.addi {at}, {case.constant(i)} : index")) for i in range(count)]
            value = case.value(f"vector.from_elements {', '.join(parts)} : {vector}")
            case.put(f"vector.store {value}, {buffer}[{at}] : {memory}, {vector}")
            case.put("}")
            for e in range(stored * count):
                elements[e] = case.mixed(salt, type, e)
    case.put("gpu.barrier")
    for type, size, count, buffer, memory, elements in made:
        at, places = case.place(size - count + 1)
        value = case.value(f"vector.load {buffer}[{at}] : {memory}, vector<{count}x{type}>")
        case.write_vector(value, type, [count],
                          lambda p, e=elements, places=places: [e[x + p[0]] for x in places])


def make_parameters(case):
    """Integers of any width, vectors of them and of bits."""
    rng = case.rng
    for n in range(rng.randrange(1, 8)):
        type = rng.choice([*INTEGERS, *INTEGERS, *FLOATS, "i1"])
        count = rng.choice([0, 0, 1, 2, 3, 4, 5, 8, 9, 16, 17])
        bits = [finite(type, rng.getrandbits(64)) for _ in range(count or 1)]
        if not count:
            case.parameters.append((type, f"arith.constant {literal(type, bits[0])}" +
                                    ("" if type == "i1" else f" : {type}")))
            case.write(f"%p{n}", type, bits * case.threads)
            continue
        vector = f"vector<{count}x{type}>"
        listed = ", ".join(literal(type, b) for b in bits)
        case.parameters.append((vector, f"arith.constant dense<[{listed}]> : {vector}"))
        case.write_vector(f"%p{n}", type, [count],
                          lambda p, bits=bits: [bits[p[0]]] * case.threads)


def make_prints(case):
    """One thread prints numbers of all types."""
    rng, case.threads = case.rng, 1
    case.write(case.constant(7, "i64"), "i64", [7])
    for _ in range(rng.randrange(1, 4)):
        formats, names, types, text = [], [], [], []
        for _ in range(rng.randrange(1, 9)):
            type = rng.choice([*INTEGERS, *FLOATS])
            bits = finite(type, rng.getrandbits(64))
            name = f"%p{len(case.parameters)}"
            case.parameters.append((type, f"arith.constant {literal(type, bits)}" +
                                    ("" if type == "i1" else f" : {type}")))
            if type in FLOATS:
                form = rng.choice(["%f", "%e", "%g", "%.3f", "%12.4e", "%-9.2g", "%+.1f"])
                shown = form % number(type, bits)
            else:
                form = rng.choice(["%d", "%i", "%u", "%x", "%lld", "%llu", "%llx", "%ld",
                                   "%7d", "%-7d", "%07d", "%+d", "%#x", "%X", "%o"])
                # C has no prefix before a zero.
                plain = form.replace("l", "").replace("" if bits else "#", "")
                # An i1 is no number with a sign.
                is_signed = plain[-1] in "di" and type != "i1"
                shown = plain % (arithmetic.signed(bits, width(type)) if is_signed else bits)
            formats.append(form)
            names.append(name)
            types.append(type)
            text.append(shown)
        case.put(f'gpu.printf "{case.name} {"|".join(formats)}|\\0A", '
                 f'{", ".join(names)} : {", ".join(types)}')
        case.printed.append(f"{case.name} {'|'.join(text)}|")


def make_shuffles(case):
    """The first lanes read each other, in any mode; the others keep their own."""
    rng, case.threads = case.rng, case.rng.choice([32, 64])
    for _ in range(rng.randrange(1, 5)):
        type = rng.choice(["i8", "i16", "i32", "i64", *FLOATS])
        lanes, mode = rng.choice([1, 2, 4, 8, 16, 32]), rng.choice(["xor", "up", "down", "idx"])
        offset, salt = rng.randrange(lanes), case.salt()
        count = rng.choice([0, 0, 2, 3])
        own = case.mix(salt, type, "%t")
        values = [case.mixed(salt, type, t) for t in range(case.threads)]
        shape = f"vector<{count}x{type}>" if count else type
        whole = case.value(f"vector.broadcast {own} : {type} to {shape}") if count else own
        case.count += 1
        n, o, w = case.count, case.constant(offset, "i32"), case.constant(lanes, "i32")
        case.put(f"%s{n}, %ok{n} = gpu.shuffle {mode} {whole}, {o}, {w} : {shape}")
        read = (case.value(f"vector.extract %s{n}[{count - 1}] : {type} from {shape}")
                if count else f"%s{n}")
        words, valid = [], []
        for t in range(case.threads):
            lane = t % 32
            source = {"xor": lane ^ offset, "up": lane - offset, "down": lane + offset,
                      "idx": offset}[mode]
            valid.append(int(lane < lanes and 0 <= source < lanes))
            words.append(values[t - lane + source] if valid[t] else values[t])
        case.write(case.value(f"arith.select %ok{n}, {read}, {own} : {type}"), type, words)
        case.write(f"%ok{n}", "i1", valid)


def make_transfers(case):
    """Reads of rectangles that are turned, repeated, or in part outside."""
    rng, made = case.rng, []
    for _ in range(rng.randrange(1, 3)):
        type, rows, columns = rng.choice(WHOLE), rng.randrange(2, 8), rng.randrange(2, 8)
        made.append((type, rows, columns, *case.workgroup_buffer(type, rows, columns)))
    case.put("gpu.barrier")
    for type, rows, columns, buffer, memory, elements in made:
        # For each dimension of the vector the one of memory, or None.
        order = rng.choice([(0, 1), (1, 0), (None, 1), (0, None), (1, None), (None, 0)])
        inside = [m is None or rng.random() < 0.6 for m in order]
        extents = (rows, columns)
        sizes = [rng.randrange(1, 4 if m is None or not inside[i] else
                               min(extents[m], 4) + 1) for i, m in enumerate(order)]
        limits = [rows, columns]
        for i, m in enumerate(order):
            if m is not None and inside[i]:
                limits[m] -= sizes[i] - 1
        (i, row), (j, column) = case.place(limits[0]), case.place(limits[1])
        salt = case.salt()
        padding = case.mix(salt, type, case.constant(5))
        results = ", ".join("0" if m is None else f"d{m}" for m in order)
        shape = f"vector<{sizes[0]}x{sizes[1]}x{type}>"
        value = case.value(
            f"vector.transfer_read {buffer}[{i}, {j}], {padding} {{in_bounds = "
            f"[{', '.join(str(b).lower() for b in inside)}], permutation_map = "
            f"affine_map<(d0, d1) -> ({results})>}} : {memory}, {shape}")

        def words(place):
            result = []
            for t in range(case.threads):
                at = [row[t], column[t]]
                for p, m in zip(place, order):
                    if m is not None:
                        at[m] += p
                good = at[0] < rows and at[1] < columns
                result.append(elements[at[0] * columns + at[1]] if good
                              else case.mixed(salt, type, 5))
            return result
        case.write_vector(value, type, sizes, words)


def make_constants(case):
    """Tables beside the kernel, or of the host."""
    rng = case.rng
    case.captures = rng.random() < 0.6
    for n in range(rng.randrange(1, 4)):
        type, size = rng.choice(WHOLE), rng.randrange(2, 40)
        count = rng.choice([c for c in (1, 2, 3, 4, 8) if c <= size])
        elements = [finite(type, rng.getrandbits(64)) for _ in range(size)]
        memory, name = f"memref<{size}x{type}>", f"{case.name}_g{n}"
        listed = ", ".join(literal(type, e) for e in elements)
        case.globals += (f'  memref.global "private" constant @{name} : {memory} = '
                         f"dense<[{listed}]>\n")
        case.put(f"%table{n} = memref.get_global @{name} : {memory}")
        at, places = case.place(size - count + 1)
        value = case.value(f"vector.load %table{n}[{at}] : {memory}, vector<{count}x{type}>")
        case.write_vector(value, type, [count],
                          lambda p, e=elements, places=places: [e[x + p[0]] for x in places])


def quotient(a, b, how):
    if how == "floor":
        return a // b
    if how == "ceil":
        return -(-a // b)
    return abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


def make_divisions(case):
    """Of integers of all widths, and arithmetic of narrow floats."""
    rng = case.rng
    for _ in range(rng.randrange(1, 7)):
        salts = case.salt(), case.salt()
        if rng.random() < 0.4:
            type = rng.choice(["f16", "bf16"])
            op, compute = rng.choice([("addf", arithmetic.add), ("mulf", arithmetic.multiply),
                                      ("divf", arithmetic.divide)])
            a, b = (case.mix(s, type, "%t") for s in salts)
            pairs = [[case.mixed(s, type, t) for s in salts] for t in range(case.threads)]
            words = [compute(type, *pair) for pair in pairs]
            if any(arithmetic.is_nan(type, x) for x in words):
                continue
            case.write(case.value(f"arith.{op} {a}, {b} : {type}"), type, words)
            continue
        type, signed = rng.choice(INTEGERS[1:]), rng.random() < 0.6
        bits = width(type)
        op, how = rng.choice([("divsi", ""), ("remsi", "rem"), ("floordivsi", "floor"),
                              ("ceildivsi", "ceil")] if signed else
                             [("divui", ""), ("remui", "rem"), ("ceildivui", "ceil")])
        a, b = (case.mix(s, type, "%t") for s in salts)
        one = case.constant(1, type)
        b = case.value(f"arith.ori {b}, {one} : {type}")
        if signed:  # not the least by -1
            a = case.value(f"arith.shrsi {a}, {one} : {type}")
        words = []
        for t in range(case.threads):
            x, y = case.mixed(salts[0], type, t), case.mixed(salts[1], type, t) | 1
            if signed:
                x, y = arithmetic.signed(x, bits) >> 1, arithmetic.signed(y, bits)
            result = x - y * quotient(x, y, "") if how == "rem" else quotient(x, y, how)
            words.append(result & (1 << bits) - 1)
        case.write(case.value(f"arith.{op} {a}, {b} : {type}"), type, words)
    if not case.words:
        case.write(case.constant(7, "i64"), "i64", [7] * case.threads)


KINDS = [make_buffers, make_parameters, make_prints, make_shuffles, make_transfers,
         make_constants, make_divisions]

PRINT_WORDS = """  func.func @print_words(%x: memref<?x?xi64>) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %zero = arith.constant 0 : i64
    %factor = arith.constant 31 : i64
    %n = memref.dim %x, %c0 : memref<?x?xi64>
    %m = memref.dim %x, %c1 : memref<?x?xi64>
    %sum = scf.for %i = %c0 to %n step %c1 iter_args(%r = %zero) -> i64 {
      %row = scf.for %j = %c0 to %m step %c1 iter_args(%s = %r) -> i64 {
        %v = memref.load %x[%i, %j] : memref<?x?xi64>
        %p = arith.muli %s, %factor : i64
        %q = arith.addi %p, %v : i64
        scf.yield %q : i64
      }
      scf.yield %row : i64
    }
    vector.print %sum : i64
    return
  }
"""


def make_program(rng):
    """One case of each kind: a program, and the lines that it prints. A kernel
    prints before the words that it wrote."""
    cases = []
    for kind in KINDS:
        case = Case(rng, kind.__name__.replace("make_", ""))
        kind(case)
        cases.append(case)
    text = ("module attributes {gpu.container_module} {\n" +
            "".join(c.globals for c in cases if c.captures) + "  gpu.module @kernels {\n" +
            "".join(c.kernel() for c in cases) + "  }\n" + PRINT_WORDS +
            "  func.func @main() {\n    %c1 = arith.constant 1 : index\n" +
            "".join(c.launch() for c in cases) + "    return\n  }\n}\n")
    return text, "".join(f"{line}\n" for c in cases for line in c.expected())
