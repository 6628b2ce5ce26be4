// Calls that cannot be captured, which the library finds out by trying, or that
// must not be: rounds with them are launched one by one.
// FLAGS: --graphs=on
// RULES: none, the host makes calls that a capture forbids
// LINK: graph_calls_library.c

module attributes {gpu.container_module} {
  func.func private @copy_pageable(memref<8xi32>, memref<8xi32>, i32)
      attributes {async_gpu.capture = "thread_local"}
  func.func private @keep_token(memref<8xi32>, memref<8xi32>)
      attributes {async_gpu.capture = "thread_local"}
  func.func private @add_and_copy(memref<8xi32>, memref<8xi32>, i32)
      attributes {async_gpu.capture = "thread_local"}
  func.func private @count_calls() -> i32
  func.func private @drop_token()

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
  // CHECK: 50
  // CHECK: 8
  // CHECK: 63
  // The last loop's six calls.
  // CHECK: 6
  func.func @main() {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c6 = arith.constant 6 : index
    %c8 = arith.constant 8 : index
    %c10 = arith.constant 10 : index
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %five = arith.constant 5 : i32
    %a = gpu.alloc() : memref<8xi32>
    %b = gpu.alloc() : memref<8xi32>
    gpu.memset %a, %zero : memref<8xi32>, i32
    gpu.memset %b, %zero : memref<8xi32>, i32
    // A host function, which a graph would run again and again.
    scf.for %i = %c0 to %c10 step %c1 {
      func.call @copy_pageable(%a, %b, %five) {async_gpu.enqueue}
        : (memref<8xi32>, memref<8xi32>, i32) -> ()
    }
    func.call @print_first(%a) : (memref<8xi32>) -> ()
    gpu.memset %a, %zero : memref<8xi32>, i32
    gpu.memset %b, %one : memref<8xi32>, i32
    // A token that someone may wait for after the call.
    scf.for %i = %c0 to %c8 step %c1 {
      func.call @keep_token(%a, %b) {async_gpu.enqueue}
        : (memref<8xi32>, memref<8xi32>) -> ()
    }
    func.call @print_first(%a) : (memref<8xi32>) -> ()
    func.call @drop_token() : () -> ()
    // One that the program forbids to capture is made in each round.
    gpu.memset %a, %zero : memref<8xi32>, i32
    gpu.memset %b, %zero : memref<8xi32>, i32
    %before = func.call @count_calls() : () -> i32
    scf.for %i = %c0 to %c6 step %c1 {
      func.call @add_and_copy(%a, %b, %one)
        {async_gpu.enqueue, async_gpu.capture = "never"}
        : (memref<8xi32>, memref<8xi32>, i32) -> ()
    }
    func.call @print_first(%a) : (memref<8xi32>) -> ()
    %after = func.call @count_calls() : () -> i32
    %made = arith.subi %after, %before : i32
    vector.print %made : i32
    gpu.dealloc %a : memref<8xi32>
    gpu.dealloc %b : memref<8xi32>
    return
  }
}
