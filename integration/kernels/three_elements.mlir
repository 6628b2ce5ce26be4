// Loads of three neighbours are one load of four where they are aligned for that: what
// gpu.alloc gives reaches as far, and the fourth is not stored.

// RUN: device
// CHECK: 14
// CHECK: 9
module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @k(%x: memref<3xi32>, %out: memref<1xi32>) kernel {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c2 = arith.constant 2 : index
      %a = memref.load %x[%c0] : memref<3xi32>
      %b = memref.load %x[%c1] : memref<3xi32>
      %c = memref.load %x[%c2] : memref<3xi32>
      %ab = arith.muli %a, %b : i32
      %sum = arith.addi %ab, %c : i32
      memref.store %sum, %out[%c0] : memref<1xi32>
      %b2 = arith.addi %b, %b : i32
      memref.store %c, %x[%c0] : memref<3xi32>
      memref.store %b2, %x[%c1] : memref<3xi32>
      memref.store %a, %x[%c2] : memref<3xi32>
      gpu.return
    }
  }
  func.func @main() {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %two = arith.constant 2 : i32
    %five = arith.constant 5 : i32
    %four = arith.constant 4 : i32
    %h = memref.alloc() : memref<3xi32>
    %r = memref.alloc() : memref<1xi32>
    memref.store %two, %h[%c0] : memref<3xi32>
    memref.store %five, %h[%c1] : memref<3xi32>
    memref.store %four, %h[%c2] : memref<3xi32>
    %x = gpu.alloc() : memref<3xi32>
    %out = gpu.alloc() : memref<1xi32>
    gpu.memcpy %x, %h : memref<3xi32>, memref<3xi32>
    gpu.launch_func @kernels::@k blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1)
        args(%x : memref<3xi32>, %out : memref<1xi32>)
    gpu.memcpy %h, %x : memref<3xi32>, memref<3xi32>
    gpu.memcpy %r, %out : memref<1xi32>, memref<1xi32>
    // 2 * 5 + 4.
    %product = memref.load %r[%c0] : memref<1xi32>
    vector.print %product : i32
    // 4 + 10 / 2.
    %first = memref.load %h[%c0] : memref<3xi32>
    %second = memref.load %h[%c1] : memref<3xi32>
    %half = arith.divsi %second, %two : i32
    %last = arith.addi %first, %half : i32
    vector.print %last : i32
    gpu.dealloc %x : memref<3xi32>
    gpu.dealloc %out : memref<1xi32>
    memref.dealloc %h : memref<3xi32>
    memref.dealloc %r : memref<1xi32>
    return
  }
}
