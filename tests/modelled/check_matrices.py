#!/usr/bin/env python3
"""Modelled time of products of matrices: no clock is read.

Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
See LICENSE for license information.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

    check_matrices.py --runner FILE --models FOLDER integration/kernels/wgmma_pipeline.mlir

Eight warps on each multiprocessor multiply at matrix_rate, one at a quarter of it, and
those of a warp group as fast. What holds the factors and sums is in registers.
"""

import argparse
import json
import pathlib
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / "bench/modelled"))
import programs  # noqa: E402  (the folder is this one's)

ROUNDS, MULTIPROCESSORS = 200, 40
WGMMA = 64 * 64 * 256  # products of wgmma_pipeline.mlir


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--runner", required=True)
    parser.add_argument("--models", type=pathlib.Path, required=True)
    parser.add_argument("wgmma")
    arguments = parser.parse_args()
    wrong = []
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)

        def measure(model, rate, program, *options):
            """Nanoseconds of the one kernel, and of the products of one
            multiprocessor at one in a clock."""
            text = (arguments.models / f"{model}.model").read_text()
            (folder / "m.model").write_text(
                re.sub(r"^matrix_rate = .*", f"matrix_rate = {rate}", text,
                       flags=re.MULTILINE))
            subprocess.run(
                [arguments.runner, "--device=emu", f"--model={folder}/m.model",
                 f"--trace={folder}/t.json", "--entry-point=main", *options, program],
                check=True, timeout=60, stdout=subprocess.DEVNULL)
            took, = [event["dur"] * 1e3 for event in json.loads(
                (folder / "t.json").read_bytes())["traceEvents"]
                if event.get("cat") == "kernel" and event["ph"] == "X"]
            return took, float(re.search(r"^clock = ([0-9.]+)", text, re.MULTILINE)[1])

        def check(what, low, high, *run):
            took, clock = measure(*run)
            if not low / clock <= took <= high / clock:
                wrong.append(f"{what}: {took} ns, {low / clock} to {high / clock} wanted")

        arrays = {"a": "16x16xf16", "b": "16x16xf16", "c": "16x16xf32"}
        for warps, wanted in ((8, 8 * 4096 * ROUNDS / 512), (1, 4 * 4096 * ROUNDS / 512)):
            source = folder / "p.mlir"
            source.write_text(programs.program(
                programs.constants(c1=1) +
                "".join(f"  %{of} = gpu.alloc() : memref<{what}>\n"
                        for of, what in arrays.items()) +
                programs.number([programs.launch(MULTIPROCESSORS, 32 * warps,
                                                 programs.multiply("f16", ROUNDS))]) +
                "".join(f"  gpu.dealloc %{of} : memref<{what}>\n"
                        for of, what in arrays.items())))
            check(f"{warps} warps", wanted, wanted + 5000, "t4", 512, source)
        check("a warp group", WGMMA, 1.02 * WGMMA, "h100", 1, arguments.wgmma,
              "--gpu-chip=sm_90a")
    print("\n".join(wrong) or "products of matrices take what they should")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
