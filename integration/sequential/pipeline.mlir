// A loop as a pipeline: the host fills a buffer while the device works on the one
// of the round before. Both buffers are allocated in front of the loop, and each
// round gets its own.

// FLAGS: --sequential --host-region-ops=0 --device-region-ops=0

module attributes {gpu.container_module} {
gpu.module @kernels {
  gpu.func @sum(%s: memref<64xi64>, %m: memref<64xi64>) kernel {
    %i = gpu.thread_id x
    %x = memref.load %m[%i] : memref<64xi64>
    %y = memref.load %s[%i] : memref<64xi64>
    %z = arith.addi %x, %y : i64
    memref.store %z, %s[%i] : memref<64xi64>
    gpu.return
  }
}
// The sum of 5 * i over the rounds i.
// RUN: device schedules=100 --memory=discrete
// RUN: device schedules=100 --memory=unified
// CHECK: 225
func.func @main() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c5 = arith.constant 5 : index
  %c10 = arith.constant 10 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant 0 : i64
  %h = memref.alloc() : memref<64xi64>
  %d = gpu.alloc () : memref<64xi64>
  %s = gpu.alloc () : memref<64xi64>
  %r = memref.alloc() : memref<64xi64>
  gpu.memset %s, %zero : memref<64xi64>, i64
  scf.for %i = %c0 to %c10 step %c1 {
    linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} outs(%h : memref<64xi64>) {
    ^bb0(%out: i64):
      %k = linalg.index 0 : index
      %j = arith.muli %k, %i : index
      %x = arith.index_cast %j : index to i64
      linalg.yield %x : i64
    }
    gpu.memcpy %d, %h : memref<64xi64>, memref<64xi64>
    gpu.launch_func @kernels::@sum blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%s : memref<64xi64>, %d : memref<64xi64>)
  }
  gpu.memcpy %r, %s : memref<64xi64>, memref<64xi64>
  %x = memref.load %r[%c5] : memref<64xi64>
  vector.print %x : i64
  gpu.dealloc %d : memref<64xi64>
  gpu.dealloc %s : memref<64xi64>
  memref.dealloc %h : memref<64xi64>
  memref.dealloc %r : memref<64xi64>
  return
}
}
