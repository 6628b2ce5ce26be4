// A region that only a loop in a branch depends on, which is not taken.

// FLAGS: --sequential --host-region-ops=0 --device-region-ops=0

module attributes {gpu.container_module} {
gpu.module @k {
  gpu.func @fill(%m: memref<64xf32>, %x: f32) kernel {
    %i = gpu.thread_id x
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %n = arith.constant 10000 : index
    %y = arith.constant 0.5 : f32
    %v = scf.for %k = %c0 to %n step %c1 iter_args(%s = %x) -> f32 {
      %p = arith.mulf %s, %y : f32
      %q = arith.addf %p, %y : f32
      scf.yield %q : f32
    }
    %w = arith.addf %v, %x : f32
    memref.store %w, %m[%i] : memref<64xf32>
    gpu.return
  }
  gpu.func @sum(%s: memref<64xf32>, %m: memref<64xf32>) kernel {
    %i = gpu.thread_id x
    %x = memref.load %m[%i] : memref<64xf32>
    %y = memref.load %s[%i] : memref<64xf32>
    %z = arith.addf %x, %y : f32
    memref.store %z, %s[%i] : memref<64xf32>
    gpu.return
  }
}
func.func private @printF32(f32)
func.func private @printNewline()
func.func @go_on(%x: f32, %n: index, %do: i1, %a: memref<64xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %b = gpu.alloc () : memref<64xf32>
  %c = gpu.alloc () : memref<64xf32>
  gpu.memset %b, %x : memref<64xf32>, f32
  gpu.memset %c, %x : memref<64xf32>, f32
  gpu.launch_func @k::@sum blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%c : memref<64xf32>, %c : memref<64xf32>)
  gpu.launch_func @k::@fill blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%a : memref<64xf32>, %x : f32)
  scf.if %do {
    scf.for %i = %c0 to %n step %c1 {
      gpu.launch_func @k::@sum blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%a : memref<64xf32>, %a : memref<64xf32>)
      gpu.launch_func @k::@sum blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%b : memref<64xf32>, %b : memref<64xf32>)
    }
  }
  gpu.dealloc %b : memref<64xf32>
  gpu.dealloc %c : memref<64xf32>
  return
}
func.func @main() {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %false = arith.constant false
  %x = arith.constant 6.0 : f32
  %a = gpu.alloc () : memref<64xf32>
  %h = memref.alloc () : memref<64xf32>
  gpu.memset %a, %x : memref<64xf32>, f32
  func.call @go_on(%x, %c4, %false, %a) : (f32, index, i1, memref<64xf32>) -> ()
  gpu.memcpy %h, %a : memref<64xf32>, memref<64xf32>
  %v = memref.load %h[%c0] : memref<64xf32>
  func.call @printF32(%v) : (f32) -> ()
  func.call @printNewline() : () -> ()
  gpu.dealloc %a : memref<64xf32>
  memref.dealloc %h : memref<64xf32>
  return
}
}

// RUN: device schedules=50
// CHECK: 7
