// Rounds of two regions: one is urgent, the other waits for it; what neither says
// changes nothing of what they do. The second one does not go on on the first one's
// stream, whose priority is another.
// FLAGS: --graphs=on

module attributes {gpu.container_module} {
  gpu.module @kernels {
    // a[i] = a[i] * m + 1.
    gpu.func @step(%a: memref<8xi32>, %m: i32) kernel {
      %c1 = arith.constant 1 : i32
      %i = gpu.thread_id x
      %old = memref.load %a[%i] : memref<8xi32>
      %scaled = arith.muli %old, %m : i32
      %new = arith.addi %scaled, %c1 : i32
      memref.store %new, %a[%i] : memref<8xi32>
      gpu.return
    }
  }

  // RUN: device schedules=4
  // CHECK: ( -808182896, -808182896, -808182896, -808182896, -808182896, -808182896, -808182896, -808182896 )
  func.func @main() {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c20 = arith.constant 20 : index
    %c8 = arith.constant 8 : index
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %three = arith.constant 3 : i32
    %h = memref.alloc() : memref<8xi32>
    %a = gpu.alloc() : memref<8xi32>
    gpu.memset %a, %zero : memref<8xi32>, i32
    scf.for %i = %c0 to %c20 step %c1 {
      %urgent = async.execute attributes {async_gpu.priority = -3 : i32} {
        gpu.launch_func @kernels::@step blocks in (%c1, %c1, %c1)
            threads in (%c8, %c1, %c1) args(%a : memref<8xi32>, %three : i32)
        async.yield
      }
      %plain = async.execute [%urgent] {
        gpu.launch_func @kernels::@step blocks in (%c1, %c1, %c1)
            threads in (%c8, %c1, %c1) args(%a : memref<8xi32>, %one : i32)
        async.yield
      }
      async.await %plain : !async.token
    }
    gpu.memcpy %h, %a : memref<8xi32>, memref<8xi32>
    %v = vector.load %h[%c0] : memref<8xi32>, vector<8xi32>
    vector.print %v : vector<8xi32>
    gpu.dealloc %a : memref<8xi32>
    memref.dealloc %h : memref<8xi32>
    return
  }
}
