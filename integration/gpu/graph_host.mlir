// Rounds with a short region of the host in the middle, which is a node of their graph:
// one that is given the round's number, one that is the same in each round, and a longer
// round that prints, so that it is two parts with a region between them.
// FLAGS: --graphs=on

module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @add(%a: memref<8xi32>, %b: memref<8xi32>) kernel {
      %t = gpu.thread_id x
      %x = memref.load %a[%t] : memref<8xi32>
      %y = memref.load %b[%t] : memref<8xi32>
      %z = arith.addi %x, %y : i32
      memref.store %z, %a[%t] : memref<8xi32>
      gpu.return
    }
  }

  // a = a + b; h = a.
  func.func private @add(%t: !async.token, %a: memref<8xi32>, %b: memref<8xi32>,
                         %h: memref<8xi32>) -> !async.token {
    %c1 = arith.constant 1 : index
    %c8 = arith.constant 8 : index
    %next = async.execute [%t] {
      gpu.launch_func @kernels::@add blocks in (%c1, %c1, %c1) threads in (%c8, %c1, %c1)
        args(%a : memref<8xi32>, %b : memref<8xi32>)
      gpu.memcpy %h, %a : memref<8xi32>, memref<8xi32>
      async.yield
    }
    return %next : !async.token
  }

  func.func private @more(%h: memref<8xi32>, %j: index, %n: i32) {
    %x = memref.load %h[%j] : memref<8xi32>
    %y = arith.addi %x, %n : i32
    memref.store %y, %h[%j] : memref<8xi32>
    return
  }

  // a is 0 and b is 1. Round r, from 0 on: a = a + b, b = a + r. So a is 2^r - r after r
  // rounds, and what b gets then 2^r - 1; the sum of that over 24 rounds is 2^25 - 26.
  func.func private @differ(%a: memref<8xi32>, %b: memref<8xi32>, %h: memref<8xi32>,
                            %sum: memref<1xi32>) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c8 = arith.constant 8 : index
    %rounds = arith.constant 24 : index
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    memref.store %zero, %sum[%c0] : memref<1xi32>
    %first = async.execute {
      gpu.memset %a, %zero : memref<8xi32>, i32
      gpu.memset %b, %one : memref<8xi32>, i32
      async.yield
    }
    %last = scf.for %r = %c0 to %rounds step %c1 iter_args(%t = %first) -> !async.token {
      %n = arith.index_cast %r : index to i32
      %t1 = async.execute [%t] {
        gpu.launch_func @kernels::@add blocks in (%c1, %c1, %c1) threads in (%c8, %c1, %c1)
          args(%a : memref<8xi32>, %b : memref<8xi32>)
        gpu.memcpy %h, %a : memref<8xi32>, memref<8xi32>
        async.yield
      }
      %t2 = async.execute [%t1] {
        scf.for %j = %c0 to %c8 step %c1 {
          func.call @more(%h, %j, %n) : (memref<8xi32>, index, i32) -> ()
        }
        %x = memref.load %h[%c0] : memref<8xi32>
        %y = memref.load %sum[%c0] : memref<1xi32>
        %z = arith.addi %x, %y : i32
        memref.store %z, %sum[%c0] : memref<1xi32>
        async.yield
      }
      %t3 = async.execute [%t2] {
        gpu.memcpy %b, %h : memref<8xi32>, memref<8xi32>
        async.yield
      }
      scf.yield %t3 : !async.token
    }
    async.await %last : !async.token
    return
  }

  // a is 0 and b is 1. Each round: a = a + b, then b is how many rounds there were. After
  // 20 rounds a is 1 + (1 + ... + 19).
  func.func private @same(%a: memref<8xi32>, %b: memref<8xi32>, %h: memref<8xi32>,
                          %count: memref<1xi32>) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c8 = arith.constant 8 : index
    %rounds = arith.constant 20 : index
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    memref.store %zero, %count[%c0] : memref<1xi32>
    %first = async.execute {
      gpu.memset %a, %zero : memref<8xi32>, i32
      gpu.memset %b, %one : memref<8xi32>, i32
      async.yield
    }
    %last = scf.for %r = %c0 to %rounds step %c1 iter_args(%t = %first) -> !async.token {
      %t1 = async.execute [%t] {
        gpu.launch_func @kernels::@add blocks in (%c1, %c1, %c1) threads in (%c8, %c1, %c1)
          args(%a : memref<8xi32>, %b : memref<8xi32>)
        async.yield
      }
      %t2 = async.execute [%t1] {
        %x = memref.load %count[%c0] : memref<1xi32>
        %y = arith.addi %x, %one : i32
        memref.store %y, %count[%c0] : memref<1xi32>
        scf.for %j = %c0 to %c8 step %c1 {
          memref.store %y, %h[%j] : memref<8xi32>
        }
        async.yield
      }
      %t3 = async.execute [%t2] {
        gpu.memcpy %b, %h : memref<8xi32>, memref<8xi32>
        async.yield
      }
      scf.yield %t3 : !async.token
    }
    async.await %last : !async.token
    return
  }

  // a is 1, b too. Three rounds, in which the host prints a, and then b becomes a.
  func.func private @print(%a: memref<8xi32>, %b: memref<8xi32>, %h: memref<8xi32>) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c3 = arith.constant 3 : index
    %one = arith.constant 1 : i32
    %first = async.execute {
      gpu.memset %a, %one : memref<8xi32>, i32
      gpu.memset %b, %one : memref<8xi32>, i32
      async.yield
    }
    %last = scf.for %r = %c0 to %c3 step %c1 iter_args(%t = %first) -> !async.token {
      %t1 = func.call @add(%t, %a, %b, %h)
          : (!async.token, memref<8xi32>, memref<8xi32>, memref<8xi32>) -> !async.token
      %t2 = async.execute [%t1] {
        %x = memref.load %h[%c0] : memref<8xi32>
        vector.print %x : i32
        async.yield
      }
      %t3 = async.execute [%t2] {
        gpu.memcpy %b, %h : memref<8xi32>, memref<8xi32>
        async.yield
      }
      scf.yield %t3 : !async.token
    }
    async.await %last : !async.token
    return
  }

  func.func private @print_last(%a: memref<8xi32>, %h: memref<8xi32>, %cell: memref<1xi32>) {
    %c0 = arith.constant 0 : index
    %c7 = arith.constant 7 : index
    %t = async.execute {
      gpu.memcpy %h, %a : memref<8xi32>, memref<8xi32>
      async.yield
    }
    async.await %t : !async.token
    %x = memref.load %h[%c7] : memref<8xi32>
    vector.print %x : i32
    %y = memref.load %cell[%c0] : memref<1xi32>
    vector.print %y : i32
    return
  }

  // RUN: device schedules=50
  // CHECK: 16777192
  // CHECK: 33554406
  // CHECK: 191
  // CHECK: 20
  // CHECK: 16777192
  // CHECK: 33554406
  // CHECK: 2
  // CHECK: 4
  // CHECK: 8
  func.func @main() {
    %a = gpu.alloc() : memref<8xi32>
    %b = gpu.alloc() : memref<8xi32>
    %h = gpu.alloc host_shared() : memref<8xi32>
    %cell = memref.alloc() : memref<1xi32>
    func.call @differ(%a, %b, %h, %cell)
        : (memref<8xi32>, memref<8xi32>, memref<8xi32>, memref<1xi32>) -> ()
    func.call @print_last(%a, %h, %cell) : (memref<8xi32>, memref<8xi32>, memref<1xi32>) -> ()
    func.call @same(%a, %b, %h, %cell)
        : (memref<8xi32>, memref<8xi32>, memref<8xi32>, memref<1xi32>) -> ()
    func.call @print_last(%a, %h, %cell) : (memref<8xi32>, memref<8xi32>, memref<1xi32>) -> ()
    func.call @differ(%a, %b, %h, %cell)
        : (memref<8xi32>, memref<8xi32>, memref<8xi32>, memref<1xi32>) -> ()
    func.call @print_last(%a, %h, %cell) : (memref<8xi32>, memref<8xi32>, memref<1xi32>) -> ()
    func.call @print(%a, %b, %h) : (memref<8xi32>, memref<8xi32>, memref<8xi32>) -> ()
    gpu.dealloc %a : memref<8xi32>
    gpu.dealloc %b : memref<8xi32>
    gpu.dealloc %h : memref<8xi32>
    memref.dealloc %cell : memref<1xi32>
    return
  }
}
