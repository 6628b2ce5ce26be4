# Compiles docs/samples/layer.mlir and calls it, waiting and on asyncio.
import array
import asyncio

import async_gpu

FILE = "docs/samples/layer.mlir"


def floats(*numbers):
    return array.array("f", numbers)


def matrix(rows, columns, *numbers):
    return memoryview(floats(*numbers)).cast("B").cast("f", [rows, columns])


with open(FILE) as file:
    program = async_gpu.compile(file.read(), name=FILE)
w, b = matrix(3, 2, 1, 0, 0, 1, 1, 1), floats(-4, 0.5)
y = program.layer(matrix(1, 3, 3, 4, 5), w, b).result()
print(program.layer.signature)
print(memoryview(y).tolist())


async def both():
    first = program.layer(matrix(1, 3, 0, 1, 2), w, b)
    second = program.layer(matrix(1, 3, 1, 1, 1), w, b)
    return await asyncio.gather(first, second)

for y in asyncio.run(both()):
    print(memoryview(y).tolist())
try:
    program.layer(floats(1, 2, 3), w, b)
except ValueError as error:
    print(error)
