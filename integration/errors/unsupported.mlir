// A kernel with an op that only cards have compiles beside its PTX; launched on the
// emulated device, it fails with the place.
// CARD: never, it has the register
// FAULTS: brief, all kernels make the same calls

module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @k(%x: memref<16xi32>) kernel {
      %c0 = arith.constant 0 : index
      %c = nvvm.read.ptx.sreg.envreg3 : i32
      memref.store %c, %x[%c0] : memref<16xi32>
      gpu.return
    }
    gpu.func @plain(%x: memref<16xi32>) kernel {
      %t = gpu.thread_id x
      %two = arith.constant 25 : i32
      memref.store %two, %x[%t] : memref<16xi32>
      gpu.return
    }
  }

  // RUN: ahead-of-time
  // CHECK: 25
  // ERROR: unsupported.mlir:[[@LINE-14]]:12: kernel 'k', block 0,0,0: a special register ('nvvm.read.ptx.sreg.envreg3') is not supported on the emulated device
  func.func @main() {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c16 = arith.constant 16 : index
    %d = gpu.alloc() : memref<16xi32>
    %h = memref.alloc() : memref<16xi32>
    gpu.launch_func @kernels::@plain blocks in (%c1, %c1, %c1)
        threads in (%c16, %c1, %c1) args(%d : memref<16xi32>)
    gpu.memcpy %h, %d : memref<16xi32>, memref<16xi32>
    %v = memref.load %h[%c0] : memref<16xi32>
    vector.print %v : i32
    gpu.launch_func @kernels::@k blocks in (%c1, %c1, %c1)
        threads in (%c1, %c1, %c1) args(%d : memref<16xi32>)
    gpu.wait
    vector.print str "the program must not get here\n"
    return
  }
}
