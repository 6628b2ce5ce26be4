#!/usr/bin/env python3
"""Kernels that run only the blocks that a model counts (ASYNC_GPU_EMU_BLOCKS).

Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
See LICENSE for license information.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

    check_blocks.py --runner FILE

They take the same modelled time as with all blocks, other blocks compute nothing, and a warning
says so. Without a model the setting is an error.
"""

import argparse
import json
import os
import pathlib
import struct
import subprocess
import sys
import tempfile

BLOCKS, THREADS = 64, 128
SIZE = BLOCKS * THREADS
PROGRAM = f"""
func.func @main(%x: tensor<{SIZE}xf32>) -> tensor<{SIZE}xf32> {{
  %e = tensor.empty() : tensor<{SIZE}xf32>
  %y = linalg.add ins(%x, %x : tensor<{SIZE}xf32>, tensor<{SIZE}xf32>)
      outs(%e : tensor<{SIZE}xf32>) -> tensor<{SIZE}xf32>
  return %y : tensor<{SIZE}xf32>
}}
"""
RAN = {"all": BLOCKS, "counted": 16, "few": 4}  # of the first two, the last, and some between


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--runner", required=True)
    arguments = parser.parse_args()
    problems, kernels = [], {}
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "program.mlir").write_text(PROGRAM)

        def run(blocks, *words):
            return subprocess.run(
                [arguments.runner, "--device=emu", *words, f"--input={SIZE}xf32=1.5",
                 f"--output={folder}/y.npy", folder / "program.mlir"], timeout=60,
                capture_output=True, text=True, check=False,
                env={**os.environ, "ASYNC_GPU_EMU_BLOCKS": blocks})

        for blocks, ran in RAN.items():
            done = run(blocks, "--model=h100", f"--trace={folder}/t.json")
            if done.returncode != 0:
                sys.exit(f"{blocks}: {done.stderr}")
            if ("warning: results are wrong" in done.stderr) != (blocks != "all"):
                problems.append(f"{blocks}: a warning says that results are wrong: {done.stderr}")
            data = (folder / "y.npy").read_bytes()[-4 * SIZE:]
            right = struct.unpack(f"<{SIZE}f", data).count(3.0)
            if right != ran * THREADS:
                problems.append(f"{blocks}: {right / THREADS} blocks ran, and not {ran}")
            events = json.loads((folder / "t.json").read_bytes())["traceEvents"]
            kernels[blocks] = [(e["ts"], e["dur"]) for e in events
                               if e["ph"] == "X" and e.get("cat") == "kernel"]
        if not kernels["all"] or any(of != kernels["all"] for of in kernels.values()):
            problems.append(f"kernels take the same: {kernels}")
        done = run("few")
        if done.returncode == 0 or "set ASYNC_GPU_EMU_MODEL too" not in done.stderr:
            problems.append(f"without a model it is an error: {done.stderr}")
    print("\n".join(problems) or "few blocks take the time of all")
    return bool(problems)


if __name__ == "__main__":
    sys.exit(main())
