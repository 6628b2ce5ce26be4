#!/usr/bin/env -S python3 -B
"""Runs a program that moves payloads of every class through async ops.

Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
See LICENSE for license information.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

    payloads.py --runner FILE [-- ARGUMENT...]

Each payload is captured by a region, yielded, awaited, carried by a loop of
regions, handed to an async function directly and in a value, passed to a block,
selected, and returned in values. It has to arrive as it was.
"""

import argparse
import pathlib
import sys
import tempfile

import run

STRIDED = "memref<2xi32, strided<[?], offset: ?>>"
STRUCT = "!llvm.struct<(i8, f64)>"

# Name, type, ops that make %made, ops that print what is in %got, the output.
# The ops are one string, a line each; {t} stands for the type.
CLASSES = [
    ("i1", "i1", "%made = arith.constant true", "vector.print %got : i1", "1"),
    ("i7", "i7", "%made = arith.constant -3 : i7",
     """%wide = arith.extsi %got : i7 to i64
        vector.print %wide : i64""", "-3"),
    ("i64", "i64", "%made = arith.constant -12345678901 : i64",
     "vector.print %got : i64", "-12345678901"),
    ("i257", "i257",
     """%five = arith.constant 5 : i257
        %up = arith.constant 250 : i257
        %made = arith.shli %five, %up : i257""",
     """%down = arith.constant 249 : i257
        %low = arith.shrui %got, %down : i257
        %narrow = arith.trunci %low : i257 to i64
        vector.print %narrow : i64""", "10"),
    ("index", "index", "%made = arith.constant 7 : index",
     "vector.print %got : index", "7"),
    ("f16", "f16", "%made = arith.constant 1.5 : f16",
     """%wide = arith.extf %got : f16 to f32
        vector.print %wide : f32""", "1.5"),
    ("bf16", "bf16", "%made = arith.constant -2.0 : bf16",
     """%wide = arith.extf %got : bf16 to f32
        vector.print %wide : f32""", "-2"),
    ("f32", "f32", "%made = arith.constant 0.25 : f32",
     "vector.print %got : f32", "0.25"),
    ("f64", "f64", "%made = arith.constant 1.0e100 : f64",
     "vector.print %got : f64", "1e+100"),
    ("complex", "complex<f32>",
     """%re = arith.constant 3.0 : f32
        %im = arith.constant -4.0 : f32
        %made = complex.create %re, %im : complex<f32>""",
     """%left = complex.re %got : complex<f32>
        %right = complex.im %got : complex<f32>
        %difference = arith.subf %left, %right : f32
        vector.print %difference : f32""", "7"),
    ("vector", "vector<2x3xi16>",
     "%made = arith.constant dense<[[1, 2, 3], [4, 5, 6]]> : {t}",
     "vector.print %got : {t}", "( ( 1, 2, 3 ), ( 4, 5, 6 ) )"),
    ("aligned_vector", "vector<16xf32>",
     "%made = arith.constant dense<1.5> : {t}",
     """%sum = vector.reduction <add>, %got : {t} into f32
        vector.print %sum : f32""", "24"),
    ("memref", "memref<?x3xi32>",
     """%eleven = arith.constant 11 : i32
        %made = memref.alloc(%two) : {t}
        memref.store %eleven, %made[%one, %two] : {t}""",
     """%x = memref.load %got[%one, %two] : {t}
        vector.print %x : i32
        memref.dealloc %got : {t}""", "11"),
    ("strided", STRIDED,
     """%twelve = arith.constant 12 : i32
        %five = arith.constant 5 : index
        %whole = memref.alloc() : memref<9xi32>
        memref.store %twelve, %whole[%five] : memref<9xi32>
        %made = memref.subview %whole[%two] [2] [%three] : memref<9xi32> to {t}
     """,
     """%x = memref.load %got[%one] : {t}
        vector.print %x : i32
        memref.dealloc %whole : memref<9xi32>""", "12"),
    ("rank_0", "memref<f64>",
     """%half = arith.constant 0.5 : f64
        %made = memref.alloc() : {t}
        memref.store %half, %made[] : {t}""",
     """%x = memref.load %got[] : {t}
        vector.print %x : f64
        memref.dealloc %got : {t}""", "0.5"),
    ("memory_space", "memref<4xi32, 1>",
     """%thirteen = arith.constant 13 : i32
        %whole = memref.alloc() : memref<4xi32>
        %made = memref.memory_space_cast %whole : memref<4xi32> to {t}
        memref.store %thirteen, %made[%two] : {t}""",
     """%x = memref.load %got[%two] : {t}
        vector.print %x : i32
        memref.dealloc %whole : memref<4xi32>""", "13"),
    ("unranked", "memref<*xi32>",
     """%fourteen = arith.constant 14 : i32
        %ranked = memref.alloc() : memref<2x2xi32>
        memref.store %fourteen, %ranked[%one, %one] : memref<2x2xi32>
        %made = memref.cast %ranked : memref<2x2xi32> to {t}""",
     """%again = memref.cast %got : {t} to memref<2x2xi32>
        %x = memref.load %again[%one, %one] : memref<2x2xi32>
        vector.print %x : i32
        memref.dealloc %again : memref<2x2xi32>""", "14"),
    ("function", "(i64) -> i64", "%made = func.constant @twice : {t}",
     """%x = arith.constant 21 : i64
        %y = func.call_indirect %got(%x) : {t}
        vector.print %y : i64""", "42"),
    ("struct", STRUCT,
     """%eighth = arith.constant 0.125 : f64
        %none = llvm.mlir.undef : {t}
        %made = llvm.insertvalue %eighth, %none[1] : {t}""",
     """%x = llvm.extractvalue %got[1] : {t}
        vector.print %x : f64""", "0.125"),
    ("token", "!async.token", "%made = async.execute {{ async.yield }}",
     """async.await %got : {t}
        %fifteen = arith.constant 15 : i64
        vector.print %fifteen : i64""", "15"),
]

FUNCTIONS = """
async.func @through_{name}(%direct: {t}, %value: {v}, %pick: i1)
    -> (!async.token, {v}, {v}) {{
  %awaited = async.await %value : {v}
  cf.cond_br %pick, ^same(%awaited : {t}), ^same(%direct : {t})
^same(%first: {t}):
  %second = arith.select %pick, %direct, %first : {t}
  return %first, %second : {t}, {t}
}}

func.func @{name}(%pick: i1) {{
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %two = arith.constant 2 : index
  %three = arith.constant 3 : index
  {make}
  %t0, %v0 = async.execute -> {v} {{
    async.yield %made : {t}
  }}
  %t1, %v1 = async.execute [%t0] (%v0 as %payload: {v}) -> {v} {{
    %last = scf.for %i = %zero to %three step %one
        iter_args(%carried = %payload) -> ({t}) {{
      %t2, %v2 = async.execute -> {v} {{
        async.yield %carried : {t}
      }}
      %next = async.await %v2 : {v}
      scf.yield %next : {t}
    }}
    async.yield %last : {t}
  }}
  %t3, %v3, %v4 = async.call @through_{name}(%made, %v1, %pick)
      : ({t}, {v}, i1) -> (!async.token, {v}, {v})
  %unused = async.await %v3 : {v}
  %got = async.await %v4 : {v}
  {show}
  return
}}
"""

TWICE = """
func.func private @twice(%x: i64) -> i64 {
  %y = arith.addi %x, %x : i64
  return %y : i64
}
"""


def make_program():
    """The program and what it has to print."""
    text = TWICE
    calls, output = "", ""
    for name, kind, make, show, line in CLASSES:
        text += FUNCTIONS.format(name=name, t=kind, v=f"!async.value<{kind}>",
                                 make=make.format(t=kind),
                                 show=show.format(t=kind))
        calls += f"  call @{name}(%pick) : (i1) -> ()\n"
        output += line + "\n"
    return (f"{text}\nfunc.func @main() {{\n"
            f"  %pick = arith.constant true\n{calls}  return\n}}\n", output)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--runner", required=True)
    parser.add_argument("arguments", nargs="*", help="for the runner")
    arguments = parser.parse_args()
    text, expected = make_program()
    with tempfile.TemporaryDirectory() as scratch:
        path = pathlib.Path(scratch) / "payloads.mlir"
        path.write_text(text)
        command = [arguments.runner, str(path)] + arguments.arguments
        for threads in ("1", "2", "8"):
            problem = run.problem_of(command, threads, expected, True, 60)
            if problem:
                print(f"{threads} threads: {problem}")
                return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
