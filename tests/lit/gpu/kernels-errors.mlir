// What a kernel cannot be compiled to is an error at the op that stands in the
// way, for each target on its own and for both at once.
// RUN: async-gpu-opt %s --async-gpu-kernels=toolkit=%S --split-input-file --verify-diagnostics

module attributes {gpu.container_module} {
  gpu.module @m {
    gpu.func @k() kernel {
      gpu.return
    }
  }
  func.func @main() {
    %c1 = arith.constant 1 : index
    // expected-error @+1 {{run async-gpu-regions before async-gpu-kernels}}
    gpu.launch_func @m::@k blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1)
    return
  }
}

// -----

// A block has 48 KiB of workgroup memory.
gpu.module @workgroup {
  // expected-error @+1 {{this kernel takes 65536 bytes of workgroup memory; a block has 49152}}
  gpu.func @k(%x: memref<?xf32>)
      workgroup(%s: memref<16384xf32, #gpu.address_space<workgroup>>) kernel {
    %c0 = arith.constant 0 : index
    %v = memref.load %s[%c0] : memref<16384xf32, #gpu.address_space<workgroup>>
    memref.store %v, %x[%c0] : memref<?xf32>
    gpu.return
  }
}

// -----

gpu.module @libdevice {
  gpu.func @k(%x: memref<?xf32>) kernel {
    %c0 = arith.constant 0 : index
    %v = memref.load %x[%c0] : memref<?xf32>
    // expected-error @+1 {{the math function '__nv_expf' needs libdevice of a CUDA toolkit, and none was found; set CUDA_HOME or toolkit=FOLDER, or do without it by math=expand or, for the emulated device only, targets=native}}
    %e = math.exp %v : f32
    memref.store %e, %x[%c0] : memref<?xf32>
    gpu.return
  }
}

// -----

gpu.module @external {
  func.func private @elsewhere(f32) -> f32
  gpu.func @k(%x: f32) kernel {
    // expected-error @+2 {{'elsewhere' has no body in its gpu.module and is not a function of the CUDA driver}}
    // expected-error @+1 {{'elsewhere' has no body in its gpu.module, which is not supported on the emulated device}}
    %y = func.call @elsewhere(%x) : (f32) -> f32
    gpu.return
  }
}

// -----

// Two errors of one module are both reported.
gpu.module @two {
  gpu.func @k(%x: memref<?xf64>) kernel {
    %c0 = arith.constant 0 : index
    %v = memref.load %x[%c0] : memref<?xf64>
    // expected-error @+1 {{'__nv_cbrt' needs libdevice of a CUDA toolkit}}
    %e = math.cbrt %v : f64
    memref.store %e, %x[%c0] : memref<?xf64>
    // expected-error @+1 {{'__nv_tan' needs libdevice of a CUDA toolkit}}
    %f = math.tan %v : f64
    memref.store %f, %x[%c0] : memref<?xf64>
    gpu.return
  }
}

// -----

// What upstream's conversions leave over never gets further.
gpu.module @leftover {
  gpu.func @k(%x: memref<?xf32>) kernel {
    %c0 = arith.constant 0 : index
    %v = memref.load %x[%c0] : memref<?xf32>
    // expected-error @+1 {{'emitc.cast' cannot be lowered inside a gpu.module: lower it before this pipeline to ops that upstream converts to NVVM}}
    %w = emitc.cast %v : f32 to i32
    // expected-error @+1 {{'emitc.cast' cannot be lowered inside a gpu.module}}
    %u = emitc.cast %w : i32 to f32
    memref.store %u, %x[%c0] : memref<?xf32>
    gpu.return
  }
}

// -----

gpu.module @other {
  gpu.func @k(%a: memref<24x32xf16>) kernel {
    // expected-error @+1 {{'xegpu.create_nd_tdesc' cannot be lowered inside a gpu.module: its dialect is for other GPUs than NVIDIA's}}
    %d = xegpu.create_nd_tdesc %a : memref<24x32xf16> -> !xegpu.tensor_desc<8x16xf16>
    // expected-error @+1 {{'xegpu.prefetch_nd' cannot be lowered inside a gpu.module}}
    xegpu.prefetch_nd %d[0, 0] : !xegpu.tensor_desc<8x16xf16>
    gpu.return
  }
}

// -----

gpu.module @spaces {
  // expected-error @+1 {{workgroup memory lies in the memory space #gpu.address_space<workgroup> (3), and its type names another}}
  gpu.func @w() workgroup(%w : memref<4xf32, 1>) kernel {
    gpu.return
  }
  // expected-error @+1 {{private memory lies in the memory space #gpu.address_space<private> (5), and its type names another}}
  gpu.func @p() private(%p : memref<4xf32, 3>) kernel {
    gpu.return
  }
}

// -----

module {
  module @nested {
    // expected-error @+1 {{a gpu.module must stand at the top level}}
    gpu.module @m {
      gpu.func @k() kernel {
        gpu.return
      }
    }
  }
}

// -----

gpu.module @width {
  // expected-error @+1 {{a kernel cannot have a parameter of type !llvm.array<2 x vector<3xi1>>: its numbers do not fill whole bytes; pass it in memory}}
  gpu.func @k(%v: vector<2x3xi1>) kernel {
    gpu.return
  }
  // expected-error @+1 {{a kernel cannot have a parameter of type f80}}
  gpu.func @l(%v: f80) kernel {
    gpu.return
  }
}

// -----

gpu.module @scalable {
  gpu.func @k(%x: memref<?xf32>) kernel {
    %c0 = arith.constant 0 : index
    // expected-error @+1 {{kernels cannot hold vectors of scalable size}}
    %v = vector.load %x[%c0] : memref<?xf32>, vector<[4]xf32>
    vector.store %v, %x[%c0] : memref<?xf32>, vector<[4]xf32>
    gpu.return
  }
}

// -----

gpu.module @atomic {
  gpu.func @k(%x: memref<f80>, %v: f80) kernel {
    // expected-error @+1 {{there is no atomic operation on this type}}
    %r = memref.atomic_rmw addf %v, %x[] : (f80, memref<f80>) -> f80
    gpu.return
  }
}

// -----

gpu.module @declared {
  // expected-error @+1 {{a global in a gpu.module needs an initial value}}
  memref.global @g : memref<4xf32>
  gpu.func @k(%x: memref<f32>) kernel {
    %c0 = arith.constant 0 : index
    %g = memref.get_global @g : memref<4xf32>
    %v = memref.load %g[%c0] : memref<4xf32>
    memref.store %v, %x[] : memref<f32>
    gpu.return
  }
}

// -----

gpu.module @workgroup_value {
  // expected-error @+1 {{workgroup memory has no initial value: write 'uninitialized', and have threads store it}}
  memref.global "private" @g : memref<4xf32, #gpu.address_space<workgroup>> = dense<1.5>
  gpu.func @k(%x: memref<f32>) kernel {
    %c0 = arith.constant 0 : index
    %g = memref.get_global @g : memref<4xf32, #gpu.address_space<workgroup>>
    %v = memref.load %g[%c0] : memref<4xf32, #gpu.address_space<workgroup>>
    memref.store %v, %x[] : memref<f32>
    gpu.return
  }
}
