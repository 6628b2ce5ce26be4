#!/usr/bin/env python3
"""Runs LLVM's own integration tests of CUDA on machines without a GPU.

Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
See LICENSE for license information.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

    tests/upstream/gpu_tests.py LLVM-SOURCE [--build build] [NAME...]
                                [--pack FOLDER | --printed FILE]

LLVM-SOURCE is a checkout of llvm-project, or its mlir/test/Integration/GPU/CUDA. Each
test runs in two ways, and its own CHECK lines say what comes of it:

  tools      async-gpu-runner, on the emulated device. Of the RUN line it takes the
             passes ahead of the lowering (FRONT), which mlir-opt runs, the chip, and
             whether kernels have bare pointers.
  runtime    the RUN line as it stands: mlir-opt and mlir-runner with our runtime in the
             place of libmlir_cuda_runtime and libmlir_async_runtime, on the interpreter
             of PTX that the tests have. Kernels are embedded as PTX, since nothing else
             can be run without a card.

Some of the tests break rules of the PTX manual, and pass on cards by chance. They run as
they are first, which has to fail, then with what TOLERATED says, then with the barriers
that they lack (MENDED).

Prints a table in Markdown, and exits with 1 where a test fails without a reason that is
known (REASONS), or passes in spite of one.

--pack compiles the tests ahead of time, in both ways, for a machine with a GPU: beside the
programs of a FOLDER that tests/fuzz/pack.py has made, whose FOLDER/run runs them all.
--printed has what they printed there (FOLDER/summary.json) checked by the CHECK lines.
"""

import argparse
import collections
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "fuzz"))
import pack as fuzz_pack  # noqa: E402

FOLDER = "mlir/test/Integration/GPU/CUDA"
FRONT = ("transform-interpreter", "test-transform-dialect-erase-schedule",
         "convert-linalg-to-loops", "convert-vector-to-gpu")
DEBUG = "not run: `-debug-only` needs an mlir-opt with assertions"  # nor are such lines
# An mbarrier's phase ends when as many bytes have arrived as were announced.
BYTES = "fails: announces 8,192 bytes of a copy of 16,384, and waits for ever"
# Why a test fails in one of the ways.
REASONS = {
    ("TensorCore/sm80/wmma-matmul-f64", "runtime"):
        "fails: asks for PTX 6.0 on sm_80, which LLVM 22 refuses",
    ("assert", "runtime"): "fails: the interpreter ends with the first assertion",
    ("async", "runtime"):
        "fails: LLVM 22 passes a stream where the next region takes an event",
    ("command-line-arg", "runtime"): DEBUG,
    ("dump-ptx", "tools"): "an error: a kernel has no result",
    ("dump-ptx", "runtime"): DEBUG,
    ("dump-sass", "runtime"): DEBUG,
    ("sm90/tma_load_128x64_swizzle128b", "tools"): BYTES,
    ("sm90/tma_load_128x64_swizzle128b", "runtime"): BYTES,
}
# What a test needs of the emulated device (ASYNC_GPU_EMU_TOLERATE).
TOLERATED = {
    "sm90/gemm_f32_f16_f16_128x128x128": "mbarriers",
    "sm90/gemm_pred_f32_f16_f16_128x128x128": "mbarriers,masks",
    "sm90/tma_load_64x64_swizzle128b": "mbarriers",
    "sm90/tma_load_64x8_8x128_noswizzle": "mbarriers",
    "sm90/transform-dialect/tma_load_64x8_8x128_noswizzle-transform": "mbarriers",
}
# The barriers that a test lacks: its products' factors lie where its results go, and
# each thread reads results of others.
BARRIERS = (r"(?m)^( *nvgpu\.warpgroup\.mma\.store .*)$", r"gpu.barrier\n\1\ngpu.barrier")
MENDED = {
    "sm90/gemm_f32_f16_f16_128x128x128": BARRIERS,
    "sm90/gemm_pred_f32_f16_f16_128x128x128": BARRIERS,
}

Result = collections.namedtuple("Result", "passed text")


def run_lines(text):
    """The commands of a test's RUN lines, each on one line."""
    lines, joined = re.findall(r"^// RUN: ?(.*)$", text, re.MULTILINE), [""]
    for line in lines:
        line = line.strip()
        joined[-1] += " " + line.removesuffix("\\")
        if not line.endswith("\\"):
            joined.append("")
    return [" ".join(line.split()) for line in joined if line.strip()]


def run(command, settings, seconds):
    with tempfile.TemporaryDirectory() as folder:
        # mlir-runner leaves something there for profilers.
        environment = {**os.environ, **settings, "JITDUMPDIR": folder}
        try:
            done = subprocess.run(["bash", "-c", command], text=True,
                                  env=environment, timeout=seconds, errors="replace",
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        except subprocess.TimeoutExpired:
            return Result(False, f"more than {seconds} s")
    return Result(done.returncode == 0, done.stdout.strip())


class Runner:
    def __init__(self, build, tools, seconds):
        self.build, self.tools, self.seconds = build, tools, seconds

    def tools_command(self, line, path, program=None):
        """What the tools make of a RUN line that runs a program, or prints PTX; else
        None. With the name of a `program` they make that, and it does not run."""
        chip = re.search(r"\b(?:cubin-)?chip=(\w+)", line)
        options = f"--gpu-chip={chip[1]} " if chip else ""
        checks = re.search(r"\| FileCheck .*$", line)
        checks = f" {self.substitute(checks[0], path)}" if checks else ""
        file = shlex.quote(str(path))
        runs = re.search(r"\bmlir-(cpu-)?runner\b", line)
        if not runs and "cubin-format=isa" not in line and "serialize-to-isa" not in line:
            return None
        tool = "async-gpu-runner --device=emu" if runs else "async-gpu-opt --emit=ptx"
        if program:
            tool, checks = f"async-gpu-opt --emit=obj -o {program}.o", ""
        if "kernel-bare-ptr-calling-convention=1" in line:
            options += "--gpu-bare-pointers "
        tool = f"{self.build}/bin/{tool} {options}"
        front = " ".join(f"-{name}" for name in FRONT if re.search(rf"-{name}\b", line))
        command = f"{self.tools}/mlir-opt {front} {file} | {tool}-" if front else tool + file
        return command + (" 2>&1" if checks and runs and "2>&1" in line else "") + checks

    def substitute(self, line, path):
        line = line.replace("%s", shlex.quote(str(path)))
        ours = f"{self.build}/lib/libasync_gpu_runtime.so"
        for name in ("cuda", "async"):
            line = line.replace(f"%mlir_{name}_runtime", ours)
        library = f"{self.tools.parent}/lib/libmlir"
        # What the one needs of the other, it does not load by itself everywhere.
        line = line.replace("%mlir_runner_utils",
                            f"{library}_runner_utils.so,{library}_c_runner_utils.so")
        line = line.replace("%mlir_c_runner_utils", f"{library}_c_runner_utils.so")
        line = line.replace("%gpu_compilation_format", "isa")
        line = re.sub(r"(-gpu-lower-to-nvvm-pipeline=\")(?![^\"]*cubin-format)",
                      r"\1cubin-format=isa ", line)
        line = re.sub(r"(?<![\w/])mlir-(cpu-)?runner\b", f"{self.tools}/mlir-runner", line)
        return re.sub(r"(?<![\w/])(mlir-opt|FileCheck)\b(?!-)", rf"{self.tools}/\1", line)

    def pack(self, way, path, program):
        """Compiles a test that prints. False where there is nothing to run, else what
        the compiler has said."""
        for line in run_lines(path.read_text()):
            if "-debug-only" in line or not re.search(r"\bmlir-(cpu-)?runner\b", line):
                continue
            if way == "tools":
                command = self.tools_command(line, path, program)
            else:
                made = re.match(r"(.*?)\|\s*(?:env \S+ )?mlir-(?:cpu-)?runner\b", line)[1]
                command = (f"{self.substitute(made, path)} | "
                           f"{self.tools}/mlir-translate --mlir-to-llvmir | "
                           f"{self.tools}/opt -O2 | {self.tools}/llc "
                           "-O2 --relocation-model=pic --filetype=obj "
                           f"-o {program}.o")
            result = run(f"set -o pipefail; {command}", {}, self.seconds)
            if result.passed:
                fuzz_pack.link(self.build, pathlib.Path(f"{program}.o"), program)
            return result
        return None

    def printed(self, path, text):
        """What FileCheck says of what a test printed; None where it has no such lines."""
        with tempfile.NamedTemporaryFile("w", suffix=".txt") as file:
            file.write(text)
            file.flush()
            for line in run_lines(path.read_text()):
                found = re.search(r"\|\s*(FileCheck .*)$", line)
                if found and re.search(r"\bmlir-(cpu-)?runner\b", line):
                    return run(f"{self.substitute(found[1], path)} <{file.name}", {}, 60)
        return None

    def run(self, way, path, tolerated):
        """None where there is nothing to run."""
        lines = run_lines(path.read_text())
        if way == "tools":
            settings = {"ASYNC_GPU_EMU_TOLERATE": tolerated}
            commands = [self.tools_command(line, path) for line in lines]
        else:
            settings = {"ASYNC_GPU_DEVICE": "cuda", "PTX_DEVICE_LENIENT": "1",
                        "LD_LIBRARY_PATH": f"{self.build}/tests/ptx"}
            commands = [self.substitute(line, path) for line in lines
                        if "-debug-only" not in line]
        commands = [command for command in commands if command]
        for command in commands:
            result = run(command, settings, self.seconds)
            if not result.passed:
                return Result(False, f"{command}\n{result.text}")
        return Result(True, "") if commands else None

    def describe(self, way, path, name):
        """A cell of the table; whether it is as it should be; what was printed."""
        result, words = self.run(way, path, ""), TOLERATED.get(name)
        text = "passes"
        if way == "tools" and words and result and not result.passed:
            result = self.run(way, path, words)
            text = f"passes with `ASYNC_GPU_EMU_TOLERATE={words}`"
        elif way == "tools" and words:
            return "passes as it is, against what is known", False, ""
        if name in MENDED and result and not result.passed:
            with tempfile.TemporaryDirectory() as folder:
                mended = pathlib.Path(folder) / path.name
                mended.write_text(re.sub(*MENDED[name], path.read_text()))
                result = self.run(way, mended, words or "")
                text += " and its missing barriers added" if words and way == "tools" \
                    else " with its missing barriers added"
        reason = REASONS.get((name, way))
        if result is None:
            return reason or "runs nothing", True, ""
        if reason:
            return ((reason, True, "") if not result.passed else
                    ("passes, against what is known", False, ""))
        return (text, True, "") if result.passed else ("**fails**", False, result.text)


def name_of(path, folder):
    return str(path.relative_to(folder)).removesuffix(".mlir")


def pack(runner, folder, tests, ways, into):
    """Compiles tests; those whose barriers are missing with them, too."""
    listed = into / "programs.json"
    programs, failures = json.loads(listed.read_text()), 0
    with tempfile.TemporaryDirectory() as scratch:
        for path in tests:
            name = name_of(path, folder)
            sources = [("", path)]
            if name in MENDED:
                mended = pathlib.Path(scratch) / path.name
                mended.write_text(re.sub(*MENDED[name], path.read_text()))
                sources.append(("-mended", mended))
            for way in ways:
                for ending, source in sources:
                    program = f"llvm-{way}-{name.replace('/', '.')}{ending}"
                    result = runner.pack(way, source, into / "programs" / program)
                    if result is None:
                        continue
                    if not result.passed:
                        failures += 1
                        print(f"{program}: {result.text}")
                        continue
                    programs[program] = {
                        "ways": [""], "status": 0, "is_checked_elsewhere": True,
                        "environment": dict(re.findall(r"\| env (\w+)=(\S+) mlir-",
                                                       source.read_text()))}
    listed.write_text(json.dumps(programs))
    return failures


def check_printed(runner, folder, summary):
    """Prints what the CHECK lines say of what programs have printed."""
    wrong = 0
    for result in json.loads(summary.read_text())["results"]:
        if not result["name"].startswith("llvm-"):
            continue
        way, name = result["name"].removeprefix("llvm-").split("-", 1)
        path = folder / (name.removesuffix("-mended").replace(".", "/") + ".mlir")
        text = result["output"] + (result["error"] if "2>&1" in path.read_text() else "")
        found = runner.printed(path, text)
        # As in the RUN lines, FileCheck's status counts and not the program's.
        passed = found.passed if found else result["result"] == "ok"
        wrong += not passed
        print(f"{way}: {name}: " + ("passes" if passed else
                                    f"{result['result']}\n{found.text[:2000] if found else ''}"))
    return wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("source", type=pathlib.Path)
    parser.add_argument("names", nargs="*", help="parts of names of tests")
    parser.add_argument("--build", type=pathlib.Path, default=pathlib.Path("build"))
    parser.add_argument("--tools", type=pathlib.Path,
                        default=pathlib.Path("/usr/lib/llvm-22/bin"),
                        help="where mlir-opt, mlir-runner and FileCheck are")
    parser.add_argument("--way", choices=("tools", "runtime"), action="append")
    parser.add_argument("--seconds", type=int, default=120, help="of a test")
    parser.add_argument("--pack", type=pathlib.Path, help="a folder of tests/fuzz/pack.py")
    parser.add_argument("--printed", type=pathlib.Path, help="what its programs printed")
    parser.add_argument("--verbose", action="store_true",
                        help="what tests that fail have printed")
    arguments = parser.parse_intermixed_args()
    folder = arguments.source / FOLDER
    if not folder.is_dir():
        folder = arguments.source
    tests = sorted(path for path in folder.rglob("*.mlir")
                   if not arguments.names or
                   any(name in str(path.relative_to(folder)) for name in arguments.names))
    if not tests:
        sys.exit(f"{folder}: no tests")
    runner = Runner(arguments.build.resolve(), arguments.tools, arguments.seconds)
    ways = arguments.way or ["tools", "runtime"]
    if arguments.pack or arguments.printed:
        failures = pack(runner, folder, tests, ways, arguments.pack) if arguments.pack else \
            check_printed(runner, folder, arguments.printed)
        return min(failures, 1)
    print("| test | " + " | ".join(ways) + " |")
    print("| --- |" + " --- |" * len(ways))
    unexpected = 0
    for path in tests:
        name, cells = name_of(path, folder), []
        for way in ways:
            cell, is_known, text = runner.describe(way, path, name)
            cells.append(cell)
            unexpected += not is_known
            if text and arguments.verbose:
                print(f"{name}, {way}: {text}", file=sys.stderr)
        print(f"| {name} | " + " | ".join(cells) + " |", flush=True)
    return min(unexpected, 1)


if __name__ == "__main__":
    sys.exit(main())
