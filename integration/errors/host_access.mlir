// The host touches memory of the device, which it may not: one function for each
// way to do so. It always ends the program; with a check, with the place.

func.func private @strlen(%text: !llvm.ptr) -> i64

// RUN: @load host
// ERROR: error: the host reads device memory, at byte 12 of the 16 allocated at {{.*}}host_access.mlir:[[@LINE+6]]:8{{.*}}: copy it to the host first (gpu.memcpy), or allocate it for both (gpu.alloc host_shared) (async-gpu-runner --check=memory or
// RUN: @load EMU_CHECK=memory
// ERROR: host_access.mlir:[[@LINE+7]]:8: error: the host reads 4 bytes of device memory, at byte 12 of the 16 allocated at {{.*}}host_access.mlir:[[@LINE+4]]:8: copy it
func.func @load() {
  %c3 = arith.constant 3 : index
  %zero = arith.constant 0 : i32
  %d = gpu.alloc() : memref<4xi32>
  gpu.memset %d, %zero : memref<4xi32>, i32
  gpu.wait
  %x = memref.load %d[%c3] : memref<4xi32>
  vector.print %x : i32
  gpu.dealloc %d : memref<4xi32>
  return
}

// RUN: @store host
// ERROR: error: the host writes device memory, at byte 0 of the 16 allocated at {{.*}}host_access.mlir:[[@LINE+7]]:10{{.*}}: copy it
// RUN: @store EMU_CHECK=memory
// ERROR: host_access.mlir:[[@LINE+9]]:5: error: the host writes 4 bytes of device memory, at byte 0 of the 16 allocated at {{.*}}host_access.mlir:[[@LINE+5]]:10: copy it
func.func @store() {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0 : i32
  %t, %m = async.execute -> !async.value<memref<4xi32>> {
    %d = gpu.alloc() : memref<4xi32>
    async.yield %d : memref<4xi32>
  }
  %u = async.execute [%t] (%m as %d: !async.value<memref<4xi32>>) {
    memref.store %zero, %d[%c0] : memref<4xi32>
    gpu.memset %d, %zero : memref<4xi32>, i32
    gpu.dealloc %d : memref<4xi32>
    async.yield
  }
  async.await %u : !async.token
  return
}

// RUN: @copy EMU_CHECK=memory
// ERROR: host_access.mlir:[[@LINE+4]]:3: error: the host reads 16 bytes of device memory, at byte 0 of the 16 allocated at {{.*}}host_access.mlir:[[@LINE+3]]:8: copy it
func.func @copy() {
  %h = memref.alloc() : memref<4xi32>
  %d = gpu.alloc() : memref<4xi32>
  memref.copy %d, %h : memref<4xi32> to memref<4xi32>
  gpu.dealloc %d : memref<4xi32>
  memref.dealloc %h : memref<4xi32>
  return
}

// A function in a library, which says nothing of what it accesses.
// RUN: @call host
// ERROR: error: the host reads device memory, at byte 0 of the 16 allocated at {{.*}}host_access.mlir:[[@LINE+4]]:8, {{in|at}} {{.*}} of {{.*}}: copy it
// RUN: @call EMU_CHECK=memory
// ERROR: host_access.mlir:[[@LINE+6]]:13: error: the host reads device memory, at byte 0 of the 16 allocated at {{.*}}host_access.mlir:[[@LINE+2]]:8, {{in|at}} {{.*}} of {{.*}}: copy it
func.func @call() {
  %d = gpu.alloc() : memref<4xi32>
  %index = memref.extract_aligned_pointer_as_index %d : memref<4xi32> -> index
  %address = arith.index_cast %index : index to i64
  %text = llvm.inttoptr %address : i64 to !llvm.ptr
  %length = call @strlen(%text) : (!llvm.ptr) -> i64
  vector.print %length : i64
  gpu.dealloc %d : memref<4xi32>
  return
}

// Copied first, or allocated for both: all is well.
// RUN: @fine EMU_CHECK=memory,races
// CHECK: 7
// CHECK: 14
func.func @fine() {
  %c3 = arith.constant 3 : index
  %c1 = arith.constant 1 : index
  %seven = arith.constant 7 : i32
  %h = memref.alloc() : memref<4xi32>
  %d = gpu.alloc() : memref<4xi32>
  %s = gpu.alloc host_shared () : memref<4xi32>
  gpu.memset %d, %seven : memref<4xi32>, i32
  memref.store %seven, %s[%c3] : memref<4xi32>
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%sx = %c1, %sy = %c1, %sz = %c1) {
    %three = arith.constant 3 : index
    %x = memref.load %d[%three] : memref<4xi32>
    %y = memref.load %s[%three] : memref<4xi32>
    %z = arith.addi %x, %y : i32
    memref.store %z, %s[%three] : memref<4xi32>
    gpu.terminator
  }
  gpu.memcpy %h, %d : memref<4xi32>, memref<4xi32>
  gpu.wait
  %x = memref.load %h[%c3] : memref<4xi32>
  vector.print %x : i32
  %y = memref.load %s[%c3] : memref<4xi32>
  vector.print %y : i32
  gpu.dealloc %s : memref<4xi32>
  gpu.dealloc %d : memref<4xi32>
  memref.dealloc %h : memref<4xi32>
  return
}
