// Elements of matrices that a warp holds: all kinds of elementwise ops, and those of a
// lane, one by one.

module attributes {gpu.container_module} {
  gpu.module @kernels {
    // ((c - (-c)) / 2) * 3 of each element, and 10 more for the first of each lane.
    gpu.func @floats(%c: memref<16x16xf32>, %d: memref<16x16xf32>) kernel {
      %c0 = arith.constant 0 : index
      %ten = arith.constant 10.0 : f32
      %two = arith.constant 2.0 : f32
      %three = arith.constant 3.0 : f32
      %m = gpu.subgroup_mma_load_matrix %c[%c0, %c0] {leadDimension = 16 : index} : memref<16x16xf32> -> !gpu.mma_matrix<16x16xf32, "COp">
      %twos = gpu.subgroup_mma_constant_matrix %two : !gpu.mma_matrix<16x16xf32, "COp">
      %threes = gpu.subgroup_mma_constant_matrix %three : !gpu.mma_matrix<16x16xf32, "COp">
      %n = gpu.subgroup_mma_elementwise negatef %m : (!gpu.mma_matrix<16x16xf32, "COp">) -> !gpu.mma_matrix<16x16xf32, "COp">
      %s = gpu.subgroup_mma_elementwise subf %m, %n : (!gpu.mma_matrix<16x16xf32, "COp">, !gpu.mma_matrix<16x16xf32, "COp">) -> !gpu.mma_matrix<16x16xf32, "COp">
      %h = gpu.subgroup_mma_elementwise divf %s, %twos : (!gpu.mma_matrix<16x16xf32, "COp">, !gpu.mma_matrix<16x16xf32, "COp">) -> !gpu.mma_matrix<16x16xf32, "COp">
      %t = gpu.subgroup_mma_elementwise mulf %h, %threes : (!gpu.mma_matrix<16x16xf32, "COp">, !gpu.mma_matrix<16x16xf32, "COp">) -> !gpu.mma_matrix<16x16xf32, "COp">
      %e = gpu.subgroup_mma_extract_thread_local %t[%c0] : !gpu.mma_matrix<16x16xf32, "COp"> -> f32
      %f = arith.addf %e, %ten : f32
      %u = gpu.subgroup_mma_insert_thread_local %f, %t[%c0] : f32, !gpu.mma_matrix<16x16xf32, "COp"> -> !gpu.mma_matrix<16x16xf32, "COp">
      gpu.subgroup_mma_store_matrix %u, %d[%c0, %c0] {leadDimension = 16 : index} : !gpu.mma_matrix<16x16xf32, "COp">, memref<16x16xf32>
      gpu.return
    }
    // ((c + 7) * 5 - (-c)) / 2, with a sign, of each.
    gpu.func @integers(%c: memref<16x16xi32>, %d: memref<16x16xi32>) kernel {
      %c0 = arith.constant 0 : index
      %two = arith.constant 2 : i32
      %five = arith.constant 5 : i32
      %seven = arith.constant 7 : i32
      %m = gpu.subgroup_mma_load_matrix %c[%c0, %c0] {leadDimension = 16 : index} : memref<16x16xi32> -> !gpu.mma_matrix<16x16xi32, "COp">
      %twos = gpu.subgroup_mma_constant_matrix %two : !gpu.mma_matrix<16x16xi32, "COp">
      %fives = gpu.subgroup_mma_constant_matrix %five : !gpu.mma_matrix<16x16xi32, "COp">
      %sevens = gpu.subgroup_mma_constant_matrix %seven : !gpu.mma_matrix<16x16xi32, "COp">
      %n = gpu.subgroup_mma_elementwise negates %m : (!gpu.mma_matrix<16x16xi32, "COp">) -> !gpu.mma_matrix<16x16xi32, "COp">
      %a = gpu.subgroup_mma_elementwise addi %m, %sevens : (!gpu.mma_matrix<16x16xi32, "COp">, !gpu.mma_matrix<16x16xi32, "COp">) -> !gpu.mma_matrix<16x16xi32, "COp">
      %p = gpu.subgroup_mma_elementwise muli %a, %fives : (!gpu.mma_matrix<16x16xi32, "COp">, !gpu.mma_matrix<16x16xi32, "COp">) -> !gpu.mma_matrix<16x16xi32, "COp">
      %s = gpu.subgroup_mma_elementwise subi %p, %n : (!gpu.mma_matrix<16x16xi32, "COp">, !gpu.mma_matrix<16x16xi32, "COp">) -> !gpu.mma_matrix<16x16xi32, "COp">
      %h = gpu.subgroup_mma_elementwise divs %s, %twos : (!gpu.mma_matrix<16x16xi32, "COp">, !gpu.mma_matrix<16x16xi32, "COp">) -> !gpu.mma_matrix<16x16xi32, "COp">
      gpu.subgroup_mma_store_matrix %h, %d[%c0, %c0] {leadDimension = 16 : index} : !gpu.mma_matrix<16x16xi32, "COp">, memref<16x16xi32>
      gpu.return
    }
  }

  // How many of the elements differ from what the host wants, where one in eight
  // has 10 more; then how many of the others do.
  //
  // RUN: kernel
  // CHECK: 32
  // CHECK: 0
  func.func @main() {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c16 = arith.constant 16 : index
    %c32 = arith.constant 32 : index
    %zero = arith.constant 0 : i32
    %hundred = arith.constant 100 : i32
    %c = gpu.alloc host_shared () : memref<16x16xf32>
    %d = gpu.alloc host_shared () : memref<16x16xf32>
    %i = gpu.alloc host_shared () : memref<16x16xi32>
    %j = gpu.alloc host_shared () : memref<16x16xi32>
    scf.for %row = %c0 to %c16 step %c1 {
      scf.for %column = %c0 to %c16 step %c1 {
        %at0 = arith.muli %row, %c16 : index
        %at = arith.addi %at0, %column : index
        %v0 = arith.index_cast %at : index to i32
        %v = arith.subi %v0, %hundred : i32
        %f = arith.sitofp %v : i32 to f32
        memref.store %f, %c[%row, %column] : memref<16x16xf32>
        memref.store %v, %i[%row, %column] : memref<16x16xi32>
      }
    }
    gpu.launch_func @kernels::@floats blocks in (%c1, %c1, %c1) threads in (%c32, %c1, %c1)
        args(%c : memref<16x16xf32>, %d : memref<16x16xf32>)
    gpu.launch_func @kernels::@integers blocks in (%c1, %c1, %c1) threads in (%c32, %c1, %c1)
        args(%i : memref<16x16xi32>, %j : memref<16x16xi32>)
    %wrong:2 = scf.for %row = %c0 to %c16 step %c1 iter_args(%a0 = %zero, %b0 = %zero) -> (i32, i32) {
      %inner:2 = scf.for %column = %c0 to %c16 step %c1 iter_args(%a = %a0, %b = %b0) -> (i32, i32) {
        %three = arith.constant 3.0 : f32
        %ten = arith.constant 10.0 : f32
        %two = arith.constant 2 : i32
        %five = arith.constant 5 : i32
        %seven = arith.constant 7 : i32
        %thousand = arith.constant 1000 : i32
        %x = memref.load %c[%row, %column] : memref<16x16xf32>
        %y = memref.load %d[%row, %column] : memref<16x16xf32>
        %w = arith.mulf %x, %three : f32
        %w10 = arith.addf %w, %ten : f32
        %is_more = arith.cmpf oeq, %y, %w10 : f32
        %is_same = arith.cmpf oeq, %y, %w : f32
        %m32 = arith.extui %is_more : i1 to i32
        %either = arith.ori %is_more, %is_same : i1
        %true = arith.constant true
        %neither = arith.xori %either, %true : i1
        %n32 = arith.extui %neither : i1 to i32
        %nk = arith.muli %n32, %thousand : i32
        %a1 = arith.addi %a, %m32 : i32
        %a2 = arith.addi %a1, %nk : i32
        %p = memref.load %i[%row, %column] : memref<16x16xi32>
        %q = memref.load %j[%row, %column] : memref<16x16xi32>
        %p7 = arith.addi %p, %seven : i32
        %p5 = arith.muli %p7, %five : i32
        %ps = arith.addi %p5, %p : i32
        %ph = arith.divsi %ps, %two : i32
        %differs = arith.cmpi ne, %q, %ph : i32
        %d32 = arith.extui %differs : i1 to i32
        %b1 = arith.addi %b, %d32 : i32
        scf.yield %a2, %b1 : i32, i32
      }
      scf.yield %inner#0, %inner#1 : i32, i32
    }
    vector.print %wrong#0 : i32
    vector.print %wrong#1 : i32
    gpu.dealloc %c : memref<16x16xf32>
    gpu.dealloc %d : memref<16x16xf32>
    gpu.dealloc %i : memref<16x16xi32>
    gpu.dealloc %j : memref<16x16xi32>
    return
  }
}
