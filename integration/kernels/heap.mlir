// malloc in a kernel: the heap has 8 MiB, or what ASYNC_GPU_HEAP_BYTES says, and gives
// null beyond them until something is given back.
// CARD: never, the interpreter of PTX has no heap

module attributes {gpu.container_module} {
  gpu.module @kernels {
    llvm.func @malloc(i64) -> !llvm.ptr
    llvm.func @free(!llvm.ptr)
    // Whether there is so much, which is given back.
    func.func private @take(%bytes: i64) -> i32 {
      %null = llvm.mlir.zero : !llvm.ptr
      %p = llvm.call @malloc(%bytes) : (i64) -> !llvm.ptr
      %is = llvm.icmp "ne" %p, %null : !llvm.ptr
      llvm.call @free(%p) : (!llvm.ptr) -> ()
      %r = arith.extui %is : i1 to i32
      return %r : i32
    }
    gpu.func @k(%out: memref<4xi32>) kernel {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c2 = arith.constant 2 : index
      %c3 = arith.constant 3 : index
      %half = arith.constant 4194304 : i64
      %all = arith.constant 8388608 : i64
      %more = arith.constant 8388609 : i64
      %a = func.call @take(%more) : (i64) -> i32
      %b = func.call @take(%all) : (i64) -> i32
      %p = llvm.call @malloc(%half) : (i64) -> !llvm.ptr
      %c = func.call @take(%all) : (i64) -> i32
      llvm.call @free(%p) : (!llvm.ptr) -> ()
      %d = func.call @take(%all) : (i64) -> i32
      memref.store %a, %out[%c0] : memref<4xi32>
      memref.store %b, %out[%c1] : memref<4xi32>
      memref.store %c, %out[%c2] : memref<4xi32>
      memref.store %d, %out[%c3] : memref<4xi32>
      gpu.return
    }
    gpu.func @has(%bytes: i64, %out: memref<1xi32>) kernel {
      %c0 = arith.constant 0 : index
      %a = func.call @take(%bytes) : (i64) -> i32
      memref.store %a, %out[%c0] : memref<1xi32>
      gpu.return
    }
  }

  // RUN: kernel
  // CHECK: ( 0, 1, 0, 1 )
  func.func @main() {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %out = gpu.alloc host_shared () : memref<4xi32>
    gpu.launch_func @kernels::@k blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1)
        args(%out : memref<4xi32>)
    %v = vector.load %out[%c0] : memref<4xi32>, vector<4xi32>
    vector.print %v : vector<4xi32>
    gpu.dealloc %out : memref<4xi32>
    return
  }

  func.func private @print_has(%bytes: i64) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %out = gpu.alloc host_shared () : memref<1xi32>
    gpu.launch_func @kernels::@has blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1)
        args(%bytes : i64, %out : memref<1xi32>)
    %v = memref.load %out[%c0] : memref<1xi32>
    vector.print %v : i32
    gpu.dealloc %out : memref<1xi32>
    return
  }

  // RUN: @large kernel HEAP_BYTES=32M
  // CHECK: 1
  // CHECK: 0
  // RUN: @large kernel HEAP_BYTES=64M
  // CHECK: 1
  // CHECK: 1
  func.func @large() {
    %all = arith.constant 33554432 : i64
    %more = arith.constant 33554433 : i64
    func.call @print_has(%all) : (i64) -> ()
    func.call @print_has(%more) : (i64) -> ()
    return
  }
}
