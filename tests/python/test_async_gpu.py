"""The Python package, from sources to results.

Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
See LICENSE for license information.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

Runs under pytest, and by itself where there is none. What needs NumPy is left
out where that is missing.
"""

import array
import asyncio
import ctypes
import gc
import importlib.util
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import threading
import unittest
import unittest.mock

import async_gpu

try:
    import numpy
except ImportError:
    numpy = None

PROGRAM = """
func.func @scale(%f: f32, %x: memref<?xf32>) -> memref<?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %x, %c0 : memref<?xf32>
  %y = memref.alloc(%n) : memref<?xf32>
  scf.for %i = %c0 to %n step %c1 {
    %v = memref.load %x[%i] : memref<?xf32>
    %w = arith.mulf %v, %f : f32
    memref.store %w, %y[%i] : memref<?xf32>
  }
  return %y : memref<?xf32>
}
func.func @increment(%x: memref<2x3xi32, strided<[?, ?]>>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %one = arith.constant 1 : i32
  scf.for %i = %c0 to %c2 step %c1 {
    scf.for %j = %c0 to %c3 step %c1 {
      %v = memref.load %x[%i, %j] : memref<2x3xi32, strided<[?, ?]>>
      %w = arith.addi %v, %one : i32
      memref.store %w, %x[%i, %j] : memref<2x3xi32, strided<[?, ?]>>
    }
  }
  return
}
func.func @halve(%x: i32) -> i32 {
  %c1 = arith.constant 1 : i32
  %c0 = arith.constant 0 : i32
  %odd = arith.andi %x, %c1 : i32
  %even = arith.cmpi eq, %odd, %c0 : i32
  cf.assert %even, "an odd number"
  %h = arith.shrsi %x, %c1 : i32
  return %h : i32
}
func.func @scalars(%a: i1, %b: i8, %c: bf16, %d: f16, %e: f64, %f: index,
                   %g: complex<f32>)
    -> (i1, i8, bf16, f16, f64, index, complex<f32>) {
  return %a, %b, %c, %d, %e, %f, %g
      : i1, i8, bf16, f16, f64, index, complex<f32>
}
func.func @same(%x: memref<4xf64>) -> (memref<4xf64>, memref<2xf64, strided<[2]>>) {
  %s = memref.subview %x[0] [2] [2] : memref<4xf64> to memref<2xf64, strided<[2]>>
  return %x, %s : memref<4xf64>, memref<2xf64, strided<[2]>>
}
memref.global "private" constant @table : memref<3xi8> = dense<[1, 2, 3]>
func.func @constant() -> memref<3xi8> {
  %t = memref.get_global @table : memref<3xi8>
  return %t : memref<3xi8>
}
func.func @on_device(%x: memref<64xf32>) -> memref<64xf32> {
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %y = memref.alloc() : memref<64xf32>
  %t0 = gpu.wait async
  %d, %t1 = gpu.alloc async [%t0] () : memref<64xf32>
  %t2 = gpu.memcpy async [%t1] %d, %x : memref<64xf32>, memref<64xf32>
  %t3 = gpu.launch async [%t2] blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
      threads(%tx, %ty, %tz) in (%nx = %c64, %ny = %c1, %nz = %c1) {
    %v = memref.load %d[%tx] : memref<64xf32>
    %w = arith.addf %v, %v : f32
    memref.store %w, %d[%tx] : memref<64xf32>
    gpu.terminator
  }
  %t4 = gpu.memcpy async [%t3] %y, %d : memref<64xf32>, memref<64xf32>
  %t5 = gpu.dealloc async [%t4] %d : memref<64xf32>
  gpu.wait [%t5]
  return %y : memref<64xf32>
}
async.func @later(%after: !async.token, %x: memref<1xi64>)
    -> (!async.token, !async.value<i64>) {
  async.await %after : !async.token
  %c0 = arith.constant 0 : index
  %v = memref.load %x[%c0] : memref<1xi64>
  return %v : i64
}
func.func @vectors(%v: vector<4xf32>) {
  return
}
func.func private @hidden() {
  return
}
"""

LINALG = """
func.func @product(%a: tensor<?x4xf32>, %b: tensor<4x3xf32>) -> tensor<?x3xf32> {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %n = tensor.dim %a, %c0 : tensor<?x4xf32>
  %e = tensor.empty(%n) : tensor<?x3xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<?x3xf32>) -> tensor<?x3xf32>
  %c = linalg.matmul ins(%a, %b : tensor<?x4xf32>, tensor<4x3xf32>)
      outs(%f : tensor<?x3xf32>) -> tensor<?x3xf32>
  return %c : tensor<?x3xf32>
}
"""

# The second launch is never made. The first is on a device that reaches %m.
FAILING = """
module attributes {gpu.container_module} {
gpu.module @kernels {
  gpu.func @count(%m: memref<2xi32>) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %one = arith.constant 1 : i32
    %n = arith.constant 30000000 : index
    %i = gpu.thread_id x
    scf.for %j = %c0 to %n step %c1 {
      %x = memref.load %m[%i] : memref<2xi32>
      %y = arith.addi %x, %one : i32
      memref.store %y, %m[%i] : memref<2xi32>
      gpu.barrier
    }
    gpu.return
  }
}
func.func @count(%m: memref<2xi32>, %threads: index) {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  gpu.launch_func @kernels::@count blocks in (%c1, %c1, %c1)
      threads in (%c2, %c1, %c1) args(%m : memref<2xi32>)
  gpu.launch_func @kernels::@count blocks in (%c1, %c1, %c1)
      threads in (%threads, %c1, %c1) args(%m : memref<2xi32>)
  return
}
}
"""

_program = None


def program():
    """The program, compiled once for all tests."""
    global _program
    if _program is None:
        _program = async_gpu.compile(PROGRAM, name="test.mlir")
    return _program


def needs_numpy(test):
    return unittest.skipIf(numpy is None, "NumPy is not here")(test)


class Arguments(unittest.TestCase):
    def test_buffers_without_numpy(self):
        x = array.array("f", [1, 2, 3, 4])
        y = program().scale(0.5, x).result()
        self.assertEqual(list(memoryview(y)), [0.5, 1, 1.5, 2])
        data = bytearray(b"\x05\0\0\0" * 6)
        view = memoryview(data).cast("i", [2, 3])
        self.assertIsNone(program().increment.run(view))
        self.assertEqual(data, b"\x06\0\0\0" * 6)

    def test_scalars(self):
        got = program().scalars.run(True, -128, 1.00390625, 65504, 1e300, -1,
                                    1.5 - 2j)
        self.assertEqual(got, (True, -128, 1.0, 65504, 1e300, -1, 1.5 - 2j))
        self.assertEqual(program().halve.run(2**32 - 4), -2)
        with self.assertRaisesRegex(ValueError, "argument 1 .* i8: 256 does "
                                    "not fit"):
            program().scalars(True, 256, 0, 0, 0, 0, 0)
        for index in (2**63, -2**63 - 1):
            with self.assertRaisesRegex(ValueError, "does not fit"):
                program().scalars(True, 0, 0, 0, 0, index, 0)
        with self.assertRaisesRegex(TypeError, "a str is no f16"):
            program().scalars(True, 0, 0, "1", 0, 0, 0)

    def test_what_does_not_fit(self):
        scale = program().scale
        with self.assertRaisesRegex(TypeError, r"scale\(\) takes 2 arguments, "
                                    r"not 1: it is scale\(f32"):
            scale(1)
        with self.assertRaisesRegex(TypeError, "elements of type <f8 are not "
                                    "f32"):
            scale(1, array.array("d", [1]))
        with self.assertRaisesRegex(TypeError, "read-only"):
            scale(1, b"1234")
        with self.assertRaisesRegex(TypeError, "a object is no array"):
            scale(1, object())
        with self.assertRaisesRegex(ValueError, "the array is 3x<f4"):
            program().on_device(array.array("f", [1, 2, 3]))

    @needs_numpy
    def test_numpy(self):
        x = numpy.arange(5, dtype="f4")
        y = program().scale(2, x).result()
        numpy.testing.assert_array_equal(y, 2 * x)
        self.assertEqual(y.dtype, numpy.float32)
        z = numpy.zeros((3, 2), "i4")
        program().increment(z.T).result()  # in place, by its strides
        numpy.testing.assert_array_equal(z, numpy.ones((3, 2)))
        with self.assertRaisesRegex(ValueError, "numpy.ascontiguousarray"):
            program().scale(2, numpy.zeros(10, "f4")[::2])
        with self.assertRaisesRegex(ValueError, "no multiple of 4 bytes: pass a"):
            program().scale(2, numpy.zeros(9, "i1")[1:].view("f4"))
        with self.assertRaisesRegex(ValueError, "no multiple of 4 bytes"):
            program().scale(2, memoryview(bytearray(9))[1:].cast("f"))
        self.assertEqual(program().scale(2, numpy.zeros(0, "f4")).result().shape,
                         (0,))
        frozen = numpy.zeros(3, "f4")
        frozen.flags.writeable = False
        with self.assertRaisesRegex(TypeError, "read-only"):
            program().scale(1, frozen)

    @needs_numpy
    def test_dlpack(self):
        class Exporter:
            def __init__(self, data):
                self.data = data

            def __dlpack__(self, **options):
                return self.data.__dlpack__()

        x = numpy.arange(6, dtype="i4").reshape(2, 3)
        program().increment(Exporter(x)).result()
        numpy.testing.assert_array_equal(x, 1 + numpy.arange(6).reshape(2, 3))

    def test_cuda_array_interface(self):
        # Of the host here; the pointer goes to the program as it is.
        class Exporter:
            def __init__(self):
                self.data = (ctypes.c_float * 2)(3, 4)
                self.__cuda_array_interface__ = {
                    "version": 3, "shape": (2,), "typestr": "<f4",
                    "strides": None,
                    "data": (ctypes.addressof(self.data), False)}

        self.assertEqual(list(memoryview(program().scale(10, Exporter())
                                         .result())), [30, 40])


    def test_streams_of_others(self):
        # What they have written with is waited for: here, noted.
        class Interface:
            data = (ctypes.c_float * 1)(3)
            __cuda_array_interface__ = {
                "version": 3, "shape": (1,), "typestr": "<f4", "stream": 77,
                "data": (ctypes.addressof(data), False)}

        class Refused(Exception):
            pass

        class Capsule:
            def __dlpack_device__(self):
                return (2, 0)

            def __dlpack__(self, stream=None):
                waited.append(f"export for {stream}")
                raise Refused

        waited = []
        with unittest.mock.patch("async_gpu._native.wait_for_stream",
                                 lambda *of: waited.append(of)):
            program().scale(10, Interface()).result()
            with self.assertRaises(Refused):
                program().scale(10, Capsule())
        self.assertEqual(waited, [(77, ctypes.addressof(Interface.data)),
                                  "export for 1"])

    def test_context_of_streams(self):
        # What stream 1 is depends on the context: the memory's is current while
        # it is waited for, and no longer. CUDA Driver API, "Stream
        # synchronization behavior": it "synchronizes with all other streams in
        # the same CUcontext".
        class Driver:
            def __init__(self, context, result=0):
                self.context, self.result, self.current = context, result, []

            def cuPointerGetAttribute(self, out, attribute, address):
                calls.append(f"attribute {attribute} of {address.value}")
                out._obj.value = self.context if attribute == 1 else 3
                return 0

            def cuDevicePrimaryCtxRetain(self, out, device):
                calls.append(f"retain {device.value}")
                out._obj.value = 55
                return 0

            def cuDevicePrimaryCtxRelease_v2(self, device):
                calls.append(f"release {device.value}")
                return 0

            def cuCtxPushCurrent_v2(self, context):
                self.current.append(context.value)
                return 0

            def cuCtxPopCurrent_v2(self, _):
                self.current.pop()
                return 0

            def cuStreamSynchronize(self, stream):
                calls.append(f"wait for {stream.value} in {self.current}")
                return self.result

        def wait(driver):
            calls.clear()
            with unittest.mock.patch("ctypes.CDLL", lambda name: driver):
                async_gpu._native.wait_for_stream(1, 4096)

        calls = []
        of_context = Driver(44)
        wait(of_context)
        self.assertEqual(calls, ["attribute 1 of 4096", "wait for 1 in [44]"])
        of_pool = Driver(None)
        wait(of_pool)
        self.assertEqual(calls, ["attribute 1 of 4096", "attribute 9 of 4096",
                                 "retain 3", "wait for 1 in [55]", "release 3"])
        failing = Driver(None, 700)
        with self.assertRaisesRegex(TypeError, "waiting for the array's stream: "
                                    "cuStreamSynchronize: CUDA error 700"):
            wait(failing)
        self.assertEqual(calls[-1], "release 3")
        self.assertEqual(of_context.current + of_pool.current + failing.current,
                         [])

    def test_symbols(self):
        # The compiler's LLVM is nobody else's; the runtime is compiled code's.
        process = ctypes.CDLL(None)
        self.assertTrue(process.agpu_runtime_settle)
        self.assertFalse(hasattr(process, "LLVMGetVersion"))

    @needs_numpy
    def test_objects(self):
        with self.assertRaisesRegex(TypeError, r"argument 1 of scale\(\), .*: "
                                    r"elements of type \|O are none of MLIR's"):
            program().scale(1, numpy.array([None]))


class Results(unittest.TestCase):
    @needs_numpy
    def test_ownership(self):
        x = numpy.arange(4, dtype="f8")
        same, part = program().same(x).result()
        numpy.testing.assert_array_equal(part, [0, 2])
        same[2] = 7  # the argument itself
        self.assertEqual(x[2], 7)
        self.assertEqual(part[1], 7)
        del x, same
        gc.collect()
        numpy.testing.assert_array_equal(part, [0, 7])
        table = program().constant().result()
        numpy.testing.assert_array_equal(table, [1, 2, 3])
        for _ in range(100):  # freed once each: or memory runs out, or worse
            y = program().scale(1, numpy.zeros(1 << 18, "f4")).result()
            del y

    def test_dropped_calls(self):
        x = array.array("f", range(1000))
        for _ in range(100):
            program().scale(2, x)
        async_gpu.shutdown()

    def test_on_device(self):
        x = array.array("f", range(64))
        y = memoryview(program().on_device(x).result())
        self.assertEqual(list(y), [2.0 * i for i in range(64)])

    def test_work_is_over_after_an_error(self):
        if async_gpu.device() != "emu":
            self.skipTest("not every GPU reaches the host's memory")
        count = async_gpu.compile(FAILING, pipeline="async-gpu-lower{"
                                  "sequential=true memory=unified "
                                  "gpu-targets=native}").count
        x = array.array("i", [0, 0])
        with self.assertRaisesRegex(async_gpu.RunError, "5000 threads"):
            count(x, 5000).result()
        self.assertEqual(list(x), [30000000] * 2)

    @needs_numpy
    def test_linalg(self):
        a = numpy.arange(20, dtype="f4").reshape(5, 4)
        b = numpy.arange(12, dtype="f4").reshape(4, 3)
        product = async_gpu.compile(LINALG).product
        self.assertEqual(str(product.signature), "product(tensor<?x4xf32>, "
                         "tensor<4x3xf32>) -> tensor<?x3xf32>")
        numpy.testing.assert_array_equal(product(a, b).result(), a @ b)


class Errors(unittest.TestCase):
    def test_parsing(self):
        with self.assertRaises(async_gpu.CompileError) as caught:
            async_gpu.parse("func.func @f() {\n  nonsense\n}", "bad.mlir")
        error = caught.exception
        self.assertEqual((error.file, error.line), ("bad.mlir", 2))
        self.assertEqual(error.source_line, "  nonsense")
        self.assertTrue(str(error).startswith("bad.mlir:2:"))
        with self.assertRaisesRegex(async_gpu.CompileError, "nonesuch"):
            async_gpu.parse(PROGRAM).lower("nonesuch")

    def test_running(self):
        with self.assertRaises(async_gpu.RunError) as caught:
            program().halve(43).result()
        error = caught.exception
        self.assertEqual(error.message, "assertion failed: an odd number")
        self.assertEqual(error.file, "test.mlir")
        self.assertIn("cf.assert", error.source_line)
        self.assertEqual(program().halve(42).result(), 21)

    def test_host_allocations(self):
        text = """
        func.func @alone(%n: index) -> index {
          %m = memref.alloc(%n) : memref<?xi64>
          %p = memref.extract_aligned_pointer_as_index %m
              : memref<?xi64> -> index
          memref.dealloc %m : memref<?xi64>
          return %p : index
        }
        func.func @calls(%n: index) -> index {
          %p = call @alone(%n) : (index) -> index
          return %p : index
        }
        func.func @in_loop(%n: index) -> memref<4xindex> {
          %c0 = arith.constant 0 : index
          %c1 = arith.constant 1 : index
          %c4 = arith.constant 4 : index
          %all = memref.alloc() : memref<4xindex>
          scf.parallel (%i) = (%c0) to (%c4) step (%c1) {
            %m = memref.alloc(%n) : memref<?xi64>
            %p = memref.extract_aligned_pointer_as_index %m
                : memref<?xi64> -> index
            memref.store %p, %all[%i] : memref<4xindex>
            memref.dealloc %m : memref<?xi64>
            scf.reduce
          }
          return %all : memref<4xindex>
        }
        """
        compiled = async_gpu.compile(text, "alloc.mlir")
        # No process has 2^47 bytes.
        for name in ("alone", "calls", "in_loop"):
            function = compiled[name]
            self.assertIsNotNone(function.run(1))
            for count, message in (
                    (2**44, "allocation of 140737488355328 bytes on the host: "
                            "out of memory"),
                    (2**62, "a memref larger than the address space")):
                with self.assertRaises(async_gpu.RunError) as caught:
                    function.run(count)
                self.assertEqual(caught.exception.message, message)
                self.assertIn("memref.alloc", caught.exception.source_line)
            self.assertIsNotNone(function.run(1))

    def test_helpers(self):
        """What fails in a function that is called fails the call."""
        text = """
        func.func private @half(%x: i32) -> i32 {
          %c1 = arith.constant 1 : i32
          %c0 = arith.constant 0 : i32
          %odd = arith.andi %x, %c1 : i32
          %even = arith.cmpi eq, %odd, %c0 : i32
          cf.assert %even, "an odd number"
          %h = arith.shrsi %x, %c1 : i32
          return %h : i32
        }
        func.func private @by_way(%x: i32) -> i32 {
          %h = call @half(%x) : (i32) -> i32
          return %h : i32
        }
        func.func @asserts(%x: i32) -> i32 {
          %h = call @by_way(%x) : (i32) -> i32
          return %h : i32
        }
        func.func private @alloc(%n: index) -> memref<?xi64> {
          %m = memref.alloc(%n) : memref<?xi64>
          return %m : memref<?xi64>
        }
        func.func @allocates(%n: index) -> index {
          %c0 = arith.constant 0 : index
          %m = call @alloc(%n) : (index) -> memref<?xi64>
          %d = memref.extract_aligned_pointer_as_index %m : memref<?xi64> -> index
          memref.dealloc %m : memref<?xi64>
          return %d : index
        }
        func.func private @down(%n: index, %m: index) -> index {
          %c0 = arith.constant 0 : index
          %c1 = arith.constant 1 : index
          %end = arith.cmpi eq, %n, %c0 : index
          %r = scf.if %end -> index {
            %ok = arith.cmpi ne, %m, %c0 : index
            cf.assert %ok, "at the bottom"
            scf.yield %m : index
          } else {
            %k = arith.subi %n, %c1 : index
            %v = func.call @down(%k, %m) : (index, index) -> index
            %w = arith.addi %v, %c1 : index
            scf.yield %w : index
          }
          return %r : index
        }
        func.func @recursive(%n: index, %m: index) -> index {
          %r = call @down(%n, %m) : (index, index) -> index
          return %r : index
        }
        func.func private @loop(%n: index, %m: index) -> index {
          %c0 = arith.constant 0 : index
          %c1 = arith.constant 1 : index
          %ok = arith.cmpi ne, %n, %m : index
          cf.assert %ok, "on the way"
          %end = arith.cmpi eq, %n, %c0 : index
          %r = scf.if %end -> index {
            scf.yield %c1 : index
          } else {
            %k = arith.subi %n, %c1 : index
            %v = func.call @loop(%k, %m) : (index, index) -> index
            scf.yield %v : index
          }
          return %r : index
        }
        func.func @deep(%n: index, %m: index) -> index {
          %r = call @loop(%n, %m) : (index, index) -> index
          return %r : index
        }
        func.func @in_execute(%x: i32) -> i32 {
          %t, %v = async.execute -> !async.value<i32> {
            %h = func.call @half(%x) : (i32) -> i32
            async.yield %h : i32
          }
          %r = async.await %v : !async.value<i32>
          return %r : i32
        }
        func.func private @awaits(%x: i32) -> i32 {
          %t, %v = async.execute -> !async.value<i32> {
            %h = func.call @half(%x) : (i32) -> i32
            async.yield %h : i32
          }
          %r = async.await %v : !async.value<i32>
          return %r : i32
        }
        func.func @in_awaits(%x: i32) -> i32 {
          %r = call @awaits(%x) : (i32) -> i32
          return %r : i32
        }
        func.func @in_parallel(%x: i32, %n: index) -> i32 {
          %c0 = arith.constant 0 : index
          %c1 = arith.constant 1 : index
          scf.parallel (%i) = (%c0) to (%n) step (%c1) {
            %h = func.call @half(%x) : (i32) -> i32
            scf.reduce
          }
          return %x : i32
        }
        func.func private @work(%n: index, %y: memref<64xf32>) -> index {
          %c1 = arith.constant 1 : index
          %c64 = arith.constant 64 : index
          %d = gpu.alloc (%n) : memref<?xf32>
          gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
              threads(%tx, %ty, %tz) in (%nx = %c64, %ny = %c1, %nz = %c1) {
            %v = arith.constant 2.0 : f32
            memref.store %v, %d[%tx] : memref<?xf32>
            gpu.terminator
          }
          %s = memref.subview %d[0] [64] [1] : memref<?xf32> to memref<64xf32>
          gpu.memcpy %y, %s : memref<64xf32>, memref<64xf32>
          gpu.dealloc %d : memref<?xf32>
          return %n : index
        }
        func.func @on_device(%n: index, %y: memref<64xf32>) -> index {
          %r = call @work(%n, %y) : (index, memref<64xf32>) -> index
          return %r : index
        }
        """
        names = ("asserts", "allocates", "recursive", "deep", "in_execute",
                 "in_awaits", "in_parallel", "on_device")
        compiled = async_gpu.compile(text, "helpers.mlir", functions=names)
        y = array.array("f", [0] * 64)
        odd = "assertion failed: an odd number"
        for name, good, bad, message, line in (
                ("asserts", (4,), (5,), odd, "cf.assert"),
                ("allocates", (4,), (2**44,), "allocation of 140737488355328 "
                 "bytes on the host: out of memory", "memref.alloc"),
                ("recursive", (50000, 1), (50000, 0),
                 "assertion failed: at the bottom", "cf.assert"),
                # A call at the end takes no stack.
                ("deep", (10**6, 2 * 10**6), (10**6, 10),
                 "assertion failed: on the way", "cf.assert"),
                ("in_execute", (4,), (5,), odd, "cf.assert"),
                ("in_awaits", (4,), (5,), odd, "cf.assert"),
                ("in_parallel", (4, 1000), (5, 1000), odd, "cf.assert"),
                ("on_device", (64, y), (2**50, y), "allocation of "
                 "4503599627370496 bytes of device memory: "
                 "CUDA_ERROR_OUT_OF_MEMORY: out of memory", "gpu.alloc")):
            with self.subTest(name):
                function = compiled[name]
                for _ in range(3):
                    self.assertTrue(function.run(*good))
                    with self.assertRaises(async_gpu.RunError) as caught:
                        function.run(*bad)
                    self.assertEqual(caught.exception.message, message)
                    self.assertIn(line, caught.exception.source_line)
        self.assertEqual(list(y), [2.0] * 64)

    def test_nothing_to_compile(self):
        for source in ("", "// nothing", "func.func private @f()"):
            with self.assertRaisesRegex(
                    async_gpu.CompileError,
                    "^empty.mlir: error: the program has no function"):
                async_gpu.compile(source, "empty.mlir")

    def test_names(self):
        self.assertNotIn("hidden", dir(program()))
        with self.assertRaisesRegex(AttributeError, "nonesuch"):
            program().nonesuch
        with self.assertRaisesRegex(async_gpu.CompileError, "vector<4xf32>"):
            program().vectors
        with self.assertRaisesRegex(async_gpu.CompileError, "vector<4xf32>"):
            async_gpu.compile(PROGRAM, functions=["vectors"])


class Asyncio(unittest.TestCase):
    def test_await(self):
        async def many():
            x = array.array("f", range(64))
            calls = [program().on_device(x) for _ in range(20)]
            before = threading.active_count()
            results = await asyncio.gather(*calls)
            self.assertLessEqual(threading.active_count(), before + 20)
            return [memoryview(y)[63] for y in results]

        self.assertEqual(asyncio.run(many()), [126.0] * 20)

    def test_errors(self):
        async def fail():
            with self.assertRaisesRegex(async_gpu.RunError, "odd"):
                await program().halve(1)
            return await program().halve(4)

        self.assertEqual(asyncio.run(fail()), 2)

    def test_tokens(self):
        x = array.array("q", [5])

        async def chained():
            first = program().later(None, x)
            return await program().later(first, x), await first

        self.assertEqual(asyncio.run(chained()), (5, 5))

    def test_cancelled(self):
        async def cancelled():
            x = array.array("f", range(64))
            task = asyncio.ensure_future(_wrap(program().on_device(x)))
            await asyncio.sleep(0)
            task.cancel()
            try:
                await task
            except asyncio.CancelledError:
                pass

        asyncio.run(cancelled())
        async_gpu.shutdown()


async def _wrap(call):
    return await call


class Modules(unittest.TestCase):
    def test_lower_and_emit(self):
        module = async_gpu.parse(LINALG, "l.mlir")
        self.assertEqual(module.functions, ["product"])
        module.lower("async-gpu-from-linalg")
        self.assertIn("gpu.launch", str(module))
        module.lower("async-gpu-lower")
        self.assertIn(b"define", module.emit("llvm"))
        self.assertTrue(module.emit("obj").startswith(b"\x7fELF"))
        with self.assertRaisesRegex(ValueError, "'wasm'"):
            module.emit("wasm")

    def test_wrong_types(self):
        with self.assertRaisesRegex(TypeError, "text or bytes, not a int"):
            async_gpu.compile(5)
        with self.assertRaisesRegex(TypeError, r"names: \['product'\]"):
            async_gpu.compile(LINALG, functions="product")
        with self.assertRaisesRegex(TypeError, "integer"):
            async_gpu.compile(LINALG, level="3")
        with self.assertRaisesRegex(async_gpu.CompileError,
                                    "^l.mlir:1:1: error: [^:]*'nonesuch'"):
            async_gpu.compile(LINALG, "l.mlir", ["nonesuch"])

    def test_remarks(self):
        module = async_gpu.parse(LINALG, "l.mlir", remarks=True)
        module.compile()
        self.assertTrue(any("a kernel with tiles in" in said
                            for said in module.diagnostics))

    def test_threads(self):
        x = array.array("f", range(64))
        failed = []

        def work():
            for _ in range(20):
                if memoryview(program().on_device(x).result())[1] != 2:
                    failed.append(1)

        program()
        threads = [threading.Thread(target=work) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(failed, [])

    def test_wrong_settings(self):
        # In a process of its own, which goes on.
        code = ("import async_gpu\n"
                "source = 'func.func @f() -> i32 {\\n'"
                "         '  %c = arith.constant 3 : i32\\n'"
                "         '  return %c : i32\\n}'\n"
                "try:\n"
                "    async_gpu.compile(source)\n"
                "except async_gpu.RunError as error:\n"
                "    print(error)\n"
                "import os\n"
                "del os.environ['ASYNC_GPU_NUM_THREADS']\n"
                "print(async_gpu.compile(source).f.run())\n")
        settings = {"ASYNC_GPU_NUM_THREADS": "0", "ASYNC_GPU_NUM_THREDS": "1"}
        done = subprocess.run([sys.executable, "-c", code], timeout=60,
                              capture_output=True, text=True,
                              env={**os.environ, **settings})
        self.assertEqual(done.stdout,
                         'ASYNC_GPU_NUM_THREADS is "0"; expected an integer '
                         'from 1 to 1024\n3\n')
        self.assertEqual(done.stderr,
                         "warning: ASYNC_GPU_NUM_THREDS is not a setting; did "
                         "you mean ASYNC_GPU_NUM_THREADS?\n")

    def test_interrupted(self):
        code = """
import array, async_gpu, os, signal, threading
program = async_gpu.compile('''
func.func @spin(%flags: memref<2xi32>) {
  %stop = arith.constant 0 : index
  %runs = arith.constant 1 : index
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  scf.while : () -> () {
    %set = memref.atomic_rmw assign %one, %flags[%runs]
        : (i32, memref<2xi32>) -> i32
    %v = memref.atomic_rmw addi %zero, %flags[%stop]
        : (i32, memref<2xi32>) -> i32
    %goes_on = arith.cmpi eq, %v, %zero : i32
    scf.condition(%goes_on)
  } do {
    scf.yield
  }
  return
}''')
flags = array.array("i", [0, 0])
def interrupt():
    while not flags[1]:
        pass
    os.kill(os.getpid(), signal.SIGINT)
call = program.spin(flags)
try:
    threading.Thread(target=interrupt).start()
    call.result()
except KeyboardInterrupt:
    print("interrupted")
flags[0] = 1
call.result()
print("ended")
"""
        done = subprocess.run([sys.executable, "-c", code], timeout=60,
                              capture_output=True, text=True)
        self.assertEqual((done.stdout, done.stderr),
                         ("interrupted\nended\n", ""))

    @needs_numpy
    def test_silent_with_calls_that_nobody_reads(self):
        code = f"""
import async_gpu, numpy
program = async_gpu.compile({PROGRAM!r})
calls = [program.scale(2, numpy.ones(1000, "f4")) for _ in range(20)]
"""
        done = subprocess.run([sys.executable, "-c", code], timeout=60,
                              capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_ends_with_calls_in_flight(self):
        code = ("import array, async_gpu, sys\n"
                "sys.path.insert(0, sys.argv[1])\n"
                "from test_async_gpu import PROGRAM\n"
                "p = async_gpu.compile(PROGRAM)\n"
                "x = array.array('f', range(64))\n"
                "calls = [p.on_device(x) for _ in range(50)]\n"
                "print('done')\n")
        ran = subprocess.run([sys.executable, "-c", code,
                              os.path.dirname(os.path.abspath(__file__))],
                             capture_output=True, text=True, timeout=100)
        self.assertEqual((ran.returncode, ran.stdout), (0, "done\n"), ran.stderr)


class Traces(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.x = array.array("f", range(64))
        program()  # so that the driver has started

    def read(self, name, of):
        """How many slices of category `of` the trace has, and its lines."""
        trace = json.loads((self.folder / name).read_text())
        self.assertEqual(trace["otherData"]["ended"], "stopped")
        return (sum(event.get("cat") == of and event["ph"] == "X"
                    for event in trace["traceEvents"]), trace["otherData"])

    def test_each_block_has_its_own(self):
        for name, calls in (("a.json", 3), ("b.json", 5)):
            with async_gpu.trace(self.folder / name):
                for _ in range(calls):
                    program().on_device.run(self.x)
            program().on_device.run(self.x)
        for name, calls in (("a.json", 3), ("b.json", 5)):
            kernels, lines = self.read(name, "kernel")
            self.assertEqual(kernels, calls)
            self.assertEqual(lines["device clock"], "emulated device")
            self.assertNotIn("device times lost", lines)
            self.assertEqual(self.read(name, "copy")[0], 2 * calls)
            self.assertGreaterEqual(self.read(name, "region")[0], calls)

    def test_regions_that_run_in_place(self):
        told = async_gpu.compile(
            "func.func @f() {\n  %t = async.execute {\n    async.yield\n  }\n"
            "  async.await %t : !async.token\n  return\n}\n",
            name="place.mlir", trace=True)
        with async_gpu.trace(self.folder / "t.json"):
            told.f.run()
        self.assertIn("place.mlir:2 ", (self.folder / "t.json").read_text())

    def test_profile(self):
        with async_gpu.trace(profile=self.folder / "p.json"):
            program().on_device.run(self.x)
        profile = json.loads((self.folder / "p.json").read_text())
        self.assertEqual(profile["format"], "async-gpu profile")
        self.assertEqual([row["count"] for row in profile["rows"]
                          if row["kind"] == "kernel"], [1])
        with async_gpu.trace(self.folder / "t.json"):
            pass
        self.assertEqual(self.read("t.json", "kernel")[0], 0)

    def test_errors(self):
        with self.assertRaisesRegex(async_gpu.RunError, "nowhere"):
            async_gpu.trace(self.folder / "nowhere" / "t.json").__enter__()
        with self.assertRaisesRegex(async_gpu.RunError, "neither"):
            async_gpu.trace().__enter__()
        with async_gpu.trace(self.folder / "t.json"):
            with self.assertRaisesRegex(async_gpu.RunError, "already"):
                async_gpu.trace(self.folder / "u.json").__enter__()
            program().on_device.run(self.x)
        self.assertEqual(self.read("t.json", "kernel")[0], 1)
        with self.assertRaisesRegex(async_gpu.RunError, "odd number"):
            with async_gpu.trace(self.folder / "t.json"):
                program().halve.run(3)
        self.assertGreater(self.read("t.json", "region")[0], 0)
        ended = async_gpu.trace(self.folder / "t.json")
        with self.assertRaisesRegex(async_gpu.RunError, "no trace"):
            ended.__exit__(None, None, None)

    def test_a_file_that_goes_away(self):
        (self.folder / "gone").mkdir()
        with self.assertRaisesRegex(async_gpu.RunError, "cannot be written"):
            with async_gpu.trace(self.folder / "gone" / "t.json"):
                shutil.rmtree(self.folder / "gone")
        with async_gpu.trace(self.folder / "t.json"):
            program().on_device.run(self.x)
        self.assertEqual(self.read("t.json", "kernel")[0], 1)

    def test_others_at_work(self):
        stop = threading.Event()

        def work():
            while not stop.is_set():
                program().on_device.run(self.x)

        threads = [threading.Thread(target=work) for _ in range(3)]
        for thread in threads:
            thread.start()
        try:
            for i in range(10):
                with async_gpu.trace(self.folder / f"{i}.json"):
                    program().on_device.run(self.x)
                self.assertGreaterEqual(self.read(f"{i}.json", "kernel")[0], 1)
        finally:
            stop.set()
            for thread in threads:
                thread.join()


class Package(unittest.TestCase):
    def test_is_installed_by_pip(self):
        if not all(map(importlib.util.find_spec, ("pip", "setuptools", "wheel"))):
            self.skipTest("pip, setuptools or wheel is not here")
        source = pathlib.Path(async_gpu.__file__).parents[1]
        with tempfile.TemporaryDirectory() as folder:
            copy = pathlib.Path(folder, "source")
            shutil.copytree(source, copy)
            target = pathlib.Path(folder, "target")
            subprocess.run(
                [sys.executable, "-m", "pip", "install", "--quiet",
                 "--disable-pip-version-check", "--no-index",
                 "--no-build-isolation", "--root-user-action=ignore",
                 f"--target={target}", str(copy)],
                check=True, timeout=100, env={**os.environ, "TMPDIR": folder})
            self.assertTrue((target / "async_gpu" / "py.typed").exists())
            subprocess.run([sys.executable, "-c", "import async_gpu"],
                           check=True, cwd=folder,
                           env={**os.environ, "PYTHONPATH": str(target)})


if __name__ == "__main__":
    try:
        import pytest
    except ImportError:
        unittest.main()
    sys.exit(pytest.main(["-q", "-p", "no:cacheprovider", __file__]))
