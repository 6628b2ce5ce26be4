#!/usr/bin/env python3
"""Runs a sharded program with several ranks, and compares its results with those of the
same program without shards.

Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
See LICENSE for license information.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

    run_sharded.py --runner FILE --launcher FILE [--ranks N,...] LIBRARY FILE.mlir

LIBRARY is openmpi or mpich. A line of the program says with how many ranks, unless
--ranks does, and with which options of the runner it runs under each:

    // RANKS: openmpi=1,3 mpich=2,4 --memory=discrete

Sizes that types do not have are given by lines with one for each, in order; the program
runs with each:

    // SIZES: 5,3

With the number of ranks of the next line, it has to end with that error, said once:

    // FAILS: 3 shard.grid: a grid of ...

The same with two ranks, the second of which is given 4 as an index:

    // DISAGREES: shard.grid: ranks disagree: ...

Inputs and results are NumPy's files. Inputs are small integers, so that sums are the
same in any order; floats that are not exact may differ in their last places. An argument
that is an index is 3.
"""

import argparse
import os
import pathlib
import random
import re
import struct
import subprocess
import sys
import tempfile

import run_ranks

CODES = {"f32": ("<f4", "f"), "f64": ("<f8", "d"), "i32": ("<i4", "i"),
         "i64": ("<i8", "q")}
TOLERANCE = {"f32": 1e-4, "f64": 1e-12}


def write_npy(path, sizes, element, numbers):
    described, letter = CODES[element]
    shape = "(" + "".join(f"{size}, " for size in sizes) + ")"
    head = f"{{'descr': '{described}', 'fortran_order': False, 'shape': {shape}, }}"
    head += " " * (-(len(head) + 11) % 64) + "\n"
    path.write_bytes(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) +
                     head.encode() + struct.pack(f"<{len(numbers)}{letter}", *numbers))


def read_npy(path):
    """(shape as text, element, numbers)."""
    data = path.read_bytes()
    size, = struct.unpack("<H", data[8:10])
    head = data[10:10 + size].decode()
    described = re.search(r"'descr': '(.*?)'", head).group(1)
    element = next(name for name, (code, _) in CODES.items() if code == described)
    body = data[10 + size:]
    letter = CODES[element][1]
    count = len(body) // struct.calcsize(letter)
    shape = re.search(r"'shape': \((.*?)\)", head).group(1)
    return shape, element, struct.unpack(f"<{count}{letter}", body)


def without_shards(text):
    """The same program, on one process."""
    text = re.sub(r"(?m)^.*\bshard\.(grid|sharding) .*\n", "", text)
    return re.sub(r"= shard\.shard (%\w+) to %\w+(?: annotate_for_users)? : (\S+)",
                  r"= tensor.cast \1 : \2 to \2", text)


def make_inputs(signature, folder, seed, given=()):
    """Options of the runner. The signature is what --print-signature prints; `given` are
    sizes that it does not have."""
    draw, given = random.Random(seed), iter(given)
    options = []
    arguments = re.match(r"\w+\((.*?)\)", signature).group(1)
    for number, kind in enumerate(filter(None, arguments.split(", "))):
        if not kind.startswith("tensor<"):
            options.append(f"--input={kind}=3")
            continue
        *sizes, element = kind[len("tensor<"):-1].split("x")
        sizes = [int(next(given) if size == "?" else size) for size in sizes]
        count = 1
        for size in sizes:
            count *= size
        path = folder / f"{seed}_{number}.npy"
        write_npy(path, sizes, element, [draw.randint(-3, 3) for _ in range(count)])
        options.append(f"--input={path}")
    return options


def count_results(signature):
    return len(re.findall(r"tensor<", signature.partition("->")[2]))


def entries_of(runner, program, names, folder, sizes=()):
    """For each function its options without outputs, and how many results it has."""
    for seed, name in enumerate(names):
        printed = subprocess.run([runner, "--print-signature", f"--entry={name}", program],
                                 capture_output=True, text=True, check=True).stdout
        given = sizes[seed] if seed < len(sizes) else ()
        yield ([f"--entry={name}", *make_inputs(printed, folder, seed, given)],
               count_results(printed))


def with_outputs(entries, folder, prefix):
    """The command's options, and the files."""
    options, files = [], []
    for number, (inputs, count) in enumerate(entries):
        options += inputs
        for result in range(count):
            files.append(folder / f"{prefix}_{number}_{result}.npy")
            options.append(f"--output={files[-1]}")
    return options, files


def differ(a, b):
    """What is different, or None."""
    (shape, element, numbers), (other_shape, other_element, others) = a, b
    if (shape, element) != (other_shape, other_element):
        return f"({shape}) of {element} in place of ({other_shape}) of {other_element}"
    for at, (x, y) in enumerate(zip(numbers, others)):
        near = TOLERANCE.get(element, 0) * max(abs(x), abs(y), 1)
        if not abs(x - y) <= near and x != y:
            return f"element {at} is {x} in place of {y}"
    return None


def find_problems(runner, launcher, library, program, names, ways, seconds=60, sizes=(),
                  prefix=()):
    """Runs functions `names` of the program: `ways` is of (ranks, options). `sizes` has for
    each function those that types do not have; `prefix` is a command that runs each rank."""
    environment = {"ASYNC_GPU_DEVICE": "emu", **run_ranks.ENVIRONMENT[library]}
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch)
        plain = folder / "plain.mlir"
        plain.write_text(without_shards(pathlib.Path(program).read_text()))
        entries = list(entries_of(runner, str(plain), names, folder, sizes))
        options, wanted = with_outputs(entries, folder, "one")
        subprocess.run([runner, "--device=emu", str(plain), *options], check=True)
        for ranks, more in ways:
            options, files = with_outputs(entries, folder, "all")
            for file in files:
                file.unlink(missing_ok=True)
            status, output, errors = run_ranks.run(
                [launcher, "-n", str(ranks), *prefix, runner, str(program), *more, *options],
                environment, seconds)
            problems = [] if status == 0 else [f"exit status {status}\n{errors}"]
            problems += [f"it prints {text!r}" for text in
                         (output, "" if status else errors) if text]
            for got, want in zip(files, wanted):
                if not got.exists():
                    problems.append(f"{got.name} is not written")
                elif differ(read_npy(got), read_npy(want)):
                    problems.append(f"{got.name}: " + differ(read_npy(got),
                                                             read_npy(want)))
            yield from (f"{ranks} ranks {' '.join(more)}: {each}" for each in problems)


def find_missing_error(runner, launcher, library, program, ranks, message, *other):
    """`other`: an option of one more rank."""
    environment = {"ASYNC_GPU_DEVICE": "emu", **run_ranks.ENVIRONMENT[library]}
    with tempfile.TemporaryDirectory() as scratch:
        (inputs, _), = entries_of(runner, program, ["main"], pathlib.Path(scratch))
        command = [runner, program, "--shard", "-O0"]
        last = [":", "-n", "1", *command, *inputs[:-1], *other] if other else []
        status, _, errors = run_ranks.run(
            [launcher, "-n", str(ranks), *command, *inputs, *last], environment, 60)
    if status and errors.count("error: " + message) == 1:
        return []
    return [f"{ranks} ranks: exit status {status}, and not '{message}' once:\n{errors}"]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--runner", required=True)
    parser.add_argument("--launcher", required=True)
    parser.add_argument("--ranks")
    parser.add_argument("library", choices=sorted(run_ranks.ENVIRONMENT))
    parser.add_argument("file")
    arguments = parser.parse_args()
    if not os.path.exists(arguments.launcher):
        print(f"left out: {arguments.library} is not installed")
        return 77
    ways, problems = [], []
    text = pathlib.Path(arguments.file).read_text()
    for line in text.splitlines():
        if line.startswith("// FAILS: "):
            ranks, _, message = line[len("// FAILS: "):].partition(" ")
            problems += find_missing_error(arguments.runner, arguments.launcher,
                                           arguments.library, arguments.file, ranks,
                                           message)
        if line.startswith("// DISAGREES: "):
            problems += find_missing_error(arguments.runner, arguments.launcher,
                                           arguments.library, arguments.file, 1,
                                           line[len("// DISAGREES: "):],
                                           "--input=index=4")
        if not line.startswith("// RANKS: "):
            continue
        words = line[len("// RANKS: "):].split()
        options = [word for word in words if word.startswith("-")]
        if not any(word.startswith("--shard") for word in options):
            options.append("--shard")
        options.append("-O0")  # compiling takes most of the time
        counts = dict(word.split("=") for word in words if not word.startswith("-"))
        ways += [(int(ranks), options)
                 for ranks in (arguments.ranks or counts.get(arguments.library, ""))
                 .split(",") if ranks]
    if not ways:
        sys.exit(f"{arguments.file} says nothing of {arguments.library}")
    for sizes in re.findall(r"^// SIZES: (.*)", text, re.MULTILINE) or [""]:
        problems += (f"sizes {sizes or 'of types'}: {each}" for each in find_problems(
            arguments.runner, arguments.launcher, arguments.library, arguments.file,
            ["main"], ways, sizes=[sizes.split(",")]))
    print("\n".join(problems))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
