// Divisions without a result, in a kernel and on the host. No GPU stops at one.

module attributes {gpu.container_module} {

gpu.module @kernels {
  gpu.func @divide(%to: memref<8xi32>, %by: i32) kernel {
    %t = gpu.thread_id x
    %n = arith.index_cast %t : index to i32
    %d = arith.subi %n, %by : i32
    %q = arith.divui %n, %d : i32
    memref.store %q, %to[%t] : memref<8xi32>
    gpu.return
  }
  gpu.func @overflow(%to: memref<8xi32>, %by: i32) kernel {
    %least = arith.constant -2147483648 : i32
    %t = gpu.thread_id x
    %n = arith.index_cast %t : index to i32
    %d = arith.subi %n, %by : i32
    %r = arith.remsi %least, %d : i32
    memref.store %r, %to[%t] : memref<8xi32>
    gpu.return
  }
}

// RUN: @by_zero EMU_CHECK=arithmetic
// CHECK: 5
// ERROR: division.mlir:[[@LINE-17]]:10: error: kernel 'divide', block 0,0,0: thread 5,0,0 divides an integer by zero
// RUN: @by_zero EMU_CHECK=|memory
// CHECK: 5
func.func @by_zero() {
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %five = arith.constant 5 : i32
  %a = gpu.alloc() : memref<8xi32>
  gpu.launch_func @kernels::@divide blocks in (%c1, %c1, %c1) threads in (%c8, %c1, %c1) args(%a : memref<8xi32>, %five : i32)
  gpu.wait
  gpu.dealloc %a : memref<8xi32>
  vector.print %five : i32
  return
}

// RUN: @overflows EMU_CHECK=arithmetic
// ERROR: division.mlir:[[@LINE-24]]:10: error: kernel 'overflow', block 0,0,0: thread 0,0,0 divides the smallest integer by -1, a result that does not fit
func.func @overflows() {
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %nine = arith.constant 9 : i32
  %a = gpu.alloc() : memref<8xi32>
  gpu.launch_func @kernels::@overflow blocks in (%c1, %c1, %c1) threads in (%c8, %c1, %c1) args(%a : memref<8xi32>, %nine : i32)
  gpu.launch_func @kernels::@overflow blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%a : memref<8xi32>, %nine : i32)
  %one = arith.constant 1 : i32
  gpu.launch_func @kernels::@overflow blocks in (%c1, %c1, %c1) threads in (%c8, %c1, %c1) args(%a : memref<8xi32>, %one : i32)
  gpu.wait
  gpu.dealloc %a : memref<8xi32>
  return
}

// RUN: @on_the_host EMU_CHECK=arithmetic
// ERROR: division.mlir:[[@LINE+8]]:8: error: the host divides an integer by zero
func.func @on_the_host() {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0 : i64
  %cell = memref.alloc() : memref<1xi64>
  memref.store %zero, %cell[%c0] : memref<1xi64>
  %d = memref.load %cell[%c0] : memref<1xi64>
  memref.dealloc %cell : memref<1xi64>
  %q = arith.ceildivsi %zero, %d : i64
  vector.print %q : i64
  return
}

}
