#!/usr/bin/env python3
"""What programs and libraries say of the libraries they load, and of the environment.

Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
See LICENSE for license information.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

    check_elf.py FOLDER...

Of all ELF files in bin/ and lib/ of each FOLDER, a build tree or what is installed:
their RUNPATH has absolute folders and those from $ORIGIN alone, since any other is seen
from the folder that a user happens to be in; and what is async-gpu's own calls
secure_getenv in the place of getenv, so that the environment chooses nothing in a
program that runs with the rights of another user.
"""

import pathlib
import re
import subprocess
import sys


def output_of(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def problems_of(path):
    begin = path.open("rb").read(8)
    is_archive = begin == b"!<arch>\n"
    if begin[:4] != b"\x7fELF" and not is_archive:
        return None
    problems = []
    if not is_archive:
        dynamic = output_of("readelf", "-dW", path)
        for kind, folders in re.findall(r"\((R\w*PATH)\).*\[(.*)\]", dynamic):
            problems += [f"{kind} has '{folder}': {folders}"
                         for folder in folders.split(":")
                         if not re.match(r"/|\$ORIGIN(/|$)", folder)]
    if re.match(r"(lib)?async[-_]gpu(?!_llvm)", path.name):
        flags = [] if is_archive else ["-D"]
        names = output_of("nm", *flags, "--undefined-only", path)
        if re.search(r"\bU getenv(@|$)", names, re.MULTILINE):
            problems.append("it calls getenv")
    return problems


def main():
    seen = failed = 0
    for folder in map(pathlib.Path, sys.argv[1:]):
        for path in [*folder.glob("bin/*"), *folder.glob("lib/**/*")]:
            found = problems_of(path) if path.is_file() else None
            seen += found is not None
            for problem in found or []:
                print(f"{path}: {problem}")
                failed += 1
    print(f"{seen} files, {failed} problems")
    return 1 if failed or not seen else 0


if __name__ == "__main__":
    sys.exit(main())
