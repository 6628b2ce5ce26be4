"""Runs functions of two files with the same inputs, and compares what they give.

Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
See LICENSE for license information.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

    both.py RUNNER FILE OTHER PREFIX FUNCTION SHAPE... : FUNCTION SHAPE... ...

Arguments are small whole numbers of the shapes. Files of results begin with
PREFIX. Fails where one differs in a bit.
"""

import math
import pathlib
import re
import subprocess
import sys


def numbers(count, argument):
    return ",".join(str((i * (7 + argument) + i * i // 3) % 9 - 4)
                    for i in range(count)) or "0"


def signature(runner, file):
    listed = subprocess.run([runner, file, "--print-signature"], check=True,
                            capture_output=True, text=True).stdout
    return {line.partition("(")[0]: line for line in listed.splitlines()}


def main():
    runner, *files, prefix = sys.argv[1:5]
    calls, call = [], []
    for word in sys.argv[5:] + [":"]:
        if word != ":":
            # A name begins with a letter, a shape with a digit.
            if call and word[0].isalpha():
                calls.append(call)
                call = []
            call.append(word)
        elif call:
            calls.append(call)
            call = []
    known = signature(runner, files[0])
    for index, file in enumerate(files):
        command = [runner, file]
        for number, (name, *shapes) in enumerate(calls):
            taken = re.findall(r"x([a-z]+\d+)>",
                               known[name].partition(" -> ")[0])
            results = known[name].partition(" -> ")[2].count("<")
            command.append(f"--entry={name}")
            for argument, (shape, element) in enumerate(zip(shapes, taken)):
                count = math.prod(map(int, shape.split("x")))
                values = "=" + numbers(count, argument) if count else ""
                command.append(f"--input={shape}x{element}{values}")
            for result in range(results):
                command.append(
                    f"--output={prefix}.{number}.{result}.{index}.npy")
        subprocess.run(command, check=True)
    failed = 0
    for number, (name, *shapes) in enumerate(calls):
        first = sorted(pathlib.Path(prefix).parent.glob(
            f"{pathlib.Path(prefix).name}.{number}.*.0.npy"))
        assert first, name
        for path in first:
            other = path.with_name(path.name[:-len("0.npy")] + "1.npy")
            if path.read_bytes() != other.read_bytes():
                print(f"{name} {' '.join(shapes)}: {path.name} differs")
                failed = 1
    sys.exit(failed)


if __name__ == "__main__":
    main()
