// A program for several chips: which of its images a card gets, and what its driver's
// compiler says of it, in the program's message.

module attributes {gpu.container_module} {
  gpu.module @m {
    gpu.func @k(%x: memref<4xi32>) kernel {
      %t = gpu.thread_id x
      %v = arith.index_cast %t : index to i32
      memref.store %v, %x[%t] : memref<4xi32>
      gpu.return
    }
  }
  // RUN: env:FAKE_LIBCUDA_CAPABILITY=8.0|8.6 --gpu-chip=sm_80,sm_90,sm_90a --gpu-targets=ptx,native runner
  // ERROR: chips.mlir:[[@LINE+11]]:5: {{.*}}loading module 'm' (line 6: no compiler for sm_80)
  // RUN: env:FAKE_LIBCUDA_CAPABILITY=9.0 --gpu-chip=sm_80,sm_90,sm_90a --gpu-targets=ptx,native runner
  // ERROR: chips.mlir:[[@LINE+9]]:5: {{.*}}loading module 'm' (line 6: no compiler for sm_90a)
  // RUN: env:FAKE_LIBCUDA_CAPABILITY=12.0 --gpu-chip=sm_80,sm_90,sm_90a --gpu-targets=ptx,native runner
  // ERROR: chips.mlir:[[@LINE+7]]:5: {{.*}}loading module 'm' (line 6: no compiler for sm_90)
  // RUN: env:FAKE_LIBCUDA_CAPABILITY=7.5 --gpu-chip=sm_80,sm_90,sm_90a --gpu-targets=ptx,native runner
  // ERROR: chips.mlir:[[@LINE+5]]:5: {{.*}}has no image {{.*}} it needs PTX for sm_75 or lower, and there is PTX for sm_80, PTX for sm_90, PTX for sm_90a
  func.func @main() {
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %x = gpu.alloc () : memref<4xi32>
    gpu.launch_func @m::@k blocks in (%c1, %c1, %c1) threads in (%c4, %c1, %c1)
        args(%x : memref<4xi32>)
    gpu.dealloc %x : memref<4xi32>
    return
  }
}
