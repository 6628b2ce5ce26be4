#!/usr/bin/env python3
"""Fails where clang has anything to say about a source, which GCC compiles.

    check_clang.py --clang CLANG --commands COMPILE_COMMANDS
    check_clang.py --clang CLANG --sample FILE --include FOLDER

Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
See LICENSE for license information.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

Every file of the compilation database is looked at, as it is compiled, but no
code is made. Files that need a header that clang does not find (OpenMP's comes
with a compiler) are left out. With --sample it is that file alone, and what has
to be found are the lines of it that end in "// found". Exits with 77 where there is no clang.
"""

import argparse
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

WARNINGS = """-Wformat-signedness -Wformat-type-confusion -Wimplicit-fallthrough
    -Wloop-analysis -Wmissing-format-attribute -Wnull-pointer-arithmetic
    -Wshadow-all -Wshift-sign-overflow -Wthread-safety -Wundef
    -Wunreachable-code -Wunused-macros -Wdocumentation""".split()


def check(clang, entry):
    words = shlex.split(entry["command"])
    # Before the compiler there may be what runs it.
    first = next(i for i, word in enumerate(words) if word.startswith("-"))
    options = [word for i, word in enumerate(words)
               if i >= first and word not in ("-c", "-o") and
               words[i - 1] != "-o"]
    done = subprocess.run(
        [clang, "-fsyntax-only", *options, *WARNINGS, "-Werror",
         # The build is GCC's.
         "-Wno-unknown-warning-option", "-Wno-unused-command-line-argument"],
        cwd=entry["directory"], capture_output=True, text=True, check=False)
    if "-fopenmp" in " ".join(words) and "file not found" in done.stderr:
        return ""
    if done.returncode:
        return done.stderr or f"{entry['file']}: {clang} failed\n"
    return ""


def check_sample(clang, path, include):
    wanted = {number for number, line in
              enumerate(pathlib.Path(path).read_text().splitlines(), 1)
              if line.endswith("// found")}
    said = check(clang, {"directory": ".", "file": path, "command":
                         f"cc -std=c11 -D_GNU_SOURCE -I{include} {path}"})
    found = {int(line) for line in
             re.findall(rf"{re.escape(path)}:(\d+):\d+: error", said)}
    for line in sorted(wanted ^ found):
        print(f"{path}:{line}:", "missed" if line in wanted else "found")
    print(f"{len(wanted)} lines")
    return 1 if wanted != found or not wanted else 0


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--clang", required=True)
    parser.add_argument("--commands")
    parser.add_argument("--sample")
    parser.add_argument("--include")
    arguments = parser.parse_args()
    if not os.path.exists(arguments.clang):
        print("skipped: there is no clang-22")
        return 77
    if arguments.sample:
        return check_sample(arguments.clang, arguments.sample,
                            arguments.include)
    with open(arguments.commands, encoding="utf-8") as file:
        entries = {entry["file"]: entry for entry in json.load(file)
                   if entry["file"].endswith(".c")}.values()
    with ThreadPoolExecutor(2) as pool:
        found = "".join(pool.map(lambda entry: check(arguments.clang, entry),
                                 entries))
    sys.stdout.write(found)
    print(f"{len(entries)} files")
    return 1 if found or not entries else 0


if __name__ == "__main__":
    sys.exit(main())
