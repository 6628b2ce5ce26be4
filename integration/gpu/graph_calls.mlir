// Calls of a C library in rounds that become graphs: a kernel and a copy on the stream
// that it is given, and two streams that events join. It is called again only for
// arguments that it has not been called with.
// FLAGS: --graphs=on
// LINK: graph_calls_library.c

module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @scale(%a: memref<8xi32>) kernel {
      %two = arith.constant 2 : i32
      %b = gpu.block_id x
      %x = memref.load %a[%b] : memref<8xi32>
      %y = arith.muli %x, %two : i32
      memref.store %y, %a[%b] : memref<8xi32>
      gpu.return
    }
  }

  func.func private @add_and_copy(memref<8xi32>, memref<8xi32>, i32)
      attributes {async_gpu.capture = "thread_local"}
  func.func private @fork_and_join(memref<8xi32>, memref<8xi32>, memref<8xi32>)

  func.func @print_first(%d: memref<8xi32>) {
    %c0 = arith.constant 0 : index
    %h = memref.alloc() : memref<8xi32>
    %t = async.execute {
      gpu.memcpy %h, %d : memref<8xi32>, memref<8xi32>
      async.yield
    }
    async.await %t : !async.token
    %x = memref.load %h[%c0] : memref<8xi32>
    vector.print %x : i32
    memref.dealloc %h : memref<8xi32>
    return
  }

  // RUN: device schedules=50
  // CHECK: 699050
  // CHECK: 121
  // CHECK: 63
  // CHECK: 960
  func.func @main() {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c6 = arith.constant 6 : index
    %c8 = arith.constant 8 : index
    %c10 = arith.constant 10 : index
    %c12 = arith.constant 12 : index
    %c30 = arith.constant 30 : index
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %a = gpu.alloc() : memref<8xi32>
    %b = gpu.alloc() : memref<8xi32>
    %c = gpu.alloc() : memref<8xi32>
    gpu.memset %a, %zero : memref<8xi32>, i32
    gpu.memset %b, %zero : memref<8xi32>, i32
    gpu.memset %c, %zero : memref<8xi32>, i32

    // All rounds do the same, between kernels of the program: a = 2 a, then
    // a += b + 1, b = a: from 1, 4 times as much and 1 more each round.
    scf.for %i = %c0 to %c10 step %c1 {
      gpu.launch_func @kernels::@scale blocks in (%c8, %c1, %c1)
          threads in (%c1, %c1, %c1) args(%a : memref<8xi32>)
      func.call @add_and_copy(%a, %b, %one) {async_gpu.enqueue}
        : (memref<8xi32>, memref<8xi32>, i32) -> ()
      gpu.launch_func @kernels::@scale blocks in (%c8, %c1, %c1)
          threads in (%c1, %c1, %c1) args(%b : memref<8xi32>)
    }
    func.call @print_first(%b) : (memref<8xi32>) -> ()

    // Each round has another number: a call each.
    gpu.memset %a, %zero : memref<8xi32>, i32
    gpu.memset %b, %zero : memref<8xi32>, i32
    scf.for %i = %c0 to %c12 step %c1 {
      %n = arith.index_cast %i : index to i32
      func.call @add_and_copy(%a, %b, %n) {async_gpu.enqueue}
        : (memref<8xi32>, memref<8xi32>, i32) -> ()
      gpu.memset %b, %n : memref<8xi32>, i32
    }
    func.call @print_first(%a) : (memref<8xi32>) -> ()

    // a and b go by turns: two captures.
    gpu.memset %a, %zero : memref<8xi32>, i32
    gpu.memset %b, %zero : memref<8xi32>, i32
    %l:2 = scf.for %i = %c0 to %c6 step %c1 iter_args(%x = %a, %y = %b)
        -> (memref<8xi32>, memref<8xi32>) {
      func.call @add_and_copy(%x, %y, %one) {async_gpu.enqueue}
        : (memref<8xi32>, memref<8xi32>, i32) -> ()
      scf.yield %y, %x : memref<8xi32>, memref<8xi32>
    }
    func.call @print_first(%l#0) : (memref<8xi32>) -> ()

    // Two streams.
    gpu.memset %a, %zero : memref<8xi32>, i32
    gpu.memset %b, %zero : memref<8xi32>, i32
    scf.for %i = %c0 to %c30 step %c1 {
      func.call @fork_and_join(%a, %b, %c)
        {async_gpu.enqueue, async_gpu.capture = "relaxed"}
        : (memref<8xi32>, memref<8xi32>, memref<8xi32>) -> ()
    }
    func.call @print_first(%a) : (memref<8xi32>) -> ()
    gpu.dealloc %a : memref<8xi32>
    gpu.dealloc %b : memref<8xi32>
    gpu.dealloc %c : memref<8xi32>
    return
  }
}
