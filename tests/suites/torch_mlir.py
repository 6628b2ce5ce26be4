#!/usr/bin/env python3
"""Runs torch-mlir's e2e suite with the Python package as a backend.

Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
See LICENSE for license information.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

    tests/suites/torch_mlir.py TORCH-MLIR --python PYTHON

TORCH-MLIR is a checkout of torch-mlir, and PYTHON an interpreter with the packages torch,
torch-mlir, torchvision, multiprocess and dill. Modules of PyTorch go through torch.export
and torch-mlir to linalg on tensors, and are compared with what PyTorch computes, as
torch-mlir does it with its reference backend. Where ours fails and the reference backend
does, too, the state is `upstream`. With --reference, it runs all modules, and the table
tells how many pass with it.
"""

import functools
import json
import os
import pathlib
import queue
import subprocess
import sys

import suite

WORKER = pathlib.Path(__file__).resolve().parent / "torch_mlir_case.py"
PACKAGES = "torch, torch_mlir, torchvision, multiprocess, dill"
TIMEOUT = 120  # seconds; the longest takes 30


def environment(options):
    return {**os.environ, "ASYNC_GPU_DEVICE": "emu",
            "PYTHONPATH": str(suite.ROOT / "python"),
            "ASYNC_GPU_BUILD_DIR": str(options.build)}


class Worker:
    """A process that runs modules in children, with PyTorch loaded."""

    def __init__(self, options):
        self._process = subprocess.Popen(
            [options.python, WORKER, options.suite, str(TIMEOUT)], text=True,
            env=environment(options), stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL)

    def run(self, when, name):
        """The results with ours, and with the reference backend or None."""
        self._process.stdin.write(f"{when} {name}\n")
        self._process.stdin.flush()
        line = self._process.stdout.readline()
        if not line:
            sys.exit(f"error: {WORKER.name} has ended: {name}")
        ours, reference = json.loads(line)
        return suite.Result(*ours), reference and suite.Result(*reference)

    def close(self):
        self._process.stdin.close()
        self._process.wait()


def run_case(workers, reference, name):
    """The result of a module. `reference` gets the names of those that pass with the
    reference backend, if it is a set."""
    worker = workers.get()
    try:
        ours, theirs = worker.run("failed" if reference is None else "always", name)
    finally:
        workers.put(worker)
    if theirs and theirs.state == "ok" and reference is not None:
        reference.add(name)
    if ours.state not in ("ok", "input") and theirs and theirs.state != "ok":
        return suite.Result("upstream", ours.reason)
    return ours


def main():
    p = suite.parser(__doc__, "a checkout of torch-mlir")
    p.add_argument("--python", type=pathlib.Path, default=pathlib.Path(sys.executable),
                   help="an interpreter with torch and torch-mlir")
    p.add_argument("--reference", action="store_true",
                   help="run all modules with the reference backend, too")
    options = p.parse_args()
    options.build, options.suite = options.build.resolve(), options.suite.resolve()
    suite.find_skip(options, [options.python, options.build / "bin/async-gpu-runner",
                              options.suite / "projects/pt1/python/torch_mlir_e2e_test"])
    found = subprocess.run([options.python, "-c", f"import {PACKAGES}"],
                           capture_output=True, text=True, check=False)
    if found.returncode:
        print(f"skipped: {options.python} has not all of {PACKAGES}: "
              f"{found.stderr.splitlines()[-1]}")
        sys.exit(77)
    names = subprocess.run([options.python, WORKER, options.suite, "--list"],
                           env=environment(options), stdout=subprocess.PIPE, text=True,
                           check=True).stdout.split()
    workers = queue.Queue()
    for _ in range(options.j):
        workers.put(Worker(options))
    reference = set() if options.reference else None
    suite.judge("torch-mlir's e2e suite", "torch_mlir", options, names,
                functools.partial(run_case, workers, reference), reference)


if __name__ == "__main__":
    main()
