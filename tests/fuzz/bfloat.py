#!/usr/bin/env python3
# Operations on bf16 against exact arithmetic here.
#
# Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Applies each operation that gives a bf16, or takes one, to numbers at which
rounding goes wrong: halfway between two, a little more or less than that,
subnormal, at the ends of the range. On the host, in a kernel on the emulated
device and, with --ptx, on the driver of tests/ptx, each compared with fractions
that are rounded once.

    tests/fuzz/bfloat.py --runner build/bin/async-gpu-runner --seeds 0-9

What MLIR leaves open is left out, as in arithmetic.py."""

import argparse
import random
import sys
import tempfile
from fractions import Fraction

from arithmetic import (FINITE, INFINITY, NAN, UNARY_FLOATS, BINARY_FLOATS, absolute, add,
                        compare, copy_sign, cut, decode, divide, encode, fuse, infinity, is_nan,
                        multiply, negate, not_a_number, run, signed)

COUNT = 64
LANES = 4
SHOWN = 8
INTEGERS = {"i8": 8, "i16": 16, "i32": 32, "i64": 64, "i72": 72, "i128": 128}
B = "bf16"
NEEDS_TOOLKIT = "needs libdevice of a CUDA toolkit, and none was found"


def resize(source, target):
    def compute(bits):
        kind, negative, value = decode(source, bits)
        return (not_a_number(target) if kind == NAN else
                infinity(target, negative) if kind == INFINITY else
                encode(target, value, negative))
    return compute


def remainder(a, b):
    (ka, na, x), (kb, _, y) = decode(B, a), decode(B, b)
    if NAN in (ka, kb) or ka == INFINITY or y == 0:
        return not_a_number(B)
    if kb == INFINITY:
        return a
    quotient = int(x / y)  # int() cuts towards zero.
    return encode(B, x - quotient * y, na)


def to_integer(bits, width):
    """What fits; what does not is left open."""
    kind, _, value = decode(B, bits)
    if kind != FINITE or not -(1 << width - 1) <= int(value) < 1 << width - 1:
        return None
    return int(value)


# Scalars: the op in terms of %a, %b, %c (bf16), %x (f32), %y (f64) and a number of
# each integer type; the type it gives; what it computes, by the same names.
def scalar_operations(widest):
    ops = []

    def put(text, type, compute, names):
        ops.append((text, type, compute, names))

    for name, compute in BINARY_FLOATS.items():
        put(f"arith.{name} %a, %b : bf16", B, lambda a, b, f=compute: f(B, a, b), "ab")
    for name, compute in UNARY_FLOATS.items():
        put(f"{name} %a : bf16", B, lambda a, f=compute: f(B, a), "a")
    put("arith.remf %a, %b : bf16", B, remainder, "ab")
    put("math.fma %a, %b, %c : bf16", B, lambda a, b, c: fuse(B, a, b, c), "abc")
    put("math.copysign %a, %b : bf16", B, lambda a, b: copy_sign(B, a, b), "ab")
    put("arith.truncf %x : f32 to bf16", B, resize("f32", B), "x")
    put("arith.truncf %y : f64 to bf16", B, resize("f64", B), "y")
    put("arith.extf %a : bf16 to f32", "f32", resize(B, "f32"), "a")
    put("arith.extf %a : bf16 to f64", "f64", resize(B, "f64"), "a")
    for type, width in INTEGERS.items():
        if width > widest:
            continue
        put(f"arith.sitofp %{type} : {type} to bf16", B,
            lambda n, w=width: encode(B, Fraction(signed(n, w))), [type])
        put(f"arith.uitofp %{type} : {type} to bf16", B,
            lambda n: encode(B, Fraction(n)), [type])
        if width <= 64:
            put(f"arith.fptosi %a : bf16 to {type}", type,
                lambda a, w=width: to_integer(a, w), "a")
    for predicate in ("oeq", "olt", "oge", "une", "ugt", "uno"):
        put(f"arith.cmpf {predicate}, %a, %b : bf16", "i1",
            lambda a, b, p=predicate: compare(p, B, a, b), "ab")
    put("ATOMIC addf", B, lambda a, b: add(B, a, b), "ab")
    return ops


# Vectors: in terms of %va, %vb, %vc, %vx and a vector of i64; lane by lane.
VECTORS = [
    ("arith.addf %va, %vb : vector<4xbf16>", lambda a, b: add(B, a, b), "ab"),
    ("arith.mulf %va, %vb : vector<4xbf16>", lambda a, b: multiply(B, a, b), "ab"),
    ("arith.divf %va, %vb : vector<4xbf16>", lambda a, b: divide(B, a, b), "ab"),
    ("arith.negf %va : vector<4xbf16>", lambda a: negate(B, a), "a"),
    ("math.absf %va : vector<4xbf16>", lambda a: absolute(B, a), "a"),
    ("math.fma %va, %vb, %vc : vector<4xbf16>", lambda a, b, c: fuse(B, a, b, c), "abc"),
    ("arith.maximumf %va, %vb : vector<4xbf16>",
     lambda a, b: BINARY_FLOATS["maximumf"](B, a, b), "ab"),
    ("arith.truncf %vx : vector<4xf32> to vector<4xbf16>", resize("f32", B), "x"),
    ("arith.sitofp %vi64 : vector<4xi64> to vector<4xbf16>",
     lambda n: encode(B, Fraction(signed(n, 64))), ["i64"]),
]


def reduced(compute):
    def all_of(bits):
        result = bits[0]
        for other in bits[1:]:
            result = compute(B, result, other)
        return result
    return all_of


REDUCTIONS = [("add", reduced(add)), ("mul", reduced(multiply)),
              ("maximumf", reduced(BINARY_FLOATS["maximumf"]))]


class Inputs:
    def __init__(self, seed):
        self.rng = random.Random(seed)
        self.values = {name: [self.bfloat() for _ in range(COUNT)] for name in "abc"}
        self.values["x"] = [self.near_bfloat("f32") for _ in range(COUNT)]
        self.values["y"] = [self.near_bfloat("f64") for _ in range(COUNT)]
        for type, width in INTEGERS.items():
            self.values[type] = [self.integer(width) for _ in range(COUNT)]
        # fma: a product halfway between two numbers, and a little more or less.
        for i in range(0, COUNT, 4):
            self.values["a"][i] = 0x3f80 | self.rng.randrange(128) | 1
            self.values["b"][i] = 0x3f80 | self.rng.randrange(128) | 1
            self.values["c"][i] = self.rng.randrange(2) << 15 | self.rng.randrange(0x3f80)
            self.values["c"][i + 1] = cut(self.values["a"][i + 1] ^ 0x8000, 16)

    def bfloat(self):
        pick = self.rng.random()
        if pick < 0.1:
            return self.rng.choice([0, 0x8000, 0x7f80, 0xff80, 0x7fc0, 1, 0x8001, 0x7f, 0x80,
                                    0x7f7f, 0xff7f])
        if pick < 0.2:
            return self.rng.randrange(2) << 15 | self.rng.randrange(256)
        if pick < 0.6:
            return self.rng.randrange(2) << 15 | 0x3f80 + self.rng.randrange(-1024, 1024)
        value = self.rng.randrange(1 << 16)
        return not_a_number(B) if is_nan(B, value) else value

    def near_bfloat(self, type):
        """Halfway from one bf16 to the next, at it, or a last bit beside that."""
        value = self.bfloat()
        kind, negative, _ = decode(B, value)
        if kind != FINITE or self.rng.random() < 0.1:
            return resize(B, type)(value)
        low, high = cut(value, 15), cut(value, 15) + 1
        middle = (decode(B, low)[2] + (decode(B, high)[2] if high < 0x7f80
                                       else Fraction(2) ** 128)) / 2
        bits = encode(type, self.rng.choice([middle, decode(B, low)[2]]))
        bits += self.rng.choice([-1, 0, 1]) if bits else 1
        return bits | negative << (31 if type == "f32" else 63)

    def integer(self, width):
        digits = self.rng.randrange(1, width + 1)
        value = self.rng.randrange(1 << digits)
        if digits > 9 and self.rng.random() < 0.7:
            # Halfway, and perhaps a little more.
            cuts = digits - 8
            value = (value >> cuts | 1 << 7) << cuts | 1 << cuts - 1
            value += self.rng.choice([-1, 0, 1])
        return cut(-value if self.rng.random() < 0.4 else value, width)

    def constant(self, name):
        type = {"x": "f32", "y": "f64"}.get(name, B if len(name) == 1 else name)
        if type in INTEGERS:
            words = (str(signed(v, INTEGERS[type])) for v in self.values[name])
        else:
            digits = {B: 4, "f32": 8, "f64": 16}[type]
            words = (f"0x{v:0{digits}X}" for v in self.values[name])
        return (f"  memref.global \"private\" constant @{name} : memref<{COUNT}x{type}> = "
                f"dense<[{', '.join(words)}]>\n")


def type_of(name):
    return {"x": "f32", "y": "f64"}.get(name, B if len(name) == 1 else name)


class Program:
    def __init__(self, seed, widest):
        self.inputs = Inputs(seed)
        self.scalars = scalar_operations(widest)
        self.names = list(self.inputs.values)
        self.rows = len(self.scalars) + len(VECTORS) + len(REDUCTIONS)

    def out_type(self):
        return f"memref<{self.rows}x{COUNT}xi64>"

    def widen(self, lines, name, type):
        """A number's bits as i64; 42 in the place of what is none."""
        if type in (B, "f32", "f64"):
            bits = {B: "i16", "f32": "i32", "f64": "i64"}[type]
            lines += [f"%n{name} = arith.cmpf uno, %{name}, %{name} : {type}",
                      f"%b{name} = arith.bitcast %{name} : {type} to {bits}",
                      f"%k{name} = arith.constant 42 : {bits}",
                      f"%s{name} = arith.select %n{name}, %k{name}, %b{name} : {bits}"]
            name, type = f"s{name}", bits
        if type != "i64":
            lines.append(f"%e{name} = arith.extui %{name} : {type} to i64")
            name = f"e{name}"
        return name

    def put(self, lines, row, name, type, column):
        name = self.widen(lines, name, type)
        lines += [f"%row{name} = arith.constant {row} : index",
                  f"memref.store %{name}, %out[%row{name}, {column}] : {self.out_type()}"]

    def scalar_body(self):
        lines = [f"%{n} = memref.load %m{n}[%i] : memref<{COUNT}x{type_of(n)}>"
                 for n in self.names]
        for row, (text, type, _, _) in enumerate(self.scalars):
            if text.startswith("ATOMIC"):
                kind = text.split()[1]
                lines += [f"memref.store %a, %cell[%i] : memref<{COUNT}xbf16>",
                          f"%old{row} = memref.atomic_rmw {kind} %b, %cell[%i] : "
                          f"(bf16, memref<{COUNT}xbf16>) -> bf16",
                          f"%r{row} = memref.load %cell[%i] : memref<{COUNT}xbf16>"]
            else:
                lines.append(f"%r{row} = {text}")
            self.put(lines, row, f"r{row}", type, "%i")
        return lines

    def vector_body(self):
        lines = [f"%v{n} = vector.load %m{n}[%j] : memref<{COUNT}x{type_of(n)}>, "
                 f"vector<4x{type_of(n)}>" for n in ("a", "b", "c", "x", "i64")]
        lines += [f"%j{k} = affine.apply affine_map<(d) -> (d + {k})>(%j)" for k in range(LANES)]
        row = len(self.scalars)
        for text, _, _ in VECTORS:
            lines.append(f"%w{row} = {text}")
            for k in range(LANES):
                lines.append(f"%w{row}_{k} = vector.extract %w{row}[{k}] : bf16 from "
                             f"vector<4xbf16>")
                self.put(lines, row, f"w{row}_{k}", B, f"%j{k}")
            row += 1
        for kind, _ in REDUCTIONS:
            lines.append(f"%w{row} = vector.reduction <{kind}>, %va : vector<4xbf16> into bf16")
            self.put(lines, row, f"w{row}", B, "%j")
            row += 1
        return lines

    def text(self, on_device):
        arguments = ", ".join(f"%m{n}: memref<{COUNT}x{type_of(n)}>" for n in self.names)
        types = ", ".join(f"memref<{COUNT}x{type_of(n)}>" for n in self.names)
        arguments += f", %cell: memref<{COUNT}xbf16>, %out: {self.out_type()}"
        types += f", memref<{COUNT}xbf16>, {self.out_type()}"
        bodies = "".join(
            f"    func.func @{name}(%{index}: index, {arguments}) {{\n      " +
            "\n      ".join(lines) + "\n      return\n    }\n"
            for name, index, lines in (("scalars", "i", self.scalar_body()),
                                       ("vectors", "j", self.vector_body())))
        names = ", ".join(f"%m{n}" for n in self.names) + ", %cell, %out"
        gets = "".join(f"    %h{n} = memref.get_global @{n} : memref<{COUNT}x{type_of(n)}>\n"
                       for n in self.names)
        calls = (f"call @scalars(%i, {names}) : (index, {types}) -> ()\n",
                 f"call @vectors(%j, {names}) : (index, {types}) -> ()\n")
        if on_device:
            kernel = (f"  gpu.module @kernels {{\n{bodies}    gpu.func @k({arguments}) kernel {{\n"
                      "      %i = gpu.thread_id x\n"
                      f"      func.{calls[0]}"
                      "      %j = affine.apply affine_map<(d) -> (d floordiv 4 * 4)>(%i)\n"
                      f"      func.{calls[1]}      gpu.return\n    }}\n  }}\n")
            copies = "".join(
                f"    %m{n} = gpu.alloc () : memref<{COUNT}x{type_of(n)}>\n"
                f"    gpu.memcpy %m{n}, %h{n} : memref<{COUNT}x{type_of(n)}>, "
                f"memref<{COUNT}x{type_of(n)}>\n" for n in self.names)
            used = ", ".join(f"%{a} : {t}" for a, t in
                             zip(names.replace("%", "").split(", "), types.split(", ")))
            run_it = (f"{copies}    %cell = gpu.alloc () : memref<{COUNT}xbf16>\n"
                      f"    %out = gpu.alloc host_shared () : {self.out_type()}\n"
                      "    gpu.launch_func @kernels::@k blocks in (%c1, %c1, %c1) "
                      f"threads in (%n, %c1, %c1) args({used})\n")
            frees = "".join(f"    gpu.dealloc %{a} : {t}\n" for a, t in
                            zip(names.replace("%", "").split(", "), types.split(", ")))
        else:
            kernel, frees = bodies, ""
            run_it = ("".join(f"    %m{n} = memref.cast %h{n} : memref<{COUNT}x{type_of(n)}> to "
                              f"memref<{COUNT}x{type_of(n)}>\n" for n in self.names) +
                      f"    %cell = memref.alloc() : memref<{COUNT}xbf16>\n"
                      f"    %out = memref.alloc() : {self.out_type()}\n"
                      f"    scf.for %i = %c0 to %n step %c1 {{\n      func.{calls[0]}    }}\n"
                      f"    scf.for %j = %c0 to %n step %c4 {{\n      func.{calls[1]}    }}\n")
        constants = "".join(self.inputs.constant(n) for n in self.names)
        return f"""module attributes {{gpu.container_module}} {{
{constants}{kernel}
  func.func private @printMemrefI64(memref<*xi64>) attributes {{llvm.emit_c_interface}}
  func.func @main() {{
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %n = arith.constant {COUNT} : index
{gets}{run_it}    %u = memref.cast %out : {self.out_type()} to memref<*xi64>
    func.call @printMemrefI64(%u) : (memref<*xi64>) -> ()
{frees}    return
  }}
}}
"""

    def expected(self):
        """By row and column: the text of the op and its result."""
        values = self.inputs.values
        for text, type, compute, names in self.scalars:
            for i in range(COUNT):
                yield text, i, self.cell(type, compute(*(values[n][i] for n in names)))
        for text, compute, names in VECTORS:
            for i in range(COUNT):
                yield text, i, self.cell(B, compute(*(values[n][i] for n in names)))
        for kind, compute in REDUCTIONS:
            for i in range(COUNT):
                yield (f"reduction {kind}", i, None if i % LANES else
                       self.cell(B, compute(values["a"][i:i + LANES])))

    @staticmethod
    def cell(type, result):
        if result is None:
            return None
        if type in (B, "f32", "f64"):
            return 42 if is_nan(type, result) else result
        return cut(int(result), 1 if type == "i1" else INTEGERS[type])


def check(program, where, got):
    if isinstance(got, str):
        print(f"{where}: {got[:2000]}")
        return False
    wrong = 0
    for (text, i, want), word in zip(program.expected(), got):
        if want is not None and want != word:
            wrong += 1
            if wrong <= SHOWN:
                operands = {n: hex(program.inputs.values[n][i]) for n in program.names
                            if f"%{n}" in text or f"%v{n}" in text}
                print(f"{where}: {text}: {word:#x}, not {want:#x} ({i}: {operands})")
    return not wrong and len(got) == program.rows * COUNT


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runner", required=True, help="async-gpu-runner")
    parser.add_argument("--ptx", help="folder of a driver that interprets PTX")
    parser.add_argument("--seeds", default="0-2", help="first-last")
    parser.add_argument("--keep", help="where to write a program that differs")
    arguments = parser.parse_args()
    first, last = (int(x) for x in arguments.seeds.split("-"))
    ways = [("host", False, {}), ("emu", True, {"ASYNC_GPU_DEVICE": "emu"})]
    if arguments.ptx:
        ways.append(("ptx", True,
                     {"ASYNC_GPU_DEVICE": "cuda", "LD_LIBRARY_PATH": arguments.ptx}))
    failed = 0
    lacks_toolkit = False
    for seed in range(first, last + 1):
        for where, on_device, settings in ways:
            if where == "ptx" and lacks_toolkit:
                continue
            # The NVPTX backend converts no wider integers.
            program = Program(seed, 64 if where == "ptx" else 128)
            with tempfile.NamedTemporaryFile("w", suffix=".mlir") as file:
                file.write(program.text(on_device))
                file.flush()
                got = run(arguments.runner, file.name, settings)
                if where == "ptx" and NEEDS_TOOLKIT in str(got)[:2000]:
                    lacks_toolkit = True
                elif not check(program, where, got):
                    failed += 1
                    print(f"seed {seed} differs on {where}")
                    if arguments.keep:
                        with open(arguments.keep, "w", encoding="utf-8") as kept:
                            kept.write(program.text(on_device))
                        arguments.keep = None
    print(f"{failed} of {(last - first + 1) * len(ways)} programs differ")
    if lacks_toolkit:
        print("left out: PTX, as remainders need libdevice of a CUDA toolkit")
    return 1 if failed else 77 if lacks_toolkit else 0


if __name__ == "__main__":
    sys.exit(main())
