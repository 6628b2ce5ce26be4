#!/usr/bin/env -S python3 -B
"""Packs random programs, with what they have to print, for a machine with a GPU.

Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
See LICENSE for license information.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

    pack.py --opt FILE [--first N] [--share N] [--kind NAME]... [--jobs N] [--emu]
            [--ptxas FILE] FOLDER

Programs of all generators of this folder are compiled ahead of time into libraries in
FOLDER/programs, and FOLDER/programs.json says of each how it ends, what it prints and in
which settings it runs. What it prints is what the generator's model computes, never what
a run has given. FOLDER/run runs them there (run_packed.py), many in a process
(run_packed.c), which takes seconds to begin on a GPU; the runtime library is in
FOLDER/lib, and with --emu the emulated device. --share=4 packs a quarter of each kind,
from the programs of number --first on. What the compiler is told beside (chips, graphs,
optimisation) is drawn by the program's number. With --ptxas each program's PTX has to be
what that accepts for sm_90.
"""

import argparse
import concurrent.futures
import dataclasses
import json
import os
import pathlib
import random
import re
import shutil
import struct
import subprocess
import sys
import tempfile

import arithmetic
import bfloat
import device_loops
import kernels
import linalg_programs
import payloads
import run
import sequential_programs
import widths

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "support"))
import compiled  # noqa: E402

# Settings of a run, without ASYNC_GPU_ in front. Each kind of program runs in those that
# make a difference to it.
HOST = ["", "NUM_THREADS=1", "NUM_THREADS=3"]
STREAMS = ["", "STREAMS=1", "GRAPHS=on", "COMPLETION=poll", "KEEP_BYTES=0 IDLE_MS=0"]
KERNELS = ["", "COMPLETION=spin"]
CHIPS = ["--gpu-chip=sm_75", "--gpu-chip=sm_80", "--gpu-chip=sm_90"]
LEVELS = ["--gpu-opt-level=2", "--gpu-opt-level=0", "--gpu-opt-level=3"]


@dataclasses.dataclass
class Program:
    """Its text, options of the compiler, how it ends and what it prints: lines, in any
    order where threads print; or integers behind "data =", None for any; and what it
    writes to standard error."""
    text: str
    options: list
    ways: list
    output: str = None
    words: list = None
    is_unordered: bool = False
    status: int = 0
    error: str = ""
    refusals: list = dataclasses.field(default_factory=list)

    def expectation(self):
        # What fails has a process of its own, which takes seconds to begin on a GPU.
        return {"ways": self.ways[:1] if self.status else self.ways, "output": self.output, "words": self.words,
                "is_unordered": self.is_unordered, "status": self.status,
                "error": self.error}


def draw(number, *choices):
    """One of each list, by the program's number; none of an empty string."""
    rng = random.Random(number)
    return [chosen for chosen in (rng.choice(choice) for choice in choices) if chosen]


def make_async(number):
    text, output, succeeds, error, refusals = run.make_program("async", number)
    return Program(text, draw(number, ["", "-O0"]), HOST, output, error=error,
                   status=int(not succeeds), refusals=refusals)


def make_loops(number):
    text, output, succeeds, error, _ = run.make_program("loops", number)
    return Program(text, draw(number, ["", "-O0"]), HOST, output, error=error,
                   status=int(not succeeds))


def make_gpu(number):
    text, output, succeeds, error, refusals = run.make_program("gpu", number)
    return Program(text, draw(number, CHIPS, LEVELS, ["", "--graphs=on", "--graphs=auto"]),
                   STREAMS, output, error=error, status=int(not succeeds),
                   refusals=refusals)


def make_sequential(number):
    text, output, refusals = sequential_programs.Generator(number).program()
    least = sequential_programs.LEAST[number % len(sequential_programs.LEAST)]
    return Program(text, ["--sequential", "--memory=discrete", *least,
                          *draw(number, CHIPS, ["", "--graphs=on"])],
                   STREAMS, output, refusals=refusals)


def make_device_loops(number):
    program = device_loops.Program(number)
    return Program(program.text(), [f"--graphs={['on', 'auto', 'off'][number % 3]}"],
                   ["", "STREAMS=1", "COMPLETION=spin"],
                   "".join(f"{line}\n" for line in program.expected()))


def make_kernels(number):
    text, output = kernels.make_program(number, 6, "flow")
    return Program(text, draw(number, CHIPS, LEVELS), KERNELS, output)


def make_types(number):
    text, output = kernels.make_program(number, 6, "types")
    return Program(text, draw(number, CHIPS, LEVELS), KERNELS, output, is_unordered=True)


def make_arithmetic(number):
    program = arithmetic.Program(number)
    return Program(program.text(), [CHIPS[number % len(CHIPS)], *draw(number, LEVELS)],
                   KERNELS, words=program.expected())


def make_bfloat(number):
    # The NVPTX backend converts no wider integers.
    program = bfloat.Program(number, 64)
    return Program(program.text(True), [CHIPS[number % len(CHIPS)]], KERNELS,
                   words=[want for _, _, want in program.expected()])


def make_widths(number):
    parts = 6
    types = [widths.Type(k) for k in range(number % parts, len(widths.TYPES), parts)]
    return Program(widths.program(types), [CHIPS[number // parts % len(CHIPS)]], KERNELS,
                   words=[type.expected() for type in types])


def make_payloads(number):
    text, output = payloads.make_program()
    return Program(text, draw(number, ["-O0", "-O2"]), HOST, output)


def make_linalg(number):
    generator = linalg_programs.Generator(number)
    text, arguments, results = generator.program()
    main, output = linalg_main(generator, arguments, results)
    return Program(text.replace("func.func @main(", "func.func private @program(") + main,
                   ["--async-gpu-from-linalg", "--async-gpu-lower",
                    *draw(number, CHIPS, ["", "--graphs=auto"])],
                   STREAMS, output)


def linalg_main(generator, arguments, results):
    """A function that calls such a program, and prints a number for each result."""
    letter = linalg_programs.TYPES[generator.type][0]
    lines = [f"%c{size} = arith.constant {size} : index"
             for size in sorted({0, 1}.union(*(value.shape for value in results)))]
    lines += ["%zero = arith.constant 0 : i64", "%factor = arith.constant 31 : i64"]
    names = []
    for i, value in enumerate(arguments):
        whole = tensor(value.shape, generator.type)
        data = struct.pack(f"<{len(value.data)}{letter}", *value.data).hex()
        lines += [f'%d{i} = arith.constant dense<"0x{data}"> : {whole}',
                  f"%a{i} = tensor.cast %d{i} : {whole} to {generator.tensor(value.shape)}"]
        names.append(f"%a{i}")
    takes = ", ".join(generator.tensor(value.shape) for value in arguments)
    gives = ", ".join(generator.tensor(value.shape) for value in results)
    lines.append(f"%r:{len(results)} = func.call @program({', '.join(names)}) : "
                 f"({takes}) -> ({gives})")
    output = ""
    for k, value in enumerate(results):
        at = ", ".join(f"%i{k}_{d}" for d in range(len(value.shape)))
        # A loop in another, each with the sum so far.
        for d, size in enumerate(value.shape):
            of = f"%s{k}_{d - 1}" if d else "%zero"
            lines.append(f"%t{k}_{d} = scf.for %i{k}_{d} = %c0 to %c{size} step %c1 "
                         f"iter_args(%s{k}_{d} = {of}) -> i64 {{")
        rank = len(value.shape)
        of = f"%s{k}_{rank - 1}" if rank else "%zero"
        widen = {"f32": "arith.fptosi %x{k} : f32 to i64",
                 "f64": "arith.fptosi %x{k} : f64 to i64",
                 "i32": "arith.extsi %x{k} : i32 to i64",
                 "i64": "arith.addi %x{k}, %zero : i64"}[generator.type].format(k=k)
        lines += [f"%x{k} = tensor.extract %r#{k}[{at}] : {generator.tensor(value.shape)}",
                  f"%w{k} = {widen}", f"%m{k} = arith.muli {of}, %factor : i64",
                  f"%n{k} = arith.addi %m{k}, %w{k} : i64"]
        last = f"%n{k}"
        for d in reversed(range(rank)):
            lines += [f"scf.yield {last} : i64", "}"]
            last = f"%t{k}_{d}"
        lines.append(f"vector.print {last} : i64")
        total = 0
        for x in value.data:
            total = arithmetic.cut(total * 31 + int(x), 64)
        output += f"{arithmetic.signed(total, 64)}\n"
    body = "\n  ".join(lines)
    return f"func.func @main() {{\n  {body}\n  return\n}}\n", output


def tensor(shape, type_):
    return "tensor<" + "".join(f"{size}x" for size in shape) + type_ + ">"


# What makes program number N of a kind, and how many there are of it.
KINDS = {
    "async": (make_async, 18), "loops": (make_loops, 12), "payloads": (make_payloads, 1),
    "gpu": (make_gpu, 64), "sequential": (make_sequential, 44),
    "device_loops": (make_device_loops, 24), "kernels": (make_kernels, 24),
    "types": (make_types, 24), "arithmetic": (make_arithmetic, 30),
    "bfloat": (make_bfloat, 3), "widths": (make_widths, 6), "linalg": (make_linalg, 40),
}


def ptx_of(path):
    """The kernels that a program carries, as text."""
    text = pathlib.Path(path).read_bytes()
    return [found.decode() for found in
            re.findall(rb"//[^\0]*?\.version [^\0]*\.target [^\0]*", text)]


def check_ptx(ptxas, path):
    """What ptxas says of the program's kernels, or None."""
    for text in ptx_of(path):
        with tempfile.NamedTemporaryFile("w", suffix=".ptx") as file:
            file.write(text)
            file.flush()
            done = subprocess.run([ptxas, "-arch=sm_90", file.name, "-o", "/dev/null"],
                                  capture_output=True, text=True)
        if done.returncode:
            return done.stdout + done.stderr
    return None


def link(build, code, path):
    """Makes a library of an object, whose functions are its own."""
    subprocess.run([*os.environ.get("CC", "cc").split(), "-shared", "-s", "-Wl,-Bsymbolic",
                    code, "-o", path, f"-L{build}/lib", "-lasync_gpu_utils", "-lm"],
                   check=True)
    code.unlink()


def link_host(build, path):
    """Makes the program that runs such libraries."""
    subprocess.run([*os.environ.get("CC", "cc").split(), "-std=c11", "-D_GNU_SOURCE", "-O2",
                    "-s", HERE / "run_packed.c", "-o", path, f"-I{HERE.parents[1]}/include",
                    f"-L{build}/lib", "-lasync_gpu_runtime", "-Wl,-rpath,$ORIGIN/lib"],
                   check=True)


def pack(arguments, kind, number):
    """The program's expectation; None where the compiler rightly refuses it; or text
    that says why there is none."""
    program = KINDS[kind][0](number)
    path = arguments.folder / "programs" / f"{kind}-{number}"
    source = arguments.folder / f"{path.name}.mlir"
    source.write_text(program.text)
    code = path.with_suffix(".o")
    try:
        targets = [] if arguments.emu else ["--gpu-targets=ptx"]
        compiled.compile_to(arguments.opt, source, program.options + targets, "obj", code)
        link(arguments.build, code, path)
    except compiled.NeedsToolkit:
        return "needs libdevice of a CUDA toolkit"
    except compiled.DoesNotCompile as error:
        if any(text in str(error) for text in program.refusals):
            return None
        return str(error)
    finally:
        source.unlink()
    refused = arguments.ptxas and check_ptx(arguments.ptxas, path)
    if refused:
        return refused
    return {**program.expectation(), "options": program.options}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--opt", required=True, help="async-gpu-opt")
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--share", type=int, default=1)
    parser.add_argument("--kind", action="append", choices=sorted(KINDS))
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--emu", action="store_true", help="pack the emulated device, too")
    parser.add_argument("--ptxas", help="of a CUDA toolkit")
    parser.add_argument("folder", type=pathlib.Path)
    arguments = parser.parse_args()
    if arguments.folder.exists() and not (arguments.folder / "programs.json").exists() and \
            any(arguments.folder.iterdir()):
        sys.exit(f"pack.py: error: '{arguments.folder}' has files in it that this script "
                 "has not packed: name an empty or a new folder")
    arguments.folder.mkdir(parents=True, exist_ok=True)
    (arguments.folder / "programs.json").write_text("{}")
    for name in ("programs", "lib"):
        shutil.rmtree(arguments.folder / name, ignore_errors=True)
        (arguments.folder / name).mkdir()
    shutil.copy(HERE / "run_packed.py", arguments.folder / "run")
    arguments.build = pathlib.Path(arguments.opt).resolve().parent.parent
    link_host(arguments.build, arguments.folder / "run_packed")
    for name in ["runtime"] + ["emu"] * arguments.emu:
        library = shutil.copy(arguments.build / f"lib/libasync_gpu_{name}.so.0",
                              arguments.folder / "lib")
        subprocess.run(["strip", "--strip-unneeded", library], check=True)
    work = [(kind, number) for kind, (_, count) in KINDS.items()
            if not arguments.kind or kind in arguments.kind
            for number in range(arguments.first,
                                arguments.first + -(-count // arguments.share))]
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as threads:
        packed = list(threads.map(lambda item: pack(arguments, *item), work))
    programs, failures = {}, 0
    for (kind, number), result in zip(work, packed):
        if isinstance(result, str):
            failures += 1
            print(f"{kind}-{number}: {result}")
        elif result:
            programs[f"{kind}-{number}"] = result
    (arguments.folder / "programs.json").write_text(json.dumps(programs))
    size = sum(file.stat().st_size for file in arguments.folder.rglob("*") if file.is_file())
    print(f"{len(programs)} programs, {size / 2**20:.1f} MiB in {arguments.folder}; "
          f"{failures} do not compile, {len(work) - len(programs) - failures} are refused")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
