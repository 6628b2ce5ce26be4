"""Reads and writes NumPy's files without NumPy.

Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
See LICENSE for license information.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

    npy.py write FILE DESCR SHAPE FORMAT NUMBER... [--fortran] [--version=N]
    npy.py show FILE FORMAT

FORMAT is struct's, of one element. SHAPE is Python's. What is written follows
numpy.lib.format, and what is shown is checked against it.
"""

import ast
import struct
import sys

MAGIC = b"\x93NUMPY"


def write(path, descr, shape, form, *numbers, fortran=False, version=1):
    header = (f"{{'descr': '{descr}', 'fortran_order': {fortran}, "
              f"'shape': {shape}, }}")
    length = 2 if version == 1 else 4
    front = len(MAGIC) + 2 + length
    header += " " * (-(front + len(header) + 1) % 64) + "\n"
    with open(path, "wb") as file:
        file.write(MAGIC + bytes([version, 0]) +
                   len(header).to_bytes(length, "little") + header.encode())
        for number in numbers:
            file.write(struct.pack(form, type(1 if form[-1] in "bBhHiIqQ?"
                                              else 1.0)(number)))


def show(path, form):
    data = open(path, "rb").read()
    assert data[:8] == MAGIC + b"\1\0", data[:8]
    end = 10 + int.from_bytes(data[8:10], "little")
    assert end % 64 == 0 and data[end - 1:end] == b"\n", data[:end]
    header = ast.literal_eval(data[10:end].decode())
    assert sorted(header) == ["descr", "fortran_order", "shape"], header
    values = [value for (value,) in struct.iter_unpack(form, data[end:])]
    print(header["descr"], header["fortran_order"], header["shape"], *values)


if __name__ == "__main__":
    words = [word for word in sys.argv[2:] if not word.startswith("--")]
    if sys.argv[1] == "show":
        show(*words)
    else:
        write(*words, fortran="--fortran" in sys.argv,
              version=2 if "--version=2" in sys.argv else 1)
