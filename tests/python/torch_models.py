"""Small models of the kinds that people bring, for tests of PyTorch.

Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
See LICENSE for license information.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import torch
from torch import nn
from torch.nn import functional as F


class Function(nn.Module):
    """A function of tensors as a module."""

    def __init__(self, function):
        super().__init__()
        self.function = function

    def forward(self, *tensors):
        return self.function(*tensors)


class GPT2(nn.Module):
    """A block of GPT-2 between its embeddings and its logits."""

    def __init__(self, words=50, length=16, width=32, heads=4):
        super().__init__()
        self.heads = heads
        self.words, self.places = nn.Embedding(words, width), nn.Embedding(length, width)
        self.norm1, self.norm2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.up, self.down = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

    def forward(self, ids):
        x = self.words(ids) + self.places(torch.arange(ids.shape[1]))
        batch, length, width = x.shape
        q, k, v = (part.view(batch, length, self.heads, -1).transpose(1, 2)
                   for part in self.qkv(self.norm1(x)).chunk(3, -1))
        x = x + self.out(F.scaled_dot_product_attention(q, k, v, is_causal=True)
                         .transpose(1, 2).reshape(batch, length, width))
        x = x + self.down(F.gelu(self.up(self.norm2(x)), approximate="tanh"))
        return x @ self.words.weight.T


def rotate(x):
    """LLaMA's rotary embedding."""
    half = x.shape[-1] // 2
    frequencies = 10000 ** (-torch.arange(half).float() / half)
    angles = torch.outer(torch.arange(x.shape[-2]).float(), frequencies).repeat(1, 2)
    turned = torch.cat([-x[..., half:], x[..., :half]], -1)
    return x * angles.cos() + turned * angles.sin()


def rotate_complex(x):
    """The same with complex numbers, of pairs of neighbours."""
    pairs = torch.view_as_complex(x.unflatten(-1, (-1, 2)))
    frequencies = 10000 ** (-torch.arange(pairs.shape[-1]).float() / pairs.shape[-1])
    angles = torch.outer(torch.arange(pairs.shape[-2]).float(), frequencies)
    turns = torch.polar(torch.ones_like(angles), angles)
    return torch.view_as_real(pairs * turns).flatten(-2)


class Llama(nn.Module):
    """A block of LLaMA: RMS norms, grouped queries, a gated perceptron."""

    def __init__(self, width=32, heads=4, kept=2):
        super().__init__()
        self.heads, self.kept = heads, kept
        self.q, self.out = (nn.Linear(width, width, bias=False) for _ in range(2))
        self.k, self.v = (nn.Linear(width, kept * width // heads, bias=False)
                          for _ in range(2))
        self.gate, self.up = (nn.Linear(width, 48, bias=False) for _ in range(2))
        self.down = nn.Linear(48, width, bias=False)
        self.norm1, self.norm2 = nn.RMSNorm(width), nn.RMSNorm(width)

    def forward(self, x):
        batch, length, width = x.shape
        given = self.norm1(x)
        q, k, v = (part.view(batch, length, heads, -1).transpose(1, 2) for part, heads in
                   ((self.q(given), self.heads), (self.k(given), self.kept),
                    (self.v(given), self.kept)))
        k, v = (part.repeat_interleave(self.heads // self.kept, 1) for part in (rotate(k), v))
        mask = torch.full((length, length), float("-inf")).triu(1)
        scores = rotate(q) @ k.transpose(-1, -2) / q.shape[-1] ** 0.5 + mask
        x = x + self.out((scores.softmax(-1) @ v).transpose(1, 2)
                         .reshape(batch, length, width))
        given = self.norm2(x)
        return x + self.down(F.silu(self.gate(given)) * self.up(given))


class GCN(nn.Module):
    """Two layers of a graph convolution, over a list of edges."""

    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList([nn.Linear(8, 16), nn.Linear(16, 3)])

    def forward(self, x, edges):
        nodes = x.shape[0]
        degree = torch.zeros(nodes).index_add(0, edges[1], torch.ones(edges.shape[1]))
        degree = degree.clamp(min=1)
        for layer in self.layers:
            x = layer(x)
            sent = x[edges[0]] / (degree[edges[0]] * degree[edges[1]]).sqrt()[:, None]
            x = torch.relu(torch.zeros(nodes, x.shape[1]).index_add(0, edges[1], sent))
        return x.log_softmax(-1)


class Recurrent(nn.Module):
    """A plain RNN, an LSTM or a GRU, and what it says in the end."""

    def __init__(self, kind):
        super().__init__()
        self.cells, self.out = kind(6, 8, batch_first=True), nn.Linear(8, 2)

    def forward(self, x):
        states, _ = self.cells(x)
        return self.out(states[:, -1])


class Convolutional(nn.Module):
    """A convolution with a batch norm, whose running means are buffers."""

    def __init__(self):
        super().__init__()
        self.conv, self.norm = nn.Conv2d(3, 8, 3, padding=1), nn.BatchNorm2d(8)
        self.out = nn.Linear(128, 5)

    def forward(self, x):
        return self.out(F.max_pool2d(torch.relu(self.norm(self.conv(x))), 2).flatten(1))


def quantised(x, weight):
    """A product of int8 with sums in int32, quantised as it is called."""
    scale, scales = x.abs().max() / 127, weight.abs().amax(0) / 127
    small, smalls = ((value / scale).round().clamp(-128, 127).to(torch.int8)
                     for value, scale in ((x, scale), (weight, scales)))
    return (small.int() @ smalls.int()).float() * scale * scales


def models():
    """Names, modules and inputs."""
    torch.manual_seed(0)
    x, table = torch.randn(2, 10, 32), torch.randn(4, 9)
    edges = torch.tensor([[0, 1, 2, 3, 4, 0, 2], [1, 2, 3, 4, 0, 2, 0]])
    places = torch.tensor([[0, 2], [1, 3], [4, 5], [8, 0]])
    yield "gpt2", GPT2(), (torch.randint(0, 50, (2, 12)),)
    yield "llama", Llama(), (x,)
    yield "rotary_complex", Function(rotate_complex), (torch.randn(2, 3, 5, 8),)
    yield "cross_entropy", Function(F.cross_entropy), (table, torch.tensor([0, 8, 2, 2]))
    yield "cumsum", Function(lambda t: t.cumsum(1)), (table,)
    yield "sort", Function(lambda t: t.sort(0, descending=True)), (table,)
    yield "topk", Function(lambda t: t.topk(3)), (table,)
    yield "scatter", Function(lambda t, i, v: t.scatter(1, i, v)), (table, places,
                                                                   torch.randn(4, 2))
    yield "gcn", GCN(), (torch.randn(5, 8), edges)
    yield "convolutional", Convolutional(), (torch.randn(2, 3, 8, 8),)
    yield "bf16", Function(lambda a, b: (a @ b).softmax(-1)), (
        torch.randn(4, 8).bfloat16(), torch.randn(8, 4).bfloat16())
    yield "f16", Function(lambda a, b: F.gelu(F.layer_norm(a, (8,)) @ b)), (
        torch.randn(4, 8).half(), torch.randn(8, 4).half())
    yield "f16_convolution", Function(lambda a, b: F.conv2d(a, b, padding=1)), (
        torch.randn(1, 3, 8, 8).half(), torch.randn(4, 3, 3, 3).half())
    for kind in (torch.float8_e4m3fn, torch.float8_e5m2):
        yield str(kind), Function(lambda a, b, kind=kind: a.to(kind).float() @
                                  b.to(kind).float()), (torch.randn(4, 8), torch.randn(8, 4))
    yield "int8", Function(quantised), (torch.randn(4, 8), torch.randn(8, 4))
    yield "fake_quantised", Function(lambda a, b: torch.fake_quantize_per_tensor_affine(
        a, 0.05, 2, -128, 127) @ b), (torch.randn(4, 8), torch.randn(8, 4))
    yield "complex", Function(lambda t: t * t), (torch.randn(3, 4) + 1j,)
    yield "uint8", Function(lambda t: (t + 3, t.float().sum())), (
        torch.arange(6, dtype=torch.uint8),)
    yield "empty", Function(lambda t: torch.cat([t, t], 1)), (torch.randn(0, 3),)
    yield "rank0", Function(lambda t: t * 2 + 1), (torch.tensor(3.0),)
    yield "rank6", Function(lambda t: t.permute(5, 3, 1, 0, 2, 4).contiguous() + 1), (
        torch.randn(1, 2, 3, 2, 3, 2),)


def recurrent():
    """Those that torch.compile leaves to PyTorch, and torch.export does not."""
    for name in ("RNN", "LSTM", "GRU"):
        yield name, Recurrent(getattr(nn, name)), (torch.randn(3, 5, 6),)
