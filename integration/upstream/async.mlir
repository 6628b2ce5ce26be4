// Upstream's coroutines and upstream's streams on one runtime: each region
// fills memory of its own on the device and brings it back.

// RUN: @main
// CHECK: 7680
func.func @main() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant 0 : i32
  %host = memref.alloc(%c16, %c64) : memref<?x?xi32>
  %group = async.create_group %c16 : !async.group
  scf.for %i = %c0 to %c16 step %c1 {
    %token = async.execute {
      %value = arith.index_cast %i : index to i32
      %row = memref.alloc(%c64) : memref<?xi32>
      %t0 = gpu.wait async
      %a, %t1 = gpu.alloc async [%t0] (%c64) : memref<?xi32>
      %t2 = gpu.memset async [%t1] %a, %value : memref<?xi32>, i32
      %t3 = gpu.memcpy async [%t2] %row, %a : memref<?xi32>, memref<?xi32>
      %t4 = gpu.dealloc async [%t3] %a : memref<?xi32>
      gpu.wait [%t4]
      scf.for %j = %c0 to %c64 step %c1 {
        %x = memref.load %row[%j] : memref<?xi32>
        memref.store %x, %host[%i, %j] : memref<?x?xi32>
      }
      memref.dealloc %row : memref<?xi32>
      async.yield
    }
    %rank = async.add_to_group %token, %group : !async.token
  }
  async.await_all %group
  %sum = scf.for %i = %c0 to %c16 step %c1 iter_args(%s = %zero) -> i32 {
    %row_sum = scf.for %j = %c0 to %c64 step %c1 iter_args(%r = %s) -> i32 {
      %x = memref.load %host[%i, %j] : memref<?x?xi32>
      %y = arith.addi %r, %x : i32
      scf.yield %y : i32
    }
    scf.yield %row_sum : i32
  }
  vector.print %sum : i32
  memref.dealloc %host : memref<?x?xi32>
  return
}
