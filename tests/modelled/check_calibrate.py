#!/usr/bin/env python3
"""What bench-gpu calibrate measures gives a model back.

Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
See LICENSE for license information.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

    check_calibrate.py --bench-gpu PROGRAM --calibrate bench/calibrate.py --models FOLDER
        MODEL

Measures the emulated device with the model of a part of the card, and fits another one to
the figures, whose numbers are all wrong at first. Each number that the figures say has to
come back.
"""

import argparse
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

# Parts by which a number may be off, where it is not EXACT. Loops have instructions of
# their own besides those whose rate is measured.
EXACT = 0.02
TOLERANCES = {"fp32_rate": 0.08, "integer_rate": 0.08, "fp64_rate": 0.08,
              "launch_latency": 0.04, "kernel_least": 0.25}
# What the modelled clock does not say: a thread's wake-up takes real time there, a kernel's
# dependent loads are as far apart as others (so the latencies come back as quotients),
# nothing measures conditional nodes, several devices or products of matrices, and nothing
# here is a task of the runtime.
NOT_FITTED = {"wake_latency", "workgroup_latency", "condition_gap", "loads_in_flight", "l2_latency",
              "memory_latency", "task", "peer_bandwidth", "peer_links", "matrix_rate",
              "host_time", "error", "multiprocessors", "clock", "blocks", "warps",
              "registers", "thread_registers", "workgroup_memory", "issue_rate",
              "memory_bandwidth", "l2_size"}
QUOTIENT = 0.35  # a link's address takes instructions, too
# A part of a card takes as long for a part of the work; its cache is that of a T4.
PART = {"h100": 33, "t4": 10}
DIVIDED = ("multiprocessors", "memory_bandwidth", "l2_bandwidth", "l2_write_bandwidth",
           "block_rate")
L2_MIB, LARGE_MIB = 4, 4


def read(text):
    """Numbers by key, as they stand there."""
    return {found[1]: float(found[2]) for found in
            re.finditer(r"^(\w+) = ([0-9.]+)", text, re.MULTILINE)}


def scale(text, key, factor):
    """The text with so many times the number for the key."""
    return re.sub(rf"^({key}) = ([0-9.]+)",
                  lambda found: f"{found[1]} = {float(found[2]) * factor:.6g}", text,
                  flags=re.MULTILINE)


def spoil(text, keys):
    """The text with other numbers for these keys: more and less, in turn."""
    for number, key in enumerate(sorted(keys)):
        text = scale(text, key, 0.6 if number % 2 or key == "memory_efficiency" else 1.7)
    return text


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--bench-gpu", required=True)
    parser.add_argument("--calibrate", required=True)
    parser.add_argument("--models", type=pathlib.Path, required=True)
    parser.add_argument("model")
    arguments = parser.parse_args()
    text = (arguments.models / f"{arguments.model}.model").read_text()
    for key in DIVIDED:
        text = scale(text, key, 1 / PART[arguments.model])
    text = scale(text, "l2_size", L2_MIB / read(text)["l2_size"])
    known = read(text)
    # One device measures no messages of ranks.
    fitted = {key for key in known.keys() - NOT_FITTED
              if not key.startswith(("node_", "network_"))}
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        figures, part, base, made = (folder / each for each in
                                     ("figures.json", "part.model", "base.model", "made.model"))
        part.write_text(text)
        subprocess.run(
            [arguments.bench_gpu, "calibrate", "--json", figures, "--multiprocessors",
             str(int(known["multiprocessors"])), "--l2", str(L2_MIB * 1024),
             "--large", str(LARGE_MIB)],
            check=True, stdout=subprocess.DEVNULL,
            env={**os.environ, "ASYNC_GPU_DEVICE": "emu",
                 "ASYNC_GPU_EMU_MODEL": str(part)})
        base.write_text(spoil(text, fitted))
        subprocess.run([sys.executable, "-B", arguments.calibrate, figures, "--base", base, "-o", made,
                        "--bench-gpu", arguments.bench_gpu], check=True)
        fit = made.read_text()
        device = json.loads(figures.read_text())["device"]
    found = read(fit)
    wrong = [f"{key}: {found[key]:g}, and the model has {known[key]:g}"
             for key in sorted(fitted)
             if abs(found[key] / known[key] - 1) > TOLERANCES.get(key, EXACT)]
    for key in ("l2_latency", "memory_latency"):
        quotient = known[key] / known["loads_in_flight"]
        if not 0 <= found[key] / quotient - 1 <= QUOTIENT:
            wrong.append(f"{key}: {found[key]:g} for each of those in flight, and the "
                         f"model has {quotient:g}")
    if f"# measured on {device}: launch_call" not in fit:
        wrong.append("a number does not say where it is from")
    if wrong:
        sys.exit("\n".join(wrong))


if __name__ == "__main__":
    main()
