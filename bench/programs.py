"""Builds the programs in tasks/: ours, and those of the peers that are
installed.

Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
See LICENSE for license information.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import pathlib
import platform
import shutil
import subprocess

from machine import ROOT
from tasks_cholesky import program as cholesky_program

TASKS = ROOT / "bench/tasks"

# Every program is code for the same CPUs: what async-gpu-opt makes.
FLAGS = ["-O3", "-march=x86-64", "-fopenmp-simd", f"-I{TASKS}"]

MLIR_PROGRAMS = ["fib", "fib_func", "fan_out", "chain", "loops", "tree",
                 "round_trip", "cholesky"]

# What they define for mlir.c.
PUBLIC = ["fib", "fib_func", "fan_out", "fan_out_opaque", "chain",
          "chain_opaque", "chain_gated", "tree", "tree_opaque", "round_trip",
          "round_trip_opaque", "round_trip_other", "cholesky",
          "_mlir_ciface_saxpy",
          "_mlir_ciface_iterate",
          "_mlir_ciface_dot"]

# Upstream's way down; async functions need branches before, regions after.
UPSTREAM = ("{parallel}{branches}"
            "async-func-to-async-runtime,async-to-async-runtime,"
            "func.func(async-runtime-ref-counting,"
            "async-runtime-ref-counting-opt),convert-scf-to-cf,"
            "convert-async-to-llvm,finalize-memref-to-llvm,convert-to-llvm,"
            "reconcile-unrealized-casts")


class Unavailable(Exception):
    """What a program takes is not installed; says what."""


def run(*command):
    """A step of a build. A tool that is not there makes the peer unavailable;
    one that fails ends the program with its messages."""
    command = [str(word) for word in command]
    try:
        done = subprocess.run(command, capture_output=True, text=True)
    except FileNotFoundError:
        raise Unavailable(f"no {command[0]}")
    if done.returncode:
        raise SystemExit(f"{' '.join(command)}\n{done.stdout}{done.stderr}")
    return done.stdout


def find(what, *names):
    """The first of the compilers `names` that is installed."""
    for name in names:
        if shutil.which(name):
            return name
    raise Unavailable(f"{what}: none of {', '.join(names)}")


def can_link(compiler, language, include, *arguments):
    """Whether a program with this header and these libraries can be made."""
    return subprocess.run(
        [compiler, "-x", language, "-", "-o", "/dev/null", *arguments],
        input=f"#include <{include}>\nint main(void) {{ return 0; }}\n",
        text=True, capture_output=True).returncode == 0


class Builder:
    """Builds into one folder, with the tools of one build of async-gpu and one
    LLVM."""

    def __init__(self, build, llvm, folder):
        self.build = pathlib.Path(build).resolve()
        self.llvm = pathlib.Path(llvm)
        self.folder = pathlib.Path(folder)
        self.folder.mkdir(parents=True, exist_ok=True)
        self.compiler = find("a C compiler", "clang-22", "cc", "gcc", "clang")
        self.common = [self.object("main.c"), self.object("bodies.c")]

    def object(self, source, *flags, compiler=None):
        """Compiles a file of tasks/."""
        output = self.folder / (pathlib.Path(source).name + ".o")
        standard = [] if source.endswith(".cpp") else ["-std=gnu11"]
        run(compiler or self.compiler, *standard, *FLAGS, *flags, "-c",
            TASKS / source, "-o", output)
        return output

    def link(self, name, *inputs, compiler=None):
        output = self.folder / name
        run(compiler or self.compiler, "-o", output, *self.common, *inputs,
            "-lm")
        return output

    def link_runtime(self, name, *inputs):
        """With this project's runtime."""
        libraries = self.build / "lib"
        return self.link(name, *inputs, f"-L{libraries}",
                         f"-Wl,-rpath,{libraries}", "-lasync_gpu_runtime",
                         "-lm")

    def source(self, program):
        """The text of an MLIR program, which may have to be made first."""
        if program != "cholesky":
            return TASKS / f"programs/{program}.mlir"
        made = self.folder / f"{program}.mlir"
        made.write_text(cholesky_program())
        return made

    def lower(self, program):
        """An object file of an MLIR program, by async-gpu."""
        output = self.folder / f"{program}.o"
        run(self.build / "bin/async-gpu-opt", "--async-gpu-lower",
            "--emit=obj", "-O3", self.source(program), "-o", output)
        return output

    def lower_upstream(self, program, parallel=True):
        """The same by upstream's tools."""
        passes = UPSTREAM.format(
            parallel="async-parallel-for{async-dispatch=true num-workers=-1},"
            if parallel else "",
            branches="convert-scf-to-cf," if program == "fib_func" else "")
        stem = self.folder / f"{program}.upstream"
        tools = self.llvm / "bin"
        run(tools / "mlir-opt", f"--pass-pipeline=builtin.module({passes})",
            self.source(program), "-o", f"{stem}.mlir")
        run(tools / "mlir-translate", "--mlir-to-llvmir", f"{stem}.mlir",
            "-o", f"{stem}.ll")
        # All it makes is visible by the same names in every object file.
        run(tools / "opt", "-passes=internalize,default<O3>",
            f"-internalize-public-api-list={','.join(PUBLIC)}", f"{stem}.ll",
            "-o", f"{stem}.bc")
        run(tools / "llc", "-O3", "-filetype=obj", "-relocation-model=pic",
            f"{stem}.bc", "-o", f"{stem}.o")
        return f"{stem}.o"

    # The programs. Each returns a path or raises Unavailable.

    def async_gpu(self):
        return self.link_runtime("async-gpu", self.object("mlir.c"),
                                 *map(self.lower, MLIR_PROGRAMS))

    def async_gpu_inside(self):
        return self.link_runtime(
            "async-gpu-inside",
            self.object("inside.c", f"-I{ROOT / 'include'}"),
            *map(self.lower, ["inside", "fan_out", "chain", "tree"]))

    def upstream_objects(self):
        return [self.lower_upstream(
            "chain_upstream" if name == "chain" else name)
            for name in MLIR_PROGRAMS]

    def upstream(self):
        libraries = self.llvm / "lib"
        return self.link("upstream", self.object("mlir.c"),
                         *self.upstream_objects(), f"-L{libraries}",
                         f"-Wl,-rpath,{libraries}", "-lmlir_async_runtime",
                         "-lm")

    def upstream_on_ours(self):
        return self.link_runtime("upstream-on-ours", self.object("mlir.c"),
                                 *self.upstream_objects())

    def floor(self):
        return self.link("floor", self.object("mlir.c"),
                         self.object("peers/inline_runtime.c"),
                         *self.upstream_objects(), "-lm")

    def floor_stacks(self):
        if platform.machine() != "x86_64":
            raise Unavailable("x86-64")
        # Its switch writes below the stack pointer.
        code = self.object("peers/pooled_stacks.c", "-mno-red-zone")
        return self.link("floor-stacks", self.object("mlir.c"), code,
                         *self.upstream_objects(), "-lm")

    def serial(self):
        return self.link("serial", self.object("peers/serial.c"))

    def onetbb(self):
        compiler = find("a C++ compiler", "clang++-22", "g++", "clang++")
        if not can_link(compiler, "c++", "tbb/task_group.h", "-ltbb"):
            raise Unavailable("libtbb-dev")
        return self.link("onetbb",
                         self.object("peers/onetbb.cpp", "-std=c++17",
                                     compiler=compiler),
                         "-ltbb", compiler=compiler)

    def openmp(self, name, package, *compilers):
        compiler = find(package, *compilers)
        if not can_link(compiler, "c", "omp.h", "-fopenmp"):
            raise Unavailable(package)
        code = self.object("peers/openmp.c", "-fopenmp", compiler=compiler)
        # Clang leaves the place of its library to the linker's own list.
        rpath = ([f"-Wl,-rpath,{self.llvm / 'lib'}"]
                 if "clang" in compiler else [])
        return self.link(name, code, "-fopenmp", *rpath, compiler=compiler)

    def libgomp(self):
        return self.openmp("libgomp", "libgomp (gcc)", "gcc")

    def libomp(self):
        return self.openmp("libomp", "libomp-22-dev and clang-22", "clang-22")

    def starpu(self):
        try:
            done = subprocess.run(
                ["pkg-config", "--cflags", "--libs", "starpu-1.3"],
                capture_output=True, text=True)
        except FileNotFoundError:
            raise Unavailable("pkg-config")
        if done.returncode:
            raise Unavailable("libstarpu-dev")
        flags = done.stdout.split()
        return self.link("starpu", self.object("peers/starpu.c", *flags),
                         *flags)


PROGRAMS = {
    "async-gpu": Builder.async_gpu,
    "upstream": Builder.upstream,
    "upstream-on-ours": Builder.upstream_on_ours,
    "onetbb": Builder.onetbb,
    "libgomp": Builder.libgomp,
    "libomp": Builder.libomp,
    "starpu": Builder.starpu,
    "serial": Builder.serial,
    "async-gpu-inside": Builder.async_gpu_inside,
    "floor": Builder.floor,
    "floor-stacks": Builder.floor_stacks,
}
