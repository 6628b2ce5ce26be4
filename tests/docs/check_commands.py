#!/usr/bin/env python3
"""Fails when commands, files or links in the documentation are not as it says.

    check_commands.py --source FOLDER --build FOLDER

Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
See LICENSE for license information.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

Of README.md, CONTRIBUTING.md and docs/*.md:

- What a code block shows behind "$ " is run as a user would, at the top of a tree
  that has the sources and the build, with build/bin in PATH, on the emulated
  device with one thread. It has to print what stands below it: lines are broken
  anywhere, "..." stands for anything, and addresses differ.
- Other commands of code blocks: what they name in the tree is there, and can be
  run if it is what is run; the tools know the options. They are run, too, where
  RUN has what they begin with, SMALLER where they take long; ELSEWHERE names the tests
  that run the others.
- A code block without a command is one of SHOWN, which says why.
- Files of the tree that pages name in backquotes are there.
- Links lead to files, and to headings that are there.
"""

import argparse
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import links

FOLDERS = ("bench", "docs", "examples", "integration", "scripts", "tests",
           "build/bin", "include", "cmake")
PATH = re.compile(rf"(?<![\w/.-])(?:{'|'.join(FOLDERS)})/[\w./-]+")
TOOL = re.compile(r"\basync-gpu-(?:opt|runner|info|report)\b")
FLAG = re.compile(r"(?<!\S)(--?[a-zA-Z][\w-]*)")
COMMAND = re.compile(
    r"(?:[A-Z_]+=\S+ )*(?:async-gpu-|scripts/|tests/|bench/|build/bin/|"
    r"integration/|cmake |cc |\./|mlir-runner |mlir-opt-22 |xargs )")
RUN = ("mlir-opt-22 ", "async-gpu-opt", "async-gpu-runner", "async-gpu-info",
       "async-gpu-report", "build/bin/", "cc ", "./", "python3 docs/", "for ",
       "scripts/run.sh", "tests/fuzz/kernels.py")
SMALLER = (("--seeds 100-399", "--seeds 100-101"), ("$(seq 100)", "$(seq 2)"),
           ("bench-gpu", "bench-gpu --small --rounds 1"))
ELSEWHERE = {
    "scripts/": "each of CI's runs begins with scripts/test.sh",
    "cmake ": "tests/install",
    "bench/": "tests of bench/",
    "integration/run-on-device": "tests labelled integration",
    "tests/fuzz/pack.py": "fuzz/packed",
    "tests/suites/": "suites/sample", "tests/upstream/": "ptx/upstream_tests",
    "mlir-runner ": "integration/lowered_by_*",
    "xargs ": "tests/install",
}
# What begins blocks that are not commands, and what of them is looked at.
SHOWN = {
    "program.mlir": "a picture", "PENDING ": "a picture",
    "// RUN: device": "tests/support/program.py reads such lines",
    "s[t] = x[g] ": "a picture", "func.call @gemm": "a piece of a program",
    "%halo = ": "a piece of a program", "gpu-chip=": "options, in a table",
    "program = async_gpu": "docs/samples/layer.py runs such lines",
    "with async_gpu.trace": "tests/python",
    "import async_gpu.jax": "tests/python/test_jax.py",
    "import async_gpu.torch": "tests/python/test_torch.py",
    "ring.mlir:": "integration/mpi/errors", "a.mlir:": "integration/mpi/errors",
    "mpirun ": "integration/shard", "shard.grid ": "integration/shard",
    "mlp.mlir:": "lit/host/shard", "mlp_columns.mlir:": "lit/host/shard",
    "stencil.mlir:": "integration/shard/stencil",
    "program = async_gpu.Module(": "lit/host/shard",
    "apt-get ": "installs packages", "podman ": "builds a container",
    "bench-gpu calibrate": "modelled/calibrate",
    "device/run-on-device": "tests labelled integration",
    "fuzz-pack/run": "fuzz/packed", "gpu-14 ": "of a card",
    "                                      result": "of a card",
    "launch            async-gpu": "of a card",
    "times are the modelled": "tests/modelled", "mine.model:": "tests/modelled",
    "name = H100": "tests/modelled",
}
# What a reader's commands make, and what stands for a name.
MADE = re.compile(r"info\.txt|crash\.mlir|(results|summary)\.json|.*(NAME|FOLDER).*")
# Of one command, where the machine has much else to do. The test's own is 300.
LIMIT_S = 200
# Names that stand for a program of the reader's.
PLACEHOLDERS = {"program.mlir": "examples/fork_join.mlir"}


def blocks_of(page):
    """(number of the first line, lines) of each code block."""
    block, first = [], 0
    for number, line in enumerate(page.splitlines() + ["end"], 1):
        if line.startswith("    "):
            if not block:
                first = number
            block.append(line[4:])
        elif not line.strip() and block:
            block.append("")
        elif block:
            yield first, block
            block = []


def commands_of(block):
    """(command, what it prints or None) of a block's lines."""
    shown = any(line.startswith("$ ") for line in block)
    commands, lines = [], iter(block)
    for line in lines:
        begins = line.startswith("$ ") if shown else COMMAND.match(line)
        if begins:
            text = line[2:] if shown else line
            while text.endswith("\\"):
                text = text[:-1] + next(lines).strip()
            while text.startswith("for ") and not text.endswith("done"):
                text += "\n" + next(lines).strip()
            # A loop's output is not shown.
            shows = shown and not text.startswith("for ")
            commands.append((text, [] if shows else None))
        elif shown and commands and commands[-1][1] is not None:
            commands[-1][1].append(line)
    return commands


def strip_remark(text):
    """Without what a reader is told behind a command."""
    return re.split(r"\s{3,}|\s+#", text)[0]


def squeeze(text):
    return re.sub(r"0x[0-9a-f]+", "0x0", "".join(text.split()))


def prints(expected, actual):
    pattern = ".*".join(re.escape(part)
                        for part in squeeze(expected).split("..."))
    return re.fullmatch(pattern, squeeze(actual), re.DOTALL)


class Check:
    def __init__(self, source, build, folder):
        self.source, self.build, self.folder = source, build, folder
        self.problems, self.ran, self.shown = [], 0, set()
        cache = (build / "CMakeCache.txt").read_text()
        self.sanitized = re.search(r"(?m)^ASYNC_GPU_SANITIZE:\w+=.+", cache)
        for path in source.iterdir():
            if not path.name.startswith(("build", ".")):
                (folder / path.name).symlink_to(path)
        (folder / "build").symlink_to(build)
        for name, meant in PLACEHOLDERS.items():
            (folder / name).symlink_to(source / meant)
        self.environment = {
            name: value for name, value in os.environ.items()
            if not name.startswith("ASYNC_GPU_")}
        self.environment.update(
            ASYNC_GPU_DEVICE="emu", ASYNC_GPU_NUM_THREADS="1",
            ASYNC_GPU_BUILD_DIR=str(build),
            PWD=str(folder),
            PATH=f"{build}/bin:{self.environment['PATH']}")
        self.help = {}

    def report(self, where, text):
        self.problems.append(f"{where}: {text}")

    def options_of(self, tool):
        if tool not in self.help:
            self.help[tool] = subprocess.run(
                [f"{self.build}/bin/{tool}", "--help"], capture_output=True,
                text=True, timeout=20, check=True).stdout
        return self.help[tool]

    def look(self, where, command):
        words = command.split()
        program = next((word for word in words if "=" not in word), "")
        for name in PATH.findall(command):
            # What a command writes is not there before.
            if name.startswith("bench/results/") and "--json" in command:
                continue
            path = self.folder / name.rstrip(".")
            if not path.exists():
                self.report(where, f"{name} is not there")
            elif name == program and not os.access(path, os.X_OK):
                self.report(where, f"{name} cannot be run")
        tool = TOOL.fullmatch(program) and TOOL.search(command)
        if tool and "$" not in command:
            for flag in FLAG.findall(command[tool.end():]):
                if not re.search(rf"(?<![\w-]){re.escape(flag)}(?![\w-])",
                                 self.options_of(tool[0])):
                    self.report(where, f"{tool[0]} has no option {flag}")

    def run(self, where, command, expected):
        self.ran += 1
        try:
            done = subprocess.run(
                ["sh", "-c",
                 command.replace("scripts/run.sh", "async-gpu-runner")
                 .replace("/usr/share/doc/async-gpu/", "")],
                cwd=self.folder, env=self.environment, timeout=LIMIT_S,
                stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                check=False)
        except subprocess.TimeoutExpired as expired:
            output = (expired.output or b"").decode(errors="replace")
            self.report(where, f"'{command}' takes longer than {LIMIT_S} s:\n"
                        f"{output}")
            return
        if expected is None:
            if done.returncode:
                self.report(where, f"'{command}' failed:\n{done.stdout}")
        elif not prints("\n".join(expected), done.stdout):
            self.report(where, f"'{command}' prints:\n{done.stdout}")

    def check_commands(self, name, page):
        for first, block in blocks_of(page):
            where = f"{name}:{first}"
            commands = list(commands_of(block))
            begins = [begin for begin in SHOWN if block[0].startswith(begin)]
            self.shown.update(begins)
            if not commands and not begins:
                self.report(where, f"'{block[0]}' is no command, and not in SHOWN")
            for text, expected in commands:
                command = text if expected is not None else strip_remark(text)
                self.look(where, command)
                bare = re.sub(r"^([A-Z_]+=\S+ )+", "", command)
                if not bare.startswith(RUN):
                    if not bare.startswith(tuple(ELSEWHERE)):
                        self.report(where, f"'{command}' is run by no test")
                    continue
                if "plan-svg" in command and not shutil.which("dot"):
                    continue
                if self.sanitized and "python3" in command:
                    continue
                for whole, part in SMALLER:
                    command = command.replace(whole, part)
                # Left out where there is no C++ compiler.
                if "_plugin.so" in command and not (
                        self.build / "lib/libasync_gpu_plugin.so").exists():
                    continue
                if "cubin" in command and not self.has_assembler():
                    continue
                # Linked where there is a runtime of that machine.
                if "--target=" in command and not (
                        self.build / "lib/aarch64-linux-gnu").exists():
                    continue
                self.run(where, command, expected)

    def check_files(self, name, page, tree):
        for file in re.findall(r"`([\w./-]+\.(?:c|h|cpp|py|sh|json|mlir|md|cmake))`",
                               page):
            if not MADE.fullmatch(file) and not any(
                    path.endswith(f"/{file}") for path in tree):
                self.report(name, f"there is no {file}")

    def has_assembler(self):
        return any(folder and os.access(f"{folder}/bin/ptxas", os.X_OK)
                   for folder in (os.environ.get("CUDA_HOME"),
                                  os.environ.get("CUDA_PATH"),
                                  "/usr/local/cuda"))


def files_of(folder):
    """What is in it. Others may be making and removing files meanwhile."""
    if folder.is_file():
        return [folder]
    return [pathlib.Path(at, name) for at, folders, names in os.walk(folder)
            for name in folders + names]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--source", type=pathlib.Path, required=True)
    parser.add_argument("--build", type=pathlib.Path, required=True)
    arguments = parser.parse_args()
    source = arguments.source.resolve()
    pages = [source / "README.md", source / "CONTRIBUTING.md",
             *sorted((source / "docs").glob("*.md"))]
    tree = [f"/{path.relative_to(source)}" for folder in source.iterdir()
            if not folder.name.startswith(("build", ".git"))
            for path in files_of(folder)]
    with tempfile.TemporaryDirectory() as folder:
        check = Check(source, arguments.build.resolve(), pathlib.Path(folder))
        for path in pages:
            page = path.read_text()
            for problem in links.find_dead(path):
                check.report(path.relative_to(source), problem)
            check.check_files(path.relative_to(source), page, tree)
            if not path.name.startswith("passes"):
                check.check_commands(path.relative_to(source), page)
    for begin in SHOWN.keys() - check.shown:
        check.report("SHOWN", f"no page has '{begin}'")
    print("\n".join(check.problems))
    print(f"{check.ran} commands were run")
    return 1 if check.problems or check.ran < 10 else 0


if __name__ == "__main__":
    sys.exit(main())
