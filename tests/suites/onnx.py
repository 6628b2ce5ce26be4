#!/usr/bin/env python3
"""Runs ONNX's tests of operators on the emulated device, by way of torch-mlir.

Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
See LICENSE for license information.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

    tests/suites/onnx.py onnx_ops/onnx/node/generated --torch-mlir-opt PROGRAM

The suite is that folder of iree-org/iree-test-suites: a folder for each case, with a
model in ONNX's dialect, inputs and answers. torch-mlir-opt comes with the Python package
torch-mlir. Where an answer differs, or there is an error, MLIR's own passes lower the same
module to loops on the host, which show whether that comes of our lowering.
"""

import functools
import pathlib
import re
import sys
import tempfile

import suite

try:
    import numpy
except ImportError:
    numpy = None

FRONT = ("builtin.module(torch-onnx-to-torch-backend-pipeline,"
         "torch-backend-to-linalg-on-tensors-backend-pipeline)")
# To loops on the host, by upstream's passes alone.
LOOPS = ("builtin.module(func.func(linalg-generalize-named-ops),"
         "one-shot-bufferize{bufferize-function-boundaries "
         "allow-return-allocs-from-loops "
         "function-boundary-type-conversion=identity-layout-map},"
         "func.func(convert-linalg-to-loops))")
TIMEOUT = 120  # seconds; the longest takes 5


def widen(values):
    """bf16, which NumPy does not have, as f32."""
    return (values.view(numpy.uint16).astype(numpy.uint32) << 16).view(numpy.float32)


def is_same(got, want):
    if got.dtype.kind in "fc":
        return numpy.allclose(got, want, rtol=1e-3, atol=1e-5, equal_nan=True)
    return numpy.array_equal(got, want)


def read_answer(kind, file, array):
    """The suite's answer in the shape of `array`, or None where the sizes differ."""
    raw = file.read_bytes()
    if len(raw) != array.nbytes:
        return None, None
    if kind.endswith("bf16"):
        array = widen(numpy.frombuffer(array.tobytes(), numpy.uint16)).reshape(array.shape)
        return array, widen(numpy.frombuffer(raw, numpy.uint16)).reshape(array.shape)
    return array, numpy.frombuffer(raw, array.dtype).reshape(array.shape)


def run_module(runner, module, folder, entry, inputs, kinds, work):
    """Runs a module on the case's inputs: its results as arrays, or a Result."""
    files = [work / f"{module.stem}-{i}.npy" for i in range(len(kinds))]
    done = suite.run([runner, module, f"--entry-point={entry}", "--device=emu", *inputs,
                      *(f"--output={f}" for f in files)], TIMEOUT, cwd=folder)
    if done is None or done.returncode:
        return suite.what_failed(done)
    return [numpy.load(f) for f in files]


def find_wrong(folder, answers, got):
    """Which results are not the suite's, in a line."""
    wrong = []
    for i, (kind, file) in enumerate(answers):
        array, want = read_answer(kind, folder / file[1:], got[i])
        if want is None:
            wrong.append(f"result {i}, {kind}: the sizes differ")
        elif not is_same(array, want):
            wrong.append(f"result {i}, {kind}")
    return "; ".join(wrong)


def is_as(theirs, ours):
    """Whether both ended in an error, or with the same results."""
    if isinstance(theirs, suite.Result) or isinstance(ours, suite.Result):
        return (isinstance(theirs, suite.Result) and isinstance(ours, suite.Result)
                and theirs.state == ours.state)
    return all(o.shape == t.shape and is_same(o, t) for o, t in zip(ours, theirs))


def run_case(options, name):
    folder = options.suite / name
    flags = (folder / "run_module_io_flags.txt").read_text().split("\n")
    inputs = [f for f in flags if f.startswith("--input=")]
    answers = [f.split("=", 2)[1:] for f in flags if f.startswith("--expected_output=")]
    runner = options.build / "bin/async-gpu-runner"
    with tempfile.TemporaryDirectory() as work:
        work = pathlib.Path(work)
        module, loops = work / "module.mlir", work / "loops.mlir"
        done = suite.run([options.torch_mlir_opt, "model.mlir", f"--pass-pipeline={FRONT}", "-o",
                          module], TIMEOUT, cwd=folder)
        if done is None or done.returncode:
            return suite.Result("input", "torch-mlir: " + suite.first_error(done.stderr if done else ""))
        entry = re.search(r"func\.func @(\w+)", module.read_text()).group(1)
        kinds = [kind for kind, _ in answers]
        run = functools.partial(run_module, runner, folder=folder, entry=entry, inputs=inputs,
                                kinds=kinds, work=work)
        got = run(module)
        wrong = (got.reason if isinstance(got, suite.Result)
                 else find_wrong(folder, answers, got))
        if not wrong:
            return suite.Result("ok", "")
        if 'cf.assert' in module.read_text() and "unimplemented: " in wrong:
            return suite.Result("input", "torch-mlir: " + wrong)
        done = suite.run([options.mlir_opt, module, f"--pass-pipeline={LOOPS}", "-o", loops],
                         TIMEOUT)
        if done is not None and not done.returncode and is_as(run(loops), got):
            return suite.Result("upstream", wrong)
        return got if isinstance(got, suite.Result) else suite.Result("differs", wrong)


def main():
    p = suite.parser(__doc__, "onnx_ops/onnx/node/generated of iree-org/iree-test-suites")
    p.add_argument("--torch-mlir-opt", type=pathlib.Path, default=pathlib.Path("torch-mlir-opt"),
                   help="the program of torch-mlir's Python package")
    p.add_argument("--mlir-opt", default="mlir-opt-22", help="upstream's passes")
    options = p.parse_args()
    options.build, options.suite = options.build.resolve(), options.suite.resolve()
    if numpy is None:
        print("skipped: there is no NumPy")
        sys.exit(77)
    options.torch_mlir_opt = options.torch_mlir_opt.resolve()
    suite.find_skip(options, [options.torch_mlir_opt, options.build / "bin/async-gpu-runner"])
    cases = sorted(f.parent.name for f in options.suite.glob("test_*/run_module_io_flags.txt"))
    suite.judge("ONNX's operators", "onnx", options, cases,
                functools.partial(run_case, options))


if __name__ == "__main__":
    main()
