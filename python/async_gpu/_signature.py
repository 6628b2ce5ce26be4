"""What functions take and give.

Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
See LICENSE for license information.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

from __future__ import annotations

import ctypes
import dataclasses
from typing import Any, Optional, Tuple

from . import _native


@dataclasses.dataclass(frozen=True)
class Type:
    """An argument or result. Sizes and strides (in elements) are None where
    only a run tells them."""

    text: str
    kind: int
    is_value: bool
    element: str
    element_bytes: int
    sizes: Tuple[Optional[int], ...]
    strides: Tuple[Optional[int], ...]
    offset: Optional[int]

    def __str__(self) -> str:
        return self.text


@dataclasses.dataclass(frozen=True)
class Signature:
    """A function's name, and what it takes and gives."""

    name: str
    arguments: Tuple[Type, ...]
    results: Tuple[Type, ...]

    def __str__(self) -> str:
        taken = ", ".join(map(str, self.arguments))
        given = ", ".join(map(str, self.results))
        if len(self.results) > 1:
            given = f"({given})"
        return f"{self.name}({taken})" + (f" -> {given}" if given else "")


def _number(value: int) -> Optional[int]:
    return None if value == _native.DYNAMIC else value


def _read_type(native: Any) -> Type:
    rank = native.rank
    return Type(text=native.text.decode(), kind=native.kind,
                is_value=native.is_value, element=native.element.decode(),
                element_bytes=native.element_bytes,
                sizes=tuple(_number(native.sizes[i]) for i in range(rank)),
                strides=tuple(_number(native.strides[i]) for i in range(rank)),
                offset=_number(native.offset))


def take(pointer: Any) -> Signature:
    """The signature behind `pointer`, which is released."""
    native = pointer.contents
    signature = Signature(
        name=native.name.decode(),
        arguments=tuple(_read_type(native.arguments[i])
                        for i in range(native.argument_count)),
        results=tuple(_read_type(native.results[i])
                      for i in range(native.result_count)))
    _native.library.agpu_signature_release(pointer)
    return signature


def descriptor(rank: int) -> Any:
    """An array of words for a memref: allocated, aligned, offset, sizes,
    strides."""
    return (ctypes.c_int64 * (3 + 2 * rank))()
