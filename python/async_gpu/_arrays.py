"""Other people's arrays as memrefs, and memrefs as arrays, without copies.

Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
See LICENSE for license information.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

Arguments: NumPy arrays and whatever else has `__array_interface__`,
`__cuda_array_interface__`, `__dlpack__` or the buffer protocol (`array.array`,
`bytearray`, writable memoryviews). Results: NumPy arrays where there is NumPy,
memoryviews otherwise.
"""

from __future__ import annotations

import ctypes
import re
import weakref
from typing import Any, Callable, List, Optional, Sequence, Tuple

from . import _native
from ._signature import Type, descriptor

try:
    import numpy
except ImportError:  # it is optional
    numpy = None  # type: ignore[assignment]

# By element: NumPy's types, and the buffer protocol's, which fit.
_TYPES = {
    "i1": ("|b1", "?"), "i8": ("|i1|u1", "bBc"), "i16": ("<i2<u2", "hH"),
    "i32": ("<i4<u4", "iIlL"), "i64": ("<i8<u8", "qQlL"),
    "index": ("<i8<u8", "qQlL"), "f16": ("<f2", "e"), "bf16": ("|V2<V2", ""),
    "f32": ("<f4", "f"), "f64": ("<f8", "d"), "complex<f32>": ("<c8", ""),
    "complex<f64>": ("<c16", ""),
}
# Of DLPack: kinds by their numbers.
_DLPACK_KINDS = {0: "i", 1: "u", 2: "f", 4: "V", 5: "c", 6: "b"}
_DLPACK_CUDA = (2, 3, 13)  # device, pinned and managed memory


class View:
    """Memory of somebody's: where it is, and how it is laid out (in bytes)."""

    def __init__(self, pointer: int, typestr: str, shape: Sequence[int],
                 strides: Optional[Sequence[int]], itemsize: int,
                 keep: Any) -> None:
        self.pointer = pointer
        self.typestr = typestr
        self.shape = tuple(shape)
        if strides is None:
            strides, step = [], itemsize
            for size in reversed(self.shape):
                strides.insert(0, step)
                step *= size
        self.strides = tuple(strides)
        self.itemsize = itemsize
        self.keep = keep  # what the memory lives as long as


def _from_interface(interface: Any, keep: Any) -> View:
    pointer, read_only = interface["data"]
    if read_only:
        raise TypeError("the array is read-only, and the program may write: "
                        "pass a copy")
    typestr = interface["typestr"]
    if not re.fullmatch(r"[<>|=][a-zA-Z][0-9]+", typestr):
        raise TypeError(f"elements of type {typestr} are none of MLIR's")
    # Of __cuda_array_interface__: what its memory is written on.
    if interface.get("stream") and pointer:
        _native.wait_for_stream(interface["stream"], pointer)
    return View(pointer or 0, typestr, interface["shape"],
                interface.get("strides"), int(typestr[2:]), keep)


class _DLDataType(ctypes.Structure):
    _fields_ = [("code", ctypes.c_uint8), ("bits", ctypes.c_uint8),
                ("lanes", ctypes.c_uint16)]


class _DLTensor(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("device_type", ctypes.c_int),
                ("device_id", ctypes.c_int), ("ndim", ctypes.c_int),
                ("dtype", _DLDataType),
                ("shape", ctypes.POINTER(ctypes.c_int64)),
                ("strides", ctypes.POINTER(ctypes.c_int64)),
                ("byte_offset", ctypes.c_uint64)]


class _DLManagedTensor(ctypes.Structure):
    pass


_DLDeleter = ctypes.CFUNCTYPE(None, ctypes.POINTER(_DLManagedTensor))
_DLManagedTensor._fields_ = [("tensor", _DLTensor),
                             ("context", ctypes.c_void_p),
                             ("deleter", _DLDeleter)]

_get_pointer = ctypes.pythonapi.PyCapsule_GetPointer
_get_pointer.restype = ctypes.c_void_p
_get_pointer.argtypes = [ctypes.py_object, ctypes.c_char_p]


def _from_dlpack(exporter: Any) -> View:
    # The capsule stays ours: it frees the tensor when it goes, as nobody has
    # renamed it.
    device = getattr(exporter, "__dlpack_device__", lambda: (1, 0))()[0]
    if device in _DLPACK_CUDA:
        # The producer's work is made to come before the default stream's.
        capsule = exporter.__dlpack__(stream=1)
    else:
        capsule = exporter.__dlpack__()
    pointer = _get_pointer(capsule, b"dltensor")
    tensor = ctypes.cast(
        pointer, ctypes.POINTER(_DLManagedTensor)).contents.tensor
    if device in _DLPACK_CUDA and tensor.data:
        _native.wait_for_stream(1, tensor.data)
    if tensor.device_type != 1 and tensor.device_type not in _DLPACK_CUDA:
        raise TypeError(f"memory of DLPack's device type {tensor.device_type} "
                        f"is neither the host's nor CUDA's")
    kind = _DLPACK_KINDS.get(tensor.dtype.code)
    if kind is None or tensor.dtype.lanes != 1:
        raise TypeError("DLPack's element type is none of MLIR's")
    itemsize = (tensor.dtype.bits + 7) // 8
    typestr = f"{'|' if itemsize == 1 or kind == 'V' else '<'}{kind}{itemsize}"
    shape = [tensor.shape[i] for i in range(tensor.ndim)]
    strides = ([tensor.strides[i] * itemsize for i in range(tensor.ndim)]
               if tensor.strides else None)
    return View((tensor.data or 0) + tensor.byte_offset, typestr, shape,
                strides, itemsize, (exporter, capsule))


def _from_buffer(view: memoryview) -> View:
    if view.readonly:
        raise TypeError("the buffer is read-only, and the program may write: "
                        "pass a copy, as a bytearray, say")
    code = view.format.lstrip("@=<")
    typestr = {"?": "|b1", "e": "<f2", "f": "<f4", "d": "<f8"}.get(code)
    if typestr is None and len(code) == 1 and code in "bBchHiIlLqQ":
        sign = "u" if code in "BHILQ" else "i"
        typestr = f"{'|' if view.itemsize == 1 else '<'}{sign}{view.itemsize}"
    if typestr is None:
        raise TypeError(f"a buffer of format '{view.format}' has elements that "
                        f"no memref has")
    if not view.c_contiguous:
        raise TypeError("the elements of the buffer do not lie side by side")
    size = view.nbytes
    start = ctypes.addressof((ctypes.c_char * size).from_buffer(view)) \
        if size else 0
    return View(start, typestr, view.shape or (), view.strides, view.itemsize,
                view)


def view_of(value: Any) -> View:
    """What `value` is in memory. TypeError: it is no array."""
    if isinstance(value, View):
        return value
    for name in ("__array_interface__", "__cuda_array_interface__"):
        interface = getattr(value, name, None)
        if interface is not None:
            return _from_interface(interface, (value, interface))
    if hasattr(value, "__dlpack__"):
        return _from_dlpack(value)
    try:
        buffer = memoryview(value)
    except TypeError:
        raise TypeError(f"a {type(value).__name__} is no array: it has none of "
                        f"__array_interface__, __cuda_array_interface__, "
                        f"__dlpack__ and the buffer protocol") from None
    return _from_buffer(buffer)


def _shape_text(view: View) -> str:
    return "x".join([*map(str, view.shape), view.typestr])


def to_memref(value: Any, wanted: Type, what: str) -> Tuple[Any, View]:
    """A descriptor (rank 0 too) of an array for an argument of this type, and
    what has to be kept. TypeError or ValueError, which begin with `what`."""
    try:
        view = view_of(value)
    except TypeError as error:
        raise TypeError(f"{what}: {error}") from None
    accepted = _TYPES[wanted.element][0]
    if view.typestr not in [accepted[i:i + len(view.typestr)]
                            for i in range(len(accepted))]:
        raise TypeError(f"{what}: elements of type {view.typestr} are not "
                        f"{wanted.element}")
    ranked = wanted.kind == _native.MEMREF
    if ranked and (len(view.shape) != len(wanted.sizes) or any(
            size is not None and size != had
            for size, had in zip(wanted.sizes, view.shape))):
        raise ValueError(f"{what}: the array is {_shape_text(view)}")
    strides = [step // view.itemsize for step in view.strides]
    if any(step % view.itemsize for step in view.strides):
        raise ValueError(f"{what}: a stride of the array is no whole number of "
                         f"elements")
    elements = 0 not in view.shape
    alignment = view.itemsize // (2 if wanted.element.startswith("c") else 1)
    if elements and view.pointer % alignment:
        raise ValueError(f"{what}: the array begins at no multiple of "
                         f"{alignment} bytes: pass a copy (numpy.copy)")
    if ranked:
        for size, had, step in zip(view.shape, strides, wanted.strides):
            if step is not None and step != had and size > 1 and elements:
                raise ValueError(
                    f"{what}: elements of the array are {strides} apart, not "
                    f"{list(wanted.strides)}: pass a copy in that order "
                    f"(numpy.ascontiguousarray)")
        # Identity layouts of dynamic sizes have strides that follow from them.
        strides = [had if step is None else step
                   for had, step in zip(strides, wanted.strides)]
    words = descriptor(len(view.shape))
    offset = (wanted.offset or 0) if ranked else 0
    words[0] = words[1] = view.pointer - offset * view.itemsize
    words[2] = offset
    words[3:] = [*view.shape, *strides]
    return words, view


# ---------------------------------------------------------------------------
# Results
# ---------------------------------------------------------------------------

_FORMATS = {"i1": "?", "i8": "b", "i16": "h", "i32": "i", "i64": "q",
            "index": "q", "f32": "f", "f64": "d"}
_NUMPY = {"i1": "?", "i8": "i1", "i16": "<i2", "i32": "<i4", "i64": "<i8",
          "index": "<i8", "f16": "<f2", "f32": "<f4", "f64": "<f8",
          "complex<f32>": "<c8", "complex<f64>": "<c16"}


class Memory:
    """Memory of a result: freed with the last array that is of it, unless it
    is an argument's or a variable's of the program."""

    def __init__(self, allocated: int, owners: Sequence[View],
                 keep: Any) -> None:
        self.keep: Any = keep
        for owner in owners:
            if allocated == owner.pointer:
                self.keep = (keep, owner)
                return
        if allocated and allocated != _native.GLOBAL_MEMORY:
            weakref.finalize(self, _native.libc.free, allocated)


class _Exporter:
    """What NumPy makes an array of, which keeps the memory."""

    def __init__(self, memory: Memory, interface: Any) -> None:
        self.memory = memory
        self.__array_interface__ = interface


def _bf16() -> Any:
    """ml_dtypes' bfloat16 where there is one, the bits otherwise."""
    try:
        import ml_dtypes
    except ImportError:
        return numpy.dtype("<u2")
    return numpy.dtype(ml_dtypes.bfloat16)


def to_numpy(first: int, shape: Sequence[int], strides: Sequence[int],
              wanted: Type, memory: Memory) -> Any:
    dtype = (_bf16() if wanted.element == "bf16"
             else numpy.dtype(_NUMPY[wanted.element]))
    stored = numpy.dtype("<u2") if wanted.element == "bf16" else dtype
    if 0 in shape:
        return numpy.empty(shape, dtype)
    exporter = _Exporter(memory, {
        "version": 3, "data": (first, False), "typestr": stored.str,
        "shape": tuple(shape),
        "strides": tuple(step * wanted.element_bytes for step in strides)})
    return numpy.asarray(exporter).view(dtype)


def _to_memoryview(first: int, shape: Sequence[int], strides: Sequence[int],
                   wanted: Type, memory: Memory) -> Any:
    """Without NumPy: of the memory itself where elements lie side by side, of
    a copy in that order otherwise."""
    size = wanted.element_bytes
    count = 1
    for length in shape:
        count *= length
    step, dense = 1, True
    for length, stride in zip(reversed(shape), reversed(strides)):
        dense &= length == 1 or stride == step
        step *= length
    if dense and count:
        raw = (ctypes.c_char * (count * size)).from_address(first)
        raw._memory = memory  # type: ignore[attr-defined]
    else:
        raw = (ctypes.c_char * max(count * size, 1))()
        places = [0]
        for length, stride in zip(shape, strides):
            places = [at + i * stride for at in places for i in range(length)]
        for i, at in enumerate(places if count else []):
            ctypes.memmove(ctypes.addressof(raw) + i * size, first + at * size,
                           size)
    form = _FORMATS.get(wanted.element, "B")
    array: Any = memoryview(raw).cast("B")[:count * size]
    if form != "B":
        array = array.cast(form, list(shape)) if shape and count else array.cast(form)
    return array


def from_memref(words: Sequence[int], rank: int, wanted: Type,
                owners: Sequence[View], keep: Any,
                memories: List[Tuple[int, Memory]],
                make: Optional[Callable[..., Any]] = None) -> Any:
    """An array of the memref that the descriptor `words` is of. Memory that
    several results of a call have in common is in `memories`. `make` makes
    the array of the address, sizes, strides (in elements), type and Memory."""
    allocated = words[0] & (2**64 - 1)
    memory = next((m for at, m in memories if at == allocated), None)
    if memory is None:
        memory = Memory(allocated, owners, keep)
        memories.append((allocated, memory))
    shape, strides = words[3:3 + rank], words[3 + rank:3 + 2 * rank]
    first = (words[1] & (2**64 - 1)) + words[2] * wanted.element_bytes
    if make is None:
        make = to_numpy if numpy else _to_memoryview
    return make(first, shape, strides, wanted, memory)
