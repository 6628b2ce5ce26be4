"""PyTorch's models through torch-mlir: compiled, compared, awaited.

Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
See LICENSE for license information.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

Ends with 77 where torch or torch-mlir is missing.
"""

import asyncio
import atexit
import copy
import os
import shutil
import subprocess
import sys
import tempfile
import unittest
import warnings

# PyTorch has a cache among temporary files, and torch-mlir leaves there what it could not
# lower.
os.environ["TMPDIR"] = tempfile.tempdir = tempfile.mkdtemp()
atexit.register(shutil.rmtree, tempfile.tempdir, ignore_errors=True)

try:
    import torch
    import torch_mlir
except ImportError as error:
    print(f"skipped: {error}")
    sys.exit(77)

import async_gpu.torch
import torch_models
from torch.utils import _pytree


def leaves(result):
    return [leaf for leaf in _pytree.tree_leaves(result) if isinstance(leaf, torch.Tensor)]


class TorchTest(unittest.TestCase):
    def setUp(self):
        torch.manual_seed(1)
        torch._dynamo.reset()

    def check(self, got, wanted):
        got, wanted = leaves(got), leaves(wanted)
        self.assertEqual(len(got), len(wanted))
        for one, other in zip(got, wanted):
            loose = other.dtype in (torch.bfloat16, torch.float16)
            torch.testing.assert_close(one, other, rtol=2e-2 if loose else 1e-3,
                                       atol=1e-2 if loose else 1e-4)

    def compile(self, model, **options):
        return torch.compile(model, backend="async_gpu", options={"fallback": False},
                             **options)

    def test_models(self):
        for name, model, inputs in torch_models.models():
            with self.subTest(name), torch.no_grad():
                # Of many modules of one class it would compile the first eight.
                torch._dynamo.reset()
                wanted = copy.deepcopy(model)(*inputs)
                self.check(self.compile(model)(*inputs), wanted)

    def test_recurrent_models(self):
        for name, model, inputs in torch_models.recurrent():
            with self.subTest(name), warnings.catch_warnings():
                warnings.simplefilter("ignore")  # torch.export's, of their weights
                compiled = async_gpu.torch.compile(model, inputs)
                self.check(compiled.run(*inputs), model(*inputs))

    def test_sizes_that_change(self):
        model = torch_models.GPT2()
        compiled = self.compile(model, dynamic=True)
        with torch.no_grad():
            for shape in ((2, 12), (3, 7)):
                ids = torch.randint(0, 50, shape)
                self.check(compiled(ids), model(ids))

    def test_gradients(self):
        for name in ("llama", "gcn", "convolutional"):
            model, inputs = next((m, i) for n, m, i in torch_models.models() if n == name)
            other = copy.deepcopy(model)
            with self.subTest(name):
                torch._dynamo.reset()
                self.compile(model)(*inputs).square().sum().backward()
                other(*inputs).square().sum().backward()
                self.check([p.grad for p in model.parameters()],
                           [p.grad for p in other.parameters()])
                self.check(list(model.buffers()), list(other.buffers()))

    def test_results_share_and_parameters_are_followed(self):
        model = torch.nn.Linear(3, 2)
        compiled = self.compile(model)
        x = torch.randn(4, 3)
        with torch.no_grad():
            compiled(x)
            model.weight.mul_(2)            # where it is
            self.check(compiled(x), model(x))
            model.weight.data = torch.randn(2, 3)   # elsewhere
            self.check(compiled(x), model(x))
            self.check(compiled(x.T.contiguous().T), model(x))
            result = compiled(x)
            del compiled
            self.check(result + 0, model(x))

    def test_calls_are_awaited(self):
        model = torch_models.Llama()
        length = torch.export.Dim("length", max=64)
        inputs = [torch.randn(2, n, 32) for n in (10, 5)]
        compiled = async_gpu.torch.compile(model, (inputs[0],),
                                           dynamic_shapes=({1: length},), remarks=True)
        self.assertTrue(any("remark: a kernel" in r for r in compiled.remarks))

        async def main():
            return await asyncio.gather(*map(compiled, inputs))
        for got, x in zip(asyncio.run(main()), inputs):
            self.check(got, model(x))
        with self.assertRaisesRegex(TypeError, "was exported for"):
            compiled(inputs[0], inputs[1])
        with self.assertRaisesRegex(ValueError, "the array is 2x10x31"):
            compiled(torch.randn(2, 10, 31))

    def test_buffers_inputs_and_structures(self):
        class Counter(torch.nn.Module):
            def __init__(self):
                super().__init__()
                self.register_buffer("count", torch.zeros(2))

            def forward(self, given):
                self.count.add_(1)
                given["y"].mul_(2)
                return {"sum": given["x"] + self.count, "x": given["x"], "three": 3}

        model = Counter()
        given = {"x": torch.ones(2), "y": torch.ones(2)}
        compiled = async_gpu.torch.compile(model, (given,))
        given = {"x": torch.zeros(2), "y": torch.ones(2)}
        for count in (1, 2):
            got = compiled.run(given)
            self.check([got["sum"], model.count, given["y"]],
                       [torch.full((2,), float(count))] * 2 + [torch.full((2,), 2.0 ** count)])
        self.assertIs(got["x"], given["x"])
        self.assertEqual(got["three"], 3)

    def test_what_cannot_be_lowered(self):
        model = torch_models.Function(lambda x: torch.linalg.eigvalsh(x @ x.T))
        x = torch.randn(4, 4)
        with self.assertWarnsRegex(UserWarning, "left to PyTorch: .*eigh") as caught:
            compiled = torch.compile(model, backend="async_gpu")
            self.check(compiled(x), model(x))
        torch._dynamo.reset()
        with warnings.catch_warnings():
            warnings.simplefilter("error", UserWarning)  # it has been said
            self.check(torch.compile(model, backend="async_gpu")(x), model(x))
        torch._dynamo.reset()
        with self.assertRaisesRegex(Exception, "eigh"):
            self.compile(model)(x)
        with self.assertRaisesRegex(Exception, "a tensor is on meta: models"):
            self.compile(torch_models.Function(lambda x: x + 1))(x.to("meta"))
        with self.assertRaisesRegex(Exception, "has no option 'fall'"):
            torch.compile(model, backend="async_gpu", options={"fall": 1})(x)

    def test_torch_is_not_imported_by_the_package(self):
        subprocess.run([sys.executable, "-c", "import async_gpu, sys; "
                        "assert not any(n.startswith('torch') for n in sys.modules)"],
                       check=True, timeout=60)


if __name__ == "__main__":
    unittest.main()
