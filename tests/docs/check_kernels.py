#!/usr/bin/env python3
"""Fails when docs/kernels.md and what becomes of kernels' ops disagree.

Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
See LICENSE for license information.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

    check_kernels.py --opt ASYNC_GPU_OPT --source FOLDER --include FOLDER

A row of the page's tables names ops, what stands in their PTX, what the emulated
device does with them, and the program that shows it: NAME.mlir of integration/kernels,
which a test of its own compares with the host, integration/errors or
tests/lit/kernels.

- Every op of the gpu and nvvm dialects, as the headers in the include folder list
  them, is in a row; ops of gpu that stand in host code are in docs/gpu-host.md.
- The program holds an op of the row, and its PTX everything in backticks of the
  second column.
- What runs is shown by a program of integration/kernels, or compiles for the
  emulated device. What is an error there fails to compile for it alone.
"""

import argparse
import pathlib
import re
import subprocess
import sys

STRUCTURE = {"gpu.binary"}  # stands beside kernels, not in them


def rows_of(page):
    """(ops, PTX snippets, device, name) of each row of the tables."""
    rows = []
    inside = False
    for line in page.splitlines():
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
        if line.startswith("| op | PTX "):
            inside = True
        elif not line.startswith("|"):
            inside = False
        elif inside and not cells[0].startswith("---"):
            ops = re.findall(r"`((?:\w+\.)?[\w.*]+)`", cells[0])
            # What stands behind a semicolon depends on the options.
            rows.append((ops, re.findall(r"`([^`]+)`", cells[1].split(";")[0])
                         if cells[1] != "an error" else None,
                         cells[2], cells[3], cells[1]))
    return rows


def matches(pattern, name):
    return (name.startswith(pattern[:-1]) if pattern.endswith("*")
            else name == pattern)


def dialect_ops(header):
    return set(re.findall(r'StringLiteral\("((?:gpu|nvvm)\.[a-z0-9_.]+)"\)',
                          header.read_text()))


class Programs:
    def __init__(self, opt, source):
        self.opt, self.source = opt, source
        self.ptx, self.native = {}, {}

    def path(self, name):
        for folder in ("integration/kernels", "integration/errors",
                       "tests/lit/kernels"):
            path = self.source / folder / f"{name}.mlir"
            if path.exists():
                return path
        return None

    def run(self, path, options):
        done = subprocess.run(
            [self.opt, str(path), "--emit=ptx", options] if "ptx" in options
            else [self.opt, str(path), options], capture_output=True, text=True,
            timeout=60)
        return done.returncode, done.stdout, done.stderr

    def chip(self, path):
        found = re.search(r"^// CHIPS: (\w+)", path.read_text(), re.MULTILINE)
        return found[1] if found else "sm_75"

    def to_ptx(self, path):
        if path not in self.ptx:
            self.ptx[path] = self.run(
                path, "--async-gpu-lower=gpu-targets=ptx "
                f"gpu-chip={self.chip(path)}")
        return self.ptx[path]

    def to_native(self, path):
        if path not in self.native:
            self.native[path] = self.run(
                path, "--async-gpu-lower=gpu-targets=native")
        return self.native[path]


def check_row(programs, row):
    """What is wrong with a row, as texts."""
    ops, snippets, device, name, _ = row
    path = programs.path(name)
    if not path:
        return [f"there is no program '{name}'"]
    wrong = []
    text = path.read_text()
    dialects = [op for op in ops if "." in op]
    if dialects and not any(
            re.search(re.escape(op.rstrip("*")), text) for op in dialects):
        wrong.append(f"{path.name} holds none of {', '.join(dialects)}")
    status, ptx, errors = programs.to_ptx(path)
    if snippets is None:
        if status == 0:
            wrong.append(f"{path.name} compiles to PTX")
    elif "needs libdevice of a CUDA toolkit" in errors:
        pass  # there is none on this machine
    elif status:
        wrong.append(f"{path.name} does not compile to PTX: {errors[:300]}")
    else:
        wrong += [f"the PTX of {path.name} has no '{snippet}'"
                  for snippet in snippets if snippet not in ptx
                  and snippet not in ops and not snippet.startswith("nvgpu.")]
    refused = device.startswith("an error")
    is_program = "integration" in str(path)
    if refused and is_program:
        wrong.append(f"{path.name} is a program that runs")
    if refused or not is_program:
        status, _, errors = programs.to_native(path)
        located = re.search(re.escape(path.name) + r":\d+:\d+: error: ", errors)
        if refused and (status == 0 or not located):
            wrong.append(f"{path.name} is no located error for the emulated "
                         "device")
        if not refused and status:
            wrong.append(f"{path.name} does not compile for the emulated "
                         f"device: {errors[:300]}")
    return wrong


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--opt", required=True)
    parser.add_argument("--source", type=pathlib.Path, required=True)
    parser.add_argument("--include", type=pathlib.Path, required=True)
    arguments = parser.parse_args()
    rows = rows_of((arguments.source / "docs/kernels.md").read_text())
    host = (arguments.source / "docs/gpu-host.md").read_text()
    headers = [arguments.include / "mlir/Dialect" / path for path in
               ("GPU/IR/GPUOps.h.inc", "LLVMIR/NVVMOps.h.inc")]
    ops = set().union(*map(dialect_ops, headers)) - STRUCTURE
    wrong = []
    if len(ops) < 100 or len(rows) < 20:
        wrong.append(f"only {len(ops)} ops and {len(rows)} rows are found: do "
                     "the searches still fit?")
    patterns = [pattern for row in rows for pattern in row[0]]
    for op in sorted(ops):
        if any(matches(pattern, op) for pattern in patterns):
            continue
        if op.startswith("gpu.") and re.search(
                r"\b" + re.escape(op[4:].removesuffix("_buffer_size")) + r"\b",
                host):
            continue
        wrong.append(f"{op} is in no table of docs/kernels.md")
    programs = Programs(arguments.opt, arguments.source)
    for row in rows:
        for pattern in row[0]:
            if pattern.startswith(("gpu.", "nvvm.")) and not any(
                    matches(pattern, op) for op in ops):
                wrong.append(f"no op is called '{pattern}'")
        wrong += [f"{row[0][0] if row[0] else row[3]}: {text}"
                  for text in check_row(programs, row)]
    print("\n".join(f"docs/kernels.md: {text}" for text in wrong))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
