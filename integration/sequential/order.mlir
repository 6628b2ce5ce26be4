// A sequential program whose regions are formed: kernels beside each other and
// beside work of the host, a loop of both, and what is printed in between.

// FLAGS: --sequential --host-region-ops=0 --device-region-ops=0
// FAULTS: none, an event in the loop that fails is one that nobody waits for

module attributes {gpu.container_module} {
gpu.module @kernels {
  gpu.func @fill(%m: memref<64xi64>, %a: i64) kernel {
    %i = gpu.thread_id x
    %j = arith.index_cast %i : index to i64
    %y = arith.muli %j, %a : i64
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
  gpu.func @set(%m: memref<1xi64>, %a: i64) kernel {
    %i = gpu.thread_id x
    memref.store %a, %m[%i] : memref<1xi64>
    gpu.return
  }
}
func.func private @work(%h: memref<64xi64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %c1000 = arith.constant 1000 : index
  scf.for %k = %c0 to %c1000 step %c1 {
  scf.for %i = %c0 to %c64 step %c1 {
    %x = memref.load %h[%i] : memref<64xi64>
    %j = arith.index_cast %i : index to i64
    %y = arith.addi %x, %j : i64
    memref.store %y, %h[%i] : memref<64xi64>
  }
  }
  return
}
// With i = 5: a = 10 + 15, b = 15 + 5 * 25; h is counted up six times a thousand
// times by 5. The shape that a kernel writes is 3.
// RUN: device schedules=100 --memory=discrete
// RUN: device schedules=100 --memory=unified
// CHECK: 140
// CHECK: 30000
// CHECK: 3
func.func @main() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c5 = arith.constant 5 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant 0 : i64
  %two = arith.constant 2 : i64
  %three = arith.constant 3 : i64
  %a = gpu.alloc () : memref<64xi64>
  %b = gpu.alloc () : memref<64xi64>
  %h = memref.alloc() : memref<64xi64>
  %w = memref.alloc() : memref<64xi64>
  linalg.fill ins(%zero : i64) outs(%w : memref<64xi64>)
  gpu.launch_func @kernels::@fill blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%a : memref<64xi64>, %two : i64)
  gpu.launch_func @kernels::@fill blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%b : memref<64xi64>, %three : i64)
  func.call @work(%w) : (memref<64xi64>) -> ()
  gpu.launch_func @kernels::@add blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%a : memref<64xi64>, %b : memref<64xi64>)
  scf.for %i = %c0 to %c5 step %c1 {
    gpu.launch_func @kernels::@add blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%b : memref<64xi64>, %a : memref<64xi64>)
    func.call @work(%w) : (memref<64xi64>) -> ()
  }
  gpu.memcpy %h, %b : memref<64xi64>, memref<64xi64>
  %x = memref.load %h[%c5] : memref<64xi64>
  vector.print %x : i64
  %y = memref.load %w[%c5] : memref<64xi64>
  vector.print %y : i64
  %s = memref.alloc() : memref<1xi64>
  linalg.fill ins(%two : i64) outs(%s : memref<1xi64>)
  gpu.launch_func @kernels::@set blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%s : memref<1xi64>, %three : i64)
  %r = memref.reshape %w(%s) : (memref<64xi64>, memref<1xi64>) -> memref<?xi64>
  %d = memref.dim %r, %c0 : memref<?xi64>
  vector.print %d : index
  memref.dealloc %s : memref<1xi64>
  gpu.dealloc %a : memref<64xi64>
  gpu.dealloc %b : memref<64xi64>
  memref.dealloc %h : memref<64xi64>
  memref.dealloc %w : memref<64xi64>
  return
}
}
