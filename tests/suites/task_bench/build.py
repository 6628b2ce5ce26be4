"""Builds Task Bench's core, and the programs that run its graphs on async-gpu.

Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
See LICENSE for license information.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent


class Failed(Exception):
    """A command that has not ended with 0: which one, and what it has said."""

    def __init__(self, command, done):
        super().__init__(f"{pathlib.Path(command[0]).name}: {done.stderr.strip()}")
        self.command, self.done = command, done


def run(*command):
    """What a command prints."""
    command = [str(word) for word in command]
    done = subprocess.run(command, capture_output=True, text=True, errors="replace",
                          check=False)
    if done.returncode:
        raise Failed(command, done)
    return done.stdout


def vector_flags():
    """Those that the suite's core/Makefile takes for this CPU."""
    flags = set()
    for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("flags"):
            flags = set(line.split())
    return ["-mavx2", "-mfma"] if "avx2" in flags else ["-mavx"] if "avx" in flags else []


class Builder:
    """Builds into a folder, for a suite's folder and one build of async-gpu."""

    def __init__(self, suite, build, folder):
        self.sources = pathlib.Path(suite).resolve() / "core"
        self.build, self.folder = pathlib.Path(build).resolve(), pathlib.Path(folder)
        self.include = f"-I{self.sources}"
        self.objects = [self.compile(source) for source in
                        sorted((*self.sources.glob("*.c"), *self.sources.glob("*.cc")))]
        self.compiler = "c++" if any(self.sources.glob("*.cc")) else "cc"
        self.core = self.folder / "libcore.so"
        run(self.compiler, "-shared", *self.objects, "-o", self.core, "-lm")
        self.shim = self.compile(HERE / "shim.c", "-Wall", "-Wextra", self.include)

    def compile(self, source, *flags):
        compiler = ["c++", "-std=c++11"] if source.suffix == ".cc" else ["cc", "-std=gnu11"]
        output = self.folder / (source.name + ".o")
        run(*compiler, "-O3", *vector_flags(), "-fPIC", *flags, "-c", source, "-o", output)
        return output

    def generate(self, arguments, ranks=1):
        """The text of the program for a command line."""
        return run(sys.executable, HERE / "program.py", self.core, "--ranks", ranks, "--",
                   *arguments)

    def program(self, name, arguments, ranks=1):
        """The path of a program for the pattern of a command line."""
        source, code = self.folder / f"{name}.mlir", self.folder / f"{name}.o"
        source.write_text(self.generate(arguments, ranks))
        run(self.build / "bin/async-gpu-opt", "--async-gpu-lower", "--emit=obj", "-O3", source,
            "-o", code)
        libraries = self.build / "lib"
        run(self.compiler, self.shim, code, *self.objects, "-o", self.folder / name,
            f"-L{libraries}", f"-Wl,-rpath,{libraries}", "-Wl,--as-needed",
            "-lasync_gpu_mpi", "-lasync_gpu_runtime", "-lm")
        return self.folder / name
