#!/usr/bin/env python3
# Random arithmetic in kernels on the devices against exact arithmetic here.
#
# Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes kernels of straight-line arith and math ops over all integer and
floating-point types, runs them on the emulated device and, as PTX, on the driver
of tests/ptx, and compares both with what is computed here: integers as such,
floats as fractions that are rounded once. Each seed is compiled for another chip.

    tests/fuzz/arithmetic.py --runner build/bin/async-gpu-runner
        --ptx build/tests/ptx --seeds 0-99

What MLIR leaves open (the sign of a zero from minnumf, what a NaN looks like) is
left out of the comparison. The first program that differs is kept (--keep)."""

import argparse
import math
import os
import random
import re
import subprocess
import sys
import tempfile
from fractions import Fraction

THREADS = 32
INTEGERS = {"i8": 8, "i16": 16, "i32": 32, "i64": 64}
# What is converted, and not computed with.
WIDTHS = {**INTEGERS, "i1": 1, "i5": 5, "i13": 13, "i24": 24, "i33": 33, "i48": 48}
# Bits of the exponent and of the fraction.
FLOATS = {"f16": (5, 10), "bf16": (8, 7), "f32": (8, 23), "f64": (11, 52)}
# One after the other: they differ in the floats that they have instructions for.
CHIPS = ["sm_75", "sm_80", "sm_90", "sm_100"]
NAN, INFINITY, FINITE = "nan", "infinity", "finite"


def width_of(type):
    return WIDTHS.get(type) or 1 + sum(FLOATS[type])


def cut(value, bits):
    return value & (1 << bits) - 1


def signed(value, bits):
    return value - (1 << bits) if value >> bits - 1 else value


# ----------------------------------------------------------------------------
# Floats: bits, and what they stand for: (kind, is negative, fraction).
# ----------------------------------------------------------------------------


def decode(type, bits):
    exponent_bits, fraction_bits = FLOATS[type]
    negative = bool(bits >> exponent_bits + fraction_bits)
    exponent = cut(bits >> fraction_bits, exponent_bits)
    fraction = cut(bits, fraction_bits)
    bias = (1 << exponent_bits - 1) - 1
    if exponent == (1 << exponent_bits) - 1:
        return (NAN if fraction else INFINITY), negative, None
    if exponent:
        fraction |= 1 << fraction_bits
    value = Fraction(fraction) * Fraction(2) ** (max(exponent, 1) - bias - fraction_bits)
    return FINITE, negative, -value if negative else value


def infinity(type, negative):
    exponent_bits, fraction_bits = FLOATS[type]
    top = (1 << exponent_bits) - 1 << fraction_bits
    return top | negative << exponent_bits + fraction_bits


def not_a_number(type):
    return infinity(type, False) | 1 << FLOATS[type][1] - 1


def is_nan(type, bits):
    return decode(type, bits)[0] == NAN


def encode(type, value, negative_zero=False):
    """A fraction, rounded to nearest, ties to even."""
    exponent_bits, fraction_bits = FLOATS[type]
    sign = (value < 0 or (value == 0 and negative_zero)) << exponent_bits + fraction_bits
    value = abs(value)
    if value == 0:
        return sign
    bias = (1 << exponent_bits - 1) - 1
    exponent = value.numerator.bit_length() - value.denominator.bit_length()
    if Fraction(2) ** exponent > value:
        exponent -= 1
    exponent = max(exponent, 1 - bias)
    units = round(value / Fraction(2) ** (exponent - fraction_bits))
    if units == 1 << fraction_bits + 1:
        units, exponent = units >> 1, exponent + 1
    if exponent > bias:
        return infinity(type, bool(sign))
    if units < 1 << fraction_bits:
        return sign | units
    return sign | exponent + bias << fraction_bits | units - (1 << fraction_bits)


def largest(type, bound):
    """The largest number that is not above `bound`, which is not negative."""
    bits = encode(type, Fraction(bound))
    while decode(type, bits)[0] != FINITE or decode(type, bits)[2] > bound:
        bits -= 1
    return bits


def add(type, a, b):
    (ka, na, a), (kb, nb, b) = decode(type, a), decode(type, b)
    if NAN in (ka, kb) or (ka == kb == INFINITY and na != nb):
        return not_a_number(type)
    if INFINITY in (ka, kb):
        return infinity(type, na if ka == INFINITY else nb)
    return encode(type, a + b, na and nb)


def multiply(type, a, b):
    (ka, na, a), (kb, nb, b) = decode(type, a), decode(type, b)
    if NAN in (ka, kb) or (INFINITY in (ka, kb) and 0 in (a, b)):
        return not_a_number(type)
    if INFINITY in (ka, kb):
        return infinity(type, na != nb)
    return encode(type, a * b, na != nb)


def divide(type, a, b):
    (ka, na, a), (kb, nb, b) = decode(type, a), decode(type, b)
    if NAN in (ka, kb) or (ka == kb == INFINITY) or (a == b == 0):
        return not_a_number(type)
    if ka == INFINITY or b == 0:
        return infinity(type, na != nb)
    if kb == INFINITY:
        return encode(type, Fraction(0), na != nb)
    return encode(type, a / b, na != nb)


def fuse(type, a, b, c):
    (ka, na, x), (kb, nb, y), (kc, nc, z) = (decode(type, v) for v in (a, b, c))
    if FINITE == ka == kb == kc:
        product_negative = na != nb
        return encode(type, x * y + z, product_negative and nc)
    if FINITE == ka == kb:
        return c if kc == INFINITY else not_a_number(type)
    return add(type, multiply(type, a, b), c)


def square_root(type, a):
    kind, negative, value = decode(type, a)
    if kind == NAN or (negative and value != 0):
        return not_a_number(type)
    if kind == INFINITY or value == 0:
        return a
    # Enough bits that what is cut off decides no rounding but by being there.
    scale = 2 * (FLOATS[type][1] + 4) + value.denominator.bit_length()
    scale += scale % 2
    square = (value.numerator << 2 * scale) // value.denominator
    root = math.isqrt(square)
    exact = root * root == square and (value.numerator << 2 * scale) % value.denominator == 0
    return encode(type, Fraction(2 * root + (not exact), 2 << scale))


def negate(type, a):
    return a ^ 1 << width_of(type) - 1


def absolute(type, a):
    return cut(a, width_of(type) - 1)


def copy_sign(type, a, b):
    if is_nan(type, b):
        return None
    return absolute(type, a) | b & 1 << width_of(type) - 1


def to_whole(how):
    def compute(type, a):
        kind, negative, value = decode(type, a)
        return encode(type, Fraction(how(value)), negative) if kind == FINITE else a
    return compute


def half_away(value):
    return math.floor(abs(value) + Fraction(1, 2)) * (-1 if value < 0 else 1)


def order(type, bits):
    """Infinities at the ends, zeros equal."""
    kind, negative, value = decode(type, bits)
    if kind == INFINITY:
        return (-1 if negative else 1), Fraction(0)
    return 0, value


def least(is_max, takes_nan):
    def compute(type, a, b):
        if is_nan(type, a) or is_nan(type, b):
            if takes_nan:
                return not_a_number(type)
            return b if is_nan(type, a) else a
        if order(type, a) == order(type, b) and a != b:
            return None if not takes_nan else a & b if is_max else a | b
        return (max if is_max else min)(a, b, key=lambda x: order(type, x))
    return compute


def compare(predicate, type, a, b):
    if is_nan(type, a) or is_nan(type, b):
        return predicate[0] == "u"
    a, b = order(type, a), order(type, b)
    return {"eq": a == b, "gt": a > b, "ge": a >= b, "lt": a < b, "le": a <= b,
            "ne": a != b, "rd": True, "no": False}[predicate[1:]]


BINARY_FLOATS = {"addf": add, "mulf": multiply, "divf": divide,
                 "subf": lambda t, a, b: add(t, a, negate(t, b)),
                 "minimumf": least(False, True), "maximumf": least(True, True),
                 "minnumf": least(False, False), "maxnumf": least(True, False)}
UNARY_FLOATS = {"arith.negf": negate, "math.absf": absolute, "math.sqrt": square_root,
                "math.floor": to_whole(math.floor), "math.ceil": to_whole(math.ceil),
                "math.trunc": to_whole(math.trunc), "math.roundeven": to_whole(round),
                "math.round": to_whole(half_away)}

# ----------------------------------------------------------------------------
# Integers: of so many bits, without a sign.
# ----------------------------------------------------------------------------


def toward_zero(a, b):
    return abs(a) // abs(b) * (-1 if (a < 0) != (b < 0) else 1)


BINARY_INTEGERS = {
    "addi": lambda a, b, w: a + b,
    "subi": lambda a, b, w: a - b,
    "muli": lambda a, b, w: a * b,
    "andi": lambda a, b, w: a & b,
    "ori": lambda a, b, w: a | b,
    "xori": lambda a, b, w: a ^ b,
    "minui": lambda a, b, w: min(a, b),
    "maxui": lambda a, b, w: max(a, b),
    "minsi": lambda a, b, w: min(signed(a, w), signed(b, w)),
    "maxsi": lambda a, b, w: max(signed(a, w), signed(b, w)),
    "shli": lambda a, b, w: a << b,
    "shrui": lambda a, b, w: a >> b,
    "shrsi": lambda a, b, w: signed(a, w) >> b,
    "divui": lambda a, b, w: a // b,
    "remui": lambda a, b, w: a % b,
    "ceildivui": lambda a, b, w: -(-a // b),
    "divsi": lambda a, b, w: toward_zero(signed(a, w), signed(b, w)),
    "remsi": lambda a, b, w: signed(a, w) - signed(b, w) * toward_zero(signed(a, w), signed(b, w)),
    "floordivsi": lambda a, b, w: signed(a, w) // signed(b, w),
    "ceildivsi": lambda a, b, w: -(-signed(a, w) // signed(b, w)),
}
UNARY_INTEGERS = {
    "ctpop": lambda a, w: bin(a).count("1"),
    "ctlz": lambda a, w: w - a.bit_length(),
    "cttz": lambda a, w: (a & -a).bit_length() - 1 if a else w,
    "absi": lambda a, w: abs(signed(a, w)),
}


def compare_integers(predicate, a, b, bits):
    if predicate[0] == "s":
        a, b = signed(a, bits), signed(b, bits)
    return {"eq": a == b, "ne": a != b, "lt": a < b, "le": a <= b, "gt": a > b,
            "ge": a >= b}[predicate[-2:]]


# ----------------------------------------------------------------------------
# A program: the text of a kernel, and the value of each name in each thread.
# None stands for what is left open, and whatever is made of it.
# ----------------------------------------------------------------------------


class Program:
    def __init__(self, seed):
        self.rng = random.Random(seed)
        self.lines, self.count = [], 0
        self.names = {t: [] for t in [*WIDTHS, *FLOATS]}
        self.values = {}
        self.make_inputs()
        for _ in range(self.rng.randint(20, 60)):
            self.statement()
        self.make_outputs()

    def put(self, text, type, compute, *operands):
        """A value of `type`; `compute` has the operands' values in a thread."""
        self.count += 1
        name = f"%v{self.count}"
        self.lines.append(f"      {name} = {text}")
        self.note(name, type, compute, operands)
        return name

    def note(self, name, type, compute, operands):
        bits = width_of(type)
        results = []
        for thread in range(THREADS):
            given = [self.values[o][thread] for o in operands]
            result = None if None in given else compute(*given)
            results.append(None if result is None else cut(int(result), bits))
        self.values[name] = results
        self.names[type].append(name)

    def pick(self, type):
        return self.rng.choice(self.names[type][-8:])

    def constant(self, type, value):
        if type in FLOATS:
            bits = cut(value, width_of(type))
            return self.put(f"arith.constant 0x{bits:0{width_of(type) // 4}X} : {type}", type,
                            lambda: bits)
        return self.put(f"arith.constant {value} : {type}", type,
                        lambda: cut(value, width_of(type)))

    def random_constant(self, type):
        bits = width_of(type)
        edges = [0, 1, -1, 2, 7, -(1 << bits - 1), (1 << bits - 1) - 1]
        if type in FLOATS:
            numbers = [0, 1, Fraction(-3, 2), Fraction(1, 10), 3, 250, -10000,
                       Fraction(self.rng.randrange(-10**6, 10**6), 10**5)]
            value = encode(type, Fraction(self.rng.choice(numbers)))
            if self.rng.random() < 0.2:
                value = self.rng.randrange(1 << bits)
            if is_nan(type, value):
                value = not_a_number(type)
            return self.constant(type, value)
        return self.constant(type, self.rng.choice(
            [*edges, self.rng.randrange(-(1 << bits - 1), 1 << bits - 1)]))

    def make_inputs(self):
        self.lines.append("      %v0 = arith.index_cast %g : index to i32")
        self.values["%v0"] = list(range(THREADS))
        self.names["i32"].append("%v0")
        factor = self.constant("i32", -1640531527)
        self.integers("muli", "i32", "%v0", factor)
        for type in ("i8", "i16", "i64"):
            self.resize("i32", type)
        factor = self.constant("i64", 6364136223846793005)
        self.integers("muli", "i64", self.names["i64"][0], factor)
        for type in FLOATS:
            self.to_float("i16" if type in ("f16", "bf16") else "i32", type)
            self.random_constant(type)
        for type in INTEGERS:
            self.random_constant(type)
        self.compare_two("i32")
        for type in WIDTHS:
            if not self.names[type]:
                self.resize("i64", type)

    def integers(self, op, type, a, b):
        bits = INTEGERS[type]
        compute = BINARY_INTEGERS[op]
        self.put(f"arith.{op} {a}, {b} : {type}", type, lambda x, y: compute(x, y, bits), a, b)

    def resize(self, source, target):
        a = self.pick(source)
        w, v = WIDTHS[source], WIDTHS[target]
        if v < w:
            self.put(f"arith.trunci {a} : {source} to {target}", target, lambda x: x, a)
        elif self.rng.random() < 0.5:
            self.put(f"arith.extsi {a} : {source} to {target}", target, lambda x: signed(x, w), a)
        else:
            self.put(f"arith.extui {a} : {source} to {target}", target, lambda x: x, a)

    def to_float(self, source, target, a=None):
        a, bits = a or self.pick(source), WIDTHS[source]
        if self.rng.random() < 0.5:
            self.put(f"arith.sitofp {a} : {source} to {target}", target,
                     lambda x: encode(target, Fraction(signed(x, bits))), a)
        else:
            self.put(f"arith.uitofp {a} : {source} to {target}", target,
                     lambda x: encode(target, Fraction(x)), a)

    def compare_two(self, type):
        a, b = self.pick(type), self.pick(type)
        if type in FLOATS:
            predicate = self.rng.choice(["oeq", "ogt", "oge", "olt", "ole", "one", "ord", "ueq",
                                         "ugt", "uge", "ult", "ule", "une", "uno"])
            self.put(f"arith.cmpf {predicate}, {a}, {b} : {type}", "i1",
                     lambda x, y: compare(predicate, type, x, y), a, b)
        else:
            bits = INTEGERS[type]
            predicate = self.rng.choice(["eq", "ne", "slt", "sle", "sgt", "sge", "ult", "ule",
                                         "ugt", "uge"])
            self.put(f"arith.cmpi {predicate}, {a}, {b} : {type}", "i1",
                     lambda x, y: compare_integers(predicate, x, y, bits), a, b)

    # Statements.

    def binary_integer(self):
        type = self.rng.choice([*INTEGERS])
        op = self.rng.choice([*BINARY_INTEGERS])
        a, b, bits = self.pick(type), self.pick(type), INTEGERS[type]
        if op.startswith("sh") or "div" in op or "rem" in op:
            # An amount below the width; a divisor above zero.
            most = self.constant(type, bits - 1 if op.startswith("sh") else (1 << bits - 1) - 2)
            self.integers("andi", type, b, most)
            b = self.names[type][-1]
        if "div" in op or "rem" in op:
            self.integers("addi", type, b, self.constant(type, 1))
            b = self.names[type][-1]
        self.integers(op, type, a, b)

    def unary_integer(self):
        type = self.rng.choice([*INTEGERS])
        op, a, bits = self.rng.choice([*UNARY_INTEGERS]), self.pick(type), INTEGERS[type]
        compute = UNARY_INTEGERS[op]
        self.put(f"math.{op} {a} : {type}", type, lambda x: compute(x, bits), a)

    def extended_product(self):
        type = self.rng.choice([*INTEGERS])
        a, b, bits = self.pick(type), self.pick(type), INTEGERS[type]
        is_signed = self.rng.random() < 0.5
        value = (lambda x: signed(x, bits)) if is_signed else (lambda x: x)
        self.count += 1
        low, high = f"%v{self.count}", f"%w{self.count}"
        op = "mulsi_extended" if is_signed else "mului_extended"
        self.lines.append(f"      {low}, {high} = arith.{op} {a}, {b} : {type}")
        self.note(low, type, lambda x, y: x * y, (a, b))
        self.note(high, type, lambda x, y: value(x) * value(y) >> bits, (a, b))

    def binary_float(self):
        type, op = self.rng.choice([*FLOATS]), self.rng.choice([*BINARY_FLOATS])
        a, b, compute = self.pick(type), self.pick(type), BINARY_FLOATS[op]
        self.put(f"arith.{op} {a}, {b} : {type}", type, lambda x, y: compute(type, x, y), a, b)

    def unary_float(self):
        type, op = self.rng.choice([*FLOATS]), self.rng.choice([*UNARY_FLOATS])
        a, compute = self.pick(type), UNARY_FLOATS[op]
        self.put(f"{op} {a} : {type}", type, lambda x: compute(type, x), a)

    def fused_product(self):
        type = self.rng.choice([*FLOATS])
        a, b, c = self.pick(type), self.pick(type), self.pick(type)
        self.put(f"math.fma {a}, {b}, {c} : {type}", type,
                 lambda x, y, z: fuse(type, x, y, z), a, b, c)

    def sign_of_another(self):
        type = self.rng.choice([*FLOATS])
        a, b = self.pick(type), self.pick(type)
        self.put(f"math.copysign {a}, {b} : {type}", type,
                 lambda x, y: copy_sign(type, x, y), a, b)

    def comparison(self):
        self.compare_two(self.rng.choice([*INTEGERS, *FLOATS]))

    def selection(self):
        type = self.rng.choice([*INTEGERS, *FLOATS])
        c, a, b = self.pick("i1"), self.pick(type), self.pick(type)
        self.put(f"arith.select {c}, {a}, {b} : {type}", type,
                 lambda x, y, z: y if x else z, c, a, b)

    def resizing(self):
        self.resize(*self.rng.sample([*INTEGERS], 2))

    def float_resizing(self, source=None, a=None):
        source = source or self.rng.choice([*FLOATS])
        target = self.rng.choice([t for t in FLOATS if width_of(t) != width_of(source)])
        op = "extf" if width_of(source) < width_of(target) else "truncf"
        a = a or self.pick(source)

        def compute(bits):
            kind, negative, value = decode(source, bits)
            return (not_a_number(target) if kind == NAN else
                    infinity(target, negative) if kind == INFINITY else
                    encode(target, value, negative))
        self.put(f"arith.{op} {a} : {source} to {target}", target, compute, a)

    def integer_to_float(self):
        self.to_float(self.rng.choice([*WIDTHS]), self.rng.choice([*FLOATS]))

    def float_to_integer(self):
        source, target = self.rng.choice([*FLOATS]), self.rng.choice([*WIDTHS])
        op = self.rng.choice(["fptosi", "fptoui"])
        is_signed, bits = op == "fptosi", WIDTHS[target]
        least = largest(source, 1 << bits - 1) | 1 << width_of(source) - 1 if is_signed else 0
        most = largest(source, (1 << bits - is_signed) - 1)
        a = self.pick(source)
        for bound, limit in (("maxnumf", least), ("minnumf", most)):
            limit = self.constant(source, limit)
            compute = BINARY_FLOATS[bound]
            a = self.put(f"arith.{bound} {a}, {limit} : {source}", source,
                         lambda x, y, compute=compute: compute(source, x, y), a, limit)
        self.put(f"arith.{op} {a} : {source} to {target}", target,
                 lambda x: math.trunc(decode(source, x)[2]), a)

    def resizing_of_any(self):
        self.resize(*self.rng.sample([*WIDTHS], 2))

    def few_bits_to_float(self):
        """An integer of which the compiler knows that few bits are set, as a float, and
        that as another: what it may take for exact."""
        type = self.rng.choice([*INTEGERS])
        bits = INTEGERS[type]
        count = self.rng.choice([1, 3, 8, 11, 24, bits])
        count = min(count, bits)
        self.integers("andi", type, self.pick(type),
                      self.constant(type, signed((1 << count) - 1, bits)))
        self.integers("shli", type, self.names[type][-1],
                      self.constant(type, self.rng.randrange(bits - count + 1)))
        float_type = self.rng.choice([*FLOATS])
        self.to_float(type, float_type, self.names[type][-1])
        self.float_resizing(float_type, self.names[float_type][-1])

    def vector_conversion(self):
        """Of two to four integers or floats at a time."""
        count = self.rng.randint(2, 4)
        source, target = self.rng.choice([*WIDTHS]), self.rng.choice([*FLOATS])
        first = [self.pick(source) for _ in range(count)]
        op = self.rng.choice(["sitofp", "uitofp"])
        bits = WIDTHS[source]
        value = (lambda x: signed(x, bits)) if op == "sitofp" else (lambda x: x)
        self.count += 1
        a, b = f"%a{self.count}", f"%b{self.count}"
        self.lines += [
            f"      {a} = vector.from_elements {', '.join(first)} : vector<{count}x{source}>",
            f"      {b} = arith.{op} {a} : vector<{count}x{source}> to vector<{count}x{target}>"]
        for i, name in enumerate(first):
            self.put(f"vector.extract {b}[{i}] : {target} from vector<{count}x{target}>",
                     target, lambda x: encode(target, Fraction(value(x))), name)

    def statement(self):
        self.rng.choice([
            self.binary_integer, self.binary_integer, self.binary_integer, self.unary_integer,
            self.extended_product, self.binary_float, self.binary_float, self.binary_float,
            self.unary_float, self.fused_product, self.sign_of_another, self.comparison,
            self.selection, self.resizing, self.float_resizing, self.integer_to_float,
            self.float_to_integer, self.resizing_of_any, self.few_bits_to_float,
            self.vector_conversion])()

    def make_outputs(self):
        """The last two values of each type, as i64; 42 in the place of a NaN."""
        self.outputs = []
        for type in [*WIDTHS, *FLOATS]:
            for name in self.names[type][-2:]:
                self.outputs.append(self.widen(name, type))
        self.lines += [f"      %o{i} = arith.constant {i} : index\n"
                       f"      memref.store {name}, %out[%g, %o{i}] : {self.out_type()}"
                       for i, name in enumerate(self.outputs)]

    def widen(self, name, type):
        if type in FLOATS:
            answer = self.constant(type, encode(type, Fraction(42)))
            nan = self.put(f"arith.cmpf uno, {name}, {name} : {type}", "i1",
                           lambda x: is_nan(type, x), name)
            name = self.put(f"arith.select {nan}, {answer}, {name} : {type}", type,
                            lambda n, x, y: x if n else y, nan, answer, name)
            integer = f"i{width_of(type)}"
            name = self.put(f"arith.bitcast {name} : {type} to {integer}", integer,
                            lambda x: x, name)
            type = integer
        if type == "i64":
            return name
        return self.put(f"arith.extui {name} : {type} to i64", "i64", lambda x: x, name)

    def out_type(self):
        return f"memref<{THREADS}x{len(self.outputs)}xi64>"

    def text(self):
        type = self.out_type()
        return f"""module attributes {{gpu.container_module}} {{
  gpu.module @kernels {{
    gpu.func @k(%out: {type}) kernel {{
      %g = gpu.global_id x
""" + "\n".join(self.lines) + f"""
      gpu.return
    }}
  }}
  func.func private @printMemrefI64(memref<*xi64>) attributes {{llvm.emit_c_interface}}
  func.func @main() {{
    %c1 = arith.constant 1 : index
    %n = arith.constant {THREADS} : index
    %out = gpu.alloc host_shared () : {type}
    gpu.launch_func @kernels::@k blocks in (%c1, %c1, %c1) threads in (%n, %c1, %c1)
        args(%out : {type})
    %u = memref.cast %out : {type} to memref<*xi64>
    func.call @printMemrefI64(%u) : (memref<*xi64>) -> ()
    gpu.dealloc %out : {type}
    return
  }}
}}
"""

    def expected(self):
        return [self.values[name][thread] for thread in range(THREADS) for name in self.outputs]


def run(runner, path, settings, *flags):
    """The words it prints, or what went wrong."""
    done = subprocess.run([runner, *flags, path], capture_output=True, text=True, timeout=120,
                          env=dict(os.environ, **settings), check=False)
    if done.returncode or done.stderr:
        return done.stderr or f"exit status {done.returncode}"
    printed = done.stdout[done.stdout.index("data ="):]
    return [cut(int(x), 64) for x in re.findall(r"-?\d+", printed)]


def check(program, device, got):
    """Whether what a device gave is right; says what is not."""
    if isinstance(got, str):
        print(f"{device}: {got[:2000]}")
        return False
    for at, (want, word) in enumerate(zip(program.expected(), got)):
        if want is not None and want != word:
            thread, output = divmod(at, len(program.outputs))
            print(f"{device}: thread {thread}, output {output} ({program.outputs[output]}): "
                  f"{word:#x}, not {want:#x}")
            return False
    return len(got) == len(program.expected())


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runner", required=True, help="async-gpu-runner")
    parser.add_argument("--ptx", help="folder of a driver that interprets PTX")
    parser.add_argument("--seeds", default="0-9", help="first-last")
    parser.add_argument("--keep", help="where to write a program that differs")
    arguments = parser.parse_args()
    first, last = (int(x) for x in arguments.seeds.split("-"))
    devices = {"emu": {"ASYNC_GPU_DEVICE": "emu"}}
    if arguments.ptx:
        devices["ptx"] = {"ASYNC_GPU_DEVICE": "cuda", "LD_LIBRARY_PATH": arguments.ptx,
                          "PTX_DEVICE_CAPABILITY": "10.0"}
    failed = 0
    for seed in range(first, last + 1):
        program, chip = Program(seed), CHIPS[seed % len(CHIPS)]
        with tempfile.NamedTemporaryFile("w", suffix=".mlir") as file:
            file.write(program.text())
            file.flush()
            results = [check(program, device, run(arguments.runner, file.name, settings,
                                                  f"--gpu-chip={chip}"))
                       for device, settings in devices.items()]
        if all(results):
            continue
        failed += 1
        print(f"seed {seed} differs ({chip})")
        if arguments.keep:
            with open(arguments.keep, "w", encoding="utf-8") as file:
                file.write(program.text())
            arguments.keep = None
    print(f"{last - first + 1 - failed} programs agree, {failed} do not")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
