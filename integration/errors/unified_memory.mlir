// Memory of the host as it is, in kernels of a device that reaches it: work that
// nothing orders is found there as in memory of the device. Code for such a device
// is refused by others.

// FLAGS: --host-region-ops=0 --device-region-ops=0
// CARD: never, it is about what the emulated device checks

module attributes {gpu.container_module} {
gpu.module @kernels {
  gpu.func @fill(%to: memref<16xi64>, %n: i64) kernel {
    %i = gpu.thread_id x
    memref.store %n, %to[%i] : memref<16xi64>
    gpu.return
  }
  gpu.func @same(%to: memref<16xi64>, %n: i64) kernel {
    %c0 = arith.constant 0 : index
    memref.store %n, %to[%c0] : memref<16xi64>
    gpu.return
  }
  // Each thread's own memory is at the same place, one thread after the other,
  // and no one sees by its name whose it is.
  gpu.func @private(%to: memref<16xi64>, %n: i64) kernel {
    %c0 = arith.constant 0 : index
    %i = gpu.thread_id x
    %one = memref.alloca() : memref<1xi64>
    %two = memref.alloca() : memref<1xi64>
    %first = arith.cmpi eq, %i, %c0 : index
    %own = arith.select %first, %one, %two : memref<1xi64>
    memref.store %n, %own[%c0] : memref<1xi64>
    gpu.barrier
    %x = memref.load %own[%c0] : memref<1xi64>
    memref.store %x, %to[%i] : memref<16xi64>
    gpu.return
  }
}

func.func private @use(%x: i64) {
  return
}

// RUN: @host EMU_MEMORY=unified EMU_CHECK=races runner
// ERROR: ...
// ERROR: unified_memory.mlir:[[@LINE+11]]:8: error: race: nothing orders the host, which reads the 8 bytes at 0x{{[0-9a-f]+}}, and launch of kernel 'fill'
func.func @host() {
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %zero = arith.constant 0 : i64
  %n = arith.constant 3 : i64
  %h = memref.alloc() : memref<16xi64>
  memref.store %zero, %h[%c1] : memref<16xi64>
  %t = gpu.wait async
  %u = gpu.launch_func async [%t] @kernels::@fill blocks in (%c1, %c1, %c1) threads in (%c16, %c1, %c1) args(%h : memref<16xi64>, %n : i64)
  // So it says.
  %x = memref.load %h[%c1] {async_gpu.observes = false} : memref<16xi64>
  func.call @use(%x) : (i64) -> ()
  gpu.wait [%u]
  memref.dealloc %h : memref<16xi64>
  return
}

// RUN: @streams EMU_MEMORY=unified EMU_CHECK=races runner
// ERROR: ...
// ERROR: unified_memory.mlir:{{\d+}}:5: error: race: nothing orders launch of kernel 'fill' at {{.*}}, which writes the 128 bytes at 0x{{[0-9a-f]+}}, and launch of kernel 'fill'
func.func @streams() {
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %n = arith.constant 3 : i64
  %h = memref.alloc() : memref<16xi64>
  %a = async.execute {
    gpu.launch_func @kernels::@fill blocks in (%c1, %c1, %c1) threads in (%c16, %c1, %c1) args(%h : memref<16xi64>, %n : i64)
    async.yield
  }
  %b = async.execute {
    gpu.launch_func @kernels::@fill blocks in (%c1, %c1, %c1) threads in (%c16, %c1, %c1) args(%h : memref<16xi64>, %n : i64)
    async.yield
  }
  async.await %a : !async.token
  async.await %b : !async.token
  memref.dealloc %h : memref<16xi64>
  return
}

// RUN: @threads EMU_MEMORY=auto|unified EMU_CHECK=races runner --sequential
// ERROR: ...
// ERROR: unified_memory.mlir:17:5: error: race: kernel 'same', block 0,0,0: thread 1,0,0 writes 8 bytes at 0x{{[0-9a-f]+}}, which thread 0,0,0 writes at
func.func @threads() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %n = arith.constant 3 : i64
  %h = memref.alloc() : memref<16xi64>
  memref.store %n, %h[%c0] : memref<16xi64>
  gpu.launch_func @kernels::@same blocks in (%c1, %c1, %c1) threads in (%c16, %c1, %c1) args(%h : memref<16xi64>, %n : i64)
  memref.dealloc %h : memref<16xi64>
  return
}

// RUN: @own EMU_CHECK=races|memory --sequential --memory=unified
// RUN: @own EMU_CHECK=races|memory --sequential --memory=unified --gpu-native-threads=coroutines
// CHECK: 3
func.func @own() {
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c16 = arith.constant 16 : index
  %n = arith.constant 3 : i64
  %h = memref.alloc() : memref<16xi64>
  gpu.launch_func @kernels::@private blocks in (%c1, %c1, %c1) threads in (%c16, %c1, %c1) args(%h : memref<16xi64>, %n : i64)
  %x = memref.load %h[%c3] : memref<16xi64>
  vector.print %x : i64
  memref.dealloc %h : memref<16xi64>
  return
}

// RUN: @refused EMU_MEMORY=discrete --sequential --memory=unified
// ERROR: unified_memory.mlir:[[@LINE+9]]:3: error: module 'kernels' was compiled with memory=unified, for devices that reach all memory of the host, and the emu device 0 does not: compile it with memory=discrete
func.func @refused() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %n = arith.constant 3 : i64
  %h = memref.alloc() : memref<16xi64>
  memref.store %n, %h[%c0] : memref<16xi64>
  // Nothing has run before.
  gpu.launch_func @kernels::@fill blocks in (%c1, %c1, %c1) threads in (%c16, %c1, %c1) args(%h : memref<16xi64>, %n : i64)
  %x = memref.load %h[%c0] : memref<16xi64>
  vector.print %x : i64
  memref.dealloc %h : memref<16xi64>
  return
}

}
