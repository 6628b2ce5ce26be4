// Rounds of graphs side by side: an inference loop with two requests in flight, of which
// each comes behind the one before the last; independent rounds; and a model that is
// called for one request after the other, on whatever stream is free.
// FLAGS: --graphs=on

module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @layer(%a: memref<8xi32>, %i: index, %more: i32) kernel {
      %old = memref.load %a[%i] : memref<8xi32>
      %new = arith.addi %old, %more : i32
      memref.store %new, %a[%i] : memref<8xi32>
      gpu.return
    }
  }

  // Three layers, from 0 on: 1 + 2 + 3 more in a[i].
  func.func private @model(%before: !async.token, %a: memref<8xi32>, %i: index)
      -> !async.token {
    %c1 = arith.constant 1 : index
    %one = arith.constant 1 : i32
    %two = arith.constant 2 : i32
    %three = arith.constant 3 : i32
    %after = async.execute [%before] {
      gpu.launch_func @kernels::@layer blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1)
        args(%a : memref<8xi32>, %i : index, %one : i32)
      gpu.launch_func @kernels::@layer blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1)
        args(%a : memref<8xi32>, %i : index, %two : i32)
      gpu.launch_func @kernels::@layer blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1)
        args(%a : memref<8xi32>, %i : index, %three : i32)
      async.yield
    }
    return %after : !async.token
  }

  // Two in flight: request r in a[r mod 2].
  func.func private @two(%a: memref<8xi32>, %requests: index) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %none = async.execute {
      async.yield
    }
    %last:2 = scf.for %r = %c0 to %requests step %c1 iter_args(%older = %none, %newer = %none)
        -> (!async.token, !async.token) {
      %i = arith.remui %r, %c2 : index
      %done = func.call @model(%older, %a, %i)
          : (!async.token, memref<8xi32>, index) -> !async.token
      scf.yield %newer, %done : !async.token, !async.token
    }
    async.await %last#0 : !async.token
    async.await %last#1 : !async.token
    return
  }

  // The host looks at each request before the next one but one.
  func.func private @looked_at(%a: memref<8xi32>, %requests: index) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %c5 = arith.constant 5 : index
    %none = async.execute {
      async.yield
    }
    scf.for %r = %c0 to %requests step %c1 {
      %left = func.call @model(%none, %a, %c4)
          : (!async.token, memref<8xi32>, index) -> !async.token
      %right = func.call @model(%none, %a, %c5)
          : (!async.token, memref<8xi32>, index) -> !async.token
      async.await %left : !async.token
      async.await %right : !async.token
    }
    return
  }

  // RUN: device schedules=40
  // CHECK: 306
  // CHECK: 300
  // CHECK: 120
  // CHECK: 120
  func.func @main() {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %c5 = arith.constant 5 : index
    %c20 = arith.constant 20 : index
    %c101 = arith.constant 101 : index
    %zero = arith.constant 0 : i32
    %h = memref.alloc() : memref<8xi32>
    %a = gpu.alloc() : memref<8xi32>
    gpu.memset %a, %zero : memref<8xi32>, i32
    func.call @two(%a, %c101) : (memref<8xi32>, index) -> ()
    func.call @looked_at(%a, %c20) : (memref<8xi32>, index) -> ()
    gpu.memcpy %h, %a : memref<8xi32>, memref<8xi32>
    %h0 = memref.load %h[%c0] : memref<8xi32>
    vector.print %h0 : i32
    %h1 = memref.load %h[%c1] : memref<8xi32>
    vector.print %h1 : i32
    %h4 = memref.load %h[%c4] : memref<8xi32>
    vector.print %h4 : i32
    %h5 = memref.load %h[%c5] : memref<8xi32>
    vector.print %h5 : i32
    gpu.dealloc %a : memref<8xi32>
    memref.dealloc %h : memref<8xi32>
    return
  }
}
