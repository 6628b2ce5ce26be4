#!/usr/bin/env python3
"""Packs the programs that run-on-device runs elsewhere.

Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
See LICENSE for license information.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

    pack_programs.py OPT FOLDER

Each program of integration/ and examples/ that does not say otherwise is compiled
into FOLDER, under the name of its path, beside NAME.status and NAME.expected: how it
ends, and what it prints. NAME.streams and NAME.threads are there where it says how
many it takes: kernels, or loops, that wait for each other cannot run one after the
other.
"""

import pathlib
import shutil
import sys

import compiled
import program
import run_program


def main():
    if len(sys.argv) != 3:
        sys.exit("usage: pack_programs.py OPT FOLDER")
    opt, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    for path in program.find_all():
        described = program.Program(path, run_program.SETS)
        if not described.is_packed:
            continue
        name = folder / described.name.replace("/", "-")
        try:
            made = compiled.program(opt, path, described.options)
        except compiled.NeedsToolkit:
            print(f"left out: {described.name}.mlir needs libdevice of a CUDA "
                  "toolkit")
            continue
        shutil.copy(made, name)
        case = described.main()
        name.with_suffix(".status").write_text(f"{program.status_of(case)}\n")
        name.with_suffix(".expected").write_text(program.output_of(case))
        for key in ("STREAMS", "THREADS"):
            if key in described.keys:
                name.with_suffix("." + key.lower()).touch()


if __name__ == "__main__":
    sys.exit(main())
