// A variable of more than 16 bytes is aligned to 16, as LLVM takes it to be when
// it joins accesses; an alignment that the program gives is kept.
// RUN: async-gpu-opt %s --async-gpu-kernels=targets=ptx --emit=ptx | FileCheck %s
// RUN: async-gpu-opt %s --async-gpu-kernels-to-nvvm | FileCheck %s --check-prefix=NVVM

gpu.module @m {
  // CHECK: .extern .shared .align 16 .b8
  // CHECK-DAG: .global .align 16 .b8 table[32] = {
  // CHECK-DAG: .global .align 8 .b8 pair[8] = {
  // NVVM-DAG: @table({{.*}} alignment = 16 : i64
  // NVVM-DAG: @pair({{.*}} alignment = 8 : i64
  memref.global "private" constant @table : memref<8xf32> =
      dense<[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0]>
  memref.global "private" constant @pair : memref<2xf32> =
      dense<[1.0, 2.0]> {alignment = 8}

  // CHECK-LABEL: .entry two_buffers(
  // CHECK-DAG: .shared .align 16 .b8 [[A:__wg_two_buffers_0]][40];
  // CHECK-DAG: .shared .align 16 .b8 [[B:__wg_two_buffers_1]][32];
  // CHECK-DAG: .shared .align 128 .b8 __wg_two_buffers_2[12];
  // CHECK: st.shared.v2.b64 {{.*}}[[B]]
  gpu.func @two_buffers(%out: memref<?xf32>)
      workgroup(%a: memref<10xi32, #gpu.address_space<workgroup>>,
                %b: memref<4xi64, #gpu.address_space<workgroup>>,
                %c: memref<3xi32, #gpu.address_space<workgroup>>
                    {llvm.align = 128 : i64}) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %t = gpu.thread_id x
    %i = arith.constant 1 : i64
    %x = arith.constant 7 : i32
    memref.store %x, %a[%t] : memref<10xi32, #gpu.address_space<workgroup>>
    memref.store %x, %c[%t] : memref<3xi32, #gpu.address_space<workgroup>>
    memref.store %i, %b[%c0] : memref<4xi64, #gpu.address_space<workgroup>>
    memref.store %i, %b[%c1] : memref<4xi64, #gpu.address_space<workgroup>>
    gpu.barrier
    %table = memref.get_global @table : memref<8xf32>
    %pair = memref.get_global @pair : memref<2xf32>
    %u = memref.load %table[%t] : memref<8xf32>
    %v = memref.load %pair[%t] : memref<2xf32>
    %s = arith.addf %u, %v : f32
    %w = memref.load %a[%c0] : memref<10xi32, #gpu.address_space<workgroup>>
    %w1 = memref.load %b[%t] : memref<4xi64, #gpu.address_space<workgroup>>
    %w2 = memref.load %c[%c1] : memref<3xi32, #gpu.address_space<workgroup>>
    %w4 = arith.trunci %w1 : i64 to i32
    %w5 = arith.addi %w, %w2 : i32
    %w6 = arith.addi %w, %w4 : i32
    %w7 = arith.addi %w5, %w6 : i32
    %f = arith.sitofp %w7 : i32 to f32
    %r = arith.addf %s, %f : f32
    memref.store %r, %out[%t] : memref<?xf32>
    gpu.return
  }

  gpu.func @sized_at_launch(%out: memref<?xf32>) kernel {
    %t = gpu.thread_id x
    %c0 = arith.constant 0 : index
    %bytes = gpu.dynamic_shared_memory : memref<?xi8, #gpu.address_space<workgroup>>
    %m = memref.view %bytes[%c0][] : memref<?xi8, #gpu.address_space<workgroup>>
        to memref<64xf32, #gpu.address_space<workgroup>>
    %v = memref.load %out[%t] : memref<?xf32>
    memref.store %v, %m[%t] : memref<64xf32, #gpu.address_space<workgroup>>
    gpu.barrier
    %u = memref.load %m[%c0] : memref<64xf32, #gpu.address_space<workgroup>>
    memref.store %u, %out[%t] : memref<?xf32>
    gpu.return
  }
}
