"""Compile and call MLIR programs of the async and gpu dialects.

    import async_gpu, numpy
    program = async_gpu.compile(open("layer.mlir").read(), name="layer.mlir")
    x = numpy.ones((4, 3), "f4")
    y = program.layer(x, w, b).result()       # waits
    y = await program.layer(x, w, b)          # on asyncio: no thread waits

Arguments are used in place, without a copy: NumPy arrays, and anything with
`__dlpack__`, `__cuda_array_interface__`, `__array_interface__` or the buffer
protocol. They have to stay as they are until the call has ended; a function
that writes into a memref writes into the caller's array. Results are arrays
that own their memory, or share that of the argument or variable of the program
that the function has given back.

What fails raises `CompileError` or `RunError`, with the place in the program.

Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
See LICENSE for license information.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

from __future__ import annotations

import atexit
import contextlib
import ctypes
import operator
import os
import signal
import tempfile
import warnings
from typing import Any, Callable, Dict, List, Optional, Sequence, Union

from . import _calls, _native, _signature
from ._calls import Call
from ._errors import CompileError, Error, RunError, check
from ._native import library
from ._signature import Signature, Type

__version__ = "0.1.0"

__all__ = ["Call", "CompileError", "Error", "Function", "Module", "Program",
           "RunError", "Signature", "Type", "compile", "device", "parse",
           "set_device", "shutdown", "trace"]


class Module:
    """A program as IR. Used by one thread at a time."""

    def __init__(self, source: Union[str, bytes], name: str = "<module>",
                 remarks: bool = False) -> None:
        """Parses `source`, MLIR's text or bytecode, which is of the file
        `name` in messages. `remarks`: passes say what they decide, in
        `diagnostics`."""
        #: Warnings and remarks so far, as a compiler prints them.
        self.diagnostics: List[str] = []
        self._compiler = ctypes.c_void_p()
        self._program = ctypes.c_void_p()
        if not isinstance(source, (str, bytes, bytearray, memoryview)):
            raise TypeError(f"a program is text or bytes, not a "
                            f"{type(source).__name__}")
        self._name = name
        data = source.encode() if isinstance(source, str) else bytes(source)
        self._source = data.decode(errors="replace")
        check(library.agpu_compiler_create(ctypes.byref(self._compiler)))
        self._handler = _native.DiagnosticHandler(self._note)
        library.agpu_compiler_set_diagnostic_handler(
            self._compiler, self._handler, None, remarks)
        check(library.agpu_program_parse(
            self._compiler, name.encode(), data, len(data),
            ctypes.byref(self._program)), CompileError, self._source)

    def _note(self, text: Any, size: int, _data: Any) -> None:
        message = ctypes.string_at(text, size).decode(errors="replace").rstrip()
        first = message.partition("\n")[0]
        if ": error: " in first:
            return  # the exception says it
        self.diagnostics.append(message)
        if ": warning: " in first:
            warnings.warn(message, stacklevel=3)

    @property
    def functions(self) -> List[str]:
        """The names of functions that are not private."""
        names: List[str] = []
        while True:
            name = library.agpu_program_get_function(self._program, len(names))
            if name is None:
                return names
            names.append(name.decode())

    def signature(self, name: str) -> Signature:
        """What a function takes and gives. Ask before the module is lowered."""
        pointer = ctypes.POINTER(_native.Signature)()
        check(library.agpu_program_get_signature(
            self._program, name.encode(), ctypes.byref(pointer)),
            CompileError, self._source)
        return _signature.take(pointer)

    def lower(self, pipeline: str) -> "Module":
        """Runs passes, in mlir-opt's syntax. Returns the module."""
        check(library.agpu_program_lower(self._program, pipeline.encode()),
              CompileError, self._source)
        return self

    def emit(self, kind: str = "mlir", level: int = 2) -> bytes:
        """The module as "mlir", or, once it is lowered, as "llvm", "ptx", "asm"
        or "obj"."""
        if kind not in _native.EMIT:
            raise ValueError(f"a module is emitted as one of "
                             f"{', '.join(_native.EMIT)}, not as {kind!r}")
        data, size = ctypes.c_void_p(), ctypes.c_size_t()
        check(library.agpu_program_emit(
            self._program, _native.EMIT[kind], level, ctypes.byref(data),
            ctypes.byref(size)), CompileError, self._source)
        result = ctypes.string_at(data, size.value)
        _native.libc.free(data)
        return result

    def __str__(self) -> str:
        return self.emit("mlir").decode()

    def compile(self, functions: Optional[Sequence[str]] = None,
                pipeline: Optional[str] = None, level: int = 2,
                trace: bool = False) -> "Program":
        """Code in this process for `functions` (None: all that are not private
        and can be called), optimised by `level` (0 to 3). The module is lowered
        by `pipeline`, or as async-gpu-runner does it; then `trace` has regions
        that run in place, and are no task, tell traces of it."""
        if isinstance(functions, str):
            raise TypeError(f"functions is a list of names: [{functions!r}]")
        level = operator.index(level)
        check(library.agpu_runtime_check_settings(), RunError)
        front = library.agpu_program_get_front(self._program).decode()
        wanted = self.functions if functions is None else list(functions)
        shown: Dict[str, Signature] = {}
        refused: Dict[str, CompileError] = {}
        for name in wanted:
            try:
                shown[name] = self.signature(name)
            except CompileError as error:
                if functions is not None:
                    raise
                refused[name] = error
        if not wanted:
            raise CompileError(
                f"{self._name}: error: the program has no function to compile: "
                f"give one a body, and leave out 'private'")
        if pipeline is None:
            # A modelled card has memory of its own, and runs the kernels that
            # it would run, which are counted.
            models = device() == "emu" and os.environ.get("ASYNC_GPU_EMU_MODEL")
            memory = ("unified" if not models and _has_unified_memory()
                      else "discrete")
            shape = (f"gpu blocks={_count_multiprocessors()}"
                     if device() == "cuda" or models else "emu")
            if front:
                self.lower(f"{front}{{memory={memory} device={shape}}}")
        signatures = {}
        for name in shown:
            pointer = ctypes.POINTER(_native.Signature)()
            check(library.agpu_program_export(
                self._program, name.encode(), True, ctypes.byref(pointer)),
                CompileError, self._source)
            signatures[name] = _signature.take(pointer)
        if pipeline is None:
            targets = "ptx" if device() == "cuda" else "native"
            pipeline = (f"async-gpu-lower{{gpu-targets={targets} memory={memory}"
                        f"{' gpu-count=true' if models else ''}"
                        f"{' trace=true' if trace else ''}}}")
        if pipeline:
            self.lower(pipeline)
        return Program(self, signatures, shown, refused, level)

    def __del__(self, release: Callable[[Any], None] =
                library.agpu_program_release,
                release_compiler: Callable[[Any], None] =
                library.agpu_compiler_release) -> None:
        # The names of this file may be gone at the interpreter's end.
        release(self._program)
        release_compiler(self._compiler)


class _Code:
    """Compiled code, which lives as long as anything that is of it."""

    def __init__(self, module: Module, level: int) -> None:
        self.jit = ctypes.c_void_p()
        check(library.agpu_jit_create(module._program, level,
                                      ctypes.byref(self.jit)),
              CompileError, module._source)

    def __del__(self, release: Callable[[Any], None] =
                library.agpu_jit_release) -> None:
        # After the runtime's end nothing runs any more; before, calls keep it.
        release(self.jit)


class Function:
    """A compiled function. Calling it starts a Call; any thread may."""

    def __init__(self, code: _Code, signature: Signature, shown: Signature,
                 source: str) -> None:
        #: What it takes and gives, as the program says it.
        self.signature = shown
        self.__name__ = shown.name
        self.__doc__ = str(shown)
        self._code = code
        self._source = source
        self._native_signature = signature
        address = ctypes.c_void_p()
        check(library.agpu_jit_lookup_export(code.jit, shown.name.encode(),
                                             ctypes.byref(address)))
        self._packed = _native.PackedFunction(address.value or 0)

    def __call__(self, *arguments: Any) -> Call:
        return _calls.start(self._packed, self._native_signature,
                            self.signature, self._code, self._source, arguments)

    def run(self, *arguments: Any) -> Any:
        """Calls it and waits for the result."""
        return self(*arguments).result()

    def __repr__(self) -> str:
        return f"<async_gpu.Function {self.signature}>"


class Program:
    """Compiled functions, as attributes and by `program["name"]`. Does not
    need the module."""

    def __init__(self, module: Module, signatures: Dict[str, Signature],
                 shown: Dict[str, Signature],
                 refused: Dict[str, CompileError], level: int) -> None:
        code = _Code(module, level)
        #: Functions by their names.
        self.functions: Dict[str, Function] = {
            name: Function(code, signature, shown[name], module._source)
            for name, signature in signatures.items()}
        self._refused = refused

    def __getitem__(self, name: str) -> Function:
        if name in self._refused:
            raise self._refused[name]
        return self.functions[name]

    def __getattr__(self, name: str) -> Function:
        if name in self.__dict__.get("_refused", {}):
            raise self._refused[name]
        try:
            function: Function = self.__dict__["functions"][name]
        except KeyError:
            raise AttributeError(f"the program has no function '{name}'") \
                from None
        return function

    def __dir__(self) -> List[str]:
        return [*super().__dir__(), *self.functions]


def parse(source: Union[str, bytes], name: str = "<module>",
          remarks: bool = False) -> Module:
    """A module of MLIR's text or bytecode."""
    return Module(source, name, remarks)


def compile(source: Union[str, bytes], name: str = "<module>",
            functions: Optional[Sequence[str]] = None,
            pipeline: Optional[str] = None, level: int = 2,
            trace: bool = False) -> Program:
    """Parses, lowers and compiles in one step: see Module.compile."""
    return Module(source, name).compile(functions, pipeline, level, trace)


# ---------------------------------------------------------------------------
# The runtime
# ---------------------------------------------------------------------------


def device() -> str:
    """Where kernels run: "cuda" or "emu". Starts the driver."""
    kind = ctypes.c_int()
    check(library.agpu_runtime_get_device(ctypes.byref(kind)), RunError)
    return next(name for name, number in _native.DEVICES.items()
                if number == kind.value)


def _has_unified_memory() -> bool:
    """Whether kernels reach all memory of the host. Starts the driver."""
    unified = ctypes.c_bool()
    check(library.agpu_runtime_get_unified_memory(ctypes.byref(unified)),
          RunError)
    return unified.value


def _count_multiprocessors() -> int:
    """Of the device that has fewest. Starts the driver."""
    count = ctypes.c_int()
    check(library.agpu_runtime_get_multiprocessors(ctypes.byref(count)),
          RunError)
    return count.value


def set_device(kind: str) -> None:
    """Chooses "auto", "cuda" or "emu", before the runtime starts."""
    if kind not in _native.DEVICES:
        raise ValueError(f"a device is one of {', '.join(_native.DEVICES)}, "
                         f"not {kind!r}")
    check(library.agpu_runtime_set_device(_native.DEVICES[kind]), RunError)


def shutdown() -> None:
    """Waits for all that runs, and ends the runtime, which starts again with
    the next call. Raises RunError for an error that nobody has asked for."""
    check(library.agpu_runtime_shutdown(), RunError)


library.agpu_runtime_allow_traces()


class trace:
    """Records what the process does in a `with` block.

        with async_gpu.trace("layer.json"):
            program.layer.run(x, w, b)

    At the end of the block the trace is written to `file`, for Perfetto and
    async-gpu-report, and the profile to `profile`: a file, JSON if its name
    ends in ".json", or standard error for "1". Regions that run in place are in
    it if the program was compiled with `trace=True`. What still runs at the end
    is cut off: await calls, or ask for their results, inside. Raises RunError
    where something is recorded already, or cannot be written."""

    def __init__(self, file: Union[str, "os.PathLike[str]", None] = None,
                 profile: Union[str, "os.PathLike[str]", None] = None) -> None:
        self._targets = [None if name is None else
                         b"1" if os.fspath(name) == "1" else
                         os.fsencode(os.path.abspath(name))
                         for name in (file, profile)]

    def __enter__(self) -> "trace":
        if self._targets == [None, None]:
            raise RunError("neither a trace nor a profile is asked for")
        check(library.agpu_trace_convert(None, *self._targets), RunError)
        with contextlib.ExitStack() as stack:
            folder = stack.enter_context(tempfile.TemporaryDirectory())
            self._dump = os.fsencode(os.path.join(folder, "run.trace"))
            escaped = self._dump.replace(b"%", b"%%")
            check(library.agpu_runtime_begin_trace(escaped), RunError)
            self._stack = stack.pop_all()
        return self

    def __exit__(self, *_error: Any) -> None:
        check(library.agpu_runtime_end_trace(), RunError)
        with self._stack:
            check(library.agpu_trace_convert(self._dump, *self._targets),
                  RunError)


@atexit.register
def _end() -> None:
    """What still runs may call back into Python, which it cannot any more once
    the interpreter is gone. That may never end: then Ctrl-C does."""
    with contextlib.suppress(ValueError):  # in a subinterpreter
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    status: Any = library.agpu_runtime_shutdown()
    if status:
        library.agpu_status_release(status)
