// What the runtime has no call for.
// RUN: async-gpu-opt %s --async-gpu-stream-calls --split-input-file --verify-diagnostics

func.func @unranked(%s: !agpu.stream, %m: memref<*xf32>, %x: f32) {
  // expected-error@+1 {{gpu.memset of an unranked memref is not supported: cast it to a ranked memref first}}
  "agpu.memset"(%s, %m, %x) : (!agpu.stream, memref<*xf32>, f32) -> ()
  // expected-error@+1 {{gpu.dealloc of an unranked memref is not supported: cast it to a ranked memref first}}
  "agpu.dealloc"(%s, %m) : (!agpu.stream, memref<*xf32>) -> ()
  return
}

// -----

func.func @layout(%s: !agpu.stream) {
  // expected-error@+1 {{gpu.alloc needs a memref in the default, the global or a numbered memory space, whose layout is the identity, or strided without negative numbers}}
  %0 = "agpu.alloc"(%s) : (!agpu.stream) -> memref<4xf32, strided<[-1], offset: 3>>
  // expected-error@+1 {{gpu.alloc needs a memref in the default, the global or a numbered memory space, whose layout is the identity, or strided without negative numbers}}
  %1 = "agpu.alloc"(%s) : (!agpu.stream) -> memref<4xf32, #gpu.address_space<workgroup>>
  // expected-error@+1 {{gpu.alloc needs a memref in the default, the global or a numbered memory space, whose layout is the identity, or strided without negative numbers}}
  %2 = "agpu.alloc"(%s) : (!agpu.stream) -> memref<4xf32, affine_map<(d0)[s0] -> (d0 + s0)>>
  // expected-error@+1 {{the element type of this memref has no LLVM type}}
  %3 = "agpu.alloc"(%s) : (!agpu.stream) -> memref<4xtf32>
  // expected-error@+1 {{agpu.alloc needs one size for each dynamic size, offset and stride of its memref}}
  %4 = "agpu.alloc"(%s) : (!agpu.stream) -> memref<?xf32, strided<[?], offset: 2>>
  return
}

// -----

func.func @space(%s: !agpu.stream, %m: memref<4xf32, #gpu.address_space<workgroup>>, %n: memref<4xtf32>) {
  // expected-error@+1 {{memref<4xf32, #gpu.address_space<workgroup>> cannot be lowered in host code: its memory space has no meaning there; use the default or a numbered one}}
  "agpu.dealloc"(%s, %m) : (!agpu.stream, memref<4xf32, #gpu.address_space<workgroup>>) -> ()
  // expected-error@+1 {{memref<4xtf32> cannot be lowered in host code: its element type has no LLVM type}}
  "agpu.dealloc"(%s, %n) : (!agpu.stream, memref<4xtf32>) -> ()
  return
}

// -----

func.func @element(%s: !agpu.stream, %m: memref<4xi37>, %x: i37, %n: memref<4xcomplex<f32>>, %y: complex<f32>) {
  // expected-error@+1 {{gpu.memset needs an element type of 8, 16, 32 or 64 bits}}
  "agpu.memset"(%s, %m, %x) : (!agpu.stream, memref<4xi37>, i37) -> ()
  // expected-error@+1 {{gpu.memset needs an element type of 8, 16, 32 or 64 bits}}
  "agpu.memset"(%s, %n, %y) : (!agpu.stream, memref<4xcomplex<f32>>, complex<f32>) -> ()
  return
}

// -----

func.func @registration(%s: !agpu.stream, %m: memref<*xtf32>) {
  // expected-error@+1 {{the element type of this memref has no LLVM type}}
  "agpu.host_register"(%s, %m) : (!agpu.stream, memref<*xtf32>) -> ()
  return
}

// -----

func.func @wait(%t: !async.token) {
  %s = "agpu.stream_acquire"() : () -> !agpu.stream
  // expected-error@+1 {{agpu.stream_wait must become a suspension first: run --async-gpu-coroutines before this pass}}
  "agpu.stream_wait"(%s, %t) : (!agpu.stream, !async.token) -> ()
  return
}

// -----

func.func @no_kernel(%s: !agpu.stream, %n: index, %bytes: i32) {
  %a = builtin.unrealized_conversion_cast to !agpu.arguments
  // expected-error@+1 {{the kernel of this launch is not in the program: run --async-gpu-kernels first}}
  "agpu.launch"(%s, %n, %n, %n, %n, %n, %n, %bytes, %a) {kernel = @m::@k} : (!agpu.stream, index, index, index, index, index, index, i32, !agpu.arguments) -> ()
  return
}

// -----

llvm.mlir.global internal @agpu_kernel.m.k() : i64

func.func @arguments(%s: !agpu.stream, %n: index, %bytes: i32, %x: memref<4xf32, #gpu.address_space<workgroup>>, %t: !async.token, %u: tf32) {
  %a = builtin.unrealized_conversion_cast %x, %t, %u : memref<4xf32, #gpu.address_space<workgroup>>, !async.token, tf32 to !agpu.arguments
  // expected-error@+3 {{kernel argument 0 has type memref<4xf32, #gpu.address_space<workgroup>>, which cannot be passed to a kernel}}
  // expected-error@+2 {{kernel argument 1 has type !async.token, which cannot be passed to a kernel}}
  // expected-error@+1 {{kernel argument 2 has type tf32, which cannot be passed to a kernel}}
  "agpu.launch"(%s, %n, %n, %n, %n, %n, %n, %bytes, %a) {kernel = @m::@k} : (!agpu.stream, index, index, index, index, index, index, i32, !agpu.arguments) -> ()
  return
}

// -----

func.func @how(%s: !agpu.stream, %t: !async.token) {
  // expected-error@+1 {{how is "event", "stream", "last" or "none"}}
  "agpu.stream_depend"(%s, %t) {how = "later"} : (!agpu.stream, !async.token) -> ()
  return
}
