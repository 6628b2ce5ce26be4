// Images for several chips, and the descriptors from which the runtime chooses.
// RUN: async-gpu-opt %s --async-gpu-kernels="targets=ptx chip=sm_75,sm_90a" | FileCheck %s
// RUN: async-gpu-opt %s --async-gpu-kernels="targets=ptx chip=sm_75,sm_90a" --emit=ptx | FileCheck %s --check-prefix=TEXT

// RUN: not async-gpu-opt %s --async-gpu-kernels=chip=sm_75,sm_99 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// RUN: not async-gpu-opt %s --async-gpu-kernels=chip=sm_75,sm_75 2>&1 | FileCheck %s --check-prefix=TWICE
// RUN: not async-gpu-opt %s --async-gpu-kernels=chip=sm_75, 2>&1 | FileCheck %s --check-prefix=EMPTY
// RUN: not async-gpu-opt %s --async-gpu-kernels="chip=sm_75,sm_90 features=+ptx70" 2>&1 | FileCheck %s --check-prefix=LOW
// RUN: not async-gpu-opt %s --async-gpu-kernels=format=elf 2>&1 | FileCheck %s --check-prefix=FORMAT
// RUN: not async-gpu-opt %s --async-gpu-kernels=math=fast 2>&1 | FileCheck %s --check-prefix=MATH
// RUN: not async-gpu-opt %s --async-gpu-kernels=native-threads=fibers 2>&1 | FileCheck %s --check-prefix=THREADS
// RUN: not async-gpu-opt %s --async-gpu-kernels="format=cubin toolkit=%S" 2>&1 | FileCheck %s --check-prefix=NO-PTXAS

// UNKNOWN: kernels-images.mlir:[[#@LINE+8]]:1: error: unknown chip 'sm_99' in option chip='sm_75,sm_99'
// TWICE: error: option chip='sm_75,sm_75' names sm_75 twice
// EMPTY: error: unknown chip '' in option chip='sm_75,'
// LOW: error: option features='+ptx70' is too low for sm_90, which needs +ptx78
// FORMAT: error: unknown format in option format='elf'; the formats are ptx and cubin
// MATH: error: async-gpu-kernels: option 'math' is libdevice or expand, not 'fast'
// THREADS: error: async-gpu-kernels: option 'native-threads' is auto or coroutines, not 'fibers'
// NO-PTXAS: kernels-images.mlir:[[#@LINE+1]]:1: error: format=cubin needs ptxas of a CUDA toolkit, and none was found; set CUDA_HOME or toolkit=FOLDER, or embed PTX
gpu.module @m {
  gpu.func @k(%x: memref<?xf32>, %v: f32) kernel {
    %t = gpu.thread_id x
    memref.store %v, %x[%t] : memref<?xf32>
    gpu.return
  }
}

// CHECK: @agpu_ptx.m.sm_75("{{.*}}.target sm_75{{.*}}agpu.ptx = "m"
// CHECK: @agpu_ptx.m.sm_90a("{{.*}}.target sm_90a{{.*}}agpu.ptx = "m"
// CHECK: @agpu_images.m() {{.*}} !llvm.array<2 x struct<(i32, i32, i32, i32, ptr, i64)>>
// CHECK: llvm.mlir.constant(1 : i32)
// CHECK: llvm.mlir.constant(75 : i32)
// CHECK: llvm.mlir.constant(0 : i32)
// CHECK: llvm.mlir.addressof @agpu_ptx.m.sm_75
// CHECK: llvm.mlir.constant(1 : i32)
// CHECK: llvm.mlir.constant(90 : i32)
// CHECK: llvm.mlir.constant(97 : i32)
// CHECK: llvm.mlir.addressof @agpu_ptx.m.sm_90a

// TEXT: // gpu.module @m
// TEXT: .target sm_75
// TEXT: // gpu.module @m
// TEXT: .target sm_90a
