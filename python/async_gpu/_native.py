"""The libraries, as ctypes sees them: include/async_gpu, function by function.

Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
See LICENSE for license information.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

from __future__ import annotations

import ctypes
import ctypes.util
import os
import pathlib
import sysconfig
from ctypes import (CFUNCTYPE, POINTER, Structure, c_bool, c_char, c_char_p,
                    c_int, c_int64, c_size_t, c_void_p)
from typing import Any, Iterator

DYNAMIC = -2**63
GLOBAL_MEMORY = 0xdeadbeef

SCALAR, MEMREF, UNRANKED_MEMREF, TOKEN = range(4)
EMIT = {"mlir": 0, "llvm": 1, "ptx": 2, "asm": 3, "obj": 4}
DEVICES = {"auto": 0, "cuda": 1, "emu": 2}


class Type(Structure):
    _fields_ = [("kind", c_int), ("is_value", c_bool), ("text", c_char_p),
                ("element", c_char_p), ("element_bytes", c_int64),
                ("rank", c_int64), ("sizes", POINTER(c_int64)),
                ("strides", POINTER(c_int64)), ("offset", c_int64)]


class Signature(Structure):
    _fields_ = [("name", c_char_p), ("text", c_char_p),
                ("is_awaitable", c_bool), ("argument_count", c_size_t),
                ("result_count", c_size_t), ("arguments", POINTER(Type)),
                ("results", POINTER(Type))]


DiagnosticHandler = CFUNCTYPE(None, POINTER(c_char), c_size_t, c_void_p)
Resume = CFUNCTYPE(None, c_void_p)
PackedFunction = CFUNCTYPE(None, POINTER(c_void_p))

_STATUS = c_void_p
_FUNCTIONS = {
    "agpu_status_get_code": (c_int, [_STATUS]),
    "agpu_status_get_message": (c_char_p, [_STATUS]),
    "agpu_status_get_location": (c_char_p, [_STATUS]),
    "agpu_status_release": (None, [_STATUS]),
    "agpu_compiler_create": (_STATUS, [POINTER(c_void_p)]),
    "agpu_compiler_release": (None, [c_void_p]),
    "agpu_compiler_set_diagnostic_handler":
        (None, [c_void_p, DiagnosticHandler, c_void_p, c_bool]),
    "agpu_program_parse": (_STATUS, [c_void_p, c_char_p, c_char_p, c_size_t,
                                     POINTER(c_void_p)]),
    "agpu_program_release": (None, [c_void_p]),
    "agpu_program_lower": (_STATUS, [c_void_p, c_char_p]),
    "agpu_program_get_front": (c_char_p, [c_void_p]),
    "agpu_program_get_function": (c_char_p, [c_void_p, c_size_t]),
    "agpu_program_get_signature":
        (_STATUS, [c_void_p, c_char_p, POINTER(POINTER(Signature))]),
    "agpu_program_export":
        (_STATUS, [c_void_p, c_char_p, c_bool, POINTER(POINTER(Signature))]),
    "agpu_program_emit": (_STATUS, [c_void_p, c_int, c_int, POINTER(c_void_p),
                                    POINTER(c_size_t)]),
    "agpu_signature_release": (None, [POINTER(Signature)]),
    "agpu_jit_create": (_STATUS, [c_void_p, c_int, POINTER(c_void_p)]),
    "agpu_jit_lookup_export": (_STATUS, [c_void_p, c_char_p,
                                         POINTER(c_void_p)]),
    "agpu_jit_release": (None, [c_void_p]),
    "agpu_runtime_check_settings": (_STATUS, []),
    "agpu_runtime_get_device": (_STATUS, [POINTER(c_int)]),
    "agpu_runtime_set_device": (_STATUS, [c_int]),
    "agpu_runtime_get_multiprocessors": (_STATUS, [POINTER(c_int)]),
    "agpu_runtime_get_unified_memory": (_STATUS, [POINTER(c_bool)]),
    "agpu_runtime_allow_traces": (None, []),
    "agpu_runtime_begin_trace": (_STATUS, [c_char_p]),
    "agpu_runtime_end_trace": (_STATUS, []),
    "agpu_trace_convert": (_STATUS, [c_char_p, c_char_p, c_char_p]),
    "agpu_runtime_shutdown": (_STATUS, []),
    "agpu_object_is_ready": (c_bool, [c_void_p]),
    "agpu_object_is_error": (c_bool, [c_void_p]),
    "agpu_object_get_status": (_STATUS, [c_void_p]),
    "mlirAsyncRuntimeAwaitToken": (None, [c_void_p]),
    "mlirAsyncRuntimeAwaitTokenAndExecute": (None, [c_void_p, c_void_p,
                                                    Resume]),
    "mlirAsyncRuntimeGetValueStorage": (c_void_p, [c_void_p]),
    "mlirAsyncRuntimeAddRef": (None, [c_void_p, c_int64]),
    "mlirAsyncRuntimeDropRef": (None, [c_void_p, c_int64]),
}


# The folder of libraries in Debian's packages: x86_64-linux-gnu.
_MULTIARCH = sysconfig.get_config_var("MULTIARCH") or ""


def _candidates() -> Iterator[str]:
    """Where the compiler's library may be, the likeliest first."""
    name = "libasync_gpu_compiler.so"
    build = os.environ.get("ASYNC_GPU_BUILD_DIR")
    if build:
        yield os.path.join(build, "lib", name)
    # In the package, as pip installs it. Beside it: in a source tree with its build,
    # or an installation.
    for folder in pathlib.Path(__file__).resolve().parents:
        for inside in ("build/lib", "lib", "lib/" + _MULTIARCH):
            path = folder / inside / (name + ".0")
            if path.exists():
                yield str(path)
    yield name + ".0"
    found = ctypes.util.find_library("async_gpu_compiler")
    if found:
        yield found


def _load() -> ctypes.CDLL:
    tried = []
    for path in _candidates():
        try:
            library = ctypes.CDLL(path)
            # For all to see, unlike the compiler and its LLVM: compiled code
            # looks the runtime up in the process.
            ctypes.CDLL("libasync_gpu_runtime.so.0",
                        mode=ctypes.RTLD_GLOBAL | os.RTLD_NOLOAD)
        except OSError as error:
            tried.append(str(error))
            continue
        for name, (result, arguments) in _FUNCTIONS.items():
            function = getattr(library, name)
            function.restype = result
            function.argtypes = arguments
        return library
    raise ImportError(
        "libasync_gpu_compiler.so cannot be loaded: install a wheel of "
        "async-gpu, which brings it, or build async-gpu and say where the build "
        "is in ASYNC_GPU_BUILD_DIR, or install the library where the loader "
        "looks (" + "; ".join(tried) + ")")


_ATTRIBUTE_CONTEXT, _ATTRIBUTE_ORDINAL = 1, 9


def wait_for_stream(stream: int, pointer: int) -> None:
    """Waits for the work on a CUDA stream of somebody else's, of the memory at
    `pointer`: ours do not wait for the default streams, 1 and 2. Which streams
    these are the current context says, and this thread need not have the
    memory's."""
    try:
        driver = ctypes.CDLL("libcuda.so.1")
    except OSError as error:
        raise TypeError(f"the array has a stream, and there is no CUDA driver "
                        f"to wait for it: {error}") from None

    def call(name: str, *arguments: Any) -> None:
        result = getattr(driver, name)(*arguments)
        if result:
            raise TypeError(f"waiting for the array's stream: {name}: "
                            f"CUDA error {result}")

    context, ordinal = c_void_p(), ctypes.c_int()
    address = ctypes.c_uint64(pointer)
    call("cuPointerGetAttribute", ctypes.byref(context), _ATTRIBUTE_CONTEXT,
         address)
    # Memory of a pool has no context but its device's primary one.
    is_retained = not context.value
    if is_retained:
        call("cuPointerGetAttribute", ctypes.byref(ordinal),
             _ATTRIBUTE_ORDINAL, address)
        call("cuDevicePrimaryCtxRetain", ctypes.byref(context), ordinal)
    try:
        call("cuCtxPushCurrent_v2", context)
        try:
            call("cuStreamSynchronize", c_void_p(stream))
        finally:
            call("cuCtxPopCurrent_v2", ctypes.byref(c_void_p()))
    finally:
        if is_retained:
            call("cuDevicePrimaryCtxRelease_v2", ordinal)


library = _load()
READY_TOKEN = ctypes.addressof(c_char.in_dll(library, "agpu_ready_token"))

libc = ctypes.CDLL(None)
libc.free.restype = None
libc.free.argtypes = [c_void_p]
