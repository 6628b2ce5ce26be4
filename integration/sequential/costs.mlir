// Heavy kernels become regions, light ones stay with them or in the program's order:
// whatever is merged, the result is that of the order in which it is written.

// FLAGS: --sequential --host-region-ops=400 --device-region-ops=2000
// FAULTS: none, a round of the loop may fail to record an event that nobody waits for

module attributes {gpu.container_module} {
gpu.module @kernels {
  gpu.func @add(%m: memref<512xi64>, %x: i64) kernel {
    %b = gpu.block_id x
    %t = gpu.thread_id x
    %c64 = arith.constant 64 : index
    %first = arith.muli %b, %c64 : index
    %i = arith.addi %first, %t : index
    %y = memref.load %m[%i] : memref<512xi64>
    %z = arith.addi %x, %y : i64
    memref.store %z, %m[%i] : memref<512xi64>
    gpu.return
  }
}
func.func private @show(%m: memref<512xi64>) {
  %c0 = arith.constant 0 : index
  %c511 = arith.constant 511 : index
  %x = memref.load %m[%c0] : memref<512xi64>
  %y = memref.load %m[%c511] : memref<512xi64>
  vector.print %x : i64
  vector.print %y : i64
  return
}
// The first 64 elements of %a get 1 + 10 + 100, the others 1 + 100; those of %b
// 2 + 20 and 2; in three rounds, all of %c gets 0 + 1 + 2, and the first 64 of it
// three times 5.
// RUN: device schedules=60 --memory=discrete
// RUN: device schedules=60 --memory=unified
// CHECK: 111
// CHECK: 101
// CHECK: 22
// CHECK: 2
// CHECK: 18
// CHECK: 3
func.func @main() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c8 = arith.constant 8 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %two = arith.constant 2 : i64
  %five = arith.constant 5 : i64
  %ten = arith.constant 10 : i64
  %twenty = arith.constant 20 : i64
  %hundred = arith.constant 100 : i64
  %a = gpu.alloc () : memref<512xi64>
  %b = gpu.alloc () : memref<512xi64>
  %c = gpu.alloc () : memref<512xi64>
  %h = memref.alloc() : memref<512xi64>
  %i = memref.alloc() : memref<512xi64>
  %j = memref.alloc() : memref<512xi64>
  gpu.memset %a, %zero : memref<512xi64>, i64
  gpu.memset %b, %zero : memref<512xi64>, i64
  gpu.memset %c, %zero : memref<512xi64>, i64
  gpu.launch_func @kernels::@add blocks in (%c8, %c1, %c1) threads in (%c64, %c1, %c1) args(%a : memref<512xi64>, %one : i64)
  gpu.launch_func @kernels::@add blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%a : memref<512xi64>, %ten : i64)
  gpu.launch_func @kernels::@add blocks in (%c8, %c1, %c1) threads in (%c64, %c1, %c1) args(%b : memref<512xi64>, %two : i64)
  gpu.launch_func @kernels::@add blocks in (%c8, %c1, %c1) threads in (%c64, %c1, %c1) args(%a : memref<512xi64>, %hundred : i64)
  gpu.launch_func @kernels::@add blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%b : memref<512xi64>, %twenty : i64)
  scf.for %r = %c0 to %c3 step %c1 {
    %x = arith.index_cast %r : index to i64
    gpu.launch_func @kernels::@add blocks in (%c8, %c1, %c1) threads in (%c64, %c1, %c1) args(%c : memref<512xi64>, %x : i64)
    gpu.launch_func @kernels::@add blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%c : memref<512xi64>, %five : i64)
  }
  gpu.memcpy %h, %a : memref<512xi64>, memref<512xi64>
  gpu.memcpy %i, %b : memref<512xi64>, memref<512xi64>
  gpu.memcpy %j, %c : memref<512xi64>, memref<512xi64>
  gpu.dealloc %a : memref<512xi64>
  gpu.dealloc %b : memref<512xi64>
  gpu.dealloc %c : memref<512xi64>
  call @show(%h) : (memref<512xi64>) -> ()
  call @show(%i) : (memref<512xi64>) -> ()
  call @show(%j) : (memref<512xi64>) -> ()
  memref.dealloc %h : memref<512xi64>
  memref.dealloc %i : memref<512xi64>
  memref.dealloc %j : memref<512xi64>
  return
}
}
