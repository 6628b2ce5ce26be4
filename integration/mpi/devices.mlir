// Ranks of one machine share its devices out: five ranks and three devices. What
// names a device gets that one.

func.func private @agpu_default_device() -> i32

// RUN: ranks=5 EMU_DEVICES=3
// CHECK: ( 0, 0, 1 )
// CHECK: ( 1, 1, 1 )
// CHECK: ( 2, 2, 1 )
// CHECK: ( 0, 0, 1 )
// CHECK: ( 1, 1, 1 )
func.func @main() {
  mpi.init
  %world = mpi.comm_world : !mpi.comm
  %rank = mpi.comm_rank(%world) : i32
  %size = mpi.comm_size(%world) : i32
  %i0 = arith.constant 0 : i32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %memory = memref.alloc() : memref<3xi32>

  %outside = func.call @agpu_default_device() : () -> i32
  memref.store %outside, %memory[%c0] : memref<3xi32>
  %any = async.execute {
    %device = func.call @agpu_default_device() : () -> i32
    // The device is there, and does what it is told.
    %cell = gpu.alloc() : memref<1xi32>
    gpu.memset %cell, %device : memref<1xi32>, i32
    %place = memref.subview %memory[1] [1] [1] : memref<3xi32> to memref<1xi32, strided<[1], offset: 1>>
    %here = memref.alloc() : memref<1xi32>
    gpu.memcpy %here, %cell : memref<1xi32>, memref<1xi32>
    memref.copy %here, %place : memref<1xi32> to memref<1xi32, strided<[1], offset: 1>>
    gpu.dealloc %cell : memref<1xi32>
    memref.dealloc %here : memref<1xi32>
    async.yield
  }
  %named = async.execute attributes {async_gpu.device = 1 : i32} {
    %device = func.call @agpu_default_device() : () -> i32
    memref.store %device, %memory[%c2] : memref<3xi32>
    async.yield
  }
  async.await %any : !async.token
  async.await %named : !async.token

  %is_first = arith.cmpi eq, %rank, %i0 : i32
  scf.if %is_first {
    %count = arith.index_cast %size : i32 to index
    scf.for %i = %c0 to %count step %c1 {
      %from = arith.index_cast %i : index to i32
      %is_other = arith.cmpi ne, %from, %i0 : i32
      scf.if %is_other {
        mpi.recv(%memory, %i0, %from, %world) : memref<3xi32>, i32, i32
      }
      %devices = vector.load %memory[%c0] : memref<3xi32>, vector<3xi32>
      vector.print %devices : vector<3xi32>
    }
  } else {
    mpi.send(%memory, %i0, %i0, %world) : memref<3xi32>, i32, i32
  }
  memref.dealloc %memory : memref<3xi32>
  mpi.finalize
  return
}
