"""JAX's functions as programs, by way of StableHLO and torch-mlir's passes.

    import async_gpu.jax

    layer = async_gpu.jax.compile(lambda x, w: jax.nn.relu(x @ w))
    y = await layer(x, w)     # on asyncio: no thread waits
    y = layer.run(x, w)       # waits

Needs the packages jax and torch-mlir (not torch), which nothing else imports.
Arrays are passed as they are; those of results own memory of the program.

Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
See LICENSE for license information.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

from __future__ import annotations

import re
import threading
from typing import Any, Callable, Dict, List, Sequence, Tuple

try:
    import jax
    import jax.export
    import numpy
    from . import _stablehlo
except ImportError as error:
    raise ImportError("async_gpu.jax needs the packages jax and torch-mlir: "
                      f"pip install jax torch-mlir ({error})") from error

from . import Call, Module, _arrays, _calls
from ._errors import CompileError

__all__ = ["Function", "compile"]

_ENTRY = "main"


def _to_leaf(value: Any, dtype: Any) -> Any:
    """An array whose memory has been written. JAX computes in the background."""
    array = value if isinstance(value, jax.Array) else jax.numpy.asarray(value, dtype)
    for device in array.devices():
        if device.platform != "cpu":
            raise TypeError(f"an array is on {device}: arguments have to be on the "
                            f'CPU (jax.device_put(x, jax.devices("cpu")[0]))')
    return array.block_until_ready()


class _Specialized:
    """A function for arguments of certain shapes and element types."""

    def __init__(self, function: Any, args: Any, kwargs: Any, remarks: bool) -> None:
        exported = jax.export.export(function, platforms=["cpu"])(*args, **kwargs)
        try:
            text = _stablehlo.lower(exported.mlir_module_serialized)
        except CompileError as error:
            called = re.search(r"stablehlo\.custom_call @([^( ]+)",
                               exported.mlir_module())
            if called is None:
                raise
            raise CompileError(f"{called[1]} is a function of JAX's own libraries, "
                               f"which cannot be called") from error
        module = Module(text, "<jax>", remarks)
        self.function = module.compile([_ENTRY])[_ENTRY]
        self.remarks = [r for r in module.diagnostics if "remark: " in r]
        self.dtypes = [value.dtype for value in exported.in_avals]
        self._kept = exported.module_kept_var_idx
        self._results = [value.dtype for value in exported.out_avals]
        self._tree = exported.out_tree

    def start(self, leaves: Sequence[Any]) -> Call:
        function = self.function
        arguments = [_to_leaf(leaves[i], self.dtypes[i]) for i in self._kept]
        return _calls.start(function._packed, function._native_signature,
                            function.signature, function._code, function._source,
                            arguments, _arrays.to_numpy, self._finish)

    def _finish(self, results: List[Any]) -> Any:
        device = jax.devices("cpu")[0]
        # A result's memory is nobody else's, and JAX takes it as it is.
        return jax.tree.unflatten(self._tree, [
            jax.device_put(result.view(dtype), device, may_alias=True)
            for result, dtype in zip(results, self._results)])


class Function:
    """A function of JAX. Calling it starts a Call, which asyncio can await."""

    def __init__(self, function: Callable[..., Any], remarks: bool) -> None:
        self._jitted = function if hasattr(function, "lower") else jax.jit(function)
        self._remarks = remarks
        self._known: Dict[Any, _Specialized] = {}
        self._lock = threading.Lock()
        #: What passes decided, as a compiler prints it, if they were asked.
        self.remarks: List[str] = []

    def _specialize(self, args: Tuple[Any, ...], kwargs: Dict[str, Any]) -> Any:
        leaves, tree = jax.tree.flatten((args, kwargs))
        key = (tree, tuple(jax.typeof(leaf) for leaf in leaves))
        with self._lock:
            if key not in self._known:
                made = _Specialized(self._jitted, args, kwargs, self._remarks)
                self._known[key] = made
                self.remarks += made.remarks
            return self._known[key], leaves

    def __call__(self, *args: Any, **kwargs: Any) -> Call:
        """Starts a call. Compiles for shapes and element types that are new."""
        specialized, leaves = self._specialize(args, kwargs)
        call: Call = specialized.start(leaves)
        return call

    def run(self, *args: Any, **kwargs: Any) -> Any:
        """Calls it and waits for the result."""
        return self(*args, **kwargs).result()


def compile(function: Callable[..., Any], remarks: bool = False) -> Function:
    """A function of JAX, or of jax.jit, that runs as a program. It is traced at
    the first call with arguments of new shapes or element types; that call
    raises CompileError if an op cannot be lowered, and what jax.export does."""
    return Function(function, remarks)
