// Rounds of launches in clusters as graphs: each thread adds its cluster's number, whose
// first thread has added what the round is. Clusters have another shape from round 12 on.
// FLAGS: --graphs=on
// CHIPS: sm_90

module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @add(%a: memref<8xi32>, %round: index) kernel {
      %b = gpu.block_id x
      %x = gpu.cluster_id x
      %n = gpu.cluster_dim_blocks x
      %old = memref.load %a[%b] : memref<8xi32>
      %m = arith.muli %n, %round : index
      %s = arith.addi %m, %x : index
      %more = arith.index_cast %s : index to i32
      %new = arith.addi %old, %more : i32
      memref.store %new, %a[%b] : memref<8xi32>
      gpu.return
    }
  }

  // RUN: device schedules=4
  // CHECK: ( 628, 628, 640, 640, 660, 660, 672, 672 )
  func.func @main() {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c4 = arith.constant 4 : index
    %c8 = arith.constant 8 : index
    %c12 = arith.constant 12 : index
    %c20 = arith.constant 20 : index
    %zero = arith.constant 0 : i32
    %h = memref.alloc() : memref<8xi32>
    %a = gpu.alloc() : memref<8xi32>
    gpu.memset %a, %zero : memref<8xi32>, i32
    scf.for %i = %c0 to %c20 step %c1 {
      %is_early = arith.cmpi ult, %i, %c12 : index
      %size = arith.select %is_early, %c2, %c4 : index
      gpu.launch_func @kernels::@add clusters in (%size, %c1, %c1)
          blocks in (%c8, %c1, %c1) threads in (%c1, %c1, %c1)
          args(%a : memref<8xi32>, %i : index)
    }
    gpu.memcpy %h, %a : memref<8xi32>, memref<8xi32>
    %v = vector.load %h[%c0] : memref<8xi32>, vector<8xi32>
    vector.print %v : vector<8xi32>
    gpu.dealloc %a : memref<8xi32>
    memref.dealloc %h : memref<8xi32>
    return
  }
}
