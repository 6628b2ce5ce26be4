// What threads of a warp do that the PTX ISA leaves undefined: one kernel for each
// way, which the function of the same name launches with a block of 33 threads.

module attributes {gpu.container_module} {

gpu.module @kernels {
  // All lanes shuffle at one op, but half of them with another mask.
  gpu.func @masks(%out: memref<33xi32>) kernel {
    %t = gpu.thread_id x
    %c16 = arith.constant 16 : index
    %all = arith.constant -1 : i32
    %high = arith.constant 0xffff0001 : i32
    %one = arith.constant 1 : i32
    %clamp = arith.constant 31 : i32
    %low = arith.cmpi ult, %t, %c16 : index
    %mask = arith.select %low, %all, %high : i32
    %v = nvvm.shfl.sync bfly %mask, %one, %one, %clamp : i32 -> i32
    memref.store %v, %out[%t] : memref<33xi32>
    gpu.return
  }
  // Threads of one warp come to one barrier at two instructions.
  gpu.func @halves(%out: memref<33xi32>) kernel {
    %t = gpu.thread_id x
    %c16 = arith.constant 16 : index
    %id = arith.constant 2 : i32
    %low = arith.cmpi ult, %t, %c16 : index
    scf.if %low {
      nvvm.barrier id = %id
      memref.store %id, %out[%t] : memref<33xi32>
    } else {
      nvvm.barrier id = %id
    }
    gpu.return
  }
  // The second warp has one lane, which reads the next.
  gpu.func @absent(%out: memref<33xi32>) kernel {
    %t = gpu.thread_id x
    %one = arith.constant 1 : i32
    %width = arith.constant 32 : i32
    %v, %valid = gpu.shuffle xor %one, %one, %width : i32
    memref.store %v, %out[%t] : memref<33xi32>
    gpu.return
  }
  // Odd lanes end; even ones read them all the same.
  gpu.func @ended(%out: memref<33xi32>) kernel {
    %t = gpu.thread_id x
    %c2 = arith.constant 2 : index
    %c0 = arith.constant 0 : index
    %rest = arith.remui %t, %c2 : index
    %even = arith.cmpi eq, %rest, %c0 : index
    cf.cond_br %even, ^read, ^end
  ^read:
    %one = arith.constant 1 : i32
    %width = arith.constant 32 : i32
    %v, %valid = gpu.shuffle down %one, %one, %width : i32
    memref.store %v, %out[%t] : memref<33xi32>
    cf.br ^end
  ^end:
    gpu.return
  }
  // Odd lanes are not among the lanes that they name.
  gpu.func @own_lane(%out: memref<33xi32>) kernel {
    %t = gpu.thread_id x
    %mask = arith.constant 0x55555555 : i32
    nvvm.bar.warp.sync %mask : i32
    gpu.return
  }
}

// Prints what the last thread has stored.
func.func @print_last(%d: memref<33xi32>) {
  %c32 = arith.constant 32 : index
  %h = memref.alloc() : memref<33xi32>
  gpu.memcpy %h, %d : memref<33xi32>, memref<33xi32>
  %x = memref.load %h[%c32] : memref<33xi32>
  vector.print %x : i32
  memref.dealloc %h : memref<33xi32>
  return
}

// RUN: @masks
// ERROR: lanes.mlir:{{[0-9]+}}:3: error: {{.*}}: CUDA_ERROR_LAUNCH_FAILED: {{.*}}lanes.mlir:[[@LINE-65]]:10: kernel 'masks', block 0,0,0: thread 0,0,0 waits at a shuffle of lanes 0xffffffff that thread 16,0,0 does not reach: it waits at a shuffle of lanes 0xffff0001 at {{.*}}lanes.mlir:[[@LINE-65]]:10; 1 of 33 threads have ended
func.func @masks() {
  %c1 = arith.constant 1 : index
  %c33 = arith.constant 33 : index
  %d = gpu.alloc() : memref<33xi32>
  gpu.launch_func @kernels::@masks blocks in (%c1, %c1, %c1) threads in (%c33, %c1, %c1) args(%d : memref<33xi32>)
  gpu.wait
  func.call @print_last(%d) : (memref<33xi32>) -> ()
  gpu.dealloc %d : memref<33xi32>
  return
}

// RUN: @halves
// ERROR: lanes.mlir:{{[0-9]+}}:3: error: {{.*}}: CUDA_ERROR_LAUNCH_FAILED: {{.*}}lanes.mlir:[[@LINE-67]]:7: kernel 'halves', block 0,0,0: thread 0,0,0 is at barrier 2, and thread 16,0,0 of its warp at another place, {{.*}}lanes.mlir:[[@LINE-64]]:7: all threads of a warp have to reach a barrier together
func.func @halves() {
  %c1 = arith.constant 1 : index
  %c33 = arith.constant 33 : index
  %d = gpu.alloc() : memref<33xi32>
  gpu.launch_func @kernels::@halves blocks in (%c1, %c1, %c1) threads in (%c33, %c1, %c1) args(%d : memref<33xi32>)
  gpu.wait
  func.call @print_last(%d) : (memref<33xi32>) -> ()
  gpu.dealloc %d : memref<33xi32>
  return
}

// RUN: @absent EMU_CHECK=lanes
// CHECK: -559038737
// ERROR: lanes.mlir:[[@LINE-69]]:18: error: kernel 'absent', block 0,0,0: thread 32,0,0 reads lane 1 in a shuffle of lanes 0xffffffff, which has ended, does not exist, or is not one of them
// RUN: @absent EMU_CHECK=memory,races
// CHECK: -559038737
func.func @absent() {
  %c1 = arith.constant 1 : index
  %c33 = arith.constant 33 : index
  %d = gpu.alloc() : memref<33xi32>
  gpu.launch_func @kernels::@absent blocks in (%c1, %c1, %c1) threads in (%c33, %c1, %c1) args(%d : memref<33xi32>)
  gpu.wait
  func.call @print_last(%d) : (memref<33xi32>) -> ()
  gpu.dealloc %d : memref<33xi32>
  return
}

// RUN: @ended EMU_CHECK=lanes
// CHECK: -559038737
// ERROR: lanes.mlir:[[@LINE-70]]:18: error: kernel 'ended', block 0,0,0: thread 0,0,0 reads lane 1 in a shuffle of lanes 0xffffffff, which has ended, does not exist, or is not one of them
// RUN: @ended EMU_CHECK=memory,races
// CHECK: -559038737
func.func @ended() {
  %c1 = arith.constant 1 : index
  %c33 = arith.constant 33 : index
  %d = gpu.alloc() : memref<33xi32>
  gpu.launch_func @kernels::@ended blocks in (%c1, %c1, %c1) threads in (%c33, %c1, %c1) args(%d : memref<33xi32>)
  gpu.wait
  func.call @print_last(%d) : (memref<33xi32>) -> ()
  gpu.dealloc %d : memref<33xi32>
  return
}

// RUN: @own_lane
// ERROR: lanes.mlir:{{[0-9]+}}:3: error: {{.*}}: CUDA_ERROR_LAUNCH_FAILED: {{.*}}lanes.mlir:[[@LINE-75]]:5: kernel 'own_lane', block 0,0,0: thread 1,0,0, lane 1 of its warp, is at a barrier of its warp of lanes 0x55555555, which do not include it
func.func @own_lane() {
  %c1 = arith.constant 1 : index
  %c33 = arith.constant 33 : index
  %d = gpu.alloc() : memref<33xi32>
  gpu.launch_func @kernels::@own_lane blocks in (%c1, %c1, %c1) threads in (%c33, %c1, %c1) args(%d : memref<33xi32>)
  gpu.wait
  func.call @print_last(%d) : (memref<33xi32>) -> ()
  gpu.dealloc %d : memref<33xi32>
  return
}

}
