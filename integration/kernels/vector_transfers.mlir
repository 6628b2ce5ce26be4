// Vectors of two dimensions, permuted, broadcast, in part beyond the memory's end, at
// places that are not constant: kernels and the host read and write the same.
// Prints how many elements differ, then what the host has in the second row.
module attributes {gpu.container_module} {
  gpu.module @kernels {
    func.func @beyond(%d: memref<4x4xf32>, %o: memref<4x4xf32>, %t: index,
        %u: index) {
      %c0 = arith.constant 0 : index
      %f0 = arith.constant 0.0 : f32
      %v = vector.transfer_read %d[%t,%u], %f0 : memref<4x4xf32>, vector<4x4xf32>
      vector.transfer_write %v, %o[%t,%u] : vector<4x4xf32>, memref<4x4xf32>
      return
    }
    gpu.func @k_beyond(%d: memref<4x4xf32>, %o: memref<4x4xf32>) kernel {
      %c2 = arith.constant 2 : index
      %t = gpu.thread_id x
      %u = arith.addi %t, %c2 : index
      func.call @beyond(%d, %o, %t, %u)
          : (memref<4x4xf32>, memref<4x4xf32>, index, index) -> ()
      gpu.return
    }
    func.func @permuted(%d: memref<4x4xf32>, %o: memref<4x4xf32>, %t: index,
        %u: index) {
      %c0 = arith.constant 0 : index
      %f0 = arith.constant 0.0 : f32
      %v = vector.transfer_read %d[%t,%u], %f0 {permutation_map = affine_map<(d0,d1)->(d1,d0)>}
          : memref<4x4xf32>, vector<4x4xf32>
      vector.transfer_write %v, %o[%t,%c0] : vector<4x4xf32>, memref<4x4xf32>
      return
    }
    gpu.func @k_permuted(%d: memref<4x4xf32>, %o: memref<4x4xf32>) kernel {
      %c2 = arith.constant 2 : index
      %t = gpu.thread_id x
      %u = arith.addi %t, %c2 : index
      func.call @permuted(%d, %o, %t, %u)
          : (memref<4x4xf32>, memref<4x4xf32>, index, index) -> ()
      gpu.return
    }
    func.func @broadcast(%d: memref<4x4xf32>, %o: memref<4x4xf32>, %t: index,
        %u: index) {
      %c0 = arith.constant 0 : index
      %f0 = arith.constant 0.0 : f32
      %v = vector.transfer_read %d[%t,%u], %f0 {in_bounds=[true,true], permutation_map = affine_map<(d0,d1)->(0,0)>}
          : memref<4x4xf32>, vector<2x2xf32>
      vector.transfer_write %v, %o[%t,%c0] : vector<2x2xf32>, memref<4x4xf32>
      return
    }
    gpu.func @k_broadcast(%d: memref<4x4xf32>, %o: memref<4x4xf32>) kernel {
      %c2 = arith.constant 2 : index
      %t = gpu.thread_id x
      %u = arith.addi %t, %c2 : index
      func.call @broadcast(%d, %o, %t, %u)
          : (memref<4x4xf32>, memref<4x4xf32>, index, index) -> ()
      gpu.return
    }
    func.func @broadcast_row(%d: memref<4x4xf32>, %o: memref<4x4xf32>, %t: index,
        %u: index) {
      %c0 = arith.constant 0 : index
      %f0 = arith.constant 0.0 : f32
      %v = vector.transfer_read %d[%t,%u], %f0 {in_bounds=[true,true], permutation_map = affine_map<(d0,d1)->(0,d1)>}
          : memref<4x4xf32>, vector<2x2xf32>
      vector.transfer_write %v, %o[%t,%c0] : vector<2x2xf32>, memref<4x4xf32>
      return
    }
    gpu.func @k_broadcast_row(%d: memref<4x4xf32>, %o: memref<4x4xf32>) kernel {
      %c2 = arith.constant 2 : index
      %t = gpu.thread_id x
      %u = arith.addi %t, %c2 : index
      func.call @broadcast_row(%d, %o, %t, %u)
          : (memref<4x4xf32>, memref<4x4xf32>, index, index) -> ()
      gpu.return
    }
    func.func @column(%d: memref<4x4xf32>, %o: memref<4x4xf32>, %t: index,
        %u: index) {
      %c0 = arith.constant 0 : index
      %f0 = arith.constant 0.0 : f32
      %v = vector.transfer_read %d[%t,%u], %f0 {permutation_map = affine_map<(d0,d1)->(d0)>}
          : memref<4x4xf32>, vector<4xf32>
      vector.transfer_write %v, %o[%t,%c0] {permutation_map = affine_map<(d0,d1)->(d0)>} : vector<4xf32>, memref<4x4xf32>
      return
    }
    gpu.func @k_column(%d: memref<4x4xf32>, %o: memref<4x4xf32>) kernel {
      %c2 = arith.constant 2 : index
      %t = gpu.thread_id x
      %u = arith.addi %t, %c2 : index
      func.call @column(%d, %o, %t, %u)
          : (memref<4x4xf32>, memref<4x4xf32>, index, index) -> ()
      gpu.return
    }
    func.func @transposed(%d: memref<4x4xf32>, %o: memref<4x4xf32>, %t: index,
        %u: index) {
      %c0 = arith.constant 0 : index
      %f0 = arith.constant 0.0 : f32
      %v = vector.transfer_read %d[%t,%u], %f0 : memref<4x4xf32>, vector<2x3xf32>
      vector.transfer_write %v, %o[%c0,%c0] {permutation_map = affine_map<(d0,d1)->(d1,d0)>} : vector<2x3xf32>, memref<4x4xf32>
      return
    }
    gpu.func @k_transposed(%d: memref<4x4xf32>, %o: memref<4x4xf32>) kernel {
      %c2 = arith.constant 2 : index
      %t = gpu.thread_id x
      %u = arith.addi %t, %c2 : index
      func.call @transposed(%d, %o, %t, %u)
          : (memref<4x4xf32>, memref<4x4xf32>, index, index) -> ()
      gpu.return
    }
    func.func @view(%d: memref<4x4xf32>, %o: memref<4x4xf32>, %t: index,
        %u: index) {
      %c0 = arith.constant 0 : index
      %f0 = arith.constant 0.0 : f32
      %s = memref.subview %d[%t,1][2,2][1,1]
          : memref<4x4xf32> to memref<2x2xf32, strided<[4,1],offset:?>>
      %v = vector.transfer_read %s[%c0,%c0], %f0
          : memref<2x2xf32, strided<[4,1],offset:?>>, vector<2x2xf32>
      vector.transfer_write %v, %o[%t,%u] : vector<2x2xf32>, memref<4x4xf32>
      return
    }
    gpu.func @k_view(%d: memref<4x4xf32>, %o: memref<4x4xf32>) kernel {
      %c2 = arith.constant 2 : index
      %t = gpu.thread_id x
      %u = arith.addi %t, %c2 : index
      func.call @view(%d, %o, %t, %u)
          : (memref<4x4xf32>, memref<4x4xf32>, index, index) -> ()
      gpu.return
    }
    func.func @one_element(%d: memref<4x4xf32>, %o: memref<4x4xf32>, %t: index,
        %u: index) {
      %c0 = arith.constant 0 : index
      %f0 = arith.constant 0.0 : f32
      %v = vector.transfer_read %d[%t,%u], %f0 {in_bounds=[true], permutation_map = affine_map<(d0,d1)->(0)>}
          : memref<4x4xf32>, vector<4xf32>
      vector.transfer_write %v, %o[%t,%c0] : vector<4xf32>, memref<4x4xf32>
      return
    }
    gpu.func @k_one_element(%d: memref<4x4xf32>, %o: memref<4x4xf32>) kernel {
      %c2 = arith.constant 2 : index
      %t = gpu.thread_id x
      %u = arith.addi %t, %c2 : index
      func.call @one_element(%d, %o, %t, %u)
          : (memref<4x4xf32>, memref<4x4xf32>, index, index) -> ()
      gpu.return
    }
    func.func @branch(%d: memref<4x4xf32>, %o: memref<4x4xf32>, %t: index,
        %u: index) {
      %c0 = arith.constant 0 : index
      %f0 = arith.constant 0.0 : f32
      %y = arith.cmpi eq, %t, %c0 : index
      scf.if %y {
        %v = vector.transfer_read %d[%t,%u], %f0 : memref<4x4xf32>, vector<4x4xf32>
        vector.transfer_write %v, %o[%t,%u] : vector<4x4xf32>, memref<4x4xf32>
      }
      return
    }
    gpu.func @k_branch(%d: memref<4x4xf32>, %o: memref<4x4xf32>) kernel {
      %c2 = arith.constant 2 : index
      %t = gpu.thread_id x
      %u = arith.addi %t, %c2 : index
      func.call @branch(%d, %o, %t, %u)
          : (memref<4x4xf32>, memref<4x4xf32>, index, index) -> ()
      gpu.return
    }
  }

  func.func @beyond(%d: memref<4x4xf32>, %o: memref<4x4xf32>, %t: index,
      %u: index) {
    %c0 = arith.constant 0 : index
    %f0 = arith.constant 0.0 : f32
    %v = vector.transfer_read %d[%t,%u], %f0 : memref<4x4xf32>, vector<4x4xf32>
    vector.transfer_write %v, %o[%t,%u] : vector<4x4xf32>, memref<4x4xf32>
    return
  }
  func.func @permuted(%d: memref<4x4xf32>, %o: memref<4x4xf32>, %t: index,
      %u: index) {
    %c0 = arith.constant 0 : index
    %f0 = arith.constant 0.0 : f32
    %v = vector.transfer_read %d[%t,%u], %f0 {permutation_map = affine_map<(d0,d1)->(d1,d0)>}
        : memref<4x4xf32>, vector<4x4xf32>
    vector.transfer_write %v, %o[%t,%c0] : vector<4x4xf32>, memref<4x4xf32>
    return
  }
  func.func @broadcast(%d: memref<4x4xf32>, %o: memref<4x4xf32>, %t: index,
      %u: index) {
    %c0 = arith.constant 0 : index
    %f0 = arith.constant 0.0 : f32
    %v = vector.transfer_read %d[%t,%u], %f0 {in_bounds=[true,true], permutation_map = affine_map<(d0,d1)->(0,0)>}
        : memref<4x4xf32>, vector<2x2xf32>
    vector.transfer_write %v, %o[%t,%c0] : vector<2x2xf32>, memref<4x4xf32>
    return
  }
  func.func @broadcast_row(%d: memref<4x4xf32>, %o: memref<4x4xf32>, %t: index,
      %u: index) {
    %c0 = arith.constant 0 : index
    %f0 = arith.constant 0.0 : f32
    %v = vector.transfer_read %d[%t,%u], %f0 {in_bounds=[true,true], permutation_map = affine_map<(d0,d1)->(0,d1)>}
        : memref<4x4xf32>, vector<2x2xf32>
    vector.transfer_write %v, %o[%t,%c0] : vector<2x2xf32>, memref<4x4xf32>
    return
  }
  func.func @column(%d: memref<4x4xf32>, %o: memref<4x4xf32>, %t: index,
      %u: index) {
    %c0 = arith.constant 0 : index
    %f0 = arith.constant 0.0 : f32
    %v = vector.transfer_read %d[%t,%u], %f0 {permutation_map = affine_map<(d0,d1)->(d0)>}
        : memref<4x4xf32>, vector<4xf32>
    vector.transfer_write %v, %o[%t,%c0] {permutation_map = affine_map<(d0,d1)->(d0)>} : vector<4xf32>, memref<4x4xf32>
    return
  }
  func.func @transposed(%d: memref<4x4xf32>, %o: memref<4x4xf32>, %t: index,
      %u: index) {
    %c0 = arith.constant 0 : index
    %f0 = arith.constant 0.0 : f32
    %v = vector.transfer_read %d[%t,%u], %f0 : memref<4x4xf32>, vector<2x3xf32>
    vector.transfer_write %v, %o[%c0,%c0] {permutation_map = affine_map<(d0,d1)->(d1,d0)>} : vector<2x3xf32>, memref<4x4xf32>
    return
  }
  func.func @view(%d: memref<4x4xf32>, %o: memref<4x4xf32>, %t: index,
      %u: index) {
    %c0 = arith.constant 0 : index
    %f0 = arith.constant 0.0 : f32
    %s = memref.subview %d[%t,1][2,2][1,1]
        : memref<4x4xf32> to memref<2x2xf32, strided<[4,1],offset:?>>
    %v = vector.transfer_read %s[%c0,%c0], %f0
        : memref<2x2xf32, strided<[4,1],offset:?>>, vector<2x2xf32>
    vector.transfer_write %v, %o[%t,%u] : vector<2x2xf32>, memref<4x4xf32>
    return
  }
  func.func @one_element(%d: memref<4x4xf32>, %o: memref<4x4xf32>, %t: index,
      %u: index) {
    %c0 = arith.constant 0 : index
    %f0 = arith.constant 0.0 : f32
    %v = vector.transfer_read %d[%t,%u], %f0 {in_bounds=[true], permutation_map = affine_map<(d0,d1)->(0)>}
        : memref<4x4xf32>, vector<4xf32>
    vector.transfer_write %v, %o[%t,%c0] : vector<4xf32>, memref<4x4xf32>
    return
  }
  func.func @branch(%d: memref<4x4xf32>, %o: memref<4x4xf32>, %t: index,
      %u: index) {
    %c0 = arith.constant 0 : index
    %f0 = arith.constant 0.0 : f32
    %y = arith.cmpi eq, %t, %c0 : index
    scf.if %y {
      %v = vector.transfer_read %d[%t,%u], %f0 : memref<4x4xf32>, vector<4x4xf32>
      vector.transfer_write %v, %o[%t,%u] : vector<4x4xf32>, memref<4x4xf32>
    }
    return
  }

  func.func @fill(%x: memref<4x4xf32>, %sign: f32) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    scf.for %i = %c0 to %c4 step %c1 {
      scf.for %j = %c0 to %c4 step %c1 {
        %a = arith.muli %i, %c4 : index
        %b = arith.addi %a, %j : index
        %c = arith.index_cast %b : index to i32
        %f = arith.sitofp %c : i32 to f32
        %v = arith.mulf %f, %sign : f32
        memref.store %v, %x[%i, %j] : memref<4x4xf32>
      }
    }
    return
  }

  func.func @compare(%x: memref<4x4xf32>, %y: memref<4x4xf32>) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %none = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %count = scf.for %i = %c0 to %c4 step %c1 iter_args(%n = %none) -> i32 {
      %m = scf.for %j = %c0 to %c4 step %c1 iter_args(%k = %n) -> i32 {
        %a = memref.load %x[%i, %j] : memref<4x4xf32>
        %b = memref.load %y[%i, %j] : memref<4x4xf32>
        %differs = arith.cmpf une, %a, %b : f32
        %d = arith.select %differs, %one, %none : i32
        %l = arith.addi %k, %d : i32
        scf.yield %l : i32
      }
      scf.yield %m : i32
    }
    vector.print %count : i32
    %f0 = arith.constant 0.0 : f32
    %row = vector.transfer_read %y[%c1, %c0], %f0 {in_bounds = [true]}
        : memref<4x4xf32>, vector<4xf32>
    vector.print %row : vector<4xf32>
    return
  }

  // RUN: kernel
  // CHECK: 0
  // CHECK: ( -4, -5, 6, 7 )
  // CHECK: 0
  // CHECK: ( 3, 7, 11, 15 )
  // CHECK: 0
  // CHECK: ( 2, 2, -6, -7 )
  // CHECK: 0
  // CHECK: ( 2, 3, -6, -7 )
  // CHECK: 0
  // CHECK: ( 6, -5, -6, -7 )
  // CHECK: 0
  // CHECK: ( 3, 7, -6, -7 )
  // CHECK: 0
  // CHECK: ( -4, -5, 5, 6 )
  // CHECK: 0
  // CHECK: ( -4, -5, -6, -7 )
  // CHECK: 0
  // CHECK: ( -4, -5, 6, 7 )
  func.func @main() {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %plus = arith.constant 1.0 : f32
    %minus = arith.constant -1.0 : f32
    %d = gpu.alloc host_shared () : memref<4x4xf32>
    %o = gpu.alloc host_shared () : memref<4x4xf32>
    %h = memref.alloc() : memref<4x4xf32>
    func.call @fill(%d, %plus) : (memref<4x4xf32>, f32) -> ()

    func.call @fill(%o, %minus) : (memref<4x4xf32>, f32) -> ()
    func.call @fill(%h, %minus) : (memref<4x4xf32>, f32) -> ()
    gpu.launch_func @kernels::@k_beyond blocks in (%c1, %c1, %c1)
        threads in (%c1, %c1, %c1) args(%d : memref<4x4xf32>, %o : memref<4x4xf32>)
    func.call @beyond(%d, %h, %c0, %c2)
        : (memref<4x4xf32>, memref<4x4xf32>, index, index) -> ()
    func.call @compare(%o, %h) : (memref<4x4xf32>, memref<4x4xf32>) -> ()

    func.call @fill(%o, %minus) : (memref<4x4xf32>, f32) -> ()
    func.call @fill(%h, %minus) : (memref<4x4xf32>, f32) -> ()
    gpu.launch_func @kernels::@k_permuted blocks in (%c1, %c1, %c1)
        threads in (%c1, %c1, %c1) args(%d : memref<4x4xf32>, %o : memref<4x4xf32>)
    func.call @permuted(%d, %h, %c0, %c2)
        : (memref<4x4xf32>, memref<4x4xf32>, index, index) -> ()
    func.call @compare(%o, %h) : (memref<4x4xf32>, memref<4x4xf32>) -> ()

    func.call @fill(%o, %minus) : (memref<4x4xf32>, f32) -> ()
    func.call @fill(%h, %minus) : (memref<4x4xf32>, f32) -> ()
    gpu.launch_func @kernels::@k_broadcast blocks in (%c1, %c1, %c1)
        threads in (%c1, %c1, %c1) args(%d : memref<4x4xf32>, %o : memref<4x4xf32>)
    func.call @broadcast(%d, %h, %c0, %c2)
        : (memref<4x4xf32>, memref<4x4xf32>, index, index) -> ()
    func.call @compare(%o, %h) : (memref<4x4xf32>, memref<4x4xf32>) -> ()

    func.call @fill(%o, %minus) : (memref<4x4xf32>, f32) -> ()
    func.call @fill(%h, %minus) : (memref<4x4xf32>, f32) -> ()
    gpu.launch_func @kernels::@k_broadcast_row blocks in (%c1, %c1, %c1)
        threads in (%c1, %c1, %c1) args(%d : memref<4x4xf32>, %o : memref<4x4xf32>)
    func.call @broadcast_row(%d, %h, %c0, %c2)
        : (memref<4x4xf32>, memref<4x4xf32>, index, index) -> ()
    func.call @compare(%o, %h) : (memref<4x4xf32>, memref<4x4xf32>) -> ()

    func.call @fill(%o, %minus) : (memref<4x4xf32>, f32) -> ()
    func.call @fill(%h, %minus) : (memref<4x4xf32>, f32) -> ()
    gpu.launch_func @kernels::@k_column blocks in (%c1, %c1, %c1)
        threads in (%c1, %c1, %c1) args(%d : memref<4x4xf32>, %o : memref<4x4xf32>)
    func.call @column(%d, %h, %c0, %c2)
        : (memref<4x4xf32>, memref<4x4xf32>, index, index) -> ()
    func.call @compare(%o, %h) : (memref<4x4xf32>, memref<4x4xf32>) -> ()

    func.call @fill(%o, %minus) : (memref<4x4xf32>, f32) -> ()
    func.call @fill(%h, %minus) : (memref<4x4xf32>, f32) -> ()
    gpu.launch_func @kernels::@k_transposed blocks in (%c1, %c1, %c1)
        threads in (%c1, %c1, %c1) args(%d : memref<4x4xf32>, %o : memref<4x4xf32>)
    func.call @transposed(%d, %h, %c0, %c2)
        : (memref<4x4xf32>, memref<4x4xf32>, index, index) -> ()
    func.call @compare(%o, %h) : (memref<4x4xf32>, memref<4x4xf32>) -> ()

    func.call @fill(%o, %minus) : (memref<4x4xf32>, f32) -> ()
    func.call @fill(%h, %minus) : (memref<4x4xf32>, f32) -> ()
    gpu.launch_func @kernels::@k_view blocks in (%c1, %c1, %c1)
        threads in (%c1, %c1, %c1) args(%d : memref<4x4xf32>, %o : memref<4x4xf32>)
    func.call @view(%d, %h, %c0, %c2)
        : (memref<4x4xf32>, memref<4x4xf32>, index, index) -> ()
    func.call @compare(%o, %h) : (memref<4x4xf32>, memref<4x4xf32>) -> ()

    func.call @fill(%o, %minus) : (memref<4x4xf32>, f32) -> ()
    func.call @fill(%h, %minus) : (memref<4x4xf32>, f32) -> ()
    gpu.launch_func @kernels::@k_one_element blocks in (%c1, %c1, %c1)
        threads in (%c1, %c1, %c1) args(%d : memref<4x4xf32>, %o : memref<4x4xf32>)
    func.call @one_element(%d, %h, %c0, %c2)
        : (memref<4x4xf32>, memref<4x4xf32>, index, index) -> ()
    func.call @compare(%o, %h) : (memref<4x4xf32>, memref<4x4xf32>) -> ()

    func.call @fill(%o, %minus) : (memref<4x4xf32>, f32) -> ()
    func.call @fill(%h, %minus) : (memref<4x4xf32>, f32) -> ()
    gpu.launch_func @kernels::@k_branch blocks in (%c1, %c1, %c1)
        threads in (%c1, %c1, %c1) args(%d : memref<4x4xf32>, %o : memref<4x4xf32>)
    func.call @branch(%d, %h, %c0, %c2)
        : (memref<4x4xf32>, memref<4x4xf32>, index, index) -> ()
    func.call @compare(%o, %h) : (memref<4x4xf32>, memref<4x4xf32>) -> ()

    gpu.dealloc %d : memref<4x4xf32>
    gpu.dealloc %o : memref<4x4xf32>
    memref.dealloc %h : memref<4x4xf32>
    return
  }
}
