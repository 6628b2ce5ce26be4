"""Models of bench/torch_models.py as linalg on tensors, for where there is no torch.

Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
See LICENSE for license information.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

MODELS has a function for each, which builds it from a Program. They are those whose
kernels come out as they do from PyTorch's: products, convolutions, sums, transposes.
What torch-mlir writes is followed op by op; parameters are arguments.
"""

ZERO = "%zero = arith.constant 0.0 : f32"


def type_of(shape):
    return "tensor<" + "".join(f"{size}x" for size in shape) + "f32>"


def identity(rank, dropped=()):
    names = [f"d{i}" for i in range(rank)]
    left = [name for i, name in enumerate(names) if i not in dropped]
    return f"affine_map<({', '.join(names)}) -> ({', '.join(left)})>"


class Program:
    """The text of a function @forward; a value is its name and its shape."""

    def __init__(self):
        self.inputs, self.lines = [], []

    def say(self, shape, text):
        name = f"%v{len(self.lines)}"
        self.lines.append(f"  {name} = {text}")
        return name, list(shape)

    def input(self, *shape):
        self.inputs.append(list(shape))
        return f"%x{len(self.inputs) - 1}", list(shape)

    def empty(self, shape):
        return self.say(shape, f"tensor.empty() : {type_of(shape)}")[0]

    def fill(self, shape, value="0.0"):
        number = self.say((), f"arith.constant {value} : f32")[0]
        return self.say(shape, f"linalg.fill ins({number} : f32) outs("
                        f"{self.empty(shape)} : {type_of(shape)}) -> {type_of(shape)}")[0]

    def generic(self, values, shape, body, maps=None, reduced=(), begin=None):
        """`body` computes %r from %a0, %a1, ... and %o."""
        out = begin or self.empty(shape)
        rank = len(values[0][1])
        maps = (maps or [identity(rank)] * len(values)) + [identity(rank, reduced)]
        kinds = ", ".join('"reduction"' if i in reduced else '"parallel"'
                          for i in range(rank))
        names = "".join(f"%a{i}: f32, " for i in range(len(values)))
        types = ", ".join(type_of(each) for _, each in values)
        return self.say(
            shape, f"linalg.generic {{indexing_maps = [{', '.join(maps)}], "
            f"iterator_types = [{kinds}]}} ins({', '.join(name for name, _ in values)} : "
            f"{types}) outs({out} : {type_of(shape)}) {{ ^bb0({names}%o: f32): {body} "
            f"linalg.yield %r : f32 }} -> {type_of(shape)}")

    def add(self, value, other):
        """The sum; the other one's dimensions are the last of the value's."""
        rank, other_rank = len(value[1]), len(other[1])
        maps = [identity(rank), identity(rank, range(rank - other_rank))]
        return self.generic([value, other], value[1],
                            "%r = arith.addf %a0, %a1 : f32", maps)

    def relu(self, value):
        return self.generic([value], value[1], ZERO + " %c = arith.cmpf ugt, %a0, %zero "
                            ": f32 %r = arith.select %c, %a0, %zero : f32")

    def sum(self, value):
        shape = value[1][:-1]
        return self.generic([value], shape, "%r = arith.addf %a0, %o : f32",
                            reduced=[len(shape)], begin=self.fill(shape))

    def transpose_and_add(self, value):
        shape = value[1][::-1]
        turned = self.say(shape, f"linalg.transpose ins({value[0]} : {type_of(value[1])}) "
                          f"outs({self.empty(shape)} : {type_of(shape)}) "
                          "permutation = [1, 0]")
        return self.generic([turned], shape, "%one = arith.constant 1.0 : f32 "
                            "%r = arith.addf %a0, %one : f32")

    def named(self, op, values, out, shape):
        types = ", ".join(type_of(each) for _, each in values)
        return self.say(shape, f"{op} ins({', '.join(name for name, _ in values)} : "
                        f"{types}) outs({out} : {type_of(shape)}) -> {type_of(shape)}")

    def product(self, a, b):
        shape = a[1][:-1] + b[1][-1:]
        op = "linalg.batch_matmul" if len(shape) == 3 else "linalg.matmul"
        return self.named(op, [a, b], self.fill(shape), shape)

    def linear(self, value, *sizes):
        for i, size in enumerate(sizes):
            value = self.relu(value) if i else value
            value = self.add(self.product(value, self.input(value[1][-1], size)),
                             self.input(size))
        return value

    def pad(self, value, by, with_value="0.0"):
        shape = value[1][:2] + [size + 2 * by for size in value[1][2:]]
        low = [0, 0] + [by] * (len(shape) - 2)
        number = self.say((), f"arith.constant {with_value} : f32")[0]
        indices = ", ".join(f"%i{i}: index" for i in range(len(shape)))
        return self.say(shape, f"tensor.pad {value[0]} low{low} high{low} {{ "
                        f"^bb0({indices}): tensor.yield {number} : f32 }} : "
                        f"{type_of(value[1])} to {type_of(shape)}")

    def window(self, op, values, out, shape, stride):
        rank = len(shape) - 2
        return self.named(f"{op} {{dilations = dense<1> : vector<{rank}xi64>, strides = "
                          f"dense<{stride}> : vector<{rank}xi64>}}", values, out, shape)

    def convolution(self, value, channels, size, stride, padding):
        value = self.pad(value, padding)
        rank = len(value[1]) - 2
        weight = self.input(channels, value[1][1], *[size] * rank)
        shape = [value[1][0], channels] + [
            (each - size) // stride + 1 for each in value[1][2:]]
        kept = [0] + list(range(2, rank + 2))
        begin = self.say(shape, f"linalg.broadcast ins({self.input(channels)[0]} : "
                         f"{type_of([channels])}) outs({self.empty(shape)} : "
                         f"{type_of(shape)}) dimensions = {kept}")[0]
        op = "linalg.conv_2d_nchw_fchw" if rank == 2 else "linalg.conv_1d_ncw_fcw"
        return self.window(op, [value, weight], begin, shape, stride)

    def largest(self, value, size, stride):
        shape = value[1][:2] + [(each - size) // stride + 1 for each in value[1][2:]]
        window = self.empty([size, size]), [size, size]
        return self.window("linalg.pooling_nchw_max", [value, window],
                           self.fill(shape, "0xFF800000"), shape, stride)

    def flatten(self, value):
        shape = [1, 1]
        for size in value[1]:
            shape[1] *= size
        groups = f"[[0], {list(range(1, len(value[1])))}]"
        return self.say(shape, f"tensor.collapse_shape {value[0]} {groups} : "
                        f"{type_of(value[1])} into {type_of(shape)}")

    def finish(self, result):
        inputs = ", ".join(f"%x{i}: {type_of(shape)}"
                           for i, shape in enumerate(self.inputs))
        kind = type_of(result[1])
        return "\n".join([f"func.func @forward({inputs}) -> {kind} {{", *self.lines,
                          f"  return {result[0]} : {kind}", "}", ""])


def convolution1d(p):
    value = p.relu(p.convolution(p.input(1, 8, 128), 32, 5, 1, 2))
    value = p.relu(p.convolution(value, 32, 5, 2, 2))
    return p.linear(p.flatten(value), 10)


def vgg(p):
    value = p.relu(p.convolution(p.input(1, 3, 32, 32), 32, 3, 1, 1))
    value = p.relu(p.convolution(value, 32, 3, 1, 1))
    value = p.largest(value, 2, 2)
    value = p.relu(p.convolution(value, 64, 3, 1, 1))
    return p.linear(p.flatten(p.largest(value, 2, 2)), 128, 10)


MODELS = {
    "add_large": lambda p: p.add(p.input(16, 1 << 20), p.input(16, 1 << 20)),
    "convolution1d": convolution1d,
    "convolution_large": lambda p: p.convolution(p.input(32, 64, 56, 56), 64, 3, 1, 1),
    "mlp": lambda p: p.linear(p.input(32, 784), 512, 256, 10),
    "mlp_one": lambda p: p.linear(p.input(1, 784), 512, 256, 10),
    "pool": lambda p: p.largest(p.pad(p.input(1, 32, 56, 56), 1, "0xFF800000"), 3, 2),
    "product": lambda p: p.product(p.input(512, 512), p.input(512, 512)),
    "product_1024": lambda p: p.product(p.input(1024, 1024), p.input(1024, 1024)),
    "products": lambda p: p.product(p.input(12, 64, 64), p.input(12, 64, 64)),
    "products_large": lambda p: p.product(p.input(192, 512, 64), p.input(192, 64, 512)),
    "sums": lambda p: p.sum(p.input(64, 65536)),
    "sums_large": lambda p: p.sum(p.input(4096, 4096)),
    "transposed": lambda p: p.transpose_and_add(p.input(512, 512)),
    "transposed_large": lambda p: p.transpose_and_add(p.input(4096, 4096)),
    "vgg": vgg,
}


def build(name):
    """The text of a model, and the shapes of what @forward is given."""
    made = Program()
    text = made.finish(MODELS[name](made))
    return text, made.inputs
