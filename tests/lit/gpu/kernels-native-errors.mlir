// What the emulated device cannot run is an error where nothing else is
// compiled for.
// RUN: async-gpu-opt %s --async-gpu-kernels=targets=native --split-input-file --verify-diagnostics

gpu.module @tensor_core {
  gpu.func @k() kernel {
    // expected-error @+1 {{a tensor core operation ('nvvm.tcgen05.relinquish_alloc_permit') is not supported on the emulated device; compile for CUDA only with targets=ptx}}
    nvvm.tcgen05.relinquish_alloc_permit
    gpu.return
  }
}

// -----

gpu.module @recursive_exit {
  // expected-error @+1 {{this function ends threads of its kernel and cannot be inlined there; on the emulated device such a function can be neither recursive nor marked no_inline}}
  func.func @again(%n: i32) {
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %more = arith.cmpi ne, %n, %zero : i32
    scf.if %more {
      nvvm.exit
      %less = arith.subi %n, %one : i32
      func.call @again(%less) : (i32) -> ()
    }
    return
  }
  gpu.func @k(%n: i32) kernel {
    func.call @again(%n) : (i32) -> ()
    gpu.return
  }
}

// -----

gpu.module @recursive {
  // expected-error @+1 {{this function waits for other threads of its kernel and cannot be inlined there; on the emulated device such a function can be neither recursive nor marked no_inline}}
  func.func @again(%n: i32) {
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %more = arith.cmpi ne, %n, %zero : i32
    scf.if %more {
      gpu.barrier
      %less = arith.subi %n, %one : i32
      func.call @again(%less) : (i32) -> ()
    }
    return
  }
  gpu.func @k(%n: i32) kernel {
    func.call @again(%n) : (i32) -> ()
    gpu.return
  }
}

// -----

gpu.module @own_memory {
  gpu.func @k(%x: memref<?xf32>, %n: index) kernel {
    %c0 = arith.constant 0 : index
    // expected-error @+1 {{memory of a thread's own needs a constant size in a kernel whose threads wait for each other}}
    %p = memref.alloca(%n) : memref<?xf32>
    %v = memref.load %x[%c0] : memref<?xf32>
    memref.store %v, %p[%c0] : memref<?xf32>
    gpu.barrier
    %w = memref.load %p[%c0] : memref<?xf32>
    memref.store %w, %x[%c0] : memref<?xf32>
    gpu.return
  }
}

// -----

gpu.module @assembly {
  gpu.func @reads(%x: memref<1xi32>) kernel {
    %c0 = arith.constant 0 : index
    // expected-error @+1 {{reading '%r', into which nothing has been put, in inline assembly ('llvm.inline_asm') is not supported on the emulated device}}
    %v = llvm.inline_asm "{ .reg .u32 %r; add.u32 $0, %r, 1; }", "=r" : () -> i32
    memref.store %v, %x[%c0] : memref<1xi32>
    gpu.return
  }
}

// -----

gpu.module @assembly {
  gpu.func @leaves(%x: memref<1xi32>) kernel {
    %c0 = arith.constant 0 : index
    // expected-error @+1 {{a result without a value ('$0') in inline assembly ('llvm.inline_asm') is not supported on the emulated device}}
    %v = llvm.inline_asm "", "=r" : () -> i32
    memref.store %v, %x[%c0] : memref<1xi32>
    gpu.return
  }
}

// -----

gpu.module @assembly {
  gpu.func @second(%x: memref<1xi32>) kernel {
    %c0 = arith.constant 0 : index
    %v = memref.load %x[%c0] : memref<1xi32>
    // expected-error @+1 {{reading 'p', into which nothing has been put, in inline assembly ('llvm.inline_asm') is not supported on the emulated device}}
    %w = llvm.inline_asm has_side_effects "{ .reg .pred p; setp.eq.u32 p, $1, 0; shfl.sync.idx.b32 $0|p, $1, 0, 31, -1; selp.b32 $0, $0, 0, p; }", "=r,r" %v : (i32) -> i32
    memref.store %w, %x[%c0] : memref<1xi32>
    gpu.return
  }
}

// -----

gpu.module @assembly {
  gpu.func @opposite(%x: memref<1xi32>) kernel {
    %c0 = arith.constant 0 : index
    %v = memref.load %x[%c0] : memref<1xi32>
    // expected-error @+1 {{the opposite of '$1', which is no predicate, in inline assembly ('llvm.inline_asm') is not supported on the emulated device}}
    %w = llvm.inline_asm "add.s32 $0, !$1, 1;", "=r,r" %v : (i32) -> i32
    memref.store %w, %x[%c0] : memref<1xi32>
    gpu.return
  }
}
