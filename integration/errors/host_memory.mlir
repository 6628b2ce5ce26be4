// Memory of the host in kernels: an error where a kernel touches what the device
// does not reach, and nowhere else.

module attributes {gpu.container_module} {

gpu.module @kernels {
  gpu.func @fill(%n: i32, %to: memref<8xi32>) kernel {
    %t = gpu.thread_id x
    memref.store %n, %to[%t] : memref<8xi32>
    gpu.return
  }
  gpu.func @view(%n: i32, %to: memref<?xi32, strided<[1], offset: ?>>) kernel {
    %t = gpu.thread_id x
    memref.store %n, %to[%t] : memref<?xi32, strided<[1], offset: ?>>
    gpu.return
  }
  // Threads wait for each other, so that they are coroutines.
  gpu.func @swap(%n: memref<8xi32>) kernel {
    %c7 = arith.constant 7 : index
    %t = gpu.thread_id x
    %x = memref.load %n[%t] : memref<8xi32>
    %first = arith.cmpi eq, %t, %c7 : index
    scf.if %first {
      gpu.barrier
    }
    %u = arith.subi %c7, %t : index
    memref.store %x, %n[%u] : memref<8xi32>
    gpu.return
  }
  gpu.func @shapeless(%from: memref<*xi32>, %to: memref<8xi32>) kernel {
    %c0 = arith.constant 0 : index
    %m = memref.cast %from : memref<*xi32> to memref<8xi32>
    %x = memref.load %m[%c0] : memref<8xi32>
    memref.store %x, %to[%c0] : memref<8xi32>
    gpu.return
  }
  gpu.func @inner(%from: memref<1xmemref<8xi32>>, %to: memref<8xi32>) kernel {
    %c0 = arith.constant 0 : index
    %m = memref.load %from[%c0] : memref<1xmemref<8xi32>>
    %x = memref.load %m[%c0] : memref<8xi32>
    memref.store %x, %to[%c0] : memref<8xi32>
    gpu.return
  }
  // Whether it touches memory at all is decided when it runs.
  gpu.func @perhaps(%do: i1, %n: i32, %to: memref<8xi32>) kernel {
    %t = gpu.thread_id x
    scf.if %do {
      memref.store %n, %to[%t] : memref<8xi32>
    }
    gpu.return
  }
}

// RUN: @plain
// ERROR: ...
// ERROR: host_memory.mlir:{{\d+}}:3: error: {{.*}}CUDA_ERROR_ILLEGAL_ADDRESS: {{.*}}kernel '{{\w+}}', block 0,0,0: a thread writes memory of the host at 0x{{[0-9a-f]+}}, in argument 1, which the device cannot reach: copy it
// RUN: @plain EMU_CHECK=memory
// ERROR: ...
// ERROR: host_memory.mlir:[[@LINE-50]]:5: kernel '{{\w+}}', block 0,0,0: thread 0,0,0 writes 4 bytes of memory of the host at 0x{{[0-9a-f]+}}, in argument 1, which the device cannot reach: copy it
// RUN: @plain EMU_MEMORY=unified runner
// CHECK: 3
// WARNING: warning: the kernel is given memory of the host
// WARNING: ...
func.func @plain() {
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %n = arith.constant 3 : i32
  %h = memref.alloc() : memref<8xi32>
  gpu.launch_func @kernels::@fill blocks in (%c1, %c1, %c1) threads in (%c8, %c1, %c1) args(%n : i32, %h : memref<8xi32>)
  %x = memref.load %h[%c1] : memref<8xi32>
  vector.print %x : i32
  memref.dealloc %h : memref<8xi32>
  return
}

// A page after those of the part that is registered: registration is by page.
// RUN: @other_part
// ERROR: ...
// ERROR: host_memory.mlir:{{\d+}}:3: error: {{.*}}CUDA_ERROR_ILLEGAL_ADDRESS: {{.*}}kernel '{{\w+}}', block 0,0,0: a thread writes memory of the host at 0x{{[0-9a-f]+}}, in argument 1, which the device cannot reach: copy it
func.func @other_part() {
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %n = arith.constant 3 : i32
  %h = memref.alloc() : memref<4096xi32>
  %low = memref.subview %h[0] [4] [1] : memref<4096xi32> to memref<4xi32, strided<[1]>>
  %high = memref.subview %h[3072] [4] [1] : memref<4096xi32> to memref<4xi32, strided<[1], offset: 3072>>
  %known = memref.cast %low : memref<4xi32, strided<[1]>> to memref<*xi32>
  gpu.host_register %known : memref<*xi32>
  %view = memref.cast %high : memref<4xi32, strided<[1], offset: 3072>> to memref<?xi32, strided<[1], offset: ?>>
  gpu.launch_func @kernels::@view blocks in (%c1, %c1, %c1) threads in (%c4, %c1, %c1) args(%n : i32, %view : memref<?xi32, strided<[1], offset: ?>>)
  gpu.wait
  return
}

// RUN: @coroutines
// ERROR: ...
// ERROR: host_memory.mlir:{{\d+}}:3: error: {{.*}}CUDA_ERROR_ILLEGAL_ADDRESS: {{.*}}kernel '{{\w+}}', block 0,0,0: a thread reads memory of the host at 0x{{[0-9a-f]+}}, in argument 0, which the device cannot reach: copy it
func.func @coroutines() {
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %h = memref.alloc() : memref<8xi32>
  gpu.launch_func @kernels::@swap blocks in (%c1, %c1, %c1) threads in (%c8, %c1, %c1) args(%h : memref<8xi32>)
  gpu.wait
  return
}

// RUN: @unranked
// ERROR: ...
// ERROR: host_memory.mlir:{{\d+}}:3: error: {{.*}}CUDA_ERROR_ILLEGAL_ADDRESS: {{.*}}kernel '{{\w+}}', block 0,0,0: a thread reads memory of the host at 0x{{[0-9a-f]+}}, in argument 0, which the device cannot reach: copy it
// RUN: @unranked EMU_CHECK=memory
// ERROR: ...
// ERROR: host_memory.mlir:[[@LINE-79]]:10: kernel '{{\w+}}', block 0,0,0: thread 0,0,0 reads 4 bytes of memory of the host at 0x{{[0-9a-f]+}}, in argument 0, which the device cannot reach: copy it
func.func @unranked() {
  %c1 = arith.constant 1 : index
  %h = memref.alloc() : memref<8xi32>
  %u = memref.cast %h : memref<8xi32> to memref<*xi32>
  %d = gpu.alloc() : memref<8xi32>
  gpu.launch_func @kernels::@shapeless blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%u : memref<*xi32>, %d : memref<8xi32>)
  gpu.wait
  return
}

// The device finds the address in memory.
// RUN: @nested EMU_CHECK=memory
// ERROR: ...
// ERROR: host_memory.mlir:[[@LINE-86]]:10: kernel '{{\w+}}', block 0,0,0: thread 0,0,0 reads 4 bytes of memory of the host at 0x{{[0-9a-f]+}}, an address that it found in memory, which the device cannot reach: copy it
func.func @nested() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %h = memref.alloc() : memref<8xi32>
  %s = gpu.alloc host_shared () : memref<1xmemref<8xi32>>
  memref.store %h, %s[%c0] : memref<1xmemref<8xi32>>
  %d = gpu.alloc() : memref<8xi32>
  gpu.launch_func @kernels::@inner blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%s : memref<1xmemref<8xi32>>, %d : memref<8xi32>)
  gpu.wait
  return
}

// A part that is registered, memory that is passed and not touched, memory of
// both, found in memory.
// RUN: @fine EMU_THREADS=1 runner
// RUN: @fine EMU_CHECK=memory runner
// RUN: @fine EMU_CHECK=races runner
// CHECK: 4
// CHECK: 3
// CHECK: 4
// CHECK: 4
// CHECK: 3
// WARNING: warning: the kernel is given memory of the host
// WARNING: ...
func.func @fine() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c8 = arith.constant 8 : index
  %false = arith.constant false
  %true = arith.constant true
  %n = arith.constant 3 : i32
  %m = arith.constant 4 : i32
  %h = memref.alloc() : memref<8xi32>
  memref.store %m, %h[%c0] : memref<8xi32>
  %high = memref.subview %h[4] [4] [1] : memref<8xi32> to memref<4xi32, strided<[1], offset: 4>>
  %known = memref.cast %high : memref<4xi32, strided<[1], offset: 4>> to memref<*xi32>
  gpu.host_register %known : memref<*xi32>
  %view = memref.cast %high : memref<4xi32, strided<[1], offset: 4>> to memref<?xi32, strided<[1], offset: ?>>
  gpu.launch_func @kernels::@view blocks in (%c1, %c1, %c1) threads in (%c4, %c1, %c1) args(%n : i32, %view : memref<?xi32, strided<[1], offset: ?>>)
  gpu.launch_func @kernels::@perhaps blocks in (%c1, %c1, %c1) threads in (%c8, %c1, %c1) args(%false : i1, %n : i32, %h : memref<8xi32>)
  gpu.wait
  %x = memref.load %h[%c0] : memref<8xi32>
  %y = memref.load %h[%c4] : memref<8xi32>
  vector.print %x : i32
  vector.print %y : i32
  gpu.host_unregister %known : memref<*xi32>
  gpu.wait
  memref.dealloc %h : memref<8xi32>
  %s = gpu.alloc host_shared () : memref<1xmemref<8xi32>>
  %b = gpu.alloc host_shared () : memref<8xi32>
  gpu.wait
  memref.store %m, %b[%c0] : memref<8xi32>
  memref.store %b, %s[%c0] : memref<1xmemref<8xi32>>
  %d = gpu.alloc host_shared () : memref<8xi32>
  gpu.launch_func @kernels::@inner blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%s : memref<1xmemref<8xi32>>, %d : memref<8xi32>)
  gpu.wait
  %z = memref.load %d[%c0] : memref<8xi32>
  vector.print %z : i32
  %u = memref.cast %b : memref<8xi32> to memref<*xi32>
  gpu.launch_func @kernels::@shapeless blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%u : memref<*xi32>, %d : memref<8xi32>)
  gpu.launch_func @kernels::@perhaps blocks in (%c1, %c1, %c1) threads in (%c8, %c1, %c1) args(%true : i1, %n : i32, %b : memref<8xi32>)
  gpu.wait
  %v = memref.load %d[%c0] : memref<8xi32>
  %w = memref.load %b[%c0] : memref<8xi32>
  vector.print %v : i32
  vector.print %w : i32
  gpu.dealloc %s : memref<1xmemref<8xi32>>
  gpu.dealloc %b : memref<8xi32>
  gpu.dealloc %d : memref<8xi32>
  return
}

}
