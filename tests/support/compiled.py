"""Programs compiled ahead of time, once for each way of the compiler.

Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
See LICENSE for license information.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

All tests that run a program share what was compiled of it: in programs/ of the
build tree, made by the first of them, and again when the program, its options, the
compiler or the runtime have changed.
"""

import contextlib
import fcntl
import hashlib
import os
import pathlib
import re
import subprocess

# The main of a program whose functions run one by one.
FUNCTIONS = pathlib.Path(__file__).with_name("run_function.c")


class NeedsToolkit(Exception):
    """There is no CUDA toolkit here, and the program needs libdevice of one."""


class DoesNotCompile(Exception):
    pass


def stamp(path):
    found = os.stat(path)
    return f"{path} {found.st_size} {found.st_mtime_ns}"


def target_of(options):
    """The machine that programs are for: "aarch64-linux-gnu", or "": this one."""
    return next((option.partition("=")[2] for option in options
                 if option.startswith("--target=")), "")


def libraries_of(opt, options):
    """Where the libraries of that machine are."""
    return (pathlib.Path(opt).resolve().parent.parent / "lib" /
            target_of(options))


def key_of(opt, source, options):
    """What the result depends on."""
    libraries = libraries_of(opt, options)
    files = [opt, libraries / "libasync_gpu_runtime.so",
             libraries / "libasync_gpu_mpi.so",
             libraries / "libasync_gpu_utils.a", source,
             FUNCTIONS]
    # Files that the options name.
    files += [name for option in options if option.startswith("--link=")
              for name in option[len("--link="):].split(",")
              if os.path.isfile(name)]
    return "\n".join([*map(stamp, files), *options, os.environ.get("CC", "")])


def name_of(source, options):
    name = re.sub(r"\W+", "-", str(source)[-80:].removesuffix(".mlir")).strip("-")
    ways = hashlib.sha1("\n".join([str(source), *options]).encode()).hexdigest()
    return f"{name}-{ways[:8]}"


@contextlib.contextmanager
def locked(path):
    with open(path, "w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def compile_to(opt, source, options, emit, path):
    done = subprocess.run([opt, f"--emit={emit}", *options, source, "-o", path],
                          stdin=subprocess.DEVNULL, stderr=subprocess.PIPE,
                          text=True)
    if done.returncode:
        if ("needs libdevice of a CUDA toolkit, and none was found"
                in done.stderr):
            raise NeedsToolkit
        raise DoesNotCompile(done.stderr)
    if done.stderr:
        print(done.stderr)


def link_functions(opt, code, path, options):
    """Makes an object a program that runs what its argument names."""
    library = libraries_of(opt, options)
    target = target_of(options)
    compiler = [f"{target}-gcc"] if target else \
        os.environ.get("CC", "cc").split()
    subprocess.run([*compiler, code, FUNCTIONS, "-o",
                    path, "-rdynamic", "-Wl,--wrap=main", f"-L{library}",
                    "-lasync_gpu_utils", "-Wl,--as-needed", "-lasync_gpu_mpi",
                    "-Wl,--no-as-needed", "-lasync_gpu_runtime", "-lm",
                    f"-Wl,-rpath,{library}"], check=True)


def program(opt, source, options=(), of_functions=False):
    """The path of the program, which is compiled where it has to be. One
    `of_functions` takes the name of the function that it is to run."""
    source = pathlib.Path(source).resolve()
    folder = pathlib.Path(opt).resolve().parent.parent / "programs"
    folder.mkdir(exist_ok=True)
    ways = [*options, "functions"] if of_functions else list(options)
    path = folder / name_of(source, ways)
    key = key_of(opt, source, ways)
    kept = path.with_suffix(".key")
    with locked(path.with_suffix(".lock")):
        if path.exists() and kept.exists() and kept.read_text() == key:
            return str(path)
        if of_functions:
            code = path.with_suffix(".o")
            compile_to(opt, source, options, "obj", code)
            link_functions(opt, code, path, options)
            code.unlink()
        else:
            compile_to(opt, source, options, "exe", path)
        kept.write_text(key)
    return str(path)
