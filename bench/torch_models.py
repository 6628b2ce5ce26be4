#!/usr/bin/env python3
"""Models of PyTorch as linalg, with what they are given and have to give.

Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
See LICENSE for license information.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

    bench/torch_models.py FOLDER [NAME...]

Writes NAME.mlir, NAME.in0.npy, ... and NAME.out0.npy, ... of each model, or of those
that are named, into FOLDER, which bench/models.py takes. Needs torch, torch-mlir and
numpy. Weights are drawn, always the same; sizes are those of small models, in which
what runs between the large products counts.
"""

import argparse
import pathlib
import sys

import numpy
import torch
from torch import nn
from torch.nn import functional as F


class Attention(nn.Module):
    def __init__(self, width, heads, causal=False):
        super().__init__()
        self.heads, self.causal = heads, causal
        self.qkv = nn.Linear(width, 3 * width)
        self.out = nn.Linear(width, width)

    def forward(self, x):
        batch, length, width = x.shape
        size = width // self.heads
        q, k, v = self.qkv(x).reshape(
            batch, length, 3, self.heads, size).permute(2, 0, 3, 1, 4).unbind(0)
        scores = q @ k.transpose(-1, -2) * size ** -0.5
        if self.causal:
            later = torch.triu(torch.ones(
                length, length, dtype=torch.bool, device=x.device), 1)
            scores = scores.masked_fill(later, float("-inf"))
        mixed = torch.softmax(scores, -1) @ v
        return self.out(mixed.transpose(1, 2).reshape(batch, length, width))


class Block(nn.Module):
    def __init__(self, width, heads, causal=False):
        super().__init__()
        self.attention = Attention(width, heads, causal)
        self.norms = nn.ModuleList([nn.LayerNorm(width) for _ in range(2)])
        self.mlp = nn.Sequential(nn.Linear(width, 4 * width), nn.GELU(),
                                 nn.Linear(4 * width, width))

    def forward(self, x):
        x = x + self.attention(self.norms[0](x))
        return x + self.mlp(self.norms[1](x))


class Vit(nn.Module):
    def __init__(self, width=192, blocks=4):
        super().__init__()
        self.patches = nn.Conv2d(3, width, 16, 16)
        self.blocks = nn.Sequential(*[Block(width, 3) for _ in range(blocks)])
        self.norm, self.head = nn.LayerNorm(width), nn.Linear(width, 10)

    def forward(self, x):
        x = self.patches(x).flatten(2).transpose(1, 2)
        return self.head(self.norm(self.blocks(x)).mean(1))


class Gpt(nn.Module):
    def __init__(self, width=128, blocks=2):
        super().__init__()
        self.words = nn.Embedding(256, width)
        self.places = nn.Parameter(torch.randn(32, width))
        self.blocks = nn.Sequential(
            *[Block(width, 4, causal=True) for _ in range(blocks)])
        self.norm = nn.LayerNorm(width)

    def forward(self, tokens):
        x = self.norm(self.blocks(self.words(tokens) + self.places))
        return x @ self.words.weight.T


class Llama(nn.Module):
    """One layer: RMS norms, rotary embedding, a gated MLP."""

    def __init__(self, width=128, heads=4, length=32):
        super().__init__()
        self.heads, size = heads, width // heads
        self.qkv = nn.Linear(width, 3 * width, bias=False)
        self.out = nn.Linear(width, width, bias=False)
        self.gate, self.up = (nn.Linear(width, 4 * width, bias=False)
                              for _ in range(2))
        self.down = nn.Linear(4 * width, width, bias=False)
        self.scales = nn.Parameter(torch.rand(2, width))
        angles = torch.outer(torch.arange(length).float(),
                             10000.0 ** (-torch.arange(0, size, 2) / size))
        self.register_buffer("cos", torch.cos(angles).repeat(1, 2))
        self.register_buffer("sin", torch.sin(angles).repeat(1, 2))

    def norm(self, x, index):
        return x * torch.rsqrt((x * x).mean(-1, keepdim=True) + 1e-5) * \
            self.scales[index]

    def turn(self, x):
        low, high = x.chunk(2, -1)
        return x * self.cos + torch.cat((-high, low), -1) * self.sin

    def forward(self, x):
        batch, length, width = x.shape
        q, k, v = self.qkv(self.norm(x, 0)).reshape(
            batch, length, 3, self.heads, -1).permute(2, 0, 3, 1, 4).unbind(0)
        q, k = self.turn(q), self.turn(k)
        scores = torch.softmax(
            q @ k.transpose(-1, -2) * (width // self.heads) ** -0.5, -1)
        x = x + self.out((scores @ v).transpose(1, 2).reshape(x.shape))
        y = self.norm(x, 1)
        return x + self.down(F.silu(self.gate(y)) * self.up(y))


class Recurrent(nn.Module):
    def __init__(self, cell, steps=8):
        super().__init__()
        self.cell, self.steps = cell(64, 128), steps
        self.head = nn.Linear(128, 10)

    def forward(self, x):
        state = torch.zeros(x.shape[0], 128, device=x.device)
        is_pair = isinstance(self.cell, nn.LSTMCell)
        if is_pair:
            state = (state, torch.zeros_like(state))
        for step in range(self.steps):
            state = self.cell(x[:, step], state)
        return self.head(state[0] if is_pair else state)


class Residual(nn.Module):
    def __init__(self, inputs, outputs, stride=1):
        super().__init__()
        self.body = nn.Sequential(
            nn.Conv2d(inputs, outputs, 3, stride, 1, bias=False),
            nn.BatchNorm2d(outputs), nn.ReLU(),
            nn.Conv2d(outputs, outputs, 3, 1, 1, bias=False),
            nn.BatchNorm2d(outputs))
        self.short = nn.Identity() if stride == 1 else nn.Sequential(
            nn.Conv2d(inputs, outputs, 1, stride, bias=False),
            nn.BatchNorm2d(outputs))

    def forward(self, x):
        return F.relu(self.body(x) + self.short(x))


class Inverted(nn.Module):
    """A block of MobileNet, with squeeze and excitation."""

    def __init__(self, width, wide):
        super().__init__()
        self.up = nn.Sequential(nn.Conv2d(width, wide, 1),
                                nn.BatchNorm2d(wide), nn.Hardswish(),
                                nn.Conv2d(wide, wide, 3, 1, 1, groups=wide),
                                nn.BatchNorm2d(wide), nn.Hardswish())
        self.gate = nn.Sequential(nn.Conv2d(wide, wide // 4, 1), nn.ReLU(),
                                  nn.Conv2d(wide // 4, wide, 1), nn.Hardsigmoid())
        self.down = nn.Conv2d(wide, width, 1)

    def forward(self, x):
        y = self.up(x)
        return x + self.down(y * self.gate(y.mean((2, 3), keepdim=True)))


class Mixer(nn.Module):
    def __init__(self, length=64, width=128):
        super().__init__()
        self.norms = nn.ModuleList([nn.LayerNorm(width) for _ in range(2)])
        self.across, self.along = (
            nn.Sequential(nn.Linear(size, 2 * size), nn.GELU(),
                          nn.Linear(2 * size, size))
            for size in (length, width))

    def forward(self, x):
        x = x + self.across(self.norms[0](x).transpose(1, 2)).transpose(1, 2)
        return x + self.along(self.norms[1](x))


class Norms(nn.Module):
    def __init__(self, width=256):
        super().__init__()
        self.norms = nn.ModuleList([nn.LayerNorm(width) for _ in range(4)])
        self.head = nn.Linear(width, width)

    def forward(self, x):
        for norm in self.norms:
            x = F.gelu(norm(x)) + x
        return self.head(x)


class Graph(nn.Module):
    """A graph convolution with a dense, normalised adjacency matrix."""

    def __init__(self):
        super().__init__()
        self.first, self.second = nn.Linear(32, 64), nn.Linear(64, 8)

    def forward(self, adjacency, x):
        scale = adjacency.sum(-1, keepdim=True).rsqrt()
        mixed = adjacency * scale * scale.transpose(0, 1)
        return mixed @ self.second(F.relu(mixed @ self.first(x)))


class Call(nn.Module):
    def __init__(self, function):
        super().__init__()
        self.function = function

    def forward(self, *arguments):
        return self.function(*arguments)


def mlp(*sizes):
    layers = []
    for a, b in zip(sizes, sizes[1:]):
        layers += [nn.Linear(a, b), nn.ReLU()]
    return nn.Sequential(*layers[:-1])


def models():
    """Name, model and arguments of each."""
    r = torch.randn
    norm = nn.BatchNorm2d
    return {
        "attention": lambda: (Attention(192, 3), r(1, 64, 192)),
        "autoencoder": lambda: (nn.Sequential(
            nn.Conv2d(1, 16, 3, 2, 1), nn.ReLU(), nn.Conv2d(16, 32, 3, 2, 1),
            nn.ReLU(), nn.ConvTranspose2d(32, 16, 2, 2), nn.ReLU(),
            nn.ConvTranspose2d(16, 1, 2, 2), nn.Sigmoid()), r(1, 1, 28, 28)),
        "block": lambda: (Block(192, 3), r(1, 64, 192)),
        "cnn": lambda: (nn.Sequential(
            nn.Conv2d(3, 32, 3, 2, 1), norm(32), nn.ReLU(),
            nn.Conv2d(32, 32, 3, 1, 1, groups=32), norm(32), nn.ReLU(),
            nn.Conv2d(32, 64, 1), norm(64), nn.ReLU(), nn.MaxPool2d(2),
            nn.Conv2d(64, 128, 3, 1, 1), nn.ReLU(), nn.AdaptiveAvgPool2d(1),
            nn.Flatten(), nn.Linear(128, 10)), r(1, 3, 64, 64)),
        "convolution1d": lambda: (nn.Sequential(
            nn.Conv1d(8, 32, 5, 1, 2), nn.ReLU(), nn.Conv1d(32, 32, 5, 2, 2),
            nn.ReLU(), nn.Flatten(), nn.Linear(32 * 64, 10)), r(1, 8, 128)),
        "cross_entropy": lambda: (Call(F.cross_entropy), r(64, 100),
                                  torch.arange(64) % 100),
        "cumulative": lambda: (Call(lambda x: torch.cumsum(x, 1)), r(64, 128)),
        "double": lambda: (mlp(64, 128, 10).double(), r(16, 64).double()),
        "gpt": lambda: (Gpt(), torch.arange(32).reshape(1, 32)),
        "graph": lambda: (Graph(), torch.rand(64, 64), r(64, 32)),
        "gru": lambda: (Recurrent(nn.GRUCell), r(4, 8, 64)),
        "inverted": lambda: (Inverted(24, 96), r(1, 24, 28, 28)),
        "lenet": lambda: (nn.Sequential(
            nn.Conv2d(1, 6, 5), nn.Tanh(), nn.AvgPool2d(2), nn.Conv2d(6, 16, 5),
            nn.Tanh(), nn.AvgPool2d(2), nn.Flatten(), nn.Linear(400, 120),
            nn.Tanh(), nn.Linear(120, 10)), r(1, 1, 32, 32)),
        "llama": lambda: (Llama(), r(1, 32, 128)),
        "logits": lambda: (Call(lambda x: F.log_softmax(x, -1)), r(64, 1000)),
        "lstm": lambda: (Recurrent(nn.LSTMCell), r(4, 8, 64)),
        "mixer": lambda: (Mixer(), r(1, 64, 128)),
        "mlp": lambda: (mlp(784, 512, 256, 10), r(32, 784)),
        "mlp_one": lambda: (mlp(784, 512, 256, 10), r(1, 784)),
        "norms": lambda: (Norms(), r(1, 64, 256)),
        "pool": lambda: (nn.MaxPool2d(3, 2, 1), r(1, 32, 56, 56)),
        "product": lambda: (Call(torch.matmul), r(512, 512), r(512, 512)),
        "products": lambda: (Call(torch.matmul), r(12, 64, 64), r(12, 64, 64)),
        "residual": lambda: (nn.Sequential(Residual(32, 32), Residual(32, 64, 2)),
                             r(1, 32, 28, 28)),
        "resnet18": lambda: (nn.Sequential(
            nn.Conv2d(3, 64, 7, 2, 3, bias=False), norm(64), nn.ReLU(),
            nn.MaxPool2d(3, 2, 1), Residual(64, 64), Residual(64, 64),
            Residual(64, 128, 2), Residual(128, 128), Residual(128, 256, 2),
            Residual(256, 256), Residual(256, 512, 2), Residual(512, 512),
            nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(512, 1000)),
            r(1, 3, 112, 112)),
        "rnn": lambda: (Recurrent(nn.RNNCell), r(4, 8, 64)),
        "softmax": lambda: (nn.Softmax(-1), r(12, 64, 64)),
        "sums": lambda: (Call(lambda x: x.sum(1)), r(64, 65536)),
        "transposed": lambda: (Call(lambda x: x.transpose(0, 1).contiguous() + 1),
                               r(512, 512)),
        "vgg": lambda: (nn.Sequential(
            nn.Conv2d(3, 32, 3, 1, 1), nn.ReLU(), nn.Conv2d(32, 32, 3, 1, 1),
            nn.ReLU(), nn.MaxPool2d(2), nn.Conv2d(32, 64, 3, 1, 1), nn.ReLU(),
            nn.MaxPool2d(2), nn.Flatten(), nn.Linear(64 * 64, 128), nn.ReLU(),
            nn.Linear(128, 10)), r(1, 3, 32, 32)),
        "vit": lambda: (Vit(), r(1, 3, 128, 128)),
    }


def large():
    """The same of models and ops that fill a GPU."""
    r = torch.randn
    return {
        "add_large": lambda: (Call(torch.add), r(16, 1 << 20), r(16, 1 << 20)),
        "attention_large": lambda: (Attention(768, 12), r(16, 512, 768)),
        "block_large": lambda: (Block(768, 12), r(16, 512, 768)),
        "convolution_large": lambda: (nn.Conv2d(64, 64, 3, 1, 1),
                                      r(32, 64, 56, 56)),
        "norm_large": lambda: (nn.LayerNorm(1024), r(16384, 1024)),
        "product_1024": lambda: (Call(torch.matmul), r(1024, 1024),
                                 r(1024, 1024)),
        "product_4096": lambda: (Call(torch.matmul), r(4096, 4096),
                                 r(4096, 4096)),
        "products_large": lambda: (Call(torch.matmul), r(192, 512, 64),
                                   r(192, 64, 512)),
        "resnet18_large": lambda: (models()["resnet18"]()[0],
                                   r(32, 3, 224, 224)),
        "softmax_large": lambda: (nn.Softmax(-1), r(192, 512, 512)),
        "sums_large": lambda: (Call(lambda x: x.sum(1)), r(4096, 4096)),
        "transposed_large": lambda: (
            Call(lambda x: x.transpose(0, 1).contiguous() + 1), r(4096, 4096)),
        "vit_large": lambda: (Vit(), r(32, 3, 128, 128)),
    }


def build(make):
    """A model, always with the same weights, and what it is given."""
    torch.manual_seed(0)
    model, *arguments = make()
    return model.eval(), arguments


def write(folder, name, make):
    from torch_mlir import fx
    model, arguments = build(make)
    with torch.no_grad():
        results = model(*arguments)
        module = fx.export_and_import(model, *arguments, func_name="forward",
                                      output_type="linalg-on-tensors")
    (folder / f"{name}.mlir").write_text(str(module))
    results = results if isinstance(results, tuple) else (results,)
    for kind, tensors in (("in", arguments), ("out", results)):
        for number, tensor in enumerate(tensors):
            numpy.save(folder / f"{name}.{kind}{number}.npy",
                       tensor.detach().contiguous().numpy())


def main():
    parser = argparse.ArgumentParser(
        description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("names", nargs="*", metavar="NAME")
    arguments = parser.parse_args()
    known = models()
    unknown = [name for name in arguments.names if name not in known]
    if unknown:
        parser.error(f"no model is called {unknown[0]}: {', '.join(known)}")
    arguments.folder.mkdir(parents=True, exist_ok=True)
    for name in arguments.names or known:
        write(arguments.folder, name, known[name])
        print(name, file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
