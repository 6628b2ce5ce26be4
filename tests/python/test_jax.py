"""JAX's functions through StableHLO: compiled, compared, awaited.

Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
See LICENSE for license information.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

Ends with 77 where jax or torch-mlir is missing.
"""

import asyncio
import subprocess
import sys
import unittest
import unittest.mock

try:
    import jax
    import torch_mlir.ir
except ImportError as error:
    print(f"skipped: {error}")
    sys.exit(77)

import async_gpu.jax
import numpy
from jax import lax, nn, numpy as jnp

TABLE = jnp.linspace(-2, 3, 12).reshape(3, 4)
ROWS = jnp.array([2, 0])


def attention(p, x):
    q, k, v = (jnp.einsum("ld,dhe->hle", x, p[name]) for name in "qkv")
    scores = q @ k.transpose(0, 2, 1) / q.shape[-1] ** 0.5
    mask = jnp.tril(jnp.ones(scores.shape[1:], bool))
    mixed = nn.softmax(jnp.where(mask, scores, -jnp.inf)) @ v
    return x + jnp.einsum("hle,hed->ld", mixed, p["out"])


def perceptron(p, x):
    x = (x - x.mean(-1, keepdims=True)) * lax.rsqrt(x.var(-1, keepdims=True) + 1e-5)
    return nn.gelu(x @ p["w"] + p["b"]) @ p["w"].T


def newton(x):
    """A loop that ends when values say so."""
    def step(state):
        count, root = state
        return count + 1, (root + x / root) / 2
    return lax.while_loop(lambda s: jnp.abs(s[1] * s[1] - x).max() > 1e-3, step,
                          (0, jnp.ones_like(x)))


FUNCTIONS = {
    "arithmetic": lambda x: (x ** 3 - x % 2 + jnp.clip(x, -1, 1), jnp.round(x), x > 0),
    "integers": lambda x: (x.astype(int) // 2, abs(x).astype(jnp.uint8) >> 1,
                           lax.population_count(x.astype(int))),
    "special": lambda x: (nn.gelu(x, approximate=False), lax.erf_inv(x / 4)),
    "reductions": lambda x: (x.sum(), x.prod(0), jnp.argmax(x, 1), jnp.any(x > 2, 1),
                             nn.logsumexp(x, 1), x.cumsum(1)),
    "shapes": lambda x: (jnp.pad(x, 1), x[::-1].T, jnp.concatenate([x, x]), x[ROWS],
                         lax.dynamic_slice(x, (1, 1), (2, 2)), jnp.arange(4.0) + x),
    "windows": lambda x: (lax.conv(x[None, None], x[None, None, :2, :2], (1, 1), "SAME"),
                          lax.reduce_window(x, -jnp.inf, lax.max, (2, 2), (1, 1), "VALID")),
    "bf16": lambda x: x.astype(jnp.bfloat16) @ x.T.astype(jnp.bfloat16),
    "f16": lambda x: nn.softmax(x.astype(jnp.float16)),
    "complex": lambda x: (abs(x + 1j * x), (x + 2j) * (1 - 1j)),
    "random": lambda x: x + jax.random.normal(jax.random.key(7), x.shape),
    "loop": lambda x: lax.fori_loop(0, 5, lambda i, y: y * 2 + i, x),
    "newton": lambda x: newton(abs(x) + 1),
    "scan": lambda x: lax.scan(lambda sum, row: (sum + row, sum * row), x[0], x),
    "cond": lambda x: lax.cond(x.sum() > 0, lambda x: x + 1, lambda x: x - 1, x),
    "switch": lambda x: lax.switch(x.astype(int)[2, 3], [
        lambda x: x, lambda x: x - 1, lambda x: x * 2, lambda x: -x], x),
    "sort": lambda x: (jnp.sort(x, 0), jnp.sort(x % 3, descending=True), jnp.median(x)),
    # What is equal keeps its order, and a second key decides.
    "sort_ties": lambda x: (jnp.argsort(x.astype(int) % 2, axis=1),
                            lax.sort((x.astype(int) % 2, -x), num_keys=2)),
    "gradient": jax.grad(lambda x: jnp.tanh(x @ x.T).sum()),
    "convolution_gradient": jax.grad(lambda x: lax.conv(
        x[None, None], x[None, None, :2, :2], (1, 1), "SAME").sum()),
    "empty": lambda x: jnp.concatenate([x[:0], x[:0] + 1]),
    "same": lambda x: (x, 3, {"two": x[0, 0]}),
}


class JaxTest(unittest.TestCase):
    def check(self, got, wanted, tolerance=1e-4):
        self.assertEqual(jax.tree.structure(got), jax.tree.structure(wanted))
        for one, other in zip(jax.tree.leaves(got), jax.tree.leaves(wanted)):
            other = jnp.asarray(other)
            self.assertEqual((one.dtype, one.shape), (other.dtype, other.shape))
            if one.dtype in (jnp.bfloat16, jnp.float16):
                one, other, tolerance = one.astype("f"), other.astype("f"), 2e-2
            numpy.testing.assert_allclose(one, other, rtol=tolerance, atol=tolerance / 10)

    def test_functions(self):
        for name, function in FUNCTIONS.items():
            with self.subTest(name):
                self.check(async_gpu.jax.compile(function).run(TABLE), function(TABLE))

    def test_models_with_parameters(self):
        keys = iter(jax.random.split(jax.random.key(0), 9))
        p = {name: jax.random.normal(next(keys), (16, 4, 4)) / 4 for name in "qkv"}
        p["out"] = jax.random.normal(next(keys), (4, 4, 16)) / 4
        p["w"], p["b"] = jax.random.normal(next(keys), (16, 32)) / 4, jnp.ones(32)
        x = jax.random.normal(next(keys), (10, 16))
        for function in (attention, perceptron):
            with self.subTest(function.__name__):
                self.check(async_gpu.jax.compile(function).run(p, x), function(p, x))

    def test_training(self):
        def loss(p, x, y):
            return ((nn.relu(x @ p["a"]) @ p["b"] - y) ** 2).mean()

        @jax.jit
        def step(p, x, y):
            value, slopes = jax.value_and_grad(loss)(p, x, y)
            return value, jax.tree.map(lambda p, s: p - 0.1 * s, p, slopes)

        keys = jax.random.split(jax.random.key(1), 3)
        mine = {"a": jax.random.normal(keys[0], (4, 8)), "b": jax.random.normal(keys[1], (8, 1))}
        theirs, x = mine, jax.random.normal(keys[2], (6, 4))
        compiled = async_gpu.jax.compile(step)
        for _ in range(5):
            value, mine = compiled.run(mine, x, x[:, :1])
            wanted, theirs = step(theirs, x, x[:, :1])
            self.check((value, mine), (wanted, theirs))

    def test_shapes_and_types_compile_once_each(self):
        traced = []
        compiled = async_gpu.jax.compile(lambda x, *, scale: traced.append(x.shape) or x * scale)
        for x in (TABLE, TABLE + 1, TABLE[:2], TABLE.astype(int), numpy.ones((3, 4), "f")):
            self.check(compiled.run(x, scale=2), jnp.asarray(x) * 2)
        self.assertEqual(len(traced), 3)

    def test_memory_is_shared(self):
        compiled = async_gpu.jax.compile(lambda x: (x, x + 1))
        x = jnp.arange(64.0)
        made, to_numpy = [], async_gpu._arrays.to_numpy
        with unittest.mock.patch.object(
                async_gpu._arrays, "to_numpy",
                lambda address, *what: made.append(address) or to_numpy(address, *what)):
            same, other = compiled.run(x)
        self.assertEqual(other.unsafe_buffer_pointer(), made[1])
        leaf = async_gpu.jax._to_leaf(x, x.dtype)
        self.assertEqual(async_gpu._arrays.view_of(leaf).pointer, x.unsafe_buffer_pointer())
        del compiled
        self.check((same, other), (x, x + 1))

    def test_calls_are_awaited(self):
        compiled = async_gpu.jax.compile(lambda x: nn.relu(x @ x.T), remarks=True)

        async def main():
            return await asyncio.gather(*map(compiled, (TABLE, TABLE[:2])))
        for got, x in zip(asyncio.run(main()), (TABLE, TABLE[:2])):
            self.check(got, nn.relu(x @ x.T))
        self.assertTrue(any("test_jax.py" in r and "remark: a kernel" in r
                            for r in compiled.remarks))

    def test_counters_of_loops_are_no_kernels(self):
        compiled = async_gpu.jax.compile(
            lambda x: lax.fori_loop(0, 5, lambda i, y: y * 2, x), remarks=True)
        compiled.run(TABLE)
        self.assertEqual(sum("remark: a kernel" in r for r in compiled.remarks), 1)

    def test_what_cannot_be_lowered(self):
        for function, message in (
                (jnp.fft.fft, "do not lower stablehlo.fft to linalg"),
                (jnp.linalg.cholesky, "lapack_spotrf_ffi is a function of JAX's own")):
            with self.assertRaisesRegex(async_gpu.CompileError, message):
                async_gpu.jax.compile(lambda x: function(x @ x.T)).run(TABLE)
        with self.assertRaises(async_gpu.CompileError) as caught:
            async_gpu.jax.compile(lambda x: x.at[ROWS].add(1)).run(TABLE)
        self.assertEqual(caught.exception.file, __file__)

    def test_jax_is_not_imported_by_the_package(self):
        subprocess.run([sys.executable, "-c", "import async_gpu, sys; "
                        "assert not any(n.startswith('jax') for n in sys.modules)"],
                       check=True, timeout=60)


if __name__ == "__main__":
    unittest.main()
