// Two halves of a line of cells, on a device each, that exchange what is at their
// ends after each step, and a third device that adds up both: each round is one
// launch of a graph with nodes on three devices.
// CARD: unpacked, it may have fewer devices
// DEVICES: 3
// FLAGS: --graphs=on

module attributes {gpu.container_module} {
  gpu.module @kernels {
    // Cells 1 to 8 of `from`, with those beside them added, into `to`; 0 and 9 are
    // the neighbours'.
    gpu.func @step(%to: memref<10xi32>, %from: memref<10xi32>, %n: i32) kernel {
      %t = gpu.thread_id x
      %one = arith.constant 1 : index
      %m = arith.addi %t, %one : index
      %r = arith.addi %m, %one : index
      %a = memref.load %from[%t] : memref<10xi32>
      %b = memref.load %from[%m] : memref<10xi32>
      %c = memref.load %from[%r] : memref<10xi32>
      %x = arith.addi %a, %b : i32
      %y = arith.addi %x, %c : i32
      %z = arith.addi %y, %n : i32
      memref.store %z, %to[%m] : memref<10xi32>
      gpu.return
    }
    gpu.func @add(%sums: memref<10xi32>, %a: memref<10xi32>, %b: memref<10xi32>) kernel {
      %t = gpu.thread_id x
      %s = memref.load %sums[%t] : memref<10xi32>
      %x = memref.load %a[%t] : memref<10xi32>
      %y = memref.load %b[%t] : memref<10xi32>
      %z = arith.addi %x, %y : i32
      %w = arith.addi %s, %z : i32
      memref.store %w, %sums[%t] : memref<10xi32>
      gpu.return
    }
  }
  // RUN: devices
  // RUN: EMU_DEVICES=3 schedules=40
  // RUN: EMU_DEVICES=3 EMU_CHECK=races,memory
  // CHECK: 811231944
  // CHECK: -2030520022
  // CHECK: -268930413
  func.func @main() {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c8 = arith.constant 8 : index
    %c9 = arith.constant 9 : index
    %c10 = arith.constant 10 : index
    %n = arith.constant 20 : index
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %a0 = gpu.alloc () : memref<10xi32>
    %b0 = gpu.alloc () : memref<10xi32>
    gpu.memset %a0, %one : memref<10xi32>, i32
    gpu.memset %b0, %one : memref<10xi32>, i32
    %a1, %b1 = func.call @second() : () -> (memref<10xi32>, memref<10xi32>)
    %sums = func.call @third() : () -> memref<10xi32>
    %f = async.execute { async.yield }
    %l:3 = scf.for %i = %c0 to %n step %c1 iter_args(%t0 = %f, %t1 = %f, %t2 = %f)
        -> (!async.token, !async.token, !async.token) {
      %k0 = async.execute [%t0, %t1, %t2] attributes {async_gpu.device = 0 : i32} {
        gpu.launch_func @kernels::@step blocks in (%c1, %c1, %c1) threads in (%c8, %c1, %c1) args(%b0 : memref<10xi32>, %a0 : memref<10xi32>, %zero : i32)
        async.yield
      }
      %k1 = async.execute [%t0, %t1, %t2] attributes {async_gpu.device = 1 : i32} {
        gpu.launch_func @kernels::@step blocks in (%c1, %c1, %c1) threads in (%c8, %c1, %c1) args(%b1 : memref<10xi32>, %a1 : memref<10xi32>, %one : i32)
        async.yield
      }
      // The halo: peer copies behind both.
      %h0 = async.execute [%k0, %k1] attributes {async_gpu.device = 0 : i32} {
        %from = memref.subview %b1[1] [1] [1] : memref<10xi32> to memref<1xi32, strided<[1], offset: 1>>
        %to = memref.subview %b0[9] [1] [1] : memref<10xi32> to memref<1xi32, strided<[1], offset: 9>>
        gpu.memcpy %to, %from : memref<1xi32, strided<[1], offset: 9>>, memref<1xi32, strided<[1], offset: 1>>
        gpu.memcpy %a0, %b0 : memref<10xi32>, memref<10xi32>
        async.yield
      }
      %h1 = async.execute [%k0, %k1] attributes {async_gpu.device = 1 : i32} {
        %from = memref.subview %b0[8] [1] [1] : memref<10xi32> to memref<1xi32, strided<[1], offset: 8>>
        %to = memref.subview %b1[0] [1] [1] : memref<10xi32> to memref<1xi32, strided<[1]>>
        gpu.memcpy %to, %from : memref<1xi32, strided<[1]>>, memref<1xi32, strided<[1], offset: 8>>
        gpu.memcpy %a1, %b1 : memref<10xi32>, memref<10xi32>
        async.yield
      }
      // It reads memory of both others.
      %s = async.execute [%h0, %h1] attributes {async_gpu.device = 2 : i32} {
        gpu.launch_func @kernels::@add blocks in (%c1, %c1, %c1) threads in (%c10, %c1, %c1) args(%sums : memref<10xi32>, %a0 : memref<10xi32>, %a1 : memref<10xi32>)
        async.yield
      }
      scf.yield %h0, %h1, %s : !async.token, !async.token, !async.token
    }
    async.await %l#0 : !async.token
    async.await %l#1 : !async.token
    async.await %l#2 : !async.token
    %host = memref.alloc() : memref<10xi32>
    gpu.memcpy %host, %a0 : memref<10xi32>, memref<10xi32>
    func.call @show(%host) : (memref<10xi32>) -> ()
    gpu.memcpy %host, %a1 : memref<10xi32>, memref<10xi32>
    func.call @show(%host) : (memref<10xi32>) -> ()
    gpu.memcpy %host, %sums : memref<10xi32>, memref<10xi32>
    func.call @show(%host) : (memref<10xi32>) -> ()
    gpu.dealloc %sums : memref<10xi32>
    gpu.dealloc %a0 : memref<10xi32>
    gpu.dealloc %b0 : memref<10xi32>
    gpu.dealloc %a1 : memref<10xi32>
    gpu.dealloc %b1 : memref<10xi32>
    memref.dealloc %host : memref<10xi32>
    return
  }
  func.func @second() -> (memref<10xi32>, memref<10xi32>) attributes {async_gpu.device = 1 : i32} {
    %one = arith.constant 1 : i32
    %a1 = gpu.alloc () : memref<10xi32>
    %b1 = gpu.alloc () : memref<10xi32>
    gpu.memset %a1, %one : memref<10xi32>, i32
    gpu.memset %b1, %one : memref<10xi32>, i32
    return %a1, %b1 : memref<10xi32>, memref<10xi32>
  }
  func.func @third() -> memref<10xi32> attributes {async_gpu.device = 2 : i32} {
    %zero = arith.constant 0 : i32
    %sums = gpu.alloc () : memref<10xi32>
    gpu.memset %sums, %zero : memref<10xi32>, i32
    return %sums : memref<10xi32>
  }
  func.func @show(%h: memref<10xi32>) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c10 = arith.constant 10 : index
    %zero = arith.constant 0 : i32
    %s = scf.for %j = %c0 to %c10 step %c1 iter_args(%t = %zero) -> i32 {
      %x = memref.load %h[%j] : memref<10xi32>
      %k = arith.constant 31 : i32
      %y = arith.muli %t, %k : i32
      %z = arith.addi %y, %x : i32
      scf.yield %z : i32
    }
    vector.print %s : i32
    return
  }
}
