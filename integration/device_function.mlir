// A module of kernels written by hand: two kernels that call a function of the
// device, launched by name, one outside regions and one inside.

module attributes {gpu.container_module} {
  gpu.module @kernels {
    // Clamps x to 0 .. limit.
    func.func @clamp(%x: i32, %limit: i32) -> i32 {
      %zero = arith.constant 0 : i32
      %low = arith.maxsi %x, %zero : i32
      %r = arith.minsi %low, %limit : i32
      return %r : i32
    }

    gpu.func @clamp_all(%data: memref<?xi32>, %limit: i32) kernel {
      %b = gpu.block_id x
      %x = memref.load %data[%b] : memref<?xi32>
      %y = func.call @clamp(%x, %limit) : (i32, i32) -> i32
      memref.store %y, %data[%b] : memref<?xi32>
      gpu.return
    }

    gpu.func @count_up(%data: memref<?xi32>, %from: i32) kernel {
      %g = gpu.global_id x
      %n = gpu.grid_dim x
      %s = gpu.block_dim x
      %g32 = arith.index_cast %g : index to i32
      %total = arith.muli %n, %s : index
      %limit = arith.index_cast %total : index to i32
      %x = arith.addi %from, %g32 : i32
      %y = func.call @clamp(%x, %limit) : (i32, i32) -> i32
      memref.store %y, %data[%g] : memref<?xi32>
      gpu.return
    }
  }

  // RUN: device schedules=200
  // CHECK: 0
  // CHECK: 0
  // CHECK: 0
  // CHECK: 1
  // CHECK: 2
  // CHECK: 3
  // CHECK: 3
  // CHECK: 3
  func.func @main() {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c4 = arith.constant 4 : index
    %c8 = arith.constant 8 : index
    %five = arith.constant 5 : i32
    %minus = arith.constant -2 : i32
    %data = gpu.alloc(%c8) : memref<?xi32>

    // -2 -1 0 1 2 3 4 5, clamped to 0 .. 8, then to 0 .. 5 - 2 = 3.
    gpu.launch_func @kernels::@count_up
        blocks in (%c2, %c1, %c1) threads in (%c4, %c1, %c1)
        args(%data : memref<?xi32>, %minus : i32)
    %limit = arith.addi %five, %minus : i32
    %t = async.execute {
      gpu.launch_func @kernels::@clamp_all
          blocks in (%c8, %c1, %c1) threads in (%c1, %c1, %c1)
          args(%data : memref<?xi32>, %limit : i32)
      async.yield
    }
    async.await %t : !async.token

    %host = memref.alloc(%c8) : memref<?xi32>
    gpu.memcpy %host, %data : memref<?xi32>, memref<?xi32>
    gpu.dealloc %data : memref<?xi32>
    scf.for %i = %c0 to %c8 step %c1 {
      %x = memref.load %host[%i] : memref<?xi32>
      vector.print %x : i32
    }
    memref.dealloc %host : memref<?xi32>
    return
  }
}
