#!/usr/bin/env python3
"""A transformer block of PyTorch, compiled by async-gpu: what ran where.

Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
See LICENSE for license information.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

    PYTHONPATH=python python3 examples/transformer.py

Needs the packages torch and torch-mlir.
"""

import asyncio
import collections
import linecache
import os
import re

import async_gpu.torch
import torch
from torch import nn


class Block(nn.Module):
    """Causal attention and a multilayer perceptron, with what goes in added."""

    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        self.heads = heads
        self.norm1, self.norm2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.qkv = nn.Linear(width, 3 * width)
        self.out = nn.Linear(width, width)
        self.up = nn.Linear(width, 4 * width)
        self.down = nn.Linear(4 * width, width)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        q, k, v = (part.unflatten(-1, (self.heads, -1)).transpose(1, 2)
                   for part in self.qkv(self.norm1(x)).chunk(3, -1))
        attended = nn.functional.scaled_dot_product_attention(
            q, k, v, is_causal=True)
        x = x + self.out(attended.transpose(1, 2).flatten(2))
        return x + self.down(nn.functional.gelu(self.up(self.norm2(x))))


def print_kernels(remarks: list) -> None:
    """How many kernels each line, of this file or of PyTorch, has become."""
    lines = collections.Counter(
        found.groups() for found in
        (re.match(r"(.*):([0-9]+):[0-9]+: remark: a kernel", remark) for remark in remarks)
        if found)
    for (file, line), count in lines.most_common():
        text = linecache.getline(file, int(line)).strip()
        print(f"{count:3} kernels: {os.path.basename(file)}:{line}: {text}")


async def main() -> None:
    torch.manual_seed(0)
    block = Block(64, 4).eval()
    x, y = torch.randn(2, 16, 64), torch.randn(2, 24, 64)
    length = torch.export.Dim("length", min=2, max=1024)
    with torch.no_grad():
        compiled = async_gpu.torch.compile(
            block, (x,), dynamic_shapes=({1: length},), remarks=True)
        print_kernels(compiled.remarks)
        with async_gpu.trace(profile="1"):
            results = await asyncio.gather(compiled(x), compiled(y))
        for result, given in zip(results, (x, y)):
            torch.testing.assert_close(result, block(given), rtol=1e-3, atol=1e-4)
            print(tuple(result.shape), "as PyTorch computes it")


if __name__ == "__main__":
    asyncio.run(main())
