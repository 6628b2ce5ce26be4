// Regions of the host in rounds that become graphs fail: an assertion, which no node
// of a graph can report, so that the region stays a task; and an access to memory of the
// device, in a node.
// FLAGS: --graphs=on

module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @add(%a: memref<4xi32>) kernel {
      %c0 = arith.constant 0 : index
      %one = arith.constant 1 : i32
      %x = memref.load %a[%c0] : memref<4xi32>
      %y = arith.addi %x, %one : i32
      memref.store %y, %a[%c0] : memref<4xi32>
      gpu.return
    }
  }

  // RUN: @asserts device
  // ERROR: graph_host.mlir:[[@LINE+23]]:9: error: {{.*}}five is too many
  func.func @asserts() {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %rounds = arith.constant 12 : index
    %zero = arith.constant 0 : i32
    %five = arith.constant 5 : i32
    %a = gpu.alloc() : memref<4xi32>
    %h = gpu.alloc host_shared() : memref<4xi32>
    %first = async.execute {
      gpu.memset %a, %zero : memref<4xi32>, i32
      async.yield
    }
    %last = scf.for %r = %c0 to %rounds step %c1 iter_args(%t = %first) -> !async.token {
      %t1 = async.execute [%t] {
        gpu.launch_func @kernels::@add blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1)
          args(%a : memref<4xi32>)
        gpu.memcpy %h, %a : memref<4xi32>, memref<4xi32>
        async.yield
      }
      %t2 = async.execute [%t1] {
        %x = memref.load %h[%c0] : memref<4xi32>
        %less = arith.cmpi slt, %x, %five : i32
        cf.assert %less, "five is too many"
        async.yield
      }
      %t3 = async.execute [%t2] {
        gpu.memcpy %a, %h : memref<4xi32>, memref<4xi32>
        async.yield
      }
      scf.yield %t3 : !async.token
    }
    async.await %last : !async.token
    vector.print str "the program must not get here\n"
    return
  }

  // RUN: @reads endless EMU_CHECK=memory
  // ERROR: graph_host.mlir:[[@LINE+21]]:16: error: the host reads 4 bytes of device memory, at byte 0 of the 16 allocated at {{.*}}graph_host.mlir:[[@LINE+6]]:10: copy it
  func.func @reads() {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %rounds = arith.constant 12 : index
    %zero = arith.constant 0 : i32
    %a = gpu.alloc() : memref<4xi32>
    %h = gpu.alloc host_shared() : memref<4xi32>
    %first = async.execute {
      gpu.memset %a, %zero : memref<4xi32>, i32
      async.yield
    }
    %last = scf.for %r = %c0 to %rounds step %c1 iter_args(%t = %first) -> !async.token {
      %t1 = async.execute [%t] {
        gpu.launch_func @kernels::@add blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1)
          args(%a : memref<4xi32>)
        async.yield
      }
      %t2 = async.execute [%t1] {
        %is = arith.cmpi eq, %r, %c1 : index
        scf.if %is {
          %x = memref.load %a[%c0] : memref<4xi32>
          memref.store %x, %h[%c0] : memref<4xi32>
        }
        async.yield
      }
      %t3 = async.execute [%t2] {
        gpu.memcpy %a, %h : memref<4xi32>, memref<4xi32>
        async.yield
      }
      scf.yield %t3 : !async.token
    }
    async.await %last : !async.token
    vector.print str "the program must not get here\n"
    return
  }
}
