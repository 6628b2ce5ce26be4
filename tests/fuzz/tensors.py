#!/usr/bin/env python3
# Random tensor maps on the devices against what the manuals say of them.
#
# Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes tensor maps, tiled and of pixels (im2col): ranks, sizes, strides, boxes, steps,
swizzles, element types and fills, and corners, offsets and steps of pixels. Each program
copies one piece of a tensor to workgroup memory, in one block or to all of a cluster, whose
bytes it gives out as they lie there; and copies other bytes of workgroup memory to such a
piece of a second tensor, or combines them with it. What must come of it is worked out here,
element by element, from the manuals of PTX and of the driver.

    tests/fuzz/tensors.py --runner build/bin/async-gpu-runner --seeds 0-99

With --ptx FOLDER it also runs as PTX, on the driver in that folder (tests/ptx). The first
seeds go through all swizzles and reductions; a program that differs is kept (--keep)."""

import argparse
import ast
import os
import random
import struct
import subprocess
import sys
import tempfile

# As CUtensorMapDataType: bytes of an element, and what Python calls it.
TYPES = [("u8", 1), ("u16", 2), ("u32", 4), ("s32", 4), ("u64", 8), ("s64", 8),
         ("f16", 2), ("f32", 4), ("f64", 8), ("bf16", 2), ("f32", 4), ("f32", 4),
         ("f32", 4)]
FIRST_FLOAT = 6
SPANS = [None, 32, 64, 128, 128, 128, 128]
REDUCTIONS = ["add", "min", "max", "inc", "dec", "and", "or", "xor"]
CAN = {"add": {"u32", "s32", "u64", "s64", "f16", "bf16", "f32"},
       "min": {"u32", "s32", "u64", "s64", "f16", "bf16"},
       "inc": {"u32"}, "and": {"u32", "s32", "u64", "s64"}}
CAN["max"], CAN["dec"], CAN["or"], CAN["xor"] = (CAN["min"], CAN["inc"], CAN["and"],
                                                 CAN["and"])
MOST_BYTES = 16 << 10


# ----------------------------------------------------------------------------
# What the manuals say
# ----------------------------------------------------------------------------


def swizzled(offset, swizzle):
    """Where the byte of a box lies that begins at a multiple of 1024."""
    row, chunk, rest = offset // 128, offset % 128 // 16, offset % 16
    if swizzle == 1:  # two pieces of 16 bytes change places
        chunk ^= row % 2
    elif swizzle == 2:
        chunk ^= row % 4
    elif swizzle == 3:
        chunk ^= row % 8
    elif swizzle in (4, 5):  # pieces of 32 bytes
        chunk ^= row % 4 * 2
        rest ^= 8 * (swizzle == 5 and row % 2)
    elif swizzle == 6:  # pieces of 64 bytes
        chunk ^= row % 2 * 4
    return row * 128 + chunk * 16 + rest


def to_bfloat(value):
    bits = struct.unpack("<I", struct.pack("<f", value))[0]
    return struct.pack("<H", (bits + 0x7FFF + (bits >> 16 & 1)) >> 16 & 0xFFFF)


def decode(name, data):
    if name == "bf16":
        return struct.unpack("<f", b"\0\0" + data)[0]
    return struct.unpack("<" + {"u8": "B", "u16": "H", "u32": "I", "s32": "i", "u64": "Q",
                                "s64": "q", "f16": "e", "f32": "f", "f64": "d"}[name],
                         data)[0]


def encode(name, value):
    if name == "bf16":
        return to_bfloat(value)
    if name in ("f16", "f32", "f64"):
        return struct.pack("<" + {"f16": "e", "f32": "f", "f64": "d"}[name], value)
    bits = int(name[1:])
    return (value % (1 << bits)).to_bytes(bits // 8, "little")


def combine(name, kind, old, new):
    a, b = decode(name, old), decode(name, new)
    result = {"add": lambda: a + b, "min": lambda: min(a, b), "max": lambda: max(a, b),
              "inc": lambda: 0 if a >= b else a + 1,
              "dec": lambda: b if a == 0 or a > b else a - 1,
              "and": lambda: a & b, "or": lambda: a | b, "xor": lambda: a ^ b}[kind]()
    return encode(name, result)


class Map:
    """A tensor of one type, and a box of it or a column of its pixels. All lists begin with
    the innermost dimension."""

    def __init__(self, draw, swizzle, name=None):
        self.draw, self.swizzle = draw, swizzle
        self.type = draw.choice([i for i, (n, _) in enumerate(TYPES)
                                 if name is None or n == name])
        self.name, self.bytes = TYPES[self.type]
        self.im2col = draw.random() < 0.4
        self.rank = draw.randint(3, 5) if self.im2col else draw.randint(1, 5)
        self.fill = int(self.type >= FIRST_FLOAT and draw.random() < 0.5)
        unit = 16 // self.bytes
        widest = (SPANS[swizzle] or min(256 * self.bytes, 256)) // 16
        row = (widest if SPANS[swizzle] else draw.randint(1, widest)) * unit
        size = self.sizes = [draw.choice([row, row + unit, max(1, row - 3), 2 * row + 1])]
        size += [draw.randint(1, 7) for _ in range(self.rank - 1)]
        self.strides = [self.bytes]
        for d in range(1, self.rank):
            below = self.strides[-1] * size[d - 1]
            self.strides.append((below + 15) // 16 * 16 + 16 * draw.randint(0, 1))
        self.total = self.strides[-1] * size[-1]
        self.steps = [1] + [draw.choice([1, 1, 2, 3]) for _ in range(self.rank - 1)]
        if self.im2col:
            self.choose_pixels(row)
        else:
            self.choose_box(row)

    def choose_box(self, row):
        draw = self.draw
        self.box = [row]
        for d in range(1, self.rank):
            self.box.append(draw.randint(1, 8 if d < 3 else 3))
            while self.copied() > MOST_BYTES:
                self.box[d] = max(1, self.box[d] // 2)
        self.at = [draw.randint(-2, self.sizes[d]) for d in range(self.rank)]

    def choose_pixels(self, row):
        draw = self.draw
        limit = {3: 32768, 4: 128, 5: 16}[self.rank]
        self.channels, self.pixels = row, draw.randint(1, 48)
        while self.copied() > MOST_BYTES:
            self.pixels //= 2
        self.lower, self.upper = [], []
        for size in self.sizes[1:-1]:
            first = draw.randint(-3, min(2, size - 1))
            last = draw.randint(first, size + 1)
            self.lower.append(max(-limit, first))
            self.upper.append(last - (size - 1))
        self.offsets = [draw.randint(0, 3) for _ in self.lower]
        self.at = [draw.randint(-2, self.sizes[0] - 1)]
        for d in range(1, self.rank - 1):
            first, last = self.lower[d - 1], self.sizes[d] - 1 + self.upper[d - 1]
            self.at.append(draw.randint(first, last))
        self.at.append(draw.randint(-1, self.sizes[-1]))

    def counts(self):
        if self.im2col:
            return [self.channels, self.pixels]
        return [(b + s - 1) // s for b, s in zip(self.box, self.steps)]

    def copied(self):
        bytes = self.bytes
        if self.im2col:
            return bytes * self.channels * self.pixels
        for d, size in enumerate(self.box):
            bytes *= (size + self.steps[d] - 1) // self.steps[d]
        return bytes

    def elements(self, offsets):
        """Of each element of the piece, in order, the byte of the tensor, or None."""
        places = []
        if not self.im2col:
            indices = [[]]
            for d in reversed(range(self.rank)):
                indices = [[self.at[d] + i * self.steps[d]] + rest
                           for rest in indices for i in range(self.counts()[d])]
            indices = sorted(indices, key=lambda index: index[::-1])
        else:
            indices, at = [], list(self.at)
            for _ in range(self.pixels):
                moved = [a + o for a, o in zip(at[1:-1], offsets)]
                indices += [[at[0] + c] + moved + at[-1:] for c in range(self.channels)]
                for d in range(1, self.rank):  # counts like an odometer
                    at[d] += self.steps[d]
                    if d == self.rank - 1 or \
                            at[d] <= self.sizes[d] - 1 + self.upper[d - 1]:
                        break
                    at[d] = self.lower[d - 1]
        for index in indices:
            inside = all(0 <= i < size for i, size in zip(index, self.sizes))
            places.append(sum(i * s for i, s in zip(index, self.strides)) if inside
                          else None)
        return places

    def load(self, tensor):
        """What workgroup memory has, from a multiple of 1024 on; None: as before."""
        out = [None] * ((self.copied() + 1023) // 1024 * 1024)
        nan = b"\xff" * (self.bytes - 1) + b"\x7f"
        places = self.elements(self.offsets if self.im2col else [])
        for number, place in enumerate(places):
            data = (nan if self.fill else bytes(self.bytes)) if place is None else \
                tensor[place:place + self.bytes]
            for i in range(self.bytes):
                out[swizzled(number * self.bytes + i, self.swizzle)] = data[i]
        return out

    def store(self, tensor, shared, kind):
        tensor = bytearray(tensor)
        for number, place in enumerate(self.elements([0, 0, 0])):
            if place is None:
                continue
            new = bytes(shared[swizzled(number * self.bytes + i, self.swizzle)]
                        for i in range(self.bytes))
            old = bytes(tensor[place:place + self.bytes])
            tensor[place:place + self.bytes] = \
                combine(self.name, kind, old, new) if kind else new
        return bytes(tensor)


# ----------------------------------------------------------------------------
# The program
# ----------------------------------------------------------------------------

# What the host does: all numbers of the map come from outside.
HOST = """
  func.func @encode(%sizes: memref<16xi64>, %numbers: memref<32xi32>, %of: memref<TOTALxi8>)
      -> memref<128xi8> {
    %map = memref.alloc() {alignment = 64} : memref<128xi8>
    %p0 = memref.extract_aligned_pointer_as_index %sizes : memref<16xi64> -> index
    %p1 = arith.index_cast %p0 : index to i64
    %size = llvm.inttoptr %p1 : i64 to !llvm.ptr
    %stride = llvm.getelementptr %size[5] : (!llvm.ptr) -> !llvm.ptr, i64
    %p2 = memref.extract_aligned_pointer_as_index %numbers : memref<32xi32> -> index
    %p3 = arith.index_cast %p2 : index to i64
    %box = llvm.inttoptr %p3 : i64 to !llvm.ptr
    %steps = llvm.getelementptr %box[5] : (!llvm.ptr) -> !llvm.ptr, i32
    %lower = llvm.getelementptr %box[10] : (!llvm.ptr) -> !llvm.ptr, i32
    %upper = llvm.getelementptr %box[13] : (!llvm.ptr) -> !llvm.ptr, i32
    %p4 = memref.extract_aligned_pointer_as_index %map : memref<128xi8> -> index
    %p5 = arith.index_cast %p4 : index to i64
    %m = llvm.inttoptr %p5 : i64 to !llvm.ptr
    %p6 = memref.extract_aligned_pointer_as_index %of : memref<TOTALxi8> -> index
    %p7 = arith.index_cast %p6 : index to i64
    %at = llvm.inttoptr %p7 : i64 to !llvm.ptr
    %type = llvm.mlir.constant(TYPE : i32) : i32
    %rank = llvm.mlir.constant(RANK : i32) : i32
    %none = llvm.mlir.constant(0 : i32) : i32
    %swizzle = llvm.mlir.constant(SWIZZLE : i32) : i32
    %fill = llvm.mlir.constant(FILL : i32) : i32
    %channels = llvm.mlir.constant(CHANNELS : i32) : i32
    %pixels = llvm.mlir.constant(PIXELS : i32) : i32
    ENCODE
    %d = gpu.alloc() : memref<128xi8>
    gpu.memcpy %d, %map : memref<128xi8>, memref<128xi8>
    memref.dealloc %map : memref<128xi8>
    return %d : memref<128xi8>
  }

  func.func @main(%sizes: memref<16xi64>, %numbers: memref<32xi32>, %src: memref<TOTALxi8>,
                  %given: memref<BYTESxi8>, %out: memref<BLOCKSxBYTESxi8>,
                  %dst: memref<TOTALxi8>) {
    %c1 = arith.constant 1 : index
    %c32 = arith.constant 32 : index
    %blocks = arith.constant BLOCKS : index
    %dsrc = gpu.alloc() : memref<TOTALxi8>
    %ddst = gpu.alloc() : memref<TOTALxi8>
    %dgiven = gpu.alloc() : memref<BYTESxi8>
    %dout = gpu.alloc() : memref<BLOCKSxBYTESxi8>
    %dnumbers = gpu.alloc() : memref<32xi32>
    gpu.memcpy %dsrc, %src : memref<TOTALxi8>, memref<TOTALxi8>
    gpu.memcpy %ddst, %dst : memref<TOTALxi8>, memref<TOTALxi8>
    gpu.memcpy %dgiven, %given : memref<BYTESxi8>, memref<BYTESxi8>
    gpu.memcpy %dnumbers, %numbers : memref<32xi32>, memref<32xi32>
    %from = call @encode(%sizes, %numbers, %dsrc)
        : (memref<16xi64>, memref<32xi32>, memref<TOTALxi8>) -> memref<128xi8>
    %to = call @encode(%sizes, %numbers, %ddst)
        : (memref<16xi64>, memref<32xi32>, memref<TOTALxi8>) -> memref<128xi8>
    gpu.launch_func @kernels::@copy clusters in (%blocks, %c1, %c1)
        blocks in (%blocks, %c1, %c1) threads in (%c32, %c1, %c1)
        args(%from : memref<128xi8>, %to : memref<128xi8>, %dnumbers : memref<32xi32>,
             %dgiven : memref<BYTESxi8>, %dout : memref<BLOCKSxBYTESxi8>)
    gpu.memcpy %out, %dout : memref<BLOCKSxBYTESxi8>, memref<BLOCKSxBYTESxi8>
    gpu.memcpy %dst, %ddst : memref<TOTALxi8>, memref<TOTALxi8>
    return
  }
"""

KERNEL = """
module attributes {gpu.container_module} {
  llvm.func @mgpuTensorMapEncodeTiled(!llvm.ptr, i32, i32, !llvm.ptr, !llvm.ptr, !llvm.ptr,
                                      !llvm.ptr, !llvm.ptr, i32, i32, i32, i32)
  llvm.func @mgpuTensorMapEncodeIm2col(!llvm.ptr, i32, i32, !llvm.ptr, !llvm.ptr,
                                       !llvm.ptr, !llvm.ptr, !llvm.ptr, i32, i32,
                                       !llvm.ptr, i32, i32, i32, i32)

  gpu.module @kernels {
    llvm.mlir.global internal @box() {addr_space = 3 : i32, alignment = 1024 : i64}
        : !llvm.array<BYTES x i8>
    llvm.mlir.global internal @barrier() {addr_space = 3 : i32, alignment = 8 : i64} : i64
    gpu.func @copy(%from: memref<128xi8>, %to: memref<128xi8>, %numbers: memref<32xi32>,
                   %given: memref<BYTESxi8>, %out: memref<BLOCKSxBYTESxi8>) kernel {
      %c0 = arith.constant 0 : index
      %c32 = arith.constant 32 : index
      %bytes = arith.constant BYTES : index
      %copied = arith.constant COPIED : i32
      %ticks = arith.constant 10000000 : i32
      %zero = arith.constant 0 : i32
      %one = arith.constant 1 : i32
      %mark = arith.constant -86 : i8
      %mask = arith.constant 3 : i16
      %t = gpu.thread_id x
      %block = gpu.block_id x
      %first = arith.cmpi eq, %t, %c0 : index
      %leads = arith.cmpi eq, %block, %c0 : index
      %w = llvm.mlir.addressof @box : !llvm.ptr<3>
      %wc = llvm.addrspacecast %w : !llvm.ptr<3> to !llvm.ptr<7>
      %b = llvm.mlir.addressof @barrier : !llvm.ptr<3>
      %f0 = memref.extract_aligned_pointer_as_index %from : memref<128xi8> -> index
      %f1 = arith.index_cast %f0 : index to i64
      %map = llvm.inttoptr %f1 : i64 to !llvm.ptr
      %t0 = memref.extract_aligned_pointer_as_index %to : memref<128xi8> -> index
      %t1 = arith.index_cast %t0 : index to i64
      %target = llvm.inttoptr %t1 : i64 to !llvm.ptr
      NUMBERS
      scf.for %i = %t to %bytes step %c32 {
        %j = arith.index_cast %i : index to i32
        %p = llvm.getelementptr %w[%j] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
        llvm.store %mark, %p : i8, !llvm.ptr<3>
      }
      scf.if %first {
        nvvm.mbarrier.init %b, %one : !llvm.ptr<3>, i32
      }
      nvvm.fence.mbarrier.init
      nvvm.fence.proxy {kind = #nvvm.proxy_kind<async.shared>, space = #nvvm.shared_space<cluster>}
      gpu.barrier
      MEET
      scf.if %first {
        nvvm.mbarrier.arrive.expect_tx %b, %copied : !llvm.ptr<3>, i32
        LOAD
      }
      nvvm.mbarrier.try_wait.parity %b, %zero, %ticks : !llvm.ptr<3>, i32, i32
      scf.for %i = %t to %bytes step %c32 {
        %j = arith.index_cast %i : index to i32
        %p = llvm.getelementptr %w[%j] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
        %v = llvm.load %p : !llvm.ptr<3> -> i8
        memref.store %v, %out[%block, %i] : memref<BLOCKSxBYTESxi8>
        %g = memref.load %given[%i] : memref<BYTESxi8>
        llvm.store %g, %p : i8, !llvm.ptr<3>
      }
      nvvm.fence.proxy {kind = #nvvm.proxy_kind<async.shared>, space = #nvvm.shared_space<cta>}
      gpu.barrier
      %both = arith.andi %first, %leads : i1
      scf.if %both {
        STORE
        nvvm.cp.async.bulk.commit.group
        nvvm.cp.async.bulk.wait_group 0
      }
      MEET
      gpu.return
    }
  }
"""


def program(of, kind, blocks):
    size = (of.copied() + 1023) // 1024 * 1024
    names = [f"%at{d}" for d in range(of.rank)]
    numbers = []
    for d, name in enumerate(names):
        numbers.append(f"%n{d} = arith.constant {18 + d} : index")
        numbers.append(f"{name} = memref.load %numbers[%n{d}] : memref<32xi32>")
    offsets = []
    for d in range(of.rank - 2 if of.im2col else 0):
        offsets.append(f"%offset{d}")
        numbers.append(f"%m{d} = arith.constant {23 + d} : index")
        numbers.append(f"%o{d} = memref.load %numbers[%m{d}] : memref<32xi32>")
        numbers.append(f"%offset{d} = arith.trunci %o{d} : i32 to i16")
    box = f"box[{', '.join(names)}]"
    load = f"nvvm.cp.async.bulk.tensor.shared.cluster.global %wc, %map, %b, {box}"
    if of.im2col:
        load += f" im2col[{', '.join(offsets)}]"
    mode = "{mode = #nvvm.tma_%s_mode<im2col>} " if of.im2col else ""
    if blocks > 1:
        load += " multicast_mask = %mask"
    load += f" {mode % 'load' if mode else ''}: !llvm.ptr<7>, !llvm.ptr"
    if blocks > 1:
        load = f"scf.if %leads {{ {load} }}"
    stored = f" %target, %w, {box} "
    if kind:
        words = [f"redKind = #nvvm.tma_redux_kind<{kind}>"]
        if mode:
            words.append("mode = #nvvm.tma_store_mode<im2col>")
        store = f"nvvm.cp.async.bulk.tensor.reduce{stored}{{{', '.join(words)}}}"
    else:
        store = f"nvvm.cp.async.bulk.tensor.global.shared.cta{stored}" \
            f"{mode % 'store' if mode else ''}"
    store += " : !llvm.ptr, !llvm.ptr<3>"
    encode = "llvm.call @mgpuTensorMapEncodeTiled(%m, %type, %rank, %at, %size, %stride, " \
        "%box, %steps, %none, %swizzle, %none, %fill) : (!llvm.ptr, i32, i32, !llvm.ptr, " \
        "!llvm.ptr, !llvm.ptr, !llvm.ptr, !llvm.ptr, i32, i32, i32, i32) -> ()"
    if of.im2col:
        encode = "llvm.call @mgpuTensorMapEncodeIm2col(%m, %type, %rank, %at, %size, " \
            "%stride, %lower, %upper, %channels, %pixels, %steps, %none, %swizzle, %none, " \
            "%fill) : (!llvm.ptr, i32, i32, !llvm.ptr, !llvm.ptr, !llvm.ptr, !llvm.ptr, " \
            "!llvm.ptr, i32, i32, !llvm.ptr, i32, i32, i32, i32) -> ()"
    meet = "nvvm.cluster.arrive\n      nvvm.cluster.wait" if blocks > 1 else ""
    text = (KERNEL + HOST + "}\n").replace("ENCODE\n", encode + "\n")
    for word, value in (("NUMBERS", "\n      ".join(numbers)), ("LOAD", load),
                        ("STORE", store), ("MEET", meet), ("TOTAL", of.total),
                        ("COPIED", of.copied()), ("BYTES", size), ("BLOCKS", blocks),
                        ("TYPE", of.type), ("RANK", of.rank), ("SWIZZLE", of.swizzle),
                        ("FILL", of.fill),
                        ("CHANNELS", of.channels if of.im2col else 0),
                        ("PIXELS", of.pixels if of.im2col else 0)):
        text = text.replace(word, str(value))
    return text


def pad(numbers, count):
    return list(numbers) + [0] * (count - len(numbers))


def inputs(of):
    sizes = pad(of.sizes, 5) + pad(of.strides[1:], 11)
    column = of.im2col
    numbers = pad([] if column else of.box, 5) + pad(of.steps, 5) + \
        pad(of.lower if column else [], 3) + pad(of.upper if column else [], 3) + [0, 0] + \
        pad(of.at, 5) + pad(of.offsets if column else [], 9)
    return struct.pack("<16q", *sizes), struct.pack("<32i", *numbers)


def values(draw, name, count, size):
    """Bytes of elements that are no NaNs, and whose sums are exact."""
    if name in ("f16", "f32", "f64", "bf16"):
        return b"".join(encode(name, draw.randint(-40, 40)) for _ in range(count // size))
    return bytes(draw.choice([0, 1, 255, 7, 128]) if draw.random() < 0.2 else
                 draw.randrange(256) for _ in range(count))


def read_array(path):
    data = open(path, "rb").read()
    length = struct.unpack("<H", data[8:10])[0]
    header = ast.literal_eval(data[10:10 + length].decode())
    assert header["descr"] in ("|i1", "|u1"), header
    return data[10 + length:]


def check(seed, arguments, folder):
    """Whether a seed's program does on all devices what it should."""
    draw = random.Random(seed)
    pairs = [(kind, name) for kind in REDUCTIONS for name in sorted(CAN[kind])]
    kind, name = pairs[seed % len(pairs)] if seed % 8 != 7 else (None, None)
    of = Map(draw, seed % len(SPANS), name)
    blocks = 2 if seed % 3 == 1 else 1
    total = (of.total + 15) // 16 * 16
    of.total = total
    tensor = values(draw, of.name, total, of.bytes)
    target = values(draw, of.name, total, of.bytes)
    size = (of.copied() + 1023) // 1024 * 1024
    given = values(draw, of.name, size, of.bytes)
    want = bytes(0xAA if byte is None else byte for byte in of.load(tensor)) * blocks
    changed = of.store(target, given, kind)
    text = program(of, kind, blocks)
    files = {}
    for part, data in zip(("sizes", "numbers", "tensor", "given", "out", "target"),
                          (*inputs(of), tensor, given, bytes(size * blocks), target)):
        files[part] = os.path.join(folder, part)
        with open(files[part], "wb") as file:
            file.write(data)
    path = os.path.join(folder, "program.mlir")
    with open(path, "w") as file:
        file.write(text)
    results = [os.path.join(folder, name) for name in ("out.npy", "target.npy")]
    command = [arguments.runner, path, "--gpu-chip=sm_90",
               f"--input=16xi64=@{files['sizes']}", f"--input=32xi32=@{files['numbers']}",
               f"--input={total}xi8=@{files['tensor']}", f"--input={size}xi8=@{files['given']}",
               f"--input={blocks}x{size}xi8=@{files['out']}",
               f"--input={total}xi8=@{files['target']}",
               f"--output=arg4={results[0]}", f"--output=arg5={results[1]}"]
    devices = [{"ASYNC_GPU_DEVICE": "emu", "ASYNC_GPU_EMU_SEED": str(seed)},
               {"ASYNC_GPU_DEVICE": "emu", "ASYNC_GPU_EMU_CHECK": "races,memory"}]
    if arguments.ptx:
        devices.append({"ASYNC_GPU_DEVICE": "cuda", "LD_LIBRARY_PATH": arguments.ptx})
    for device in devices[seed % 2:] if arguments.brief else devices:
        done = subprocess.run(command, env={**os.environ, **device}, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              timeout=120, check=False)
        where = " ".join(f"{name}={value}" for name, value in device.items())
        if done.returncode:
            problem = done.stdout
        elif read_array(results[0]) != want:
            got = read_array(results[0])
            at = next(i for i, (a, b) in enumerate(zip(got, want)) if a != b)
            problem = f"workgroup memory differs from byte {at} on"
        elif read_array(results[1]) != changed:
            got = read_array(results[1])
            at = next(i for i, (a, b) in enumerate(zip(got, changed)) if a != b)
            problem = f"the tensor differs from byte {at} on"
        else:
            continue
        print(f"seed {seed}, {where}: {problem}")
        print({name: value for name, value in vars(of).items() if name != "draw"},
              "kind", kind, "blocks", blocks)
        if arguments.keep:
            with open(arguments.keep, "w") as file:
                file.write(text)
        return False
    return True


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runner", required=True)
    parser.add_argument("--ptx", help="the folder of a driver that interprets PTX")
    parser.add_argument("--seeds", default="0-9")
    parser.add_argument("--brief", action="store_true", help="half of the settings each")
    parser.add_argument("--keep", help="where a program goes that differs")
    arguments = parser.parse_args()
    first, _, last = arguments.seeds.partition("-")
    with tempfile.TemporaryDirectory() as folder:
        wrong = sum(not check(seed, arguments, folder)
                    for seed in range(int(first), int(last or first) + 1))
    return min(wrong, 1)


if __name__ == "__main__":
    sys.exit(main())
