// Loops whose rounds become graphs, several at a time: rounds that are all the same,
// rounds that differ, memory that lives for a round, functions and groups inside, and
// loops that run again with another number of rounds.
// FLAGS: --graphs=on

module attributes {gpu.container_module} {
  // x more in a[i]; a[2] = a[0] + a[1].
  gpu.module @kernels {
    gpu.func @add(%a: memref<8xi32>, %i: index, %x: memref<1xi32>) kernel {
      %c0 = arith.constant 0 : index
      %old = memref.load %a[%i] : memref<8xi32>
      %more = memref.load %x[%c0] : memref<1xi32>
      %new = arith.addi %old, %more : i32
      memref.store %new, %a[%i] : memref<8xi32>
      gpu.return
    }
    gpu.func @join(%a: memref<8xi32>) kernel {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c2 = arith.constant 2 : index
      %x = memref.load %a[%c0] : memref<8xi32>
      %y = memref.load %a[%c1] : memref<8xi32>
      %sum = arith.addi %x, %y : i32
      memref.store %sum, %a[%c2] : memref<8xi32>
      gpu.return
    }
  }

  func.func private @advance(%t: !async.token, %a: memref<8xi32>, %i: index, %x: memref<1xi32>)
      -> !async.token {
    %c1 = arith.constant 1 : index
    %next = async.execute [%t] {
      gpu.launch_func @kernels::@add blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1)
        args(%a : memref<8xi32>, %i : index, %x : memref<1xi32>)
      async.yield
    }
    return %next : !async.token
  }

  // The same rounds again and again, on two streams: 30 times 1 in a[0] and a[1].
  func.func private @same(%a: memref<8xi32>, %x: memref<1xi32>) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %rounds = arith.constant 30 : index
    %first = async.execute {
      async.yield
    }
    %last = scf.for %r = %c0 to %rounds step %c1 iter_args(%t = %first) -> !async.token {
      %left = func.call @advance(%t, %a, %c0, %x)
          : (!async.token, memref<8xi32>, index, memref<1xi32>) -> !async.token
      %right = func.call @advance(%t, %a, %c1, %x)
          : (!async.token, memref<8xi32>, index, memref<1xi32>) -> !async.token
      %both = async.execute [%left, %right] {
        gpu.launch_func @kernels::@join blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1)
          args(%a : memref<8xi32>)
        async.yield
      }
      scf.yield %both : !async.token
    }
    async.await %last : !async.token
    return
  }

  // Rounds that differ, as many as the caller says: one more in a[3 + r mod 2].
  func.func private @differ(%a: memref<8xi32>, %x: memref<1xi32>, %rounds: index) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c3 = arith.constant 3 : index
    scf.for %r = %c0 to %rounds step %c1 {
      %odd = arith.remui %r, %c2 : index
      %i = arith.addi %odd, %c3 : index
      gpu.launch_func @kernels::@add blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1)
        args(%a : memref<8xi32>, %i : index, %x : memref<1xi32>)
      gpu.launch_func @kernels::@add blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1)
        args(%a : memref<8xi32>, %c0 : index, %x : memref<1xi32>)
    }
    return
  }

  // Rounds with memory of their own, two blocks of it at a time, in a group: 3 and 4 more
  // in a[5] for each.
  func.func private @memory(%a: memref<8xi32>) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c5 = arith.constant 5 : index
    %rounds = arith.constant 25 : index
    %three = arith.constant 3 : i32
    %four = arith.constant 4 : i32
    %group = async.create_group %rounds : !async.group
    %first = async.execute {
      async.yield
    }
    %last = scf.for %r = %c0 to %rounds step %c1 iter_args(%t = %first) -> !async.token {
      %next = async.execute [%t] {
        %y = gpu.alloc() : memref<1xi32>
        %z = gpu.alloc() : memref<1xi32>
        gpu.memset %y, %three : memref<1xi32>, i32
        gpu.memset %z, %four : memref<1xi32>, i32
        gpu.launch_func @kernels::@add blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1)
          args(%a : memref<8xi32>, %c5 : index, %z : memref<1xi32>)
        gpu.dealloc %z : memref<1xi32>
        %w = gpu.alloc() : memref<1xi32>
        gpu.memcpy %w, %y : memref<1xi32>, memref<1xi32>
        gpu.launch_func @kernels::@add blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1)
          args(%a : memref<8xi32>, %c5 : index, %w : memref<1xi32>)
        gpu.dealloc %y : memref<1xi32>
        gpu.dealloc %w : memref<1xi32>
        async.yield
      }
      async.add_to_group %next, %group : !async.token
      scf.yield %next : !async.token
    }
    async.await_all %group
    return
  }

  // RUN: device schedules=40
  // CHECK: 30
  // CHECK: 30
  // CHECK: 60
  // CHECK: 74
  // CHECK: 24
  // CHECK: 20
  // CHECK: 175
  func.func @main() {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c9 = arith.constant 9 : index
    %c17 = arith.constant 17 : index
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %h = memref.alloc() : memref<8xi32>
    %a = gpu.alloc() : memref<8xi32>
    %x = gpu.alloc() : memref<1xi32>
    gpu.memset %a, %zero : memref<8xi32>, i32
    gpu.memset %x, %one : memref<1xi32>, i32
    func.call @same(%a, %x) : (memref<8xi32>, memref<1xi32>) -> ()
    gpu.memcpy %h, %a : memref<8xi32>, memref<8xi32>
    %h0 = memref.load %h[%c0] : memref<8xi32>
    vector.print %h0 : i32
    %h1 = memref.load %h[%c1] : memref<8xi32>
    vector.print %h1 : i32
    // 9 + 9 + 9 + 17 = 44 rounds, of which 5 + 5 + 5 + 9 = 24 are even.
    func.call @differ(%a, %x, %c9) : (memref<8xi32>, memref<1xi32>, index) -> ()
    func.call @differ(%a, %x, %c9) : (memref<8xi32>, memref<1xi32>, index) -> ()
    func.call @differ(%a, %x, %c9) : (memref<8xi32>, memref<1xi32>, index) -> ()
    func.call @differ(%a, %x, %c17) : (memref<8xi32>, memref<1xi32>, index) -> ()
    func.call @memory(%a) : (memref<8xi32>) -> ()
    gpu.memcpy %h, %a : memref<8xi32>, memref<8xi32>
    %c2 = arith.constant 2 : index
    %c3 = arith.constant 3 : index
    %c4 = arith.constant 4 : index
    %c5 = arith.constant 5 : index
    %h2 = memref.load %h[%c2] : memref<8xi32>
    vector.print %h2 : i32
    %g0 = memref.load %h[%c0] : memref<8xi32>
    vector.print %g0 : i32
    %h3 = memref.load %h[%c3] : memref<8xi32>
    vector.print %h3 : i32
    %h4 = memref.load %h[%c4] : memref<8xi32>
    vector.print %h4 : i32
    %h5 = memref.load %h[%c5] : memref<8xi32>
    vector.print %h5 : i32
    gpu.dealloc %x : memref<1xi32>
    gpu.dealloc %a : memref<8xi32>
    memref.dealloc %h : memref<8xi32>
    return
  }
}
