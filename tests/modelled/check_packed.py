#!/usr/bin/env python3
"""Programs of bench/modelled.py run elsewhere, and their traces are read back.

Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
See LICENSE for license information.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

    check_packed.py --modelled bench/modelled.py --runner RUNNER

The emulated device stands for the card, with the model that the figures are of: what the
traces say is then what the runner's say.
"""

import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--modelled", required=True)
    parser.add_argument("--runner", required=True)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        packed, out = pathlib.Path(name) / "packed", pathlib.Path(name) / "out.json"
        command = [sys.executable, "-B", arguments.modelled, "--runner", arguments.runner,
                   "--model", "h200", "--suite", "gpu-small-kernels", "--quick"]
        subprocess.run([*command, "--pack", packed], check=True)
        subprocess.run([packed / "run"], check=True, stderr=subprocess.DEVNULL,
                       env={**os.environ, "ROUNDS": "1", "ASYNC_GPU_DEVICE": "emu",
                            "ASYNC_GPU_EMU_MODEL": "h200", "ASYNC_GPU_NUM_THREADS": "1"})
        subprocess.run([*command, "--traces", packed, "--json", out], check=True)
        figures = json.loads(out.read_text())["figures"]
    wrong = [f"{figure}" for figure in figures
             if abs(figure.get("measured", 0) / figure["modelled"] - 1) > 0.02]
    if wrong or not figures:
        sys.exit("\n".join(wrong) or "no figures")


if __name__ == "__main__":
    main()
