// A sequential program that knows of no device: its buffers are the host's, and
// kernels, loops, calls and a global use them.

// FLAGS: --sequential --host-region-ops=0 --device-region-ops=0

module attributes {gpu.container_module} {
gpu.module @kernels {
  gpu.func @scale(%m: memref<64xi64>, %a: i64) kernel {
    %i = gpu.thread_id x
    %x = memref.load %m[%i] : memref<64xi64>
    %y = arith.muli %x, %a : i64
    memref.store %y, %m[%i] : memref<64xi64>
    gpu.return
  }
  gpu.func @add(%m: memref<64xi64>, %n: memref<64xi64>) kernel {
    %i = gpu.thread_id x
    %x = memref.load %m[%i] : memref<64xi64>
    %y = memref.load %n[%i] : memref<64xi64>
    %z = arith.addi %x, %y : i64
    memref.store %z, %m[%i] : memref<64xi64>
    gpu.return
  }
  gpu.func @flag(%f: memref<1xi64>) kernel {
    %c0 = arith.constant 0 : index
    %one = arith.constant 1 : i64
    %x = memref.load %f[%c0] : memref<1xi64>
    %y = arith.addi %x, %one : i64
    memref.store %y, %f[%c0] : memref<1xi64>
    gpu.return
  }
}
memref.global "private" @g : memref<64xi64> = dense<7>
func.func private @init(%h: memref<64xi64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  scf.for %i = %c0 to %c64 step %c1 {
    %j = arith.index_cast %i : index to i64
    memref.store %j, %h[%i] : memref<64xi64>
  }
  return
}
func.func private @step(%m: memref<64xi64>, %n: memref<64xi64>) {
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  gpu.launch_func @kernels::@add blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%m : memref<64xi64>, %n : memref<64xi64>)
  return
}
// h[5] is 5 * 2^10, and then 5 and 7 more; a step later 5 more.
// RUN: device schedules=100 --memory=discrete
// RUN: device schedules=100 --memory=unified
// CHECK: 5132
// CHECK: 1
// CHECK: 2
// CHECK: 3
// CHECK: 4
// CHECK: 5
// CHECK: 5137
func.func @main() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c5 = arith.constant 5 : index
  %c10 = arith.constant 10 : index
  %c64 = arith.constant 64 : index
  %two = arith.constant 2 : i64
  %zero = arith.constant 0 : i64
  %h = memref.alloc() : memref<64xi64>
  %t = memref.alloc() : memref<64xi64>
  %f = memref.alloc() : memref<1xi64>
  memref.store %zero, %f[%c0] : memref<1xi64>
  func.call @init(%h) : (memref<64xi64>) -> ()
  memref.copy %h, %t : memref<64xi64> to memref<64xi64>
  scf.for %i = %c0 to %c10 step %c1 {
    gpu.launch_func @kernels::@scale blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%h : memref<64xi64>, %two : i64)
  }
  gpu.launch_func @kernels::@add blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%h : memref<64xi64>, %t : memref<64xi64>)
  %g = memref.get_global @g : memref<64xi64>
  gpu.launch_func @kernels::@add blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%h : memref<64xi64>, %g : memref<64xi64>)
  %x = memref.load %h[%c5] : memref<64xi64>
  vector.print %x : i64
  scf.for %i = %c0 to %c5 step %c1 {
    gpu.launch_func @kernels::@flag blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%f : memref<1xi64>)
    %y = memref.load %f[%c0] : memref<1xi64>
    vector.print %y : i64
  }
  %u = memref.alloc() : memref<64xi64>
  func.call @init(%u) : (memref<64xi64>) -> ()
  func.call @step(%h, %u) : (memref<64xi64>, memref<64xi64>) -> ()
  %z = memref.load %h[%c5] : memref<64xi64>
  vector.print %z : i64
  memref.dealloc %h : memref<64xi64>
  memref.dealloc %t : memref<64xi64>
  memref.dealloc %f : memref<1xi64>
  memref.dealloc %u : memref<64xi64>
  return
}
}
