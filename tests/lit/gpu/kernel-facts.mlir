// What all launches of a kernel have in common.
// RUN: async-gpu-opt %s --async-gpu-kernel-facts | FileCheck %s
// RUN: async-gpu-opt %s --emit=ptx --gpu-targets=ptx | FileCheck %s --check-prefix=PTX
// RUN: async-gpu-opt %s --async-gpu-lower -o %t.mlir

module attributes {gpu.container_module} {
  gpu.module @m {
    // CHECK-LABEL: gpu.func @copy
    // CHECK-SAME: agpu.apart = array<i32: 0, 2>
    // CHECK-SAME: agpu.fresh = array<i32: 0, 2>
    // CHECK-SAME: known_block_size = array<i32: 64, 2, 1>
    // PTX-LABEL: .entry copy(
    // PTX: .align 256 copy_param_1,
    // PTX: .align 256 copy_param_7,
    // PTX: .reqntid 64, 2, 1
    // PTX: ld.global.nc.b32
    gpu.func @copy(%x: memref<?xf32>, %k: f32, %y: memref<?xf32>) kernel {
      %t = gpu.thread_id x
      %v = memref.load %x[%t] : memref<?xf32>
      %w = arith.addf %v, %k : f32
      memref.store %w, %y[%t] : memref<?xf32>
      gpu.return
    }
    // Two views of one allocation, and two block sizes.
    // CHECK-LABEL: gpu.func @overlap
    // CHECK-NOT: agpu.apart
    // CHECK-SAME: agpu.fresh = array<i32: 0, 1>
    // CHECK-NOT: known_block_size
    // PTX-LABEL: .entry overlap(
    // PTX-NOT: .reqntid
    // PTX-NOT: ld.global.nc
    gpu.func @overlap(%x: memref<?xf32>, %y: memref<?xf32>) kernel {
      %t = gpu.thread_id x
      %v = memref.load %x[%t] : memref<?xf32>
      memref.store %v, %y[%t] : memref<?xf32>
      gpu.return
    }
    // One argument that nothing is known of could be a view of the other.
    // CHECK-LABEL: gpu.func @unknown
    // CHECK-NOT: agpu.apart
    // CHECK-SAME: agpu.fresh = array<i32: 0>
    // PTX-LABEL: .entry unknown(
    // PTX-NOT: ld.global.nc
    gpu.func @unknown(%x: memref<?xf32>, %y: memref<?xf32>) kernel {
      %t = gpu.thread_id x
      %v = memref.load %x[%t] : memref<?xf32>
      memref.store %v, %y[%t] : memref<?xf32>
      gpu.return
    }
    // Apart at one launch and not at the other; memory that the host shares;
    // blocks that no device runs.
    // CHECK-LABEL: gpu.func @sometimes
    // CHECK-NOT: agpu.apart
    // CHECK-NOT: agpu.fresh
    // CHECK-NOT: known_block_size
    // PTX-LABEL: .entry sometimes(
    gpu.func @sometimes(%x: memref<?xf32>, %y: memref<?xf32>) kernel {
      gpu.return
    }
    // Memory of a static size, at each launch another; a view that begins
    // somewhere in the allocation.
    // CHECK-LABEL: gpu.func @sized
    // CHECK-SAME: agpu.apart = array<i32: 0, 2>
    // CHECK-SAME: agpu.bytes = array<i64: 256>
    // CHECK-SAME: agpu.fresh = array<i32: 0>
    // CHECK-SAME: agpu.sized = array<i32: 0>
    // PTX-LABEL: .entry sized(
    // PTX: .align 256 sized_param_1,
    // PTX: .align 1 sized_param_7
    // What is there may be read before it is known that it is needed.
    // PTX: ld.global.nc.b32
    // PTX-NOT: bra
    // PTX: selp
    // PTX: ret;
    gpu.func @sized(%x: memref<?xf32>, %c: i1, %y: memref<?xf32>) kernel {
      %c0 = arith.constant 0 : index
      %t = gpu.thread_id x
      %zero = arith.constant 0.0 : f32
      %v = scf.if %c -> f32 {
        %w = memref.load %x[%c0] : memref<?xf32>
        scf.yield %w : f32
      } else {
        scf.yield %zero : f32
      }
      memref.store %v, %y[%t] : memref<?xf32>
      gpu.return
    }
    // CHECK-LABEL: gpu.func @never
    // CHECK-NOT: agpu.fresh
    gpu.func @never(%x: memref<?xf32>) kernel {
      gpu.return
    }
  }
  func.func @main(%n: index, %given: memref<?xf32>) {
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c64 = arith.constant 64 : index
    %c9999 = arith.constant 9999 : index
    %k = arith.constant 1.0 : f32
    %a = gpu.alloc (%n) : memref<?xf32>
    %b = gpu.alloc (%n) : memref<?xf32>
    %s = gpu.alloc host_shared (%n) : memref<?xf32>
    %i = memref.cast %a : memref<?xf32> to memref<64xf32>
    %aligned = memref.assume_alignment %i, 64 : memref<64xf32>
    %j = memref.cast %aligned : memref<64xf32> to memref<?xf32>
    gpu.launch_func @m::@copy blocks in (%n, %c1, %c1) threads in (%c64, %c2, %c1) args(%j : memref<?xf32>, %k : f32, %b : memref<?xf32>)
    gpu.launch_func @m::@copy blocks in (%c1, %c1, %c1) threads in (%c64, %c2, %c1) args(%b : memref<?xf32>, %k : f32, %a : memref<?xf32>)
    gpu.launch_func @m::@overlap blocks in (%n, %c1, %c1) threads in (%c64, %c1, %c1) args(%a : memref<?xf32>, %j : memref<?xf32>)
    gpu.launch_func @m::@overlap blocks in (%n, %c1, %c1) threads in (%c2, %c1, %c1) args(%a : memref<?xf32>, %j : memref<?xf32>)
    gpu.launch_func @m::@unknown blocks in (%n, %c1, %c1) threads in (%n, %c1, %c1) args(%a : memref<?xf32>, %given : memref<?xf32>)
    gpu.launch_func @m::@sometimes blocks in (%n, %c1, %c1) threads in (%c9999, %c1, %c1) args(%a : memref<?xf32>, %b : memref<?xf32>)
    gpu.launch_func @m::@sometimes blocks in (%n, %c1, %c1) threads in (%c9999, %c1, %c1) args(%s : memref<?xf32>, %s : memref<?xf32>)
    %p = gpu.alloc () : memref<64xf32>
    %q = gpu.alloc () : memref<16x8xf32>
    %raw = gpu.alloc () : memref<4096xi8>
    %p0 = memref.cast %p : memref<64xf32> to memref<?xf32>
    %q0 = memref.reinterpret_cast %q to offset: [0], sizes: [%n], strides: [1] : memref<16x8xf32> to memref<?xf32>
    %moved = memref.view %raw[%c1][%n] : memref<4096xi8> to memref<?xf32>
    %true = arith.constant true
    gpu.launch_func @m::@sized blocks in (%n, %c1, %c1) threads in (%n, %c1, %c1) args(%p0 : memref<?xf32>, %true : i1, %moved : memref<?xf32>)
    gpu.launch_func @m::@sized blocks in (%n, %c1, %c1) threads in (%n, %c1, %c1) args(%q0 : memref<?xf32>, %true : i1, %moved : memref<?xf32>)
    gpu.dealloc %a : memref<?xf32>
    gpu.dealloc %b : memref<?xf32>
    gpu.dealloc %s : memref<?xf32>
    return
  }
}
