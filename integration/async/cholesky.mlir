// A Cholesky factorisation by tiles of 4 by 4, 20 tasks that wait for each
// other by tile, as runtimes with dependencies of data show themselves. The matrix
// is L L^T for an L of integers: 4 in the diagonal, (7 i + 3 j) mod 5 - 2 below. Each
// difference from L counts.

func.func private @factor(%i: index, %j: index) -> f64 {
  %c3 = arith.constant 3 : index
  %c5 = arith.constant 5 : index
  %c7 = arith.constant 7 : index
  %two = arith.constant 2.0 : f64
  %four = arith.constant 4.0 : f64
  %zero = arith.constant 0.0 : f64
  %x = arith.muli %i, %c7 : index
  %y = arith.muli %j, %c3 : index
  %z = arith.addi %x, %y : index
  %r = arith.remui %z, %c5 : index
  %u = arith.index_cast %r : index to i64
  %v = arith.sitofp %u : i64 to f64
  %below = arith.subf %v, %two : f64
  %equal = arith.cmpi eq, %i, %j : index
  %above = arith.cmpi ult, %i, %j : index
  %w = arith.select %equal, %four, %below : f64
  %f = arith.select %above, %zero, %w : f64
  return %f : f64
}

func.func private @fill(%a: memref<16x16xf64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %zero = arith.constant 0.0 : f64
  scf.for %i = %c0 to %c16 step %c1 {
    scf.for %j = %c0 to %c16 step %c1 {
      %s = scf.for %k = %c0 to %c16 step %c1 iter_args(%t = %zero) -> f64 {
        %x = func.call @factor(%i, %k) : (index, index) -> f64
        %y = func.call @factor(%j, %k) : (index, index) -> f64
        %p = arith.mulf %x, %y : f64
        %n = arith.addf %t, %p : f64
        scf.yield %n : f64
      }
      memref.store %s, %a[%i, %j] : memref<16x16xf64>
    }
  }
  return
}

func.func private @count_wrong(%a: memref<16x16xf64>) -> i64 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %none = arith.constant 0 : i64
  %count = scf.for %i = %c0 to %c16 step %c1 iter_args(%m = %none) -> i64 {
    %end = arith.addi %i, %c1 : index
    %row = scf.for %j = %c0 to %end step %c1 iter_args(%n = %m) -> i64 {
      %x = memref.load %a[%i, %j] : memref<16x16xf64>
      %f = func.call @factor(%i, %j) : (index, index) -> f64
      %differs = arith.cmpf une, %x, %f : f64
      %one = arith.extui %differs : i1 to i64
      %next = arith.addi %n, %one : i64
      scf.yield %next : i64
    }
    scf.yield %row : i64
  }
  return %count : i64
}

// a[i, j] less the sum of a[i, p] a[j, p] for p from `from` to below `to`.
func.func private @less(%a: memref<16x16xf64>, %i: index, %j: index,
                        %from: index, %to: index) -> f64 {
  %c1 = arith.constant 1 : index
  %x = memref.load %a[%i, %j] : memref<16x16xf64>
  %s = scf.for %p = %from to %to step %c1 iter_args(%t = %x) -> f64 {
    %y = memref.load %a[%i, %p] : memref<16x16xf64>
    %z = memref.load %a[%j, %p] : memref<16x16xf64>
    %q = arith.mulf %y, %z : f64
    %n = arith.subf %t, %q : f64
    scf.yield %n : f64
  }
  return %s : f64
}

func.func private @potrf(%a: memref<16x16xf64>, %k: index) {
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %from = arith.muli %k, %c4 : index
  %to = arith.addi %from, %c4 : index
  scf.for %j = %from to %to step %c1 {
    %d = func.call @less(%a, %j, %j, %from, %j)
        : (memref<16x16xf64>, index, index, index, index) -> f64
    %root = math.sqrt %d : f64
    memref.store %root, %a[%j, %j] : memref<16x16xf64>
    %below = arith.addi %j, %c1 : index
    scf.for %i = %below to %to step %c1 {
      %x = func.call @less(%a, %i, %j, %from, %j)
          : (memref<16x16xf64>, index, index, index, index) -> f64
      %y = arith.divf %x, %root : f64
      memref.store %y, %a[%i, %j] : memref<16x16xf64>
    }
  }
  return
}

func.func private @trsm(%a: memref<16x16xf64>, %row: index, %k: index) {
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %top = arith.muli %row, %c4 : index
  %bottom = arith.addi %top, %c4 : index
  %from = arith.muli %k, %c4 : index
  %to = arith.addi %from, %c4 : index
  scf.for %i = %top to %bottom step %c1 {
    scf.for %j = %from to %to step %c1 {
      %x = func.call @less(%a, %i, %j, %from, %j)
          : (memref<16x16xf64>, index, index, index, index) -> f64
      %d = memref.load %a[%j, %j] : memref<16x16xf64>
      %y = arith.divf %x, %d : f64
      memref.store %y, %a[%i, %j] : memref<16x16xf64>
    }
  }
  return
}

func.func private @update(%a: memref<16x16xf64>, %row: index, %column: index,
                          %k: index) {
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %top = arith.muli %row, %c4 : index
  %bottom = arith.addi %top, %c4 : index
  %left = arith.muli %column, %c4 : index
  %right = arith.addi %left, %c4 : index
  %from = arith.muli %k, %c4 : index
  %to = arith.addi %from, %c4 : index
  scf.for %i = %top to %bottom step %c1 {
    scf.for %j = %left to %right step %c1 {
      %x = func.call @less(%a, %i, %j, %from, %to)
          : (memref<16x16xf64>, index, index, index, index) -> f64
      memref.store %x, %a[%i, %j] : memref<16x16xf64>
    }
  }
  return
}

// RUN: env:ASYNC_GPU_NUM_THREADS=1|2|3|8|64
// RUN: host-schedules=20
// CHECK: wrong: 0
func.func @main() {
  %a = memref.alloc() : memref<16x16xf64>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  call @fill(%a) : (memref<16x16xf64>) -> ()
  %t0 = async.execute {
    func.call @potrf(%a, %c0) : (memref<16x16xf64>, index) -> ()
    async.yield
  }
  %t1 = async.execute [%t0] {
    func.call @trsm(%a, %c1, %c0) : (memref<16x16xf64>, index, index) -> ()
    async.yield
  }
  %t2 = async.execute [%t0] {
    func.call @trsm(%a, %c2, %c0) : (memref<16x16xf64>, index, index) -> ()
    async.yield
  }
  %t3 = async.execute [%t0] {
    func.call @trsm(%a, %c3, %c0) : (memref<16x16xf64>, index, index) -> ()
    async.yield
  }
  %t4 = async.execute [%t1] {
    func.call @update(%a, %c1, %c1, %c0) : (memref<16x16xf64>, index, index, index) -> ()
    async.yield
  }
  %t5 = async.execute [%t1, %t2] {
    func.call @update(%a, %c2, %c1, %c0) : (memref<16x16xf64>, index, index, index) -> ()
    async.yield
  }
  %t6 = async.execute [%t2] {
    func.call @update(%a, %c2, %c2, %c0) : (memref<16x16xf64>, index, index, index) -> ()
    async.yield
  }
  %t7 = async.execute [%t1, %t3] {
    func.call @update(%a, %c3, %c1, %c0) : (memref<16x16xf64>, index, index, index) -> ()
    async.yield
  }
  %t8 = async.execute [%t2, %t3] {
    func.call @update(%a, %c3, %c2, %c0) : (memref<16x16xf64>, index, index, index) -> ()
    async.yield
  }
  %t9 = async.execute [%t3] {
    func.call @update(%a, %c3, %c3, %c0) : (memref<16x16xf64>, index, index, index) -> ()
    async.yield
  }
  %t10 = async.execute [%t4] {
    func.call @potrf(%a, %c1) : (memref<16x16xf64>, index) -> ()
    async.yield
  }
  %t11 = async.execute [%t5, %t10] {
    func.call @trsm(%a, %c2, %c1) : (memref<16x16xf64>, index, index) -> ()
    async.yield
  }
  %t12 = async.execute [%t7, %t10] {
    func.call @trsm(%a, %c3, %c1) : (memref<16x16xf64>, index, index) -> ()
    async.yield
  }
  %t13 = async.execute [%t6, %t11] {
    func.call @update(%a, %c2, %c2, %c1) : (memref<16x16xf64>, index, index, index) -> ()
    async.yield
  }
  %t14 = async.execute [%t8, %t11, %t12] {
    func.call @update(%a, %c3, %c2, %c1) : (memref<16x16xf64>, index, index, index) -> ()
    async.yield
  }
  %t15 = async.execute [%t9, %t12] {
    func.call @update(%a, %c3, %c3, %c1) : (memref<16x16xf64>, index, index, index) -> ()
    async.yield
  }
  %t16 = async.execute [%t13] {
    func.call @potrf(%a, %c2) : (memref<16x16xf64>, index) -> ()
    async.yield
  }
  %t17 = async.execute [%t14, %t16] {
    func.call @trsm(%a, %c3, %c2) : (memref<16x16xf64>, index, index) -> ()
    async.yield
  }
  %t18 = async.execute [%t15, %t17] {
    func.call @update(%a, %c3, %c3, %c2) : (memref<16x16xf64>, index, index, index) -> ()
    async.yield
  }
  %t19 = async.execute [%t18] {
    func.call @potrf(%a, %c3) : (memref<16x16xf64>, index) -> ()
    async.yield
  }
  async.await %t19 : !async.token
  %wrong = call @count_wrong(%a) : (memref<16x16xf64>) -> i64
  vector.print str "wrong: "
  vector.print %wrong : i64
  memref.dealloc %a : memref<16x16xf64>
  return
}
