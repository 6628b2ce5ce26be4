// Who touches the same bytes, and whether anything orders them: one function for
// each case.

module attributes {gpu.container_module} {

gpu.module @kernels {
  gpu.func @write(%m: memref<64xi32>) kernel {
    %i = gpu.thread_id x
    %one = arith.constant 1 : i32
    memref.store %one, %m[%i] : memref<64xi32>
    gpu.return
  }
  gpu.func @copy(%to: memref<64xi32>, %from: memref<64xi32>) kernel {
    %i = gpu.thread_id x
    %c1 = arith.constant 1 : i32
    %x = memref.load %from[%i] : memref<64xi32>
    %y = arith.addi %x, %c1 : i32
    memref.store %y, %to[%i] : memref<64xi32>
    gpu.return
  }
}

// A copy to the host lacks its dependency on the kernel.
// RUN: @copy_out EMU_CHECK=races EMU_SEED=|3
// ERROR: launch of kernel 'write' at {{.*}}ordered.mlir:[[@LINE+8]]:5, which writes
// SAME: copy at {{.*}}ordered.mlir:[[@LINE+11]]:5, which reads
func.func @copy_out() {
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %h = memref.alloc() : memref<64xi32>
  %a = gpu.alloc () : memref<64xi32>
  %t0 = async.execute {
    gpu.launch_func @kernels::@write blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%a : memref<64xi32>)
    async.yield
  }
  %t1 = async.execute {
    gpu.memcpy %h, %a : memref<64xi32>, memref<64xi32>
    async.yield
  }
  async.await %t0 : !async.token
  async.await %t1 : !async.token
  gpu.dealloc %a : memref<64xi32>
  memref.dealloc %h : memref<64xi32>
  return
}

// A kernel lacks its dependency on the one whose result it reads.
// RUN: @kernels_apart EMU_CHECK=races EMU_SEED=|3
// ERROR: launch of kernel 'write' at {{.*}}ordered.mlir:[[@LINE+11]]:5, which writes
// SAME: launch of kernel 'copy' at {{.*}}ordered.mlir:[[@LINE+14]]:5, which reads
func.func @kernels_apart() {
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant 0 : i32
  %a = gpu.alloc () : memref<64xi32>
  %b = gpu.alloc () : memref<64xi32>
  gpu.memset %a, %zero : memref<64xi32>, i32
  gpu.memset %b, %zero : memref<64xi32>, i32
  %t0 = async.execute {
    gpu.launch_func @kernels::@write blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%a : memref<64xi32>)
    async.yield
  }
  %t1 = async.execute {
    gpu.launch_func @kernels::@copy blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%b : memref<64xi32>, %a : memref<64xi32>)
    async.yield
  }
  async.await %t0 : !async.token
  async.await %t1 : !async.token
  gpu.dealloc %a : memref<64xi32>
  gpu.dealloc %b : memref<64xi32>
  return
}

// Two regions fill a half each, two more read all of it behind both, and the host
// stands between the last two.
// RUN: @fine EMU_CHECK=races EMU_SEED=|3
func.func @fine() {
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant 0 : i32
  %h = memref.alloc() : memref<64xi32>
  %k = memref.alloc() : memref<64xi32>
  %a = gpu.alloc () : memref<64xi32>
  %low = memref.subview %a[0] [32] [1] : memref<64xi32> to memref<32xi32, strided<[1]>>
  %high = memref.subview %a[32] [32] [1] : memref<64xi32> to memref<32xi32, strided<[1], offset: 32>>
  %t0 = async.execute {
    gpu.memset %low, %zero : memref<32xi32, strided<[1]>>, i32
    async.yield
  }
  %t1 = async.execute {
    gpu.memset %high, %zero : memref<32xi32, strided<[1], offset: 32>>, i32
    async.yield
  }
  %t2 = async.execute [%t0, %t1] {
    gpu.memcpy %h, %a : memref<64xi32>, memref<64xi32>
    async.yield
  }
  %t3 = async.execute [%t0, %t1] {
    gpu.memcpy %k, %a : memref<64xi32>, memref<64xi32>
    async.yield
  }
  async.await %t2 : !async.token
  async.await %t3 : !async.token
  %t4 = async.execute {
    gpu.launch_func @kernels::@write blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%a : memref<64xi32>)
    async.yield
  }
  async.await %t4 : !async.token
  gpu.dealloc %a : memref<64xi32>
  memref.dealloc %h : memref<64xi32>
  memref.dealloc %k : memref<64xi32>
  return
}

gpu.module @pieces {
  // Every other element, from `first`.
  gpu.func @every_other(%m: memref<64xi32>, %first: index) kernel {
    %t = gpu.thread_id x
    %c2 = arith.constant 2 : index
    %one = arith.constant 1 : i32
    %even = arith.muli %t, %c2 : index
    %i = arith.addi %even, %first : index
    memref.store %one, %m[%i] : memref<64xi32>
    gpu.return
  }
}

// Two kernels write what lies between the other's elements, and a copy reads
// what neither of two others touches.
// RUN: @fine_pieces EMU_CHECK=races EMU_SEED=|3
func.func @fine_pieces() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %zero = arith.constant 0 : i32
  %h = memref.alloc() : memref<32xi32>
  %a = gpu.alloc () : memref<64xi32>
  gpu.memset %a, %zero : memref<64xi32>, i32
  %high = memref.subview %a[32] [32] [1] : memref<64xi32> to memref<32xi32, strided<[1], offset: 32>>
  %t0 = async.execute {
    gpu.launch_func @pieces::@every_other blocks in (%c1, %c1, %c1) threads in (%c16, %c1, %c1) args(%a : memref<64xi32>, %c0 : index)
    async.yield
  }
  %t1 = async.execute {
    gpu.launch_func @pieces::@every_other blocks in (%c1, %c1, %c1) threads in (%c16, %c1, %c1) args(%a : memref<64xi32>, %c1 : index)
    async.yield
  }
  %t2 = async.execute {
    gpu.memcpy %h, %high : memref<32xi32>, memref<32xi32, strided<[1], offset: 32>>
    async.yield
  }
  async.await %t0 : !async.token
  async.await %t1 : !async.token
  async.await %t2 : !async.token
  gpu.dealloc %a : memref<64xi32>
  memref.dealloc %h : memref<32xi32>
  return
}

// The kernel writes what is there already, while it is copied.
// RUN: @same_contents EMU_CHECK=races EMU_SEED=|3
// ERROR: launch of kernel 'write' at {{.*}}ordered.mlir:[[@LINE+10]]:5, which writes
// SAME: copy at {{.*}}ordered.mlir:[[@LINE+13]]:5, which reads
func.func @same_contents() {
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %one = arith.constant 1 : i32
  %h = memref.alloc() : memref<64xi32>
  %a = gpu.alloc () : memref<64xi32>
  gpu.memset %a, %one : memref<64xi32>, i32
  %t0 = async.execute {
    gpu.launch_func @kernels::@write blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%a : memref<64xi32>)
    async.yield
  }
  %t1 = async.execute {
    gpu.memcpy %h, %a : memref<64xi32>, memref<64xi32>
    async.yield
  }
  async.await %t0 : !async.token
  async.await %t1 : !async.token
  gpu.dealloc %a : memref<64xi32>
  memref.dealloc %h : memref<64xi32>
  return
}

}
