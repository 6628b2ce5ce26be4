// Three kernels that wait for each other: tokens leave them without an order, so
// they have to be on three streams.
// STREAMS: 3
// FAULTS: may-hang, its kernels wait for the host or for each other

module attributes {gpu.container_module} {

func.func private @printI64(i64)
func.func private @printNewline()

gpu.module @kernels {
  // Counts itself in, then waits until `n` have come.
  gpu.func @meet(%count: memref<i32>, %n: i32) kernel {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %mine = memref.atomic_rmw addi %c1, %count[] : (i32, memref<i32>) -> i32
    scf.while : () -> () {
      %now = memref.atomic_rmw addi %c0, %count[] : (i32, memref<i32>) -> i32
      %more = arith.cmpi slt, %now, %n : i32
      scf.condition(%more)
    } do {
      scf.yield
    }
    gpu.return
  }
}

// RUN: NUM_THREADS=1|2|8
// CHECK: 3
func.func @main() {
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0 : i32
  %three = arith.constant 3 : i32
  %count = gpu.alloc host_shared () : memref<i32>
  memref.store %zero, %count[] : memref<i32>
  %0 = gpu.wait async
  %1 = gpu.wait async [%0]
  %2 = gpu.launch_func async [%0] @kernels::@meet
      blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1)
      args(%count : memref<i32>, %three : i32)
  %3 = gpu.launch_func async [%1, %0] @kernels::@meet
      blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1)
      args(%count : memref<i32>, %three : i32)
  %4 = gpu.launch_func async @kernels::@meet
      blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1)
      args(%count : memref<i32>, %three : i32)
  gpu.wait [%2, %3, %4]
  %n = memref.load %count[] : memref<i32>
  gpu.dealloc %count : memref<i32>
  %r = arith.extsi %n : i32 to i64
  func.call @printI64(%r) : (i64) -> ()
  func.call @printNewline() : () -> ()
  return
}

}
