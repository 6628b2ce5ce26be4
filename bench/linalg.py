#!/usr/bin/env -S python3 -B
"""What kernels made of linalg take on the emulated device, and to compile.

Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
See LICENSE for license information.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

    bench/linalg.py [--build build] [--rounds 5] [--calls 21] [--scale 1]
                    [--iree FOLDER] [--json FILE]

Each workload is one file of linalg on tensors. Peers: upstream's own way to
kernels (loops, tiled by scf-parallel-loop-tiling, convert-parallel-loops-to-gpu;
memory is placed as ours is, by async-gpu-place-data); for the product, a kernel
written by hand with tiles of 16 by 16 in workgroup memory, which is that of
bench/emulated; and with --iree, the folder of Python's programs where
iree-base-compiler and iree-base-runtime are installed, IREE for the CPU on its
local-task device, which simulates no GPU. One process a sample, the peers in
turn; a sample is the least of its calls, since other processes only add to it.
Results are compared with ours. The last workload is a chain of so many ops that
need a kernel each: what --async-gpu-from-linalg takes. Ratios go to stderr,
everything as JSON to --json (default: stdout).
"""

import argparse
import json
import math
import pathlib
import statistics
import struct
import subprocess
import sys
import tempfile
import time

import machine
from machine import ROOT, say

FILL = """
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<{out}xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<{out}xf32>) -> tensor<{out}xf32>"""

PRODUCT = """
func.func @forward(%a: tensor<{n}x{n}xf32>, %b: tensor<{n}x{n}xf32>) -> tensor<{n}x{n}xf32> {{""" + \
    FILL.replace("{out}", "{n}x{n}") + """
  %c = linalg.matmul ins(%a, %b : tensor<{n}x{n}xf32>, tensor<{n}x{n}xf32>)
      outs(%f : tensor<{n}x{n}xf32>) -> tensor<{n}x{n}xf32>
  return %c : tensor<{n}x{n}xf32>
}}
"""

ROWS = """
func.func @forward(%x: tensor<64x{n}xf32>) -> tensor<64xf32> {{""" + \
    FILL.replace("{out}", "64") + """
  %y = linalg.generic {{
      indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>],
      iterator_types = ["parallel", "reduction"]}}
      ins(%x : tensor<64x{n}xf32>) outs(%f : tensor<64xf32>) {{
  ^bb0(%v: f32, %acc: f32):
    %s = arith.addf %acc, %v : f32
    linalg.yield %s : f32
  }} -> tensor<64xf32>
  return %y : tensor<64xf32>
}}
"""

EACH = """
func.func @forward(%x: tensor<{n}x64xf32>, %b: tensor<64xf32>) -> tensor<{n}x64xf32> {{
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<{n}x64xf32>
  %y = linalg.generic {{
      indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>,
                       affine_map<(i, j) -> (i, j)>],
      iterator_types = ["parallel", "parallel"]}}
      ins(%x, %b : tensor<{n}x64xf32>, tensor<64xf32>) outs(%e : tensor<{n}x64xf32>) {{
  ^bb0(%v: f32, %w: f32, %o: f32):
    %s = arith.addf %v, %w : f32
    %r = arith.maximumf %s, %zero : f32
    linalg.yield %r : f32
  }} -> tensor<{n}x64xf32>
  return %y : tensor<{n}x64xf32>
}}
"""

BY_HAND = """
func.func @forward(%a: memref<{n}x{n}xf32>, %b: memref<{n}x{n}xf32>) -> memref<{n}x{n}xf32> {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %n = arith.constant {n} : index
  %g = arith.divui %n, %c16 : index
  %zero = arith.constant 0.0 : f32
  %c = memref.alloc() : memref<{n}x{n}xf32>
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %g, %gy = %g, %gz = %c1)
      threads(%x, %y, %z) in (%nx = %c16, %ny = %c16, %nz = %c1)
      workgroup(%as : memref<16x16xf32, #gpu.address_space<workgroup>>,
                %bs : memref<16x16xf32, #gpu.address_space<workgroup>>) {{
    %row0 = arith.muli %by, %c16 : index
    %row = arith.addi %row0, %y : index
    %column0 = arith.muli %bx, %c16 : index
    %column = arith.addi %column0, %x : index
    %sum = scf.for %first = %c0 to %n step %c16 iter_args(%before = %zero) -> f32 {{
      %ac = arith.addi %first, %x : index
      %av = memref.load %a[%row, %ac] : memref<{n}x{n}xf32>
      memref.store %av, %as[%y, %x] : memref<16x16xf32, #gpu.address_space<workgroup>>
      %br = arith.addi %first, %y : index
      %bv = memref.load %b[%br, %column] : memref<{n}x{n}xf32>
      memref.store %bv, %bs[%y, %x] : memref<16x16xf32, #gpu.address_space<workgroup>>
      gpu.barrier
      %after = scf.for %k = %c0 to %c16 step %c1 iter_args(%so_far = %before) -> f32 {{
        %p = memref.load %as[%y, %k] : memref<16x16xf32, #gpu.address_space<workgroup>>
        %q = memref.load %bs[%k, %x] : memref<16x16xf32, #gpu.address_space<workgroup>>
        %pq = arith.mulf %p, %q : f32
        %next = arith.addf %so_far, %pq : f32
        scf.yield %next : f32
      }}
      gpu.barrier
      scf.yield %after : f32
    }}
    memref.store %sum, %c[%row, %column] : memref<{n}x{n}xf32>
    gpu.terminator
  }}
  return %c : memref<{n}x{n}xf32>
}}
"""

# Name, text, size, shapes of the inputs, tiles for upstream, by hand.
WORKLOADS = [
    ("product", PRODUCT, 512, ["{n}x{n}", "{n}x{n}"], "16,16", BY_HAND),
    ("row sums", ROWS, 1 << 16, ["64x{n}"], "64", None),
    ("bias and maximum", EACH, 1 << 15, ["{n}x64", "64"], "2,64", None),
]

UPSTREAM = ("builtin.module(async-gpu-bufferize{{fuse=true}},"
            "func.func(convert-linalg-to-parallel-loops),"
            "func.func(scf-parallel-loop-tiling{{parallel-loop-tile-sizes={}}}),"
            "func.func(gpu-map-parallel-loops,convert-parallel-loops-to-gpu),"
            "lower-affine,canonicalize,cse,"
            "async-gpu-place-data{{memory=unified}})")
PLACE = "builtin.module(canonicalize,async-gpu-place-data{memory=unified})"

IREE = """
import sys, time, numpy, iree.runtime
module = iree.runtime.load_vm_flatbuffer_file(sys.argv[1], driver="local-task")
arrays = [numpy.load(path) for path in sys.argv[4:]]
least = float("inf")
for _ in range(int(sys.argv[2])):
    start = time.perf_counter()
    result = module["forward"](*arrays).to_host()
    least = min(least, time.perf_counter() - start)
numpy.save(sys.argv[3], result)
print(least * 1e3)
"""


def write_npy(path, shape):
    """Numbers in [0, 1), the same each time."""
    sizes = [int(size) for size in shape.split("x")]
    header = (f"{{'descr': '<f4', 'fortran_order': False, "
              f"'shape': ({', '.join(map(str, sizes))},), }}")
    header += " " * (-(11 + len(header)) % 64) + "\n"
    count = math.prod(sizes)
    line = struct.pack("<1021f", *(i * 389 % 1021 / 1021 for i in range(1021)))
    data = (line * (count // 1021 + 1))[:4 * count]
    path.write_bytes(b"\x93NUMPY\1\0" + struct.pack("<H", len(header)) +
                     header.encode() + data)


def read_npy(path):
    data = path.read_bytes()
    start = 10 + struct.unpack("<H", data[8:10])[0]
    return struct.unpack(f"<{(len(data) - start) // 4}f", data[start:])


class Peer:
    """A way to run a workload: a file for the runner, or IREE's."""

    def __init__(self, name, file, compile_seconds=None, iree=None):
        self.name, self.file, self.iree = name, file, iree
        self.samples, self.compile = [], compile_seconds or []

    def run(self, runner, inputs, calls, folder):
        result = folder / "result.npy"
        if self.iree:
            done = subprocess.run(
                [self.iree / "python3", "-c", IREE, self.file, str(calls),
                 result, *inputs], capture_output=True, text=True, check=True)
            self.samples.append(float(done.stdout))
        else:
            report = folder / "report.json"
            subprocess.run(
                [runner, self.file, "--entry=forward", f"--output={result}",
                 f"--repeat={calls}", f"--report={report}",
                 *(f"--input={path}" for path in inputs)], check=True)
            said = json.loads(report.read_text())
            self.samples.append(said["entries"][0]["min_ms"])
            self.compile.append((said["parse_ms"] + said["lower_ms"] +
                                 said["compile_ms"]) / 1e3)
        return read_npy(result)


def peers_of(workload, size, arguments, folder):
    name, text, _, _, tiles, by_hand = workload
    opt = arguments.build / "bin/async-gpu-opt"
    source = folder / f"{name.replace(' ', '_')}.mlir"
    source.write_text(text.format(n=size))
    upstream = source.with_suffix(".upstream.mlir")
    subprocess.run([opt, source, f"--pass-pipeline={UPSTREAM.format(tiles)}",
                    "-o", upstream], check=True)
    found = [Peer("async-gpu", source), Peer("upstream", upstream)]
    if by_hand:
        hand = source.with_suffix(".hand.mlir")
        subprocess.run([opt, "-", f"--pass-pipeline={PLACE}", "-o", hand],
                       input=by_hand.format(n=size), text=True, check=True)
        found.append(Peer("by hand", hand))
    if arguments.iree:
        code = source.with_suffix(".vmfb")
        start = time.perf_counter()
        subprocess.run(
            [arguments.iree / "iree-compile", source, "-o", code,
             "--iree-hal-target-device=local",
             "--iree-hal-local-target-device-backends=llvm-cpu",
             "--iree-llvmcpu-target-cpu=host"], check=True)
        found.append(Peer("IREE local-task", code,
                          [time.perf_counter() - start], arguments.iree))
    return found


def check(ours, theirs, name):
    scale = max(map(abs, ours), default=0) or 1
    if len(ours) != len(theirs) or any(
            abs(a - b) > 1e-4 * scale for a, b in zip(ours, theirs)):
        sys.exit(f"{name} gives something else than async-gpu")


def measure(workload, arguments, folder):
    name, _, size, shapes, _, _ = workload
    size = max(16, int(size * arguments.scale) // 16 * 16)
    inputs = []
    for number, shape in enumerate(shapes):
        inputs.append(folder / f"input{number}.npy")
        write_npy(inputs[-1], shape.format(n=size))
    found = peers_of(workload, size, arguments, folder)
    for _ in range(arguments.rounds):
        ours = None
        for peer in found:
            result = peer.run(arguments.build / "bin/async-gpu-runner", inputs,
                              arguments.calls, folder)
            ours = result if ours is None else ours
            check(ours, result, peer.name)
    entry = {"workload": name, "size": size, "peers": {}}
    base = statistics.median(found[0].samples)
    for peer in found:
        median = statistics.median(peer.samples)
        entry["peers"][peer.name] = {
            "milliseconds": median, "samples": peer.samples,
            "compile_seconds": statistics.median(peer.compile)}
        say(f"{name}, {size}: {peer.name} {median:.3f} ms "
            f"({median / base:.2f} of ours), compiled in "
            f"{entry['peers'][peer.name]['compile_seconds']:.2f} s")
    return entry


def chain(count):
    """`count` row sums, each of which the next needs to shift its rows."""
    body = "".join(f"""
  %s{i} = linalg.reduce {{ arith.addf }} ins(%t{i} : tensor<8x8xf32>)
      outs(%f : tensor<8xf32>) dimensions = [1]
  %t{i + 1} = linalg.broadcast ins(%s{i} : tensor<8xf32>)
      outs(%e : tensor<8x8xf32>) dimensions = [1]""" for i in range(count // 2))
    return f"""
func.func @forward(%t0: tensor<8x8xf32>) -> tensor<8x8xf32> {{
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<8x8xf32>
  %g = tensor.empty() : tensor<8xf32>
  %f = linalg.fill ins(%zero : f32) outs(%g : tensor<8xf32>) -> tensor<8xf32>{body}
  return %t{count // 2} : tensor<8x8xf32>
}}
"""


def lowering(arguments, folder):
    rows = []
    for count in (100, 300, 1000):
        source = folder / "chain.mlir"
        source.write_text(chain(int(count * min(1, arguments.scale))))
        samples = []
        for _ in range(min(3, arguments.rounds)):
            start = time.perf_counter()
            subprocess.run([arguments.build / "bin/async-gpu-opt", source,
                            "--async-gpu-from-linalg", "-o", "/dev/null"],
                           check=True)
            samples.append(time.perf_counter() - start)
        rows.append({"ops": count, "seconds": min(samples),
                     "samples": samples})
        say(f"--async-gpu-from-linalg, {count} ops: {min(samples):.2f} s")
    return rows


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--calls", type=int, default=21)
    parser.add_argument("--scale", type=float, default=1)
    parser.add_argument("--iree", type=pathlib.Path)
    parser.add_argument("--json", help="file for all samples")
    arguments = parser.parse_args()
    machine.require(arguments.build, "bin/async-gpu-opt", "bin/async-gpu-runner")
    document = machine.header("linalg")
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        document["results"] = [measure(workload, arguments, folder)
                               for workload in WORKLOADS]
        document["lowering"] = lowering(arguments, folder)
    machine.save(document, arguments.json)


if __name__ == "__main__":
    main()
