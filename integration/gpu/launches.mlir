// Launches in every form: with and without tokens, sizes of any type, shared
// memory, clusters, streams of the program's own, kernels of several modules
// with and without targets, launches that are still to be outlined.

module attributes {gpu.container_module} {
  // The runtime's own, under the names of upstream's: a program's own stream.
  func.func private @mgpuStreamCreate() -> !llvm.ptr attributes {async_gpu.observes = false}
  func.func private @mgpuStreamDestroy(!llvm.ptr) attributes {async_gpu.observes = false}

  gpu.module @sums {
    gpu.func @update(%m: memref<8xi32>, %x: i32) kernel {
      %i = gpu.global_id x
      %y = memref.load %m[%i] : memref<8xi32>
      %z = arith.addi %y, %x : i32
      memref.store %z, %m[%i] : memref<8xi32>
      gpu.return
    }
  }
  gpu.module @products [#nvvm.target<chip = "sm_75">] {
    gpu.func @update(%m: memref<8xi32>, %x: i32) kernel {
      %i = gpu.global_id x
      %y = memref.load %m[%i] : memref<8xi32>
      %z = arith.muli %y, %x : i32
      memref.store %z, %m[%i] : memref<8xi32>
      gpu.return
    }
  }

  func.func private @print(%d: memref<8xi32>) {
    %c0 = arith.constant 0 : index
    %h = memref.alloc() : memref<8xi32>
    gpu.memcpy %h, %d : memref<8xi32>, memref<8xi32>
    %v = vector.load %h[%c0] : memref<8xi32>, vector<8xi32>
    vector.print %v : vector<8xi32>
    memref.dealloc %h : memref<8xi32>
    return
  }

  // RUN: device schedules=200
  // CHECK: ( 5, 5, 5, 5, 5, 5, 5, 5 )
  // CHECK: ( 14, 14, 14, 14, 14, 14, 14, 14 )
  // CHECK: ( 119, 119, 119, 119, 119, 119, 119, 119 )
  // CHECK: ( 239, 239, 239, 239, 239, 239, 239, 239 )
  func.func @main() {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c4 = arith.constant 4 : index
    %c8 = arith.constant 8 : index
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %two = arith.constant 2 : i32
    %three = arith.constant 3 : i32
    %four = arith.constant 4 : i32
    %bytes = arith.constant 256 : i32
    %l1 = arith.constant 1 : i64
    %l8 = arith.constant 8 : i64
    %d = gpu.alloc () : memref<8xi32>
    gpu.memset %d, %zero : memref<8xi32>, i32

    // 1, then * 3, then + 2: in the order of the program or of tokens.
    gpu.launch_func @sums::@update blocks in (%c1, %c1, %c1) threads in (%c8, %c1, %c1)
      args(%d : memref<8xi32>, %one : i32)
    %t1 = gpu.launch_func async @products::@update blocks in (%l8, %l1, %l1) threads in (%l1, %l1, %l1) : i64
      dynamic_shared_memory_size %bytes args(%d : memref<8xi32>, %three : i32)
    %t2 = gpu.launch_func async [%t1] @sums::@update blocks in (%four, %one, %one) threads in (%two, %one, %one) : i32
      args(%d : memref<8xi32>, %two : i32)
    call @print(%d) : (memref<8xi32>) -> ()

    // Nothing to launch.
    %t3 = gpu.launch_func async [%t1, %t2, %t1] @sums::@update blocks in (%c0, %c1, %c1) threads in (%c8, %c1, %c1)
      args(%d : memref<8xi32>, %one : i32)

    // In clusters of 2, and of 4 on a stream of its own: 5 * 2 + 4.
    gpu.launch_func @products::@update clusters in (%c2, %c1, %c1) blocks in (%c8, %c1, %c1) threads in (%c1, %c1, %c1)
      args(%d : memref<8xi32>, %two : i32)
    %s = call @mgpuStreamCreate() : () -> !llvm.ptr
    gpu.launch_func <%s : !llvm.ptr> @sums::@update clusters in (%c4, %c1, %c1) blocks in (%c4, %c1, %c1) threads in (%c2, %c1, %c1)
      args(%d : memref<8xi32>, %four : i32)
    call @print(%d) : (memref<8xi32>) -> ()

    // Alternating between the region's stream and the program's: 14 * 2 + 1,
    // * 2 + 1, * 2 + 1.
    %t, %v = async.execute -> !async.value<memref<8xi32>> {
      scf.for %i = %c0 to %c1 step %c1 {
        gpu.launch_func <%s : !llvm.ptr> @products::@update blocks in (%c1, %c1, %c1) threads in (%c8, %c1, %c1)
          args(%d : memref<8xi32>, %two : i32)
        gpu.launch_func @sums::@update blocks in (%c8, %c1, %c1) threads in (%c1, %c1, %c1)
          args(%d : memref<8xi32>, %one : i32)
      }
      async.yield %d : memref<8xi32>
    }
    %t4 = async.execute (%v as %e: !async.value<memref<8xi32>>) {
      scf.for %i = %c0 to %c2 step %c1 {
        gpu.launch_func @products::@update blocks in (%c1, %c1, %c1) threads in (%c8, %c1, %c1)
          args(%e : memref<8xi32>, %two : i32)
        gpu.launch_func <%s : !llvm.ptr> @sums::@update blocks in (%c8, %c1, %c1) threads in (%c1, %c1, %c1)
          args(%e : memref<8xi32>, %one : i32)
      }
      async.yield
    }
    async.await %t4 : !async.token
    call @print(%d) : (memref<8xi32>) -> ()

    // No stream of its own: the null pointer.
    %none = llvm.mlir.zero : !llvm.ptr
    gpu.launch_func <%none : !llvm.ptr> @sums::@update blocks in (%c8, %c1, %c1) threads in (%c1, %c1, %c1)
      args(%d : memref<8xi32>, %one : i32)

    // Outlined: in clusters, with shared memory and tokens; under names that
    // the program chooses. 120 * 2 - 1.
    %t5 = gpu.wait async
    %t6 = gpu.launch async [%t5]
        clusters(%kx, %ky, %kz) in (%ax = %c2, %ay = %c1, %az = %c1)
        blocks(%bx, %by, %bz) in (%gx = %c4, %gy = %c1, %gz = %c1)
        threads(%tx, %ty, %tz) in (%sx = %c2, %sy = %c1, %sz = %c1)
        dynamic_shared_memory_size %bytes {
      %base = arith.muli %bx, %c2 : index
      %i = arith.addi %base, %tx : index
      %y = memref.load %d[%i] : memref<8xi32>
      %z = arith.muli %y, %two : i32
      memref.store %z, %d[%i] : memref<8xi32>
      gpu.terminator
    }
    gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
               threads(%tx, %ty, %tz) in (%sx = %c8, %sy = %c1, %sz = %c1)
               module(@named) function(@minus_one) {
      %y = memref.load %d[%tx] : memref<8xi32>
      %z = arith.subi %y, %one : i32
      memref.store %z, %d[%tx] : memref<8xi32>
      gpu.terminator
    }
    call @print(%d) : (memref<8xi32>) -> ()
    gpu.dealloc %d : memref<8xi32>
    gpu.wait
    call @mgpuStreamDestroy(%s) : (!llvm.ptr) -> ()
    return
  }
}
