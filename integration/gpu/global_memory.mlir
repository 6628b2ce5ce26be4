// Memrefs in the device's global memory space on the host: allocated, filled,
// passed to a kernel and to a region, cast, copied.

module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @twice(%from: memref<4xf32, #gpu.address_space<global>>,
                    %to: memref<?xf32, strided<[?]>, #gpu.address_space<global>>) kernel {
      %t = gpu.thread_id x
      %x = memref.load %from[%t] : memref<4xf32, #gpu.address_space<global>>
      %y = arith.addf %x, %x : f32
      memref.store %y, %to[%t] : memref<?xf32, strided<[?]>, #gpu.address_space<global>>
      gpu.return
    }
  }
  // RUN: device schedules=200
  // CHECK: ( 5, 0, 5, 0, 5, 0, 5, 0 )
  // CHECK: ( 7.5, 2.5, 7.5, 2.5, 7.5, 2.5, 7.5, 2.5 )
  func.func @main() {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %c8 = arith.constant 8 : index
    %zero = arith.constant 0.0 : f32
    %x = arith.constant 2.5 : f32
    %t, %v = async.execute -> !async.value<memref<8xf32, #gpu.address_space<global>>> {
      %d = gpu.alloc () : memref<4xf32, #gpu.address_space<global>>
      %e = gpu.alloc () : memref<8xf32, #gpu.address_space<global>>
      gpu.memset %d, %x : memref<4xf32, #gpu.address_space<global>>, f32
      gpu.memset %e, %zero : memref<8xf32, #gpu.address_space<global>>, f32
      %even = memref.subview %e[0] [%c4] [2] : memref<8xf32, #gpu.address_space<global>>
        to memref<?xf32, strided<[2]>, #gpu.address_space<global>>
      %any = memref.cast %even : memref<?xf32, strided<[2]>, #gpu.address_space<global>>
        to memref<?xf32, strided<[?]>, #gpu.address_space<global>>
      gpu.launch_func @kernels::@twice blocks in (%c1, %c1, %c1) threads in (%c4, %c1, %c1)
        args(%d : memref<4xf32, #gpu.address_space<global>>,
             %any : memref<?xf32, strided<[?]>, #gpu.address_space<global>>)
      gpu.dealloc %d : memref<4xf32, #gpu.address_space<global>>
      async.yield %e : memref<8xf32, #gpu.address_space<global>>
    }
    %e = async.await %v : !async.value<memref<8xf32, #gpu.address_space<global>>>
    %h = memref.alloc() : memref<8xf32>
    gpu.memcpy %h, %e : memref<8xf32>, memref<8xf32, #gpu.address_space<global>>
    %row = vector.load %h[%c0] : memref<8xf32>, vector<8xf32>
    vector.print %row : vector<8xf32>

    // The same memory without the space, in a kernel that is outlined.
    %f = memref.memory_space_cast %e : memref<8xf32, #gpu.address_space<global>> to memref<8xf32>
    gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
               threads(%tx, %ty, %tz) in (%sx = %c8, %sy = %c1, %sz = %c1) {
      %y = memref.load %f[%tx] : memref<8xf32>
      %z = arith.addf %y, %x : f32
      memref.store %z, %e[%tx] : memref<8xf32, #gpu.address_space<global>>
      gpu.terminator
    }
    gpu.memcpy %h, %f : memref<8xf32>, memref<8xf32>
    %row2 = vector.load %h[%c0] : memref<8xf32>, vector<8xf32>
    vector.print %row2 : vector<8xf32>
    gpu.dealloc %e : memref<8xf32, #gpu.address_space<global>>
    memref.dealloc %h : memref<8xf32>
    return
  }
}
