#!/usr/bin/env python3
"""The cache of a modelled card, and memory that is freed in stream order.

Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
See LICENSE for license information.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

    check_freed.py --runner FILE

The host frees an array while the kernel that uses it has yet to run. It is the device's all
the same: another array, which is as large as the cache and which nobody frees, has to come
from memory before that kernel and behind it.
"""

import argparse
import json
import pathlib
import subprocess
import sys
import tempfile

SIZE = 1 << 20  # of f32: as much as the cache of a T4


def launch(name):
    return f"""
    gpu.launch blocks(%bx, %by, %bz) in (%gx{name} = %grid, %gy{name} = %c1, %gz{name} = %c1)
        threads(%tx, %ty, %tz) in (%sx{name} = %block, %sy{name} = %c1, %sz{name} = %c1) {{
      %first = arith.muli %bx, %block : index
      %i = arith.addi %first, %tx : index
      %x = memref.load %{name[0]}[%i] : memref<{SIZE}xf32>
      memref.store %x, %{name[0]}[%i] : memref<{SIZE}xf32>
      gpu.terminator
    }}"""


PROGRAM = f"""
func.func @main() {{
  %c1 = arith.constant 1 : index
  %grid = arith.constant {SIZE // 256} : index
  %block = arith.constant 256 : index
  %a = gpu.alloc() : memref<{SIZE}xf32>
  %token = async.execute {{
    %b = gpu.alloc() : memref<{SIZE}xf32>{launch("a1")}{launch("b1")}
    gpu.dealloc %b : memref<{SIZE}xf32>{launch("a2")}
    async.yield
  }}
  async.await %token : !async.token
  return
}}
"""


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--runner", required=True)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        source, trace = (pathlib.Path(folder) / name for name in ("p.mlir", "t.json"))
        source.write_text(PROGRAM)
        subprocess.run([arguments.runner, "--device=emu", "--model=t4", f"--trace={trace}",
                        "--graphs=off", "--entry-point=main", source], check=True,
                       timeout=60, stdout=subprocess.DEVNULL)
        took = [event["dur"] for event in json.loads(trace.read_bytes())["traceEvents"]
                if event.get("cat") == "kernel" and event["ph"] == "X"]
    if len(took) != 3 or max(took) - min(took) > 0.002:
        sys.exit(f"none of three kernels finds its array in the cache: {took}")


if __name__ == "__main__":
    main()
