#!/usr/bin/env python3
"""Compares the PTX of kernels with what upstream's pipeline makes of them.

Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
See LICENSE for license information.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

    bench/ptx.py [--build DIR] [--llvm DIR] [--chip sm_75]... [--json FILE]
                 [FILE.mlir...]

Without files: all programs of examples/, integration/ and tests/lit/kernels/.
Each gpu.module of a program, outlined first, goes two ways for each chip:

    ours       async-gpu-kernels{targets=ptx chip=CHIP}
    upstream   gpu-lower-to-nvvm-pipeline{cubin-chip=CHIP cubin-format=isa}

and ptxas assembles both. Printed, and written as JSON: registers, bytes of
spills and the instructions in PTX of each kernel, and the ratios of ours to
upstream's. The numbers are exact: there is no clock. Ends with 1 if a kernel of ours needs more
registers or spills than upstream's; with 77 without ptxas.
"""

import argparse
import glob
import json
import math
import os
import re
import shutil
import subprocess
import sys
import tempfile

import machine

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
# What upstream is asked for, since its default is below what the chips need.
FEATURES = {"sm_75": "+ptx63", "sm_80": "+ptx70", "sm_90": "+ptx78",
            "sm_90a": "+ptx80", "sm_100": "+ptx86"}


def find_ptxas():
    folders = [os.environ.get("CUDA_HOME", ""), "/usr/local/cuda"]
    path = os.pathsep.join([os.environ.get("PATH", "")] +
                           [f"{folder}/bin" for folder in folders if folder])
    return shutil.which("ptxas", path=path)


def run(command, text=None):
    done = subprocess.run(command, input=text, capture_output=True, text=True,
                          timeout=120)
    return done.stdout if done.returncode == 0 else None


def gpu_modules(tools, path):
    """Each gpu.module of the program in a module of its own."""
    outlined = run([tools.mlir_opt, path, "--gpu-kernel-outlining",
                    "--mlir-print-op-generic"])
    if not outlined:
        return []
    modules = []
    for match in re.finditer(r'^  "gpu\.module"\(\).*?^  \}\).*?$', outlined,
                             re.MULTILINE | re.DOTALL):
        # Aliases of types and attributes stand before the module.
        head = "".join(line + "\n" for line in outlined.splitlines()
                       if re.match(r"^[#!][\w.]+ = ", line))
        modules.append(head + '"builtin.module"() ({\n' + match.group(0) +
                       "\n}) : () -> ()\n")
    return modules


def ours(tools, module, chip):
    return run([tools.opt, "-", "--emit=ptx",
                f"--async-gpu-kernels=targets=ptx chip={chip}"], module)


def upstream(tools, module, chip):
    features = FEATURES.get(chip, "+ptx86")
    text = run([tools.mlir_opt, "-", "--pass-pipeline=builtin.module("
                f"gpu-lower-to-nvvm-pipeline{{cubin-chip={chip} "
                f"cubin-features={features} cubin-format=isa}})"], module)
    found = re.search(r'assembly = "((?:[^"\\]|\\.)*)"', text or "")
    if not found:
        return None
    return re.sub(r"\\([0-9A-F]{2})", lambda m: chr(int(m.group(1), 16)),
                  found.group(1)).rstrip("\0")


def ptx_instructions(ptx):
    """Instructions of each kernel: lines that end in a semicolon and are no
    directive."""
    counts = {}
    for match in re.finditer(r"\.entry\s+([\w$]+)\(.*?\n\{(.*?)\n\}", ptx,
                             re.DOTALL):
        lines = [line.strip() for line in match.group(2).splitlines()]
        counts[match.group(1)] = sum(
            1 for line in lines
            if line.endswith(";") and not line.startswith("."))
    return counts


def assemble(tools, ptx, chip, folder):
    """Registers, spills and PTX instructions by kernel; None on failure."""
    source = os.path.join(folder, "module.ptx")
    cubin = os.path.join(folder, "module.cubin")
    with open(source, "w") as file:
        file.write(ptx)
    done = subprocess.run([tools.ptxas, "-v", f"-arch={chip}", "-o", cubin,
                           source], capture_output=True, text=True)
    if done.returncode:
        return None
    kernels = {}
    name = None
    for line in done.stderr.splitlines():
        entry = re.search(r"Compiling entry function '([^']+)'", line)
        if entry:
            name = entry.group(1)
            kernels[name] = {"spills": 0}
        spills = re.search(r"(\d+) bytes spill stores, (\d+) bytes spill loads",
                           line)
        if spills and name:
            kernels[name]["spills"] += int(spills[1]) + int(spills[2])
        used = re.search(r"Used (\d+) registers", line)
        if used and name:
            kernels[name]["registers"] = int(used[1])
    for name, count in ptx_instructions(ptx).items():
        if name in kernels:
            kernels[name]["ptx"] = count
    return {name: row for name, row in kernels.items() if "registers" in row}


def compare(tools, path, chip, folder):
    """Rows of the kernels that both ways compile; and how many only we do."""
    rows, only_ours = [], 0
    for module in gpu_modules(tools, path):
        mine, theirs = ours(tools, module, chip), upstream(tools, module, chip)
        if not mine:
            continue
        mine = assemble(tools, mine, chip, folder)
        theirs = assemble(tools, theirs, chip, folder) if theirs else None
        if mine and not theirs:
            only_ours += len(mine)
        for name in sorted(set(mine or {}) & set(theirs or {})):
            rows.append({"file": os.path.relpath(path, ROOT), "kernel": name,
                         "chip": chip, "ours": mine[name],
                         "upstream": theirs[name]})
    return rows, only_ours


def mean_ratio(rows, what):
    logs = [math.log(row["ours"][what] / row["upstream"][what]) for row in rows
            if row["ours"].get(what) and row["upstream"].get(what)]
    return math.exp(sum(logs) / len(logs)) if logs else 1


def worse(row):
    return any(row["ours"][what] > row["upstream"][what]
               for what in ("registers", "spills"))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", default=os.path.join(ROOT, "build"))
    parser.add_argument("--llvm", default="/usr/lib/llvm-22/bin")
    parser.add_argument("--chip", action="append")
    parser.add_argument("--json")
    parser.add_argument("files", nargs="*")
    arguments = parser.parse_args()
    machine.require(arguments.build, "bin/async-gpu-opt")
    arguments.mlir_opt = os.path.join(arguments.llvm, "mlir-opt")
    arguments.opt = os.path.join(arguments.build, "bin", "async-gpu-opt")
    arguments.ptxas = find_ptxas()
    if not arguments.ptxas:
        print("skipped: no ptxas was found")
        return 77
    files = arguments.files or sorted(
        file for pattern in ("examples/**/*.mlir", "integration/**/*.mlir",
                             "tests/lit/kernels/*.mlir")
        for file in glob.glob(os.path.join(ROOT, pattern), recursive=True))
    files = [file for file in files
             if re.search(r"\bgpu\.(launch|module)\b", open(file).read())]

    rows, only_ours = [], {}
    print(f"{'kernel':48} {'chip':7} {'registers':>12} {'spills':>8} "
          f"{'PTX':>12} {'ratio':>6}")
    chips = arguments.chip or ["sm_75", "sm_80", "sm_90", "sm_100"]
    with tempfile.TemporaryDirectory() as folder:
        for chip in chips:
            only_ours[chip] = 0
            for file in files:
                found, alone = compare(arguments, file, chip, folder)
                only_ours[chip] += alone
                rows += found
                for row in found:
                    mine, theirs = row["ours"], row["upstream"]
                    label = os.path.basename(row["file"])[:-5] + ":" + \
                        row["kernel"]
                    print(f"{label[-48:]:48} {chip:7} "
                          f"{mine['registers']:5} /{theirs['registers']:5} "
                          f"{mine['spills']:3} /{theirs['spills']:3} "
                          f"{mine['ptx']:5} /{theirs['ptx']:5} "
                          f"{mine['ptx'] / theirs['ptx']:6.2f}"
                          f"{'  WORSE' if worse(row) else ''}")
    summary = {}
    for chip in chips:
        of_chip = [row for row in rows if row["chip"] == chip]
        summary[chip] = {
            "kernels": len(of_chip), "only_ours": only_ours[chip],
            "registers_ratio": round(mean_ratio(of_chip, "registers"), 3),
            "ptx_ratio": round(mean_ratio(of_chip, "ptx"), 3),
            "worse": sum(map(worse, of_chip))}
        print(f"{chip}: {len(of_chip)} kernels; registers x"
              f"{summary[chip]['registers_ratio']}, PTX instructions x"
              f"{summary[chip]['ptx_ratio']} of upstream's (geometric means); "
              f"{summary[chip]['worse']} need more registers or spills; "
              f"{only_ours[chip]} more that only we compile")
    if arguments.json:
        with open(arguments.json, "w") as file:
            json.dump({"command": " ".join(sys.argv), "summary": summary,
                       "kernels": rows}, file, indent=1)
            file.write("\n")
    if not rows:
        print("no kernel was compiled both ways")
        return 1
    return 1 if any(map(worse, rows)) else 0


if __name__ == "__main__":
    sys.exit(main())
