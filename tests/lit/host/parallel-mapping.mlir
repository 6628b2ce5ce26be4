// Loops that are mapped to a GPU, and of which nothing has made kernels.
// RUN: async-gpu-opt %s --async-gpu-parallel -o /dev/null 2>&1 | FileCheck %s --implicit-check-not=warning:
// RUN: async-gpu-opt %s --async-gpu-lower -o /dev/null 2>&1 | FileCheck %s --implicit-check-not=warning:
// RUN: async-gpu-opt %s --async-gpu-parallel=abi=upstream -o /dev/null 2>&1 | FileCheck %s --implicit-check-not=warning:
// RUN: async-gpu-opt %s --gpu-map-parallel-loops --convert-parallel-loops-to-gpu --async-gpu-parallel -o /dev/null 2>&1 | FileCheck %s --check-prefix=CONVERTED --implicit-check-not=warning:

func.func @loops(%n: index, %m: memref<?xf32>, %x: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // CONVERTED: :[[#@LINE+2]]:3: warning: {{.*}}map_forall_to_blocks
  // CHECK: parallel-mapping.mlir:[[#@LINE+1]]:3: warning: this loop is mapped to a GPU, but runs on the host: transform.gpu.map_forall_to_blocks makes a kernel of it
  scf.forall (%i) in (%n) {
    memref.store %x, %m[%i] : memref<?xf32>
  } {mapping = [#gpu.block<x>]}
  // CHECK: [[#@LINE+1]]:3: warning: this loop is mapped to a GPU, but runs on the host: --convert-parallel-loops-to-gpu makes a kernel of it
  scf.parallel (%i) = (%c0) to (%n) step (%c1) {
    scf.parallel (%j) = (%c0) to (%n) step (%c1) {
      memref.store %x, %m[%j] : memref<?xf32>
      scf.reduce
    } {mapping = [#gpu.loop_dim_map<processor = thread_x, map = (d0) -> (d0), bound = (d0) -> (d0)>]}
    scf.reduce
  } {mapping = [#gpu.loop_dim_map<processor = block_x, map = (d0) -> (d0), bound = (d0) -> (d0)>]}
  // One that stays a loop in any case.
  scf.parallel (%i) = (%c0) to (%n) step (%c1) {
    memref.store %x, %m[%i] : memref<?xf32>
    scf.reduce
  } {mapping = [#gpu.loop_dim_map<processor = sequential, map = (d0) -> (d0), bound = (d0) -> (d0)>]}
  return
}
