// A product of matrices of 1024 by 1024 on the emulated device: by mma.sync, with
// factors of f16, by columns the second; as a plain kernel of the same matrices;
// and as one of f32 by rows, whose threads LLVM makes vectors of.
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

module attributes {gpu.container_module} {
  gpu.module @kernels {
    // A warp for 16 by 8 elements.
    gpu.func @mma(%a: memref<1024x1024xf16>, %b: memref<1024x1024xf16>, %d: memref<1024x1024xf32>) kernel {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c2 = arith.constant 2 : index
      %c4 = arith.constant 4 : index
      %c8 = arith.constant 8 : index
      %c16 = arith.constant 16 : index
      %cn = arith.constant 1024 : index
      %zero = arith.constant 0.0 : f32
      %t = gpu.thread_id x
      %bx = gpu.block_id x
      %by = gpu.block_id y
      %g = arith.divui %t, %c4 : index
      %q = arith.remui %t, %c4 : index
      %q2 = arith.muli %q, %c2 : index
      %r0 = arith.muli %by, %c16 : index
      %row = arith.addi %r0, %g : index
      %row8 = arith.addi %row, %c8 : index
      %ct = arith.constant 8 : index
      %colx = arith.muli %bx, %ct : index
      %r:4 = scf.for %k = %c0 to %cn step %c16 iter_args(%s0_0 = %zero, %s0_1 = %zero, %s0_2 = %zero, %s0_3 = %zero) -> (f32, f32, f32, f32) {
        %k0 = arith.addi %k, %q2 : index
        %k8 = arith.addi %k0, %c8 : index
        %a0 = vector.load %a[%row, %k0] : memref<1024x1024xf16>, vector<2xf16>
        %a1 = vector.load %a[%row8, %k0] : memref<1024x1024xf16>, vector<2xf16>
        %a2 = vector.load %a[%row, %k8] : memref<1024x1024xf16>, vector<2xf16>
        %a3 = vector.load %a[%row8, %k8] : memref<1024x1024xf16>, vector<2xf16>
        %o0 = arith.constant 0 : index
        %cc0 = arith.addi %colx, %o0 : index
        %col0 = arith.addi %cc0, %g : index
        %b0_0 = vector.load %b[%col0, %k0] : memref<1024x1024xf16>, vector<2xf16>
        %b1_0 = vector.load %b[%col0, %k8] : memref<1024x1024xf16>, vector<2xf16>
        %m0 = nvvm.mma.sync A[%a0, %a1, %a2, %a3] B[%b0_0, %b1_0] C[%s0_0, %s0_1, %s0_2, %s0_3]
            {layoutA = #nvvm.mma_layout<row>, layoutB = #nvvm.mma_layout<col>, shape = #nvvm.shape<m = 16, n = 8, k = 16>}
            : (vector<2xf16>, vector<2xf16>, f32) -> !llvm.struct<(f32, f32, f32, f32)>
        %n0_0 = llvm.extractvalue %m0[0] : !llvm.struct<(f32, f32, f32, f32)>
        %n0_1 = llvm.extractvalue %m0[1] : !llvm.struct<(f32, f32, f32, f32)>
        %n0_2 = llvm.extractvalue %m0[2] : !llvm.struct<(f32, f32, f32, f32)>
        %n0_3 = llvm.extractvalue %m0[3] : !llvm.struct<(f32, f32, f32, f32)>
        scf.yield %n0_0, %n0_1, %n0_2, %n0_3 : f32, f32, f32, f32
      }
      %e0 = arith.constant 0 : index
      %x0 = arith.addi %colx, %e0 : index
      %y0 = arith.addi %x0, %q2 : index
      %z0 = arith.addi %y0, %c1 : index
      memref.store %r#0, %d[%row, %y0] : memref<1024x1024xf32>
      memref.store %r#1, %d[%row, %z0] : memref<1024x1024xf32>
      memref.store %r#2, %d[%row8, %y0] : memref<1024x1024xf32>
      memref.store %r#3, %d[%row8, %z0] : memref<1024x1024xf32>
      gpu.return
    }
    // A thread for an element.
    gpu.func @plain(%a: memref<1024x1024xf16>, %b: memref<1024x1024xf16>, %d: memref<1024x1024xf32>) kernel {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %cn = arith.constant 1024 : index
      %zero = arith.constant 0.0 : f32
      %x = gpu.global_id x
      %y = gpu.global_id y
      %r = scf.for %k = %c0 to %cn step %c1 iter_args(%s = %zero) -> f32 {
        %p = memref.load %a[%y, %k] : memref<1024x1024xf16>
        %q = memref.load %b[%x, %k] : memref<1024x1024xf16>
        %pf = arith.extf %p : f16 to f32
        %qf = arith.extf %q : f16 to f32
        %m = arith.mulf %pf, %qf : f32
        %n = arith.addf %s, %m : f32
        scf.yield %n : f32
      }
      memref.store %r, %d[%y, %x] : memref<1024x1024xf32>
      gpu.return
    }
    // The same.
    gpu.func @words(%a: memref<1024x1024xf32>, %b: memref<1024x1024xf32>, %d: memref<1024x1024xf32>) kernel {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %cn = arith.constant 1024 : index
      %zero = arith.constant 0.0 : f32
      %x = gpu.global_id x
      %y = gpu.global_id y
      %r = scf.for %k = %c0 to %cn step %c1 iter_args(%s = %zero) -> f32 {
        %p = memref.load %a[%y, %k] : memref<1024x1024xf32>
        %q = memref.load %b[%k, %x] : memref<1024x1024xf32>
        %m = arith.mulf %p, %q : f32
        %n = arith.addf %s, %m : f32
        scf.yield %n : f32
      }
      memref.store %r, %d[%y, %x] : memref<1024x1024xf32>
      gpu.return
    }
  }

  // Warps.
  func.func @mma() {
    %c1 = arith.constant 1 : index
    %gx = arith.constant 128 : index
    %gy = arith.constant 64 : index
    %tx = arith.constant 32 : index
    %ty = arith.constant 1 : index
    %one = arith.constant 1.0 : f16
    %a = gpu.alloc() : memref<1024x1024xf16>
    %b = gpu.alloc() : memref<1024x1024xf16>
    %d = gpu.alloc() : memref<1024x1024xf32>
    gpu.memset %a, %one : memref<1024x1024xf16>, f16
    gpu.memset %b, %one : memref<1024x1024xf16>, f16
    gpu.launch_func @kernels::@mma blocks in (%gx, %gy, %c1) threads in (%tx, %ty, %c1)
        args(%a : memref<1024x1024xf16>, %b : memref<1024x1024xf16>, %d : memref<1024x1024xf32>)
    gpu.wait
    gpu.dealloc %a : memref<1024x1024xf16>
    gpu.dealloc %b : memref<1024x1024xf16>
    gpu.dealloc %d : memref<1024x1024xf32>
    return
  }

  // Dot products.
  func.func @plain() {
    %c1 = arith.constant 1 : index
    %gx = arith.constant 64 : index
    %gy = arith.constant 64 : index
    %tx = arith.constant 16 : index
    %ty = arith.constant 16 : index
    %one = arith.constant 1.0 : f16
    %a = gpu.alloc() : memref<1024x1024xf16>
    %b = gpu.alloc() : memref<1024x1024xf16>
    %d = gpu.alloc() : memref<1024x1024xf32>
    gpu.memset %a, %one : memref<1024x1024xf16>, f16
    gpu.memset %b, %one : memref<1024x1024xf16>, f16
    gpu.launch_func @kernels::@plain blocks in (%gx, %gy, %c1) threads in (%tx, %ty, %c1)
        args(%a : memref<1024x1024xf16>, %b : memref<1024x1024xf16>, %d : memref<1024x1024xf32>)
    gpu.wait
    gpu.dealloc %a : memref<1024x1024xf16>
    gpu.dealloc %b : memref<1024x1024xf16>
    gpu.dealloc %d : memref<1024x1024xf32>
    return
  }

  // Vectors of threads.
  func.func @words() {
    %c1 = arith.constant 1 : index
    %gx = arith.constant 64 : index
    %gy = arith.constant 64 : index
    %tx = arith.constant 16 : index
    %ty = arith.constant 16 : index
    %one = arith.constant 1.0 : f32
    %a = gpu.alloc() : memref<1024x1024xf32>
    %b = gpu.alloc() : memref<1024x1024xf32>
    %d = gpu.alloc() : memref<1024x1024xf32>
    gpu.memset %a, %one : memref<1024x1024xf32>, f32
    gpu.memset %b, %one : memref<1024x1024xf32>, f32
    gpu.launch_func @kernels::@words blocks in (%gx, %gy, %c1) threads in (%tx, %ty, %c1)
        args(%a : memref<1024x1024xf32>, %b : memref<1024x1024xf32>, %d : memref<1024x1024xf32>)
    gpu.wait
    gpu.dealloc %a : memref<1024x1024xf32>
    gpu.dealloc %b : memref<1024x1024xf32>
    gpu.dealloc %d : memref<1024x1024xf32>
    return
  }
}
