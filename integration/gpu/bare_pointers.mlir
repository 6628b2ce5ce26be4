// Kernels that take memrefs as bare pointers: with offset and strides that the
// type says, in the global memory space, without dimensions; and one that is in
// the LLVM dialect already.
// LOWER: gpu-bare-pointers=true

module attributes {gpu.container_module} {
  gpu.module @m {
    // A kernel that is in the LLVM dialect already.
    llvm.func @llvm_add(%x: f32, %p: !llvm.ptr) attributes {gpu.kernel, nvvm.kernel} {
      %t = nvvm.read.ptx.sreg.tid.x : i32
      %i = llvm.sext %t : i32 to i64
      %a = llvm.getelementptr %p[%i] : (!llvm.ptr, i64) -> !llvm.ptr, f32
      %y = llvm.load %a : !llvm.ptr -> f32
      %z = llvm.fadd %x, %y : f32
      llvm.store %z, %a : f32, !llvm.ptr
      llvm.return
    }
    func.func private @helper(%m: memref<4xf32, strided<[2], offset: 1>>, %i: index) -> f32 {
      %x = memref.load %m[%i] : memref<4xf32, strided<[2], offset: 1>>
      return %x : f32
    }
    gpu.func @sum(%a: memref<4xf32, strided<[2], offset: 1>>, %b: memref<4xf32, #gpu.address_space<global>>, %c: memref<f32>) kernel {
      %t = gpu.thread_id x
      %x = func.call @helper(%a, %t) : (memref<4xf32, strided<[2], offset: 1>>, index) -> f32
      %y = memref.load %c[] : memref<f32>
      %z = arith.addf %x, %y : f32
      memref.store %z, %b[%t] : memref<4xf32, #gpu.address_space<global>>
      gpu.return
    }
  }
  // RUN: schedules=200
  // CHECK: ( 6, 6, 6, 6 )
  func.func @main() {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %x = arith.constant 1.0 : f32
    %y = arith.constant 2.5 : f32
    %z = arith.constant 0.0 : f32
    %d = gpu.alloc () : memref<9xf32>
    gpu.memset %d, %z : memref<9xf32>, f32
    %odd = memref.subview %d[1] [4] [2] : memref<9xf32> to memref<4xf32, strided<[2], offset: 1>>
    gpu.memset %odd, %y : memref<4xf32, strided<[2], offset: 1>>, f32
    %c = gpu.alloc () : memref<f32>
    gpu.memset %c, %x : memref<f32>, f32
    %b = gpu.alloc () : memref<4xf32, #gpu.address_space<global>>
    // 2.5 + 1, and 2.5 more.
    gpu.launch_func @m::@sum blocks in (%c1, %c1, %c1) threads in (%c4, %c1, %c1)
      args(%odd : memref<4xf32, strided<[2], offset: 1>>, %b : memref<4xf32, #gpu.address_space<global>>, %c : memref<f32>)
    gpu.launch_func @m::@llvm_add blocks in (%c1, %c1, %c1) threads in (%c4, %c1, %c1)
      args(%y : f32, %b : memref<4xf32, #gpu.address_space<global>>)
    %h = memref.alloc() : memref<4xf32>
    gpu.memcpy %h, %b : memref<4xf32>, memref<4xf32, #gpu.address_space<global>>
    %v = vector.load %h[%c0] : memref<4xf32>, vector<4xf32>
    vector.print %v : vector<4xf32>
    gpu.dealloc %d : memref<9xf32>
    gpu.dealloc %c : memref<f32>
    gpu.dealloc %b : memref<4xf32, #gpu.address_space<global>>
    memref.dealloc %h : memref<4xf32>
    return
  }
}
