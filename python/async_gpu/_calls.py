"""Calls of compiled functions: spawned, awaited, read.

Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
See LICENSE for license information.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

from __future__ import annotations

import asyncio
import ctypes
import itertools
import struct
import sys
import threading
from typing import Any, Callable, Dict, Generator, List, Optional

from . import _arrays, _native
from ._errors import RunError, check
from ._native import library
from ._signature import Signature, Type

# ---------------------------------------------------------------------------
# Scalars
# ---------------------------------------------------------------------------

_SCALARS = {"i1": "<?", "i8": "<b", "i16": "<h", "i32": "<i", "i64": "<q",
            "index": "<q", "f16": "<e", "f32": "<f", "f64": "<d",
            "complex<f32>": "<ff", "complex<f64>": "<dd"}


def _pack_bf16(value: float) -> bytes:
    bits = struct.unpack("<I", struct.pack("<f", value))[0]
    if value == value:  # to nearest, ties to even
        bits += 0x7fff + (bits >> 16 & 1)
    else:
        bits |= 1 << 22
    return struct.pack("<H", bits >> 16 & 0xffff)


def _pack(value: Any, wanted: Type, what: str) -> Any:
    """A scalar in memory. Integers below 64 bits may be signed or not."""
    element = wanted.element
    try:
        if isinstance(value, (str, bytes)):
            raise TypeError
        if element == "bf16":
            data = _pack_bf16(float(value))
        elif element.startswith("complex"):
            value = complex(value)
            data = struct.pack(_SCALARS[element], value.real, value.imag)
        elif element[0] == "f":
            data = struct.pack(_SCALARS[element], float(value))
        elif element == "i1":
            data = struct.pack("<?", bool(value))
        else:
            number, bits = value.__index__(), 8 * wanted.element_bytes
            # Of fewer than 64 bits, an unsigned number is taken for its bits.
            if bits < 64 and 2**(bits - 1) <= number < 2**bits:
                number -= 2**bits
            data = struct.pack(_SCALARS[element], number)
    except (TypeError, ValueError, AttributeError):
        raise TypeError(f"{what}: a {type(value).__name__} is no "
                        f"{element}") from None
    except (struct.error, OverflowError):
        raise ValueError(f"{what}: {value!r} does not fit") from None
    return ctypes.create_string_buffer(data, max(len(data), 16))


def _unpack(address: int, wanted: Type) -> Any:
    data = ctypes.string_at(address, wanted.element_bytes)
    if wanted.element == "bf16":
        return struct.unpack("<f", b"\0\0" + data)[0]
    numbers = struct.unpack(_SCALARS[wanted.element], data)
    return complex(*numbers) if len(numbers) == 2 else numbers[0]


# ---------------------------------------------------------------------------
# Being told of tokens
# ---------------------------------------------------------------------------

# What to do once an object is ready, by the number that stands for it there.
_waiting: Dict[int, Callable[[], None]] = {}
_numbers = itertools.count(1)


def _call_waiting(handle: int) -> None:
    # On a thread of the executor, which ctypes has got the GIL for.
    _waiting.pop(handle)()


_resume = _native.Resume(_call_waiting)


def _when_ready(obj: int, then: Callable[[], None]) -> None:
    number = next(_numbers)
    _waiting[number] = then
    library.mlirAsyncRuntimeAwaitTokenAndExecute(obj, number, _resume)


def _as_tuple(results: List[Any]) -> Any:
    if len(results) > 1:
        return tuple(results)
    return results[0] if results else None


class _Flight:
    """A call that may still run: what it uses is kept until it has ended."""

    def __init__(self) -> None:
        self.objects: List[int] = []   # references that are ours
        self.slots: List[Any] = []     # results
        self.kept: List[Any] = []      # descriptors, programs
        self.views: List[_arrays.View] = []
        self.lock = threading.Lock()
        # What makes arrays of memory, and of all results what the call gives.
        self.make: Optional[Callable[..., Any]] = None
        self.finish: Callable[[List[Any]], Any] = _as_tuple

    def is_ready(self) -> bool:
        return all(library.agpu_object_is_ready(obj) for obj in self.objects)

    def release(self) -> None:
        for obj in self.objects:
            library.mlirAsyncRuntimeDropRef(obj, 1)
        self.objects = []
        self.kept = []

    def finish_alone(self, results: Callable[[], Any]) -> None:
        """Nobody wants the results: frees them once they are there."""
        def then() -> None:
            for obj in self.objects:
                if not library.agpu_object_is_ready(obj):
                    _when_ready(obj, then)
                    return
            if not any(library.agpu_object_is_error(o) for o in self.objects):
                results()
            self.release()
        then()


class Call:
    """A call of a function, which runs by itself.

    `await call` gives the result on asyncio, and no thread waits meanwhile;
    `call.result()` waits for it. A function without results gives None, one
    with several a tuple. What went wrong is raised as RunError. A call can be
    passed on as an argument of type `!async.token`.
    """

    def __init__(self, flight: _Flight, signature: Signature,
                 source: str) -> None:
        self._flight: Optional[_Flight] = flight
        self._signature = signature
        self._source = source
        self._result: Any = None
        self._error: Optional[BaseException] = None
        self._lock = threading.Lock()

    def done(self) -> bool:
        """True if result() would not wait."""
        flight = self._flight
        return flight is None or flight.is_ready()

    def result(self) -> Any:
        """The result, once it is there. Other Python threads run meanwhile."""
        flight = self._flight
        for obj in list(flight.objects) if flight else []:
            if threading.current_thread() is not threading.main_thread():
                library.mlirAsyncRuntimeAwaitToken(obj)
            elif not library.agpu_object_is_ready(obj):
                # Where Python handles signals, as of Ctrl-C, it has to wait
                # itself. The call goes on.
                ready = threading.Event()
                _when_ready(obj, ready.set)
                ready.wait()
        return self._take()

    def __await__(self) -> Generator[Any, None, Any]:
        loop = asyncio.get_running_loop()
        flight = self._flight
        for obj in list(flight.objects) if flight else []:
            if library.agpu_object_is_ready(obj):
                continue
            future = loop.create_future()

            def end(future: "asyncio.Future[None]" = future) -> None:
                if not future.done():
                    future.set_result(None)

            def done(end: Callable[[], None] = end) -> None:
                try:
                    loop.call_soon_threadsafe(end)
                except RuntimeError:
                    pass  # the loop is gone, and nobody waits
            _when_ready(obj, done)
            yield from future.__await__()
        return self._take()

    def _take(self) -> Any:
        with self._lock:
            flight, self._flight = self._flight, None
            if flight is not None:
                try:
                    self._result = self._read(flight)
                except BaseException as error:
                    self._error = error
                flight.release()
        if self._error is not None:
            raise self._error
        return self._result

    def _read(self, flight: _Flight) -> Any:
        for obj in flight.objects:
            if library.agpu_object_is_error(obj):
                check(library.agpu_object_get_status(obj), RunError,
                      self._source)
        memories: List[Any] = []
        results = []
        for slot, wanted in zip(flight.slots, self._signature.results):
            address = ctypes.addressof(slot)
            if wanted.kind == _native.TOKEN:
                continue
            if wanted.is_value:
                address = library.mlirAsyncRuntimeGetValueStorage(slot[0])
            if wanted.kind == _native.SCALAR:
                results.append(_unpack(address, wanted))
                continue
            rank = len(wanted.sizes)
            if wanted.kind == _native.UNRANKED_MEMREF:
                rank = slot[0]
                address = slot[1]
            words = list((ctypes.c_int64 * (3 + 2 * rank))
                         .from_address(address))
            results.append(_arrays.from_memref(words, rank, wanted,
                                               flight.views, flight.kept[0],
                                               memories, flight.make))
            if wanted.kind == _native.UNRANKED_MEMREF:
                _native.libc.free(address)
        return flight.finish(results)

    def _token(self) -> int:
        """A token for the end of the call, with a reference of the caller's."""
        with self._lock:
            if self._flight is None:
                return _native.READY_TOKEN
            library.mlirAsyncRuntimeAddRef(self._flight.objects[0], 1)
            return self._flight.objects[0]

    def __del__(self, is_over: Callable[[], bool] = sys.is_finalizing) -> None:
        flight = getattr(self, "_flight", None)
        # At the end of the interpreter the process gives it all back.
        if flight is not None and not is_over():
            self._flight = None
            flight.finish_alone(lambda: self._read(flight))


def _argument(value: Any, wanted: Type, what: str, flight: _Flight) -> Any:
    """What the address of goes to the function."""
    if wanted.is_value:
        raise TypeError(f"{what}: values of regions cannot be given from here")
    if wanted.kind == _native.TOKEN:
        if value is not None and not isinstance(value, Call):
            raise TypeError(f"{what}: a token is a call, or None")
        return ctypes.c_void_p(value._token() if value is not None
                               else _native.READY_TOKEN)
    if wanted.kind == _native.SCALAR:
        return _pack(value, wanted, what)
    words, view = _arrays.to_memref(value, wanted, what)
    flight.views.append(view)
    if wanted.kind == _native.MEMREF:
        return words
    flight.kept.append(words)
    return (ctypes.c_int64 * 2)(len(view.shape), ctypes.addressof(words))


def _result_slot(wanted: Type) -> Any:
    if wanted.is_value or wanted.kind == _native.TOKEN:
        return (ctypes.c_int64 * 1)()
    if wanted.kind == _native.SCALAR:
        return ctypes.create_string_buffer(16)
    if wanted.kind == _native.UNRANKED_MEMREF:
        return (ctypes.c_int64 * 2)()
    return (ctypes.c_int64 * (3 + 2 * len(wanted.sizes)))()


def start(function: Any, signature: Signature, shown: Signature, owner: Any,
          source: str, values: Any,
          make: Optional[Callable[..., Any]] = None,
          finish: Callable[[List[Any]], Any] = _as_tuple) -> Call:
    """Calls the packed `function`. `signature` is what it takes and gives,
    `shown` what its user wrote; `owner` is kept while it runs. `make` makes
    arrays of results (see _arrays.from_memref), and `finish` what the call
    gives of all of them."""
    if len(values) != len(signature.arguments):
        count = len(signature.arguments)
        raise TypeError(f"{signature.name}() takes {count} "
                        f"argument{'' if count == 1 else 's'}, not "
                        f"{len(values)}: it is {shown}")
    flight = _Flight()
    flight.make, flight.finish = make, finish
    flight.kept.append(owner)
    # Tokens last: what does not fit is found before a reference is taken.
    slots: List[Any] = [None] * len(values)
    for last in (False, True):
        for i, (value, wanted) in enumerate(zip(values, shown.arguments)):
            if last == (isinstance(value, Call) or value is None):
                slots[i] = _argument(
                    value, wanted,
                    f"argument {i} of {signature.name}(), {wanted}", flight)
    flight.kept.extend(slots)
    flight.slots = [_result_slot(wanted) for wanted in signature.results]
    slots += flight.slots
    addresses = (ctypes.c_void_p * (len(slots) + 1))(
        *map(ctypes.addressof, slots))
    function(addresses)
    flight.objects = [slot[0] for slot, wanted in zip(flight.slots,
                                                      signature.results)
                      if wanted.is_value or wanted.kind == _native.TOKEN]
    return Call(flight, signature, source)
