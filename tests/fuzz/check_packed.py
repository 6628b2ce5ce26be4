#!/usr/bin/env -S python3 -B
"""Checks that packed programs run, and that those that are wrong are seen.

Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
See LICENSE for license information.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

    check_packed.py --opt FILE --device emu|cuda [--first N] [--share N]
                    [--llvm-tools FOLDER]

Packs some programs of each kind (pack.py), and runs them. With --llvm-tools the test of
tests/upstream/sample is among them, and what it prints is checked. Then one program is
replaced by one that exits, one by one that never ends, one by one that aborts, one by one
that writes to standard error, and what others have to print is changed: each has to be
reported, and nothing else. So has what a tool says of a program that runs under it.
"""

import argparse
import json
import pathlib
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
UPSTREAM = HERE.parent / "upstream"

# What stands in the place of a program, by what is said of it.
WRONG = {
    "exit status 3, not 0": "#include <stdlib.h>\nint main(void) { exit(3); }",
    "no end": "#include <unistd.h>\nint main(void) { for (;;) pause(); }",
    "exit status -6, not 0": "#include <stdlib.h>\nint main(void) { abort(); }",
    "standard error": "#include <stdio.h>\nint main(void) { fputs(\"?\", stderr); return 0; }",
}

# Reports something of each program, as NVIDIA's tools do.
TOOL = """#!/bin/sh
"$@" | while read -r answer; do
  [ "$answer" = ready ] || echo "===== Invalid read"
  echo "$answer"
done
"""


def run(*command, status=0):
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True)
    if done.returncode != status:
        sys.exit(f"{command[0]} ended with {done.returncode}:\n{done.stdout}{done.stderr}")
    return done.stdout


def make_wrong(folder):
    """Makes some programs wrong; what has to be said of each."""
    programs = json.loads((folder / "programs.json").read_text())
    lines = [name for name, p in programs.items() if p.get("output") and not p["status"]]
    words = [name for name, p in programs.items() if p.get("words")]
    said, empty = {}, lines.pop()
    for text, code in WRONG.items():
        # The last has the output that is expected: none.
        name = empty if text == "standard error" else lines.pop()
        subprocess.run(["cc", "-shared", "-fPIC", "-x", "c", "-", "-o",
                        folder / "programs" / name], input=code, text=True, check=True)
        said[name] = text
    programs[empty]["output"] = ""
    programs[lines[0]]["output"] = "x\n" + programs[lines[0]]["output"]
    said[lines[0]] = "line 1 is "
    at = next(at for at, word in enumerate(programs[words[0]]["words"]) if word is not None)
    programs[words[0]]["words"][at] ^= 1
    said[words[0]] = f"1 numbers of {len(programs[words[0]]['words'])} differ, number {at} is "
    (folder / "programs.json").write_text(json.dumps(programs))
    return said


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--opt", required=True)
    parser.add_argument("--device", required=True)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--share", type=int, default=24)
    parser.add_argument("--llvm-tools")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch) / "packed"
        emu = ["--emu"] * (arguments.device == "emu")
        print(run(HERE / "pack.py", "--opt", arguments.opt, "--first", arguments.first,
                  "--share", arguments.share, *emu, folder), end="")
        upstream = [sys.executable, UPSTREAM / "gpu_tests.py", UPSTREAM / "sample",
                    "--build", pathlib.Path(arguments.opt).resolve().parent.parent,
                    "--tools", arguments.llvm_tools, "--way", "tools"]
        if arguments.llvm_tools:
            run(*upstream, "--pack", folder)
        command = [folder / "run", "--device", arguments.device, "--jobs", 2]
        print(run(*command), end="")
        if arguments.llvm_tools:
            summary = folder / "summary.json"
            print(run(*upstream, "--printed", summary), end="")
            summary.write_text(re.sub(r'"output": ".*"', '"output": "?"', summary.read_text()))
            run(*upstream, "--printed", summary, status=1)
        tool = pathlib.Path(scratch) / "tool"
        tool.write_text(TOOL)
        tool.chmod(0o755)
        output = run(*command, "--under", tool, "--only", "arithmetic-", "--first-way",
                     status=1)
        if output.count(" [default]: ===== Invalid read\n") != output.count("\n") - 1:
            sys.exit(f"what a tool reports is lost:\n{output}")
        said = make_wrong(folder)
        output = run(*command, "--seconds", 10, "--first-way", status=1)
        print(output, end="")
        reported = dict(line.split(" [default]: ") for line in output.splitlines()[:-1])
        if set(reported) != set(said) or \
                any(not reported[name].startswith(text) for name, text in said.items()):
            sys.exit(f"expected: {said}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
