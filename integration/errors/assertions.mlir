// Threads whose assertions fail: each says so, and what others print before
// their own is there; nothing is done behind one.

module attributes {gpu.container_module} {

gpu.module @kernels {
  gpu.func @all(%no: i1) kernel {
    %t = gpu.thread_id x
    gpu.printf "%lld before\n", %t : index
    cf.assert %no, "never"
    gpu.printf "%lld behind\n", %t : index
    gpu.return
  }
  // The first two end in front of the barrier. A GPU may or may not let the
  // third go on behind it before the launch ends; it says nothing there.
  gpu.func @some(%no: i1) workgroup(%s: memref<3xindex, #gpu.address_space<workgroup>>) kernel {
    %c2 = arith.constant 2 : index
    %t = gpu.thread_id x
    %last = arith.cmpi eq, %t, %c2 : index
    memref.store %t, %s[%t] : memref<3xindex, #gpu.address_space<workgroup>>
    gpu.printf "%lld before\n", %t : index
    cf.assert %last, "not the last"
    gpu.barrier
    %x = memref.load %s[%t] : memref<3xindex, #gpu.address_space<workgroup>>
    %same = arith.cmpi eq, %x, %t : index
    cf.assert %same, "as it was"
    gpu.return
  }
  func.func @check(%t: index) {
    %c1 = arith.constant 1 : index
    %low = arith.cmpi ult, %t, %c1 : index
    scf.if %low {
      gpu.printf "%lld before\n", %t : index
    }
    cf.assert %low, "the first"
    return
  }
  gpu.func @called() kernel {
    %t = gpu.thread_id x
    func.call @check(%t) : (index) -> ()
    gpu.return
  }
  func.func @descend(%t: index) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %is = arith.cmpi ne, %t, %c1 : index
    cf.assert %is, "one"
    %more = arith.cmpi ugt, %t, %c1 : index
    scf.if %more {
      %next = arith.subi %t, %c1 : index
      func.call @descend(%next) : (index) -> ()
    }
    return
  }
  gpu.func @recurses() kernel {
    %t = gpu.thread_id x
    gpu.printf "%lld before\n", %t : index
    func.call @descend(%t) : (index) -> ()
    gpu.return
  }
}

// RUN: @plain EMU_CHECK=|memory,races
// RUN: @plain --gpu-native-threads=coroutines EMU_CHECK=|memory,races
// CHECK: 0 before
// CHECK: 1 before
// CHECK: 2 before
// ERROR: assertions.mlir:[[@LINE-58]]: (unknown): block: [0,0,0], thread: [0,0,0] Assertion `never` failed.
// ERROR: assertions.mlir:[[@LINE-59]]: (unknown): block: [0,0,0], thread: [1,0,0] Assertion `never` failed.
// ERROR: assertions.mlir:[[@LINE-60]]: (unknown): block: [0,0,0], thread: [2,0,0] Assertion `never` failed.
// ERROR: CUDA_ERROR_ASSERT{{.*}}: thread 0,0,0: assertion failed: never
func.func @plain() {
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %no = arith.constant false
  gpu.launch_func @kernels::@all blocks in (%c1, %c1, %c1) threads in (%c3, %c1, %c1) args(%no : i1)
  gpu.wait
  vector.print str "not reached\n"
  return
}

// RUN: @barrier EMU_CHECK=|memory,races
// RUN: @barrier --gpu-native-threads=coroutines EMU_CHECK=|memory,races
// CHECK: 0 before
// CHECK: 1 before
// CHECK: 2 before
// ERROR: assertions.mlir:[[@LINE-65]]: (unknown): block: [0,0,0], thread: [0,0,0] Assertion `not the last` failed.
// ERROR: assertions.mlir:[[@LINE-66]]: (unknown): block: [0,0,0], thread: [1,0,0] Assertion `not the last` failed.
// ERROR: CUDA_ERROR_ASSERT{{.*}}: thread 0,0,0: assertion failed: not the last
func.func @barrier() {
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %no = arith.constant false
  gpu.launch_func @kernels::@some blocks in (%c1, %c1, %c1) threads in (%c3, %c1, %c1) args(%no : i1)
  gpu.wait
  vector.print str "not reached\n"
  return
}

// RUN: @function EMU_CHECK=|memory,races
// RUN: @function --gpu-native-threads=coroutines EMU_CHECK=|memory,races
// CHECK: 0 before
// ERROR: assertions.mlir:[[@LINE-68]]: (unknown): block: [0,0,0], thread: [1,0,0] Assertion `the first` failed.
// ERROR: assertions.mlir:[[@LINE-69]]: (unknown): block: [0,0,0], thread: [2,0,0] Assertion `the first` failed.
// ERROR: CUDA_ERROR_ASSERT{{.*}}: thread 1,0,0: assertion failed: the first
func.func @function() {
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  gpu.launch_func @kernels::@called blocks in (%c1, %c1, %c1) threads in (%c3, %c1, %c1)
  gpu.wait
  vector.print str "not reached\n"
  return
}

// RUN: @recursive EMU_CHECK=|memory,races
// RUN: @recursive --gpu-native-threads=coroutines EMU_CHECK=|memory,races
// CHECK: 0 before
// CHECK: 1 before
// ERROR: assertions.mlir:[[@LINE-72]]: (unknown): block: [0,0,0], thread: [1,0,0] Assertion `one` failed.
// ERROR: CUDA_ERROR_ASSERT{{.*}}: thread 1,0,0: assertion failed: one
func.func @recursive() {
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  gpu.launch_func @kernels::@recurses blocks in (%c1, %c1, %c1) threads in (%c3, %c1, %c1)
  gpu.wait
  vector.print str "not reached\n"
  return
}

}
