#!/usr/bin/env -S python3 -B
"""What regions formed of sequential programs gain, or cost.

Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
See LICENSE for license information.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

    bench/sequential.py [--build build] [--rounds 7] [--only NAME] [--json FILE]

Programs without a token, on buffers of 64, 16,384 and 1,048,576 floats: loops that
are pipelines, kernels side by side, the host beside the device, copies both ways.
Each runs on the emulated device in the program's order and with --sequential, in
turn, one process a sample; a sample is the median of its calls. Lines go to stderr,
everything as JSON to --json (default: stdout).
"""

import argparse
import json
import pathlib
import statistics
import subprocess
import tempfile

import machine
from machine import ROOT, say

SIZES = {64: 200, 16384: 50, 1 << 20: 7}  # elements, and calls of a sample

KERNEL = """
module attributes {gpu.container_module} {
memref.global @g0 : TYPE = uninitialized
memref.global @g1 : TYPE = uninitialized
memref.global @g2 : TYPE = uninitialized
gpu.module @k {
  gpu.func @add(%s: TYPE, %m: TYPE) kernel {
    %b = gpu.block_id x
    %t = gpu.thread_id x
    %c64 = arith.constant 64 : index
    %b0 = arith.muli %b, %c64 : index
    %i = arith.addi %b0, %t : index
    %x = memref.load %m[%i] : TYPE
    %y = memref.load %s[%i] : TYPE
    %z = arith.addf %x, %y : f32
    memref.store %z, %s[%i] : TYPE
    gpu.return
  }
}
func.func @forward() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c20 = arith.constant 20 : index
  %c64 = arith.constant 64 : index
  %blocks = arith.constant BLOCKS : index
  %one = arith.constant 1.0 : f32
  %i = arith.constant 3 : index
"""


def fill(host):
    return f"""
  linalg.generic {{indexing_maps = [affine_map<(d0) -> (d0)>],
      iterator_types = ["parallel"]}} outs({host} : TYPE) {{
  ^bb0(%out: f32):
    %k = linalg.index 0 : index
    %j = arith.muli %k, %i : index
    %x = arith.index_cast %j : index to i32
    %y = arith.sitofp %x : i32 to f32
    linalg.yield %y : f32
  }}"""


def add(to, what):
    return (f"\n  gpu.launch_func @k::@add blocks in (%blocks, %c1, %c1) "
            f"threads in (%c64, %c1, %c1) args({to} : TYPE, {what} : TYPE)")


def copy(to, what):
    return f"\n  gpu.memcpy {to}, {what} : TYPE, TYPE"


def on_device(*names):
    return "".join(f"\n  {name} = gpu.alloc () : TYPE\n"
                   f"  gpu.memset {name}, %one : TYPE, f32" for name in names)


def release(*names):
    return "".join(f"\n  gpu.dealloc {name} : TYPE" for name in names)


def loop(body):
    return "\n  scf.for %r = %c0 to %c20 step %c1 {" + body + "\n  }"


def pipeline(kernels):
    body = (fill("%h") + copy("%d", "%h") + add("%s", "%d") * kernels)
    return ("\n  %h = memref.get_global @g0 : TYPE" + on_device("%d", "%s") +
            loop(body) + copy("%h", "%s") + release("%d", "%s"))


def fork(width=4, length=5):
    names = [f"%s{i}" for i in range(width)]
    return (on_device("%d", *names) +
            "".join(add(name, "%d") for _ in range(length) for name in names) +
            release("%d", *names))


def diamond(count=5):
    names = ["%a", "%b", "%c", "%d"]
    one = (add("%b", "%a") + add("%c", "%a") + add("%d", "%b") +
           add("%d", "%c") + add("%a", "%d"))
    return on_device(*names) + one * count + release(*names)


def side_by_side():
    return (on_device("%a", "%b", "%c") + loop(add("%b", "%a") + add("%c", "%a")) +
            add("%a", "%b") + release("%a", "%b", "%c"))


def host_and_device(count=3):
    text = on_device("%a", "%b") + "".join(
        f"\n  %h{j} = memref.get_global @g{j} : TYPE" for j in range(count))
    for j in range(count):
        text += add("%a", "%b") + fill(f"%h{j}")
    return text + release("%a", "%b")


def up_and_down(count=3):
    names = [f"%a{j}" for j in range(count)]
    text = on_device("%d", *names)
    for j, name in enumerate(names):
        text += (f"\n  %h{j} = memref.get_global @g{j} : TYPE" +
                 copy(name, f"%h{j}") + add(name, "%d") + copy(f"%h{j}", name))
    return text + release("%d", *names)


PROGRAMS = {
    "pipeline": pipeline(1), "pipeline of five kernels": pipeline(5),
    "four chains": fork(), "diamonds": diamond(),
    "two kernels in a loop": side_by_side(),
    "host beside device": host_and_device(), "copies both ways": up_and_down(),
}


def sample(runner, source, calls, sequential, folder):
    report = folder / "report.json"
    subprocess.run([runner, source, "--entry=forward", f"--repeat={calls}",
                    "--device=emu", f"--report={report}",
                    f"--sequential={'true' if sequential else 'false'}"],
                   check=True, stdout=subprocess.DEVNULL)
    return json.loads(report.read_text())["entries"][0]["median_ms"]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--only", default="")
    parser.add_argument("--json", help="file for all samples")
    arguments = parser.parse_args()
    machine.require(arguments.build, "bin/async-gpu-runner")
    runner = arguments.build / "bin/async-gpu-runner"
    document = machine.header("sequential")
    document["results"] = []
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for program, body in PROGRAMS.items():
            for size, calls in SIZES.items():
                if arguments.only not in program:
                    continue
                source = folder / "program.mlir"
                text = KERNEL + body + "\n  return\n}\n}\n"
                source.write_text(text.replace("TYPE", f"memref<{size}xf32>")
                                  .replace("BLOCKS", str(size // 64)))
                pairs = [(sample(runner, source, calls, False, folder),
                          sample(runner, source, calls, True, folder))
                         for _ in range(arguments.rounds)]
                result = {
                    "program": program, "elements": size,
                    "in_order_ms": statistics.median(pair[0] for pair in pairs),
                    "formed_ms": statistics.median(pair[1] for pair in pairs),
                    "ratio": statistics.median(
                        formed / plain for plain, formed in pairs),
                    "samples": pairs}
                document["results"].append(result)
                say(f"{program}, {size}: in order "
                    f"{result['in_order_ms']:.4g} ms, formed "
                    f"{result['formed_ms']:.4g} ms, ratio "
                    f"{result['ratio']:.2f}")
    machine.save(document, arguments.json)


if __name__ == "__main__":
    main()
