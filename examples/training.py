#!/usr/bin/env python3
"""A perceptron of JAX, trained by async-gpu: loss and gradients are one program.

Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
See LICENSE for license information.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

    PYTHONPATH=python python3 examples/training.py

Needs the packages jax and torch-mlir.
"""

import async_gpu.jax
import jax
from jax import numpy as jnp


def loss(parameters: dict, x: jax.Array, wanted: jax.Array) -> jax.Array:
    hidden = jnp.tanh(x @ parameters["in"] + parameters["bias"])
    return ((hidden @ parameters["out"] - wanted) ** 2).mean()


def step(parameters: dict, x: jax.Array, wanted: jax.Array) -> tuple:
    value, slopes = jax.value_and_grad(loss)(parameters, x, wanted)
    return value, jax.tree.map(lambda p, slope: p - 0.02 * slope, parameters, slopes)


def main() -> None:
    keys = jax.random.split(jax.random.key(0), 2)
    parameters = {"in": jax.random.normal(keys[0], (1, 32)), "bias": jnp.zeros(32),
                  "out": jax.random.normal(keys[1], (32, 1)) / 8}
    x = jnp.linspace(-3, 3, 64)[:, None]
    compiled = async_gpu.jax.compile(step, remarks=True)
    for count in range(200):
        value, parameters = compiled.run(parameters, x, jnp.sin(x))
        if count % 50 == 0:
            print(f"step {count}: loss {value:.4f}")
    kernels = sum("remark: a kernel" in remark for remark in compiled.remarks)
    print(f"{kernels} kernels; JAX says {loss(parameters, x, jnp.sin(x)):.4f}, "
          f"async-gpu {value:.4f} a step before")


if __name__ == "__main__":
    main()
