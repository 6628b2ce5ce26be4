// Every op of the gpu dialect in host code: what works, and what is an error that
// says so. %S/Inputs/check_gpu_ops.py sees to it that none is missing.
// RUN: split-file %s %t
// RUN: %python %S/Inputs/check_gpu_ops.py %mlir_include/mlir/Dialect/GPU/IR/GPUOps.h.inc %s
// RUN: async-gpu-opt %t/works.mlir --async-gpu-lower | FileCheck %s --implicit-check-not="{{[^a_]}}gpu."
// RUN: async-gpu-opt %t/errors.mlir --async-gpu-lower --split-input-file --verify-diagnostics

//--- works.mlir
// CHECK: llvm.func @host_ops
module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @kernel(%m: memref<4xf32>) kernel {
      gpu.return
    }
  }
  gpu.binary @compiled [#gpu.object<#nvvm.target, assembly = ".version 6.3\0A.target sm_75\0A">]
  func.func @host_ops(%n: index, %x: f32, %device: i32, %h: memref<4xf32>) -> !gpu.async.token {
    gpu.set_default_device %device
    %u = memref.cast %h : memref<4xf32> to memref<*xf32>
    gpu.host_register %u : memref<*xf32>
    %t0 = gpu.wait async
    %d, %t1 = gpu.alloc async [%t0] () : memref<4xf32>
    %t2 = gpu.memset async [%t1] %d, %x : memref<4xf32>, f32
    %t3 = gpu.launch_func async [%t2] @kernels::@kernel blocks in (%n, %n, %n) threads in (%n, %n, %n) args(%d : memref<4xf32>)
    %t4 = gpu.launch async [%t3] blocks(%bx, %by, %bz) in (%gx = %n, %gy = %n, %gz = %n)
                                 threads(%tx, %ty, %tz) in (%sx = %n, %sy = %n, %sz = %n) {
      memref.store %x, %d[%bx] : memref<4xf32>
      gpu.terminator
    }
    gpu.launch_func @compiled::@kernel blocks in (%n, %n, %n) threads in (%n, %n, %n) args(%d : memref<4xf32>)
    %t5 = gpu.memcpy async [%t4] %h, %d : memref<4xf32>, memref<4xf32>
    %t6 = gpu.dealloc async [%t5] %d : memref<4xf32>
    gpu.wait [%t6]
    gpu.host_unregister %u : memref<*xf32>
    return %t6 : !gpu.async.token
  }
}

//--- errors.mlir
func.func @kernel_ops(%i: index, %f: f32, %w: i32, %m: memref<32x32xf16>, %o: memref<32x32xf32>) {
  // expected-error@+1 {{gpu.all_reduce is not supported in host code: it belongs in a kernel}}
  %0 = gpu.all_reduce %f {
  ^bb(%lhs : f32, %rhs : f32):
    %tmp = arith.addf %lhs, %rhs : f32
    // expected-error@+1 {{gpu.yield is not supported in host code: it belongs in a kernel}}
    gpu.yield %tmp : f32
  } : (f32) -> (f32)
  // expected-error@+1 {{gpu.barrier is not supported in host code: it belongs in a kernel}}
  gpu.barrier
  // expected-error@+1 {{gpu.block_dim is not supported in host code: it belongs in a kernel}}
  %1 = gpu.block_dim x
  // expected-error@+1 {{gpu.block_id is not supported in host code: it belongs in a kernel}}
  %2 = gpu.block_id x
  // expected-error@+1 {{gpu.cluster_block_id is not supported in host code: it belongs in a kernel}}
  %3 = gpu.cluster_block_id x
  // expected-error@+1 {{gpu.cluster_dim is not supported in host code: it belongs in a kernel}}
  %4 = gpu.cluster_dim x
  // expected-error@+1 {{gpu.cluster_dim_blocks is not supported in host code: it belongs in a kernel}}
  %5 = gpu.cluster_dim_blocks x
  // expected-error@+1 {{gpu.cluster_id is not supported in host code: it belongs in a kernel}}
  %6 = gpu.cluster_id x
  // expected-error@+1 {{gpu.dynamic_shared_memory is not supported in host code: it belongs in a kernel}}
  %7 = gpu.dynamic_shared_memory : memref<?xi8, #gpu.address_space<workgroup>>
  // expected-error@+1 {{gpu.global_id is not supported in host code: it belongs in a kernel}}
  %8 = gpu.global_id x
  // expected-error@+1 {{gpu.grid_dim is not supported in host code: it belongs in a kernel}}
  %9 = gpu.grid_dim x
  // expected-error@+1 {{gpu.lane_id is not supported in host code: it belongs in a kernel}}
  %10 = gpu.lane_id
  // expected-error@+1 {{gpu.num_subgroups is not supported in host code: it belongs in a kernel}}
  %11 = gpu.num_subgroups : index
  // expected-error@+1 {{gpu.printf is not supported in host code: it belongs in a kernel}}
  gpu.printf "%d", %i : index
  // expected-error@+1 {{gpu.rotate is not supported in host code: it belongs in a kernel}}
  %12, %13 = gpu.rotate %f, 3, 16 : f32
  // expected-error@+1 {{gpu.shuffle is not supported in host code: it belongs in a kernel}}
  %14, %15 = gpu.shuffle xor %f, %w, %w : f32
  // expected-error@+1 {{gpu.subgroup_broadcast is not supported in host code: it belongs in a kernel}}
  %16 = gpu.subgroup_broadcast %f, first_active_lane : f32
  // expected-error@+1 {{gpu.subgroup_id is not supported in host code: it belongs in a kernel}}
  %17 = gpu.subgroup_id : index
  // expected-error@+1 {{gpu.subgroup_reduce is not supported in host code: it belongs in a kernel}}
  %18 = gpu.subgroup_reduce add %f : (f32) -> f32
  // expected-error@+1 {{gpu.subgroup_size is not supported in host code: it belongs in a kernel}}
  %19 = gpu.subgroup_size : index
  // expected-error@+1 {{gpu.thread_id is not supported in host code: it belongs in a kernel}}
  %20 = gpu.thread_id x
  // expected-error@+1 {{gpu.subgroup_mma_load_matrix is not supported in host code: it belongs in a kernel}}
  %a = gpu.subgroup_mma_load_matrix %m[%i, %i] {leadDimension = 32 : index} : memref<32x32xf16> -> !gpu.mma_matrix<16x16xf16, "AOp">
  // expected-error@+1 {{gpu.subgroup_mma_load_matrix is not supported in host code: it belongs in a kernel}}
  %b = gpu.subgroup_mma_load_matrix %m[%i, %i] {leadDimension = 32 : index} : memref<32x32xf16> -> !gpu.mma_matrix<16x16xf16, "BOp">
  // expected-error@+1 {{gpu.subgroup_mma_constant_matrix is not supported in host code: it belongs in a kernel}}
  %c = gpu.subgroup_mma_constant_matrix %f : !gpu.mma_matrix<16x16xf32, "COp">
  // expected-error@+1 {{gpu.subgroup_mma_compute is not supported in host code: it belongs in a kernel}}
  %d = gpu.subgroup_mma_compute %a, %b, %c : !gpu.mma_matrix<16x16xf16, "AOp">, !gpu.mma_matrix<16x16xf16, "BOp"> -> !gpu.mma_matrix<16x16xf32, "COp">
  // expected-error@+1 {{gpu.subgroup_mma_elementwise is not supported in host code: it belongs in a kernel}}
  %e = gpu.subgroup_mma_elementwise addf %d, %c : (!gpu.mma_matrix<16x16xf32, "COp">, !gpu.mma_matrix<16x16xf32, "COp">) -> !gpu.mma_matrix<16x16xf32, "COp">
  // expected-error@+1 {{gpu.subgroup_mma_extract_thread_local is not supported in host code: it belongs in a kernel}}
  %v = gpu.subgroup_mma_extract_thread_local %e[%i] : !gpu.mma_matrix<16x16xf32, "COp"> -> f32
  // expected-error@+1 {{gpu.subgroup_mma_insert_thread_local is not supported in host code: it belongs in a kernel}}
  %g = gpu.subgroup_mma_insert_thread_local %v, %e[%i] : f32, !gpu.mma_matrix<16x16xf32, "COp"> -> !gpu.mma_matrix<16x16xf32, "COp">
  // expected-error@+1 {{gpu.subgroup_mma_store_matrix is not supported in host code: it belongs in a kernel}}
  gpu.subgroup_mma_store_matrix %g, %o[%i, %i] {leadDimension = 32 : index} : !gpu.mma_matrix<16x16xf32, "COp">, memref<32x32xf32>
  // expected-error@+1 {{gpu.warp_execute_on_lane_0 is not supported in host code: it belongs in a kernel}}
  %h = gpu.warp_execute_on_lane_0(%i)[32] -> (vector<1x4xi32>) {
    %x = arith.constant dense<2>: vector<4x32xi32>
    // expected-error@+1 {{gpu.yield is not supported in host code: it belongs in a kernel}}
    gpu.yield %x : vector<4x32xi32>
  }
  return
}

// -----

func.func @sparse(%n: index, %p: memref<?xindex>, %v: memref<?xf32>, %h: memref<?xf16>, %b: memref<0xi8>) {
  %t0 = gpu.wait async
  // expected-error@+1 {{gpu.create_coo is not supported in host code: call a library for sparse matrices, with async_gpu.enqueue}}
  %coo, %t1 = gpu.create_coo async [%t0] %n, %n, %n, %p, %p, %v : memref<?xindex>, memref<?xindex>, memref<?xf32>
  // expected-error@+1 {{gpu.create_coo_aos is not supported in host code: call a library for sparse matrices, with async_gpu.enqueue}}
  %aos, %t2 = gpu.create_coo_aos async [%t1] %n, %n, %n, %p, %v : memref<?xindex>, memref<?xf32>
  // expected-error@+1 {{gpu.create_csr is not supported in host code: call a library for sparse matrices, with async_gpu.enqueue}}
  %csr, %t3 = gpu.create_csr async [%t2] %n, %n, %n, %p, %p, %v : memref<?xindex>, memref<?xindex>, memref<?xf32>
  // expected-error@+1 {{gpu.create_csc is not supported in host code: call a library for sparse matrices, with async_gpu.enqueue}}
  %csc, %t4 = gpu.create_csc async [%t3] %n, %n, %n, %p, %p, %v : memref<?xindex>, memref<?xindex>, memref<?xf32>
  // expected-error@+1 {{gpu.create_bsr is not supported in host code: call a library for sparse matrices, with async_gpu.enqueue}}
  %bsr, %t5 = gpu.create_bsr async [%t4] %n, %n, %n, %n, %n, %p, %p, %v : memref<?xindex>, memref<?xindex>, memref<?xf32>
  // expected-error@+1 {{gpu.create_2to4_spmat is not supported in host code: call a library for sparse matrices, with async_gpu.enqueue}}
  %two, %t6 = gpu.create_2to4_spmat async [%t5] {PRUNE_AND_CHECK} %n, %n, %h : memref<?xf16>
  // expected-error@+1 {{gpu.create_dn_tensor is not supported in host code: call a library for sparse matrices, with async_gpu.enqueue}}
  %vec, %t7 = gpu.create_dn_tensor async [%t6] %v, %n : index into memref<?xf32>
  // expected-error@+1 {{gpu.create_dn_tensor is not supported in host code: call a library for sparse matrices, with async_gpu.enqueue}}
  %mat, %t8 = gpu.create_dn_tensor async [%t7] %v, %n, %n : index, index into memref<?xf32>
  // expected-error@+1 {{gpu.spmv_buffer_size is not supported in host code: call a library for sparse matrices, with async_gpu.enqueue}}
  %s1, %t9 = gpu.spmv_buffer_size async [%t8] %coo, %vec, %vec into f32
  // expected-error@+1 {{gpu.spmv is not supported in host code: call a library for sparse matrices, with async_gpu.enqueue}}
  %t10 = gpu.spmv async [%t9] %coo, %vec, %vec, %v : memref<?xf32> into f32
  // expected-error@+1 {{gpu.spmm_buffer_size is not supported in host code: call a library for sparse matrices, with async_gpu.enqueue}}
  %s2, %t11 = gpu.spmm_buffer_size async [%t10] %csr, %mat, %mat : index into f32
  // expected-error@+1 {{gpu.spmm is not supported in host code: call a library for sparse matrices, with async_gpu.enqueue}}
  %t12 = gpu.spmm async [%t11] %csr, %mat, %mat, %v : memref<?xf32> into f32
  // expected-error@+1 {{gpu.sddmm_buffer_size is not supported in host code: call a library for sparse matrices, with async_gpu.enqueue}}
  %s3, %t13 = gpu.sddmm_buffer_size async [%t12] %mat, %mat, %csr into f32
  // expected-error@+1 {{gpu.sddmm is not supported in host code: call a library for sparse matrices, with async_gpu.enqueue}}
  %t14 = gpu.sddmm async [%t13] %mat, %mat, %csr, %v : memref<?xf32> into f32
  // expected-error@+1 {{gpu.spgemm_create_descr is not supported in host code: call a library for sparse matrices, with async_gpu.enqueue}}
  %g, %t15 = gpu.spgemm_create_descr async [%t14]
  // expected-error@+1 {{gpu.spgemm_work_estimation_or_compute is not supported in host code: call a library for sparse matrices, with async_gpu.enqueue}}
  %s4, %t16 = gpu.spgemm_work_estimation_or_compute async [%t15]{COMPUTE} %csr, %csr, %csr, %g, %n, %b : f32 into memref<0xi8>
  // expected-error@+1 {{gpu.spmat_get_size is not supported in host code: call a library for sparse matrices, with async_gpu.enqueue}}
  %r, %c, %z, %t17 = gpu.spmat_get_size async [%t16] %csr
  // expected-error@+1 {{gpu.set_csr_pointers is not supported in host code: call a library for sparse matrices, with async_gpu.enqueue}}
  %t18 = gpu.set_csr_pointers async [%t17] %csr, %p, %p, %v : memref<?xindex>, memref<?xindex>, memref<?xf32>
  // expected-error@+1 {{gpu.spgemm_copy is not supported in host code: call a library for sparse matrices, with async_gpu.enqueue}}
  %t19 = gpu.spgemm_copy async [%t18] %csr, %csr, %csr, %g : f32
  // expected-error@+1 {{gpu.spgemm_destroy_descr is not supported in host code: call a library for sparse matrices, with async_gpu.enqueue}}
  %t20 = gpu.spgemm_destroy_descr async [%t19] %g
  // expected-error@+1 {{gpu.destroy_sp_mat is not supported in host code: call a library for sparse matrices, with async_gpu.enqueue}}
  %t21 = gpu.destroy_sp_mat async [%t20] %csr
  // expected-error@+1 {{gpu.destroy_dn_tensor is not supported in host code: call a library for sparse matrices, with async_gpu.enqueue}}
  %t22 = gpu.destroy_dn_tensor async [%t21] %mat
  gpu.wait [%t22]
  return
}
