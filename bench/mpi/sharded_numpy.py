"""The programs of bench/sharded.py by hand: NumPy, and mpi4py's blocking calls.

Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
See LICENSE for license information.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

    sharded_numpy.py PROGRAM GRID CALLS FOLDER

Each rank reads its parts of the arguments, FOLDER/part_RANK_NUMBER.npy, and calls the
program so often; prints the median milliseconds of the calls behind the first, of the
rank that takes longest. The first rank writes the results, FOLDER/numpy_NUMBER.npy.
"""

import pathlib
import sys
import time

import numpy as np
from mpi4py import MPI

WORLD = MPI.COMM_WORLD


def add_up(part, comm=WORLD):
    whole = np.empty_like(part)
    comm.Allreduce(part, whole)
    return whole


def with_borders(part):
    """With a row of each neighbour, or zeroes, around its rows, and zeroes around columns:
    dimensions 0 and 1."""
    padded = np.zeros((part.shape[0] + 2, part.shape[1] + 2, *part.shape[2:]), part.dtype)
    padded[1:-1, 1:-1] = part
    rank, above, below = WORLD.rank, MPI.PROC_NULL, MPI.PROC_NULL
    if rank > 0:
        above = rank - 1
    if rank + 1 < WORLD.size:
        below = rank + 1
    WORLD.Sendrecv(padded[1], above, recvbuf=padded[-1], source=below)
    WORLD.Sendrecv(padded[-2], below, recvbuf=padded[0], source=above)
    return padded


def mlp_batch(x, y, w1, w2):
    h = x @ w1
    d = h @ w2 - y
    g2 = add_up(h.T @ d)
    return add_up(x.T @ (d @ w2.T)), g2


def mlp_columns(x, w1, w2):
    return (add_up(np.maximum(x @ w1, np.float32(0)) @ w2),)


def attention(q, k, v, w):
    s = q @ k
    p = np.exp(s - s.max(axis=2, keepdims=True))
    n = p / p.sum(axis=2, keepdims=True)
    return (add_up((n @ v @ w).sum(axis=0)),)


def convolve(image, filters):
    rows, columns = image.shape[0] - 2, image.shape[1] - 2
    out = np.zeros((rows, columns, filters.shape[3]), image.dtype)
    for i in range(3):
        for j in range(3):
            out += image[i:i + rows, j:j + columns] @ filters[i, j]
    return out


def convolution(x, w1, w2):
    h = convolve(with_borders(x[0]), w1)
    return (add_up(convolve(with_borders(h), w2).sum(axis=0)),)


def stencil(u, w):
    rows, columns = u.shape
    for _ in range(50):
        padded = with_borders(u)
        u = np.zeros_like(u)
        for i in range(3):
            for j in range(3):
                u += w[i, j] * padded[i:i + rows, j:j + columns]
    return (add_up(u.sum(axis=0)),)


def product(a, b):
    c = add_up(a @ b, ALONG[1])
    return (add_up(c.sum(axis=0), ALONG[0]),)


def main():
    name, grid, calls, folder = sys.argv[1:]
    folder = pathlib.Path(folder)
    sizes = [int(size) for size in grid.split("x")]
    place = np.unravel_index(WORLD.rank, sizes)
    for axis in range(len(sizes)):
        others = [int(at) for i, at in enumerate(place) if i != axis]
        ALONG.append(WORLD.Split(others[0] if others else 0, int(place[axis])))
    parts = []
    while (path := folder / f"part_{WORLD.rank}_{len(parts)}.npy").exists():
        parts.append(np.load(path))
    times = []
    for _ in range(int(calls)):
        begin = time.perf_counter()
        results = globals()[name](*parts)
        times.append(time.perf_counter() - begin)
    longest = WORLD.allreduce(float(np.median(times[1:])) * 1e3, MPI.MAX)
    if WORLD.rank == 0:
        for number, result in enumerate(results):
            np.save(folder / f"numpy_{number}.npy", result)
        print(longest)


ALONG = []  # a communicator for each axis of the grid

if __name__ == "__main__":
    main()
