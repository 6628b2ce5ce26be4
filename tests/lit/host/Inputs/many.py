"""Prints a program with many awaits in one region, or many regions.

Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
See LICENSE for license information.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

    many.py awaits|asserts|regions|kernels|chain|fan|calls|nest|mixed|loops|ifs|
             linalg|tensors|launches|arguments|prints|looped|unsigned|failing N

awaits: a region awaits N tokens, one after the other; asserts: a region spawns
N others with an assertion behind each; regions: a function spawns and awaits N; kernels: N
regions, each with a kernel of its own, in chains of ten; chain: N regions, each behind the
one before, and one behind the first and the last; fan: N regions, each behind the first and
the one before; calls: N functions, each of which calls the one before with memory that the
device fills; nest: N loops around device work that the innermost waits for; mixed: N loops,
each in a branch of the one around it, around work for which data has to be placed; loops: N
loops, each with device work on memory of its own; ifs: a kernel of N branches; linalg: N
linalg ops, each on the buffers that two before it wrote; tensors: the same on tensors;
launches: N kernels on one buffer, which the host reads behind every tenth; arguments: N
fills of as many arguments, which may be the same memory; prints: N times host code that
device work behind it goes in front of; looped: a loop of N branches, each with a value that
the next one compares, and one that holds half of them, too; failing: a function of N
assertions, which a region calls; unsigned: a kernel with a loop of
N branches, once by unsigned bounds and as often as signed ones say, not unrolled.
"""

import sys


CALLEE = """func.func private @f0(%m: memref<9xi64>) {
  %c0 = arith.constant 0 : index
  %x = memref.load %m[%c0] : memref<9xi64>
  vector.print %x : i64
  return
}"""


def spawn(i, before=()):
    after = f" [{', '.join(f'%t{b}' for b in before)}]" if before else ""
    return [f"%t{i} = async.execute{after} {{", "  async.yield", "}"]


def wait(i):
    return [f"async.await %t{i} : !async.token"]


def kernels(count):
    lines = ["%n = arith.constant 128 : index", "%c1 = arith.constant 1 : index",
             "%d = gpu.alloc () : memref<128xi32>"]
    for i in range(count):
        after = f"[%t{i - 1}] " if i % 10 else ""
        lines += [
            f"%t{i} = async.execute {after}{{",
            "  gpu.launch blocks(%bx, %by, %bz)"
            " in (%gx = %c1, %gy = %c1, %gz = %c1)"
            " threads(%i, %j, %k) in (%sx = %n, %sy = %c1, %sz = %c1) {",
            f"    %c = arith.constant {i} : i32",
            "    %v = memref.load %d[%i] : memref<128xi32>",
            "    %w = arith.addi %v, %c : i32",
            "    memref.store %w, %d[%i] : memref<128xi32>",
            "    gpu.terminator", "  }", "  async.yield", "}"]
    for i in range(count):
        if i % 10 == 9 or i == count - 1:
            lines += wait(i)
    return lines + ["gpu.dealloc %d : memref<128xi32>"]


def mixed(count):
    """Data that the host and a kernel write by turns, in loops and branches."""
    lines = ["%c0 = arith.constant 0 : index", "%c1 = arith.constant 1 : index",
             "%m = memref.alloc() : memref<4xi32>"]
    for i in range(count):
        lines += [f"scf.for %i{i} = %c0 to %c1 step %c1 {{", "scf.if %arg0 {"]
    lines += ["gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)"
              " threads(%tx, %ty, %tz) in (%sx = %c1, %sy = %c1, %sz = %c1) {",
              "  %one = arith.constant 1 : i32",
              "  memref.store %one, %m[%tx] : memref<4xi32>", "  gpu.terminator", "}"]
    for i in range(count):
        lines += ["}", f"%v{i} = memref.load %m[%c0] : memref<4xi32>",
                  f"memref.store %v{i}, %m[%c1] : memref<4xi32>", "}"]
    return lines + ["memref.dealloc %m : memref<4xi32>"]


def loops(count):
    """What each loop fills is renamed, so that its iterations may overlap."""
    lines = ["%c0 = arith.constant 0 : index", "%c1 = arith.constant 1 : index",
             "%c9 = arith.constant 9 : index", "%zero = arith.constant 0 : i32"]
    for i in range(count):
        lines += [f"%a{i} = gpu.alloc() : memref<99xi32>",
                  f"%b{i} = memref.alloc() : memref<9x99xi32>",
                  f"scf.for %i{i} = %c0 to %c9 step %c1 {{",
                  f"  gpu.memset %a{i}, %zero : memref<99xi32>, i32",
                  f"  %row{i} = memref.subview %b{i}[%i{i}, 0] [1, 99] [1, 1] : "
                  "memref<9x99xi32> to memref<99xi32, strided<[1], offset: ?>>",
                  f"  gpu.memcpy %row{i}, %a{i} : "
                  "memref<99xi32, strided<[1], offset: ?>>, memref<99xi32>", "}"]
    return lines


def ifs(count):
    lines = ["%c1 = arith.constant 1 : index", "%d = gpu.alloc() : memref<4xi32>",
             "gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)"
             " threads(%tx, %ty, %tz) in (%sx = %c1, %sy = %c1, %sz = %c1) {"]
    for i in range(count):
        lines += [f"  %n{i} = arith.constant {i} : i32",
                  f"  %v{i} = memref.load %d[%tx] : memref<4xi32>",
                  f"  %b{i} = arith.cmpi slt, %v{i}, %n{i} : i32", f"  scf.if %b{i} {{",
                  f"    memref.store %n{i}, %d[%tx] : memref<4xi32>", "  }"]
    return lines + ["  gpu.terminator", "}", "gpu.dealloc %d : memref<4xi32>"]


NOT_UNROLLED = "{loop_annotation = #llvm.loop_annotation<unroll = <disable = true>>}"


def looped(count):
    lines = ["%c0 = arith.constant 0 : index", "%c1 = arith.constant 1 : index",
             "%c5 = arith.constant 5 : index", "%zero = arith.constant 0 : i32",
             "%sum:2 = scf.for %i = %c0 to %c5 step %c1"
             " iter_args(%a = %zero, %b = %zero) -> (i32, i32) {",
             "%x = arith.index_cast %i : index to i32", "%s0 = arith.addi %a, %x : i32"]
    for i in range(1, count + 1):
        if i == count // 2 + 1:
            lines += ["%is_odd = arith.trunci %x : i32 to i1",
                      "%half = scf.if %is_odd -> i32 {"]
        lines += [f"%k{i} = arith.constant {i} : i32",
                  f"%c_{i} = arith.cmpi sgt, %s{i - 1}, %k{i} : i32",
                  f"%s{i} = scf.if %c_{i} -> i32 {{",
                  f"%y{i} = arith.subi %s{i - 1}, %k{i} : i32", f"scf.yield %y{i} : i32",
                  "} else {",
                  f"%y{i} = arith.addi %s{i - 1}, %k{i} : i32", f"scf.yield %y{i} : i32", "}"]
    return lines + [f"scf.yield %s{count} : i32", "} else {",
                    f"scf.yield %s{count // 2} : i32", "}",
                    "%more = arith.addi %b, %half : i32",
                    "scf.yield %half, %more : i32, i32", f"}} {NOT_UNROLLED}",
                    "vector.print %sum#0 : i32", "vector.print %sum#1 : i32"]


def unsigned(count):
    lines = ["%c0 = arith.constant 0 : index", "%c1 = arith.constant 1 : index",
             "%m = gpu.alloc host_shared () : memref<2xi32>",
             "gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)"
             " threads(%tx, %ty, %tz) in (%sx = %c1, %sy = %c1, %sz = %c1) {",
             "%low = arith.constant -2 : index", "%high = arith.constant 2 : index",
             "%zero = arith.constant 0 : i32", "%one = arith.constant 1 : i32"]
    for k, how in enumerate(["unsigned ", ""]):
        lines += [f"%sum{k} = scf.for {how}%i{k} = %low to %high step %c1"
                  f" iter_args(%s{k}_0 = %zero) -> (i32) {{"]
        for i in range(1, count + 1):
            lines += [f"%k{k}_{i} = arith.constant {i} : i32",
                      f"%c{k}_{i} = arith.cmpi sgt, %s{k}_{i - 1}, %k{k}_{i} : i32",
                      f"%s{k}_{i} = scf.if %c{k}_{i} -> i32 {{",
                      f"scf.yield %s{k}_{i - 1} : i32", "} else {",
                      f"%y{k}_{i} = arith.addi %s{k}_{i - 1}, %one : i32",
                      f"scf.yield %y{k}_{i} : i32", "}"]
        lines += [f"scf.yield %s{k}_{count} : i32",
                  f"}} {NOT_UNROLLED}",
                  f"%at{k} = arith.constant {k} : index",
                  f"memref.store %sum{k}, %m[%at{k}] : memref<2xi32>"]
    return lines + ["gpu.terminator", "}", "%x = memref.load %m[%c0] : memref<2xi32>",
                    "vector.print %x : i32", "%y = memref.load %m[%c1] : memref<2xi32>",
                    "vector.print %y : i32", "gpu.dealloc %m : memref<2xi32>"]


def linalg(count):
    lines = []
    for i in range(count):
        lines += [f"%m{i} = memref.alloc() : memref<64x64xf32>"]
    for i in range(2, count):
        lines += [f"linalg.add ins(%m{i - 2}, %m{i - 1} : memref<64x64xf32>, "
                  f"memref<64x64xf32>) outs(%m{i} : memref<64x64xf32>)"]
    return lines + [f"memref.dealloc %m{i} : memref<64x64xf32>" for i in range(count)]


def tensors(count):
    lines = ["%t0 = tensor.empty() : tensor<64x64xf32>", "%c = arith.constant 1.0 : f32",
             "%t1 = linalg.fill ins(%c : f32) outs(%t0 : tensor<64x64xf32>) "
             "-> tensor<64x64xf32>"]
    for i in range(2, count):
        lines += [f"%e{i} = tensor.empty() : tensor<64x64xf32>",
                  f"%t{i} = linalg.matmul ins(%t{i - 1}, %t1 : tensor<64x64xf32>, "
                  f"tensor<64x64xf32>) outs(%e{i} : tensor<64x64xf32>) "
                  "-> tensor<64x64xf32>"]
    return lines + ["%c0 = arith.constant 0 : index",
                    f"%x = tensor.extract %t{count - 1}[%c0, %c0] : tensor<64x64xf32>",
                    "vector.print %x : f32"]


def prints(count):
    lines = ["%c0 = arith.constant 0 : index", "%zero = arith.constant 0 : i32"]
    for i in range(count):
        lines += [f"%m{i} = gpu.alloc() : memref<99xi32>"]
    for i in range(count):
        lines += ["vector.print %zero : i32",
                  f"gpu.memset %m{i}, %zero : memref<99xi32>, i32"]
    return lines + [f"gpu.dealloc %m{i} : memref<99xi32>" for i in range(count)]


LAUNCH = ["gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)"
          " threads(%tx, %ty, %tz) in (%sx = %c1, %sy = %c1, %sz = %c1) {",
          "  %one = arith.constant 1 : i32",
          "  memref.store %one, %m[%tx] : memref<4xi32>", "  gpu.terminator", "}"]


def launches(count):
    lines = ["%c0 = arith.constant 0 : index", "%c1 = arith.constant 1 : index",
             "%m = memref.alloc() : memref<4xi32>"]
    for i in range(count):
        lines += LAUNCH
        if i % 10 == 9:
            lines += [f"%v{i} = memref.load %m[%c0] : memref<4xi32>",
                      f"vector.print %v{i} : i32"]
    return lines + ["memref.dealloc %m : memref<4xi32>"]


OF_THEIR_OWN = {"kernels": kernels, "mixed": mixed, "loops": loops, "ifs": ifs,
                "linalg": linalg, "tensors": tensors, "launches": launches, "prints": prints, "looped": looped,
                "unsigned": unsigned}


def main():
    kind, count = sys.argv[1], int(sys.argv[2])
    lines = []
    if kind in OF_THEIR_OWN:
        lines += OF_THEIR_OWN[kind](count)
    elif kind == "regions":
        for i in range(count):
            lines += spawn(i) + wait(i)
    elif kind == "chain":
        lines += spawn(0)
        for i in range(1, count):
            lines += spawn(i, [i - 1])
        lines += spawn(count, [0, count - 1]) + wait(count)
    elif kind == "fan":
        lines += spawn(0) + spawn(1, [0])
        for i in range(2, count):
            lines += spawn(i, [0, i - 1])
        lines += wait(count - 1)
    elif kind == "arguments":
        lines += ["%zero = arith.constant 0 : i32"]
        lines += [f"gpu.memset %m{i}, %zero : memref<4xi32>, i32" for i in range(count)]
    elif kind == "failing":
        print("func.func private @f(%arg0: i1) {")
        print('  cf.assert %arg0, "it holds"\n' * count + "  return\n}")
        lines += ["%all = async.execute {", "func.call @f(%arg0) : (i1) -> ()",
                  "async.yield", "}", "async.await %all : !async.token"]
    elif kind == "nest":
        lines += ["%c0 = arith.constant 0 : index",
                  "%c1 = arith.constant 1 : index",
                  "%zero = arith.constant 0 : i64",
                  "%m = memref.alloc() : memref<i64>"]
        lines += [f"scf.for %i{i} = %c0 to %c1 step %c1 {{"
                  for i in range(count)]
        lines += ["gpu.memset %m, %zero : memref<i64>, i64",
                  "%x = memref.load %m[] : memref<i64>"] + ["}"] * count
    elif kind == "calls":
        print(CALLEE)
        for i in range(1, count):
            print(f"func.func private @f{i}(%m: memref<9xi64>) {{")
            print(f"  call @f{i - 1}(%m) : (memref<9xi64>) -> ()")
            print("  return\n}")
        lines += ["%zero = arith.constant 0 : i64",
                  "%m = memref.alloc() : memref<9xi64>",
                  "%d = gpu.alloc() : memref<9xi64>",
                  "gpu.memset %d, %zero : memref<9xi64>, i64",
                  "gpu.memcpy %m, %d : memref<9xi64>, memref<9xi64>",
                  f"call @f{count - 1}(%m) : (memref<9xi64>) -> ()"]
    else:
        body = []
        for i in range(count):
            if kind == "awaits":
                lines += spawn(i)
                body += wait(i)
            else:
                body += spawn(i) + [f'cf.assert %arg0, "it holds"']
        if kind == "asserts":
            for i in range(count):
                body += wait(i)
        lines += ["%all = async.execute {"] + body + ["async.yield", "}",
                                                     "async.await %all : "
                                                     "!async.token"]
    arguments = ["" if kind == "kernels" else "%arg0: i1"]
    if kind == "arguments":
        arguments = [f"%m{i}: memref<4xi32>" for i in range(count)]
    print("func.func @main(" + ", ".join(arguments) + ") {")
    print("\n".join(lines))
    print("return\n}")


main()
