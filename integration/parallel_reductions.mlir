// Parallel loops with results: scf.parallel, affine.parallel, scf.forall. The
// numbers of iterations are large enough for several pieces.

memref.global "private" constant @digits : memref<10xi64> =
    dense<[3, 1, 4, 1, 5, 9, 2, 6, 5, 3]>

// Opaque to the loops that call it: the greatest common divisor.
func.func private @gcd(%a: i64, %b: i64) -> i64 {
  %zero = arith.constant 0 : i64
  %r:2 = scf.while (%x = %a, %y = %b) : (i64, i64) -> (i64, i64) {
    %more = arith.cmpi ne, %y, %zero : i64
    scf.condition(%more) %x, %y : i64, i64
  } do {
  ^bb0(%x: i64, %y: i64):
    %rest = arith.remui %x, %y : i64
    scf.yield %y, %rest : i64, i64
  }
  return %r#0 : i64
}

// 0 + 1 + ... + n-1, from `first` on: each result of its own loop.
func.func private @sum(%n: index, %first: i64) -> i64 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %s = scf.parallel (%i) = (%c0) to (%n) step (%c1) init (%first) -> i64 {
    %x = arith.index_cast %i : index to i64
    scf.reduce(%x : i64) {
    ^bb0(%a: i64, %b: i64):
      %t = arith.addi %a, %b : i64
      scf.reduce.return %t : i64
    }
  }
  return %s : i64
}

// RUN: device
// CHECK: sum: 4999950005
// CHECK: none, fewer, one: 5
// CHECK: 5
// CHECK: 5
// CHECK: several: 1666616225
// CHECK: -50
// CHECK: 99997
// CHECK: 16675
// CHECK: 1
// CHECK: 1
// CHECK: two dimensions: 72133585501
// CHECK: 1
// CHECK: maps: ( 1, 50000 )
// CHECK: last, first, gcd: 3
// CHECK: 1
// CHECK: 6
// CHECK: floats: 4.99995e+09
// CHECK: 1
// CHECK: 1
// CHECK: 99999
// CHECK: 1
// CHECK: vectors: ( 100000, 200000, 300000, 400000 )
// CHECK: 0
// CHECK: 200000
// CHECK: nested: 5997000
// CHECK: 45000
// CHECK: regions: 4999950000
// CHECK: 9999900000
// CHECK: own memory: 9999900000
// CHECK: affine: 499999500
// CHECK: 1998
// CHECK: forall: 500
func.func @main() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c7 = arith.constant 7 : index
  %c10 = arith.constant 10 : index
  %c1000 = arith.constant 1000 : index
  %c100000 = arith.constant 100000 : index
  %minus50 = arith.constant -50 : index
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64

  // 99999 * 100000 / 2 + 5; no iteration gives the initial value.
  %five = arith.constant 5 : i64
  %s0 = call @sum(%c100000, %five) : (index, i64) -> i64
  vector.print str "sum: "
  vector.print %s0 : i64
  %s1 = call @sum(%c0, %five) : (index, i64) -> i64
  %s2 = call @sum(%minus50, %five) : (index, i64) -> i64
  %s3 = call @sum(%c1, %five) : (index, i64) -> i64
  vector.print str "none, fewer, one: "
  vector.print %s1 : i64
  vector.print %s2 : i64
  vector.print %s3 : i64

  // Several results of several types. i goes from -50 in steps of 3 up to
  // 99997: 33350 iterations. The sum of i is 33350 * (-50 + 99997) / 2, the
  // least is -50, the largest 99997, odd are every second of them from -47 on
  // (16675), the exclusive or of their parities is that number's own: 1. All
  // are below 100000.
  %true = arith.constant true
  %large = arith.constant 1000000 : index
  %parity = arith.constant false
  %r:6 = scf.parallel (%i) = (%minus50) to (%c100000) step (%c3)
      init (%zero, %large, %minus50, %zero, %parity, %true)
      -> (i64, index, index, i64, i1, i1) {
    %x = arith.index_cast %i : index to i64
    %bit = arith.andi %x, %one : i64
    %odd = arith.cmpi eq, %bit, %one : i64
    %below = arith.cmpi slt, %i, %c100000 : index
    scf.reduce(%x, %i, %i, %bit, %odd, %below : i64, index, index, i64, i1, i1) {
    ^bb0(%a: i64, %b: i64):
      %t = arith.addi %b, %a : i64
      scf.reduce.return %t : i64
    }, {
    ^bb0(%a: index, %b: index):
      %t = arith.minsi %a, %b : index
      scf.reduce.return %t : index
    }, {
    ^bb0(%a: index, %b: index):
      %t = arith.maxsi %a, %b : index
      scf.reduce.return %t : index
    }, {
    ^bb0(%a: i64, %b: i64):
      %t = arith.addi %a, %b : i64
      scf.reduce.return %t : i64
    }, {
    ^bb0(%a: i1, %b: i1):
      %t = arith.xori %a, %b : i1
      scf.reduce.return %t : i1
    }, {
    ^bb0(%a: i1, %b: i1):
      %t = arith.andi %a, %b : i1
      scf.reduce.return %t : i1
    }
  }
  vector.print str "several: "
  vector.print %r#0 : i64
  %least = arith.index_cast %r#1 : index to i64
  %most = arith.index_cast %r#2 : index to i64
  vector.print %least : i64
  vector.print %most : i64
  vector.print %r#3 : i64
  vector.print %r#4 : i1
  vector.print %r#5 : i1

  // Two dimensions: 1000 x 100000 with steps of 10 and 7, which is 100 times
  // 14286: the sum of i + j is 14286 * (0 + 10 + ... + 990) and 100 times 7 *
  // (0 + ... + 14285), 707157000 + 71426428500, and 1 from before. A
  // dimension without iterations leaves the initial value.
  %d = scf.parallel (%i, %j) = (%c0, %c0) to (%c1000, %c100000)
      step (%c10, %c7) init (%one) -> i64 {
    %k = arith.addi %i, %j : index
    %x = arith.index_cast %k : index to i64
    scf.reduce(%x : i64) {
    ^bb0(%a: i64, %b: i64):
      %t = arith.addi %a, %b : i64
      scf.reduce.return %t : i64
    }
  }
  %e = scf.parallel (%i, %j) = (%c0, %c10) to (%c100000, %c10)
      step (%c1, %c1) init (%one) -> i64 {
    scf.reduce(%zero : i64) {
    ^bb0(%a: i64, %b: i64):
      %t = arith.muli %a, %b : i64
      scf.reduce.return %t : i64
    }
  }
  vector.print str "two dimensions: "
  vector.print %d : i64
  vector.print %e : i64

  // Combiners that are not one op. Of x -> -x + i for i = 0 ... 99999, one
  // after the other, the order matters: together x -> x + 50000, as every odd i
  // adds and every even one takes away, ending with an odd one. A call that
  // keeps its own order is the last digit at i % 10 = 9: 3; the first is 3 as
  // well, so the second, by a start at 1, is 1. The gcd of all multiples of 12
  // and of 18 is 6.
  %ops = arith.constant dense<[1, 0]> : vector<2xi64>
  %minus = arith.constant -1 : i64
  %maps = scf.parallel (%i) = (%c0) to (%c100000) step (%c1)
      init (%ops) -> vector<2xi64> {
    %x = arith.index_cast %i : index to i64
    %map = vector.from_elements %minus, %x : vector<2xi64>
    scf.reduce(%map : vector<2xi64>) {
    ^bb0(%f: vector<2xi64>, %g: vector<2xi64>):
      %fm = vector.extract %f[0] : i64 from vector<2xi64>
      %fc = vector.extract %f[1] : i64 from vector<2xi64>
      %gm = vector.extract %g[0] : i64 from vector<2xi64>
      %gc = vector.extract %g[1] : i64 from vector<2xi64>
      %m = arith.muli %fm, %gm : i64
      %p = arith.muli %fc, %gm : i64
      %c = arith.addi %p, %gc : i64
      %h = vector.from_elements %m, %c : vector<2xi64>
      scf.reduce.return %h : vector<2xi64>
    }
  }
  vector.print str "maps: "
  vector.print %maps : vector<2xi64>
  %all = arith.constant 0 : i64
  %digits = memref.get_global @digits : memref<10xi64>
  %none = arith.constant -1 : i64
  %18 = arith.constant 18 : i64
  %12 = arith.constant 12 : i64
  %o:3 = scf.parallel (%i) = (%c1) to (%c100000) step (%c1)
      init (%none, %none, %all) -> (i64, i64, i64) {
    %at = arith.remui %i, %c10 : index
    %digit = memref.load %digits[%at] : memref<10xi64>
    %half = arith.remui %i, %c2 : index
    %even = arith.cmpi eq, %half, %c0 : index
    %factor = arith.select %even, %12, %18 : i64
    %x = arith.index_cast %i : index to i64
    %y = arith.muli %x, %factor : i64
    scf.reduce(%digit, %digit, %y : i64, i64, i64) {
    ^bb0(%a: i64, %b: i64):
      scf.reduce.return %b : i64
    }, {
    ^bb0(%a: i64, %b: i64):
      %is_none = arith.cmpi eq, %a, %none : i64
      %t = arith.select %is_none, %b, %a : i64
      scf.reduce.return %t : i64
    }, {
    ^bb0(%a: i64, %b: i64):
      %t = func.call @gcd(%a, %b) : (i64, i64) -> i64
      scf.reduce.return %t : i64
    }
  }
  vector.print str "last, first, gcd: "
  vector.print %o#0 : i64
  vector.print %o#1 : i64
  vector.print %o#2 : i64

  // Floating point. Numbers up to 2^53 are exact in any order: the sum, and
  // the product of 2.0 for each of the 100 multiples of 1000 is 2^100, which
  // over 2^100 is 1. The largest with a NaN among them is NaN, and by maxnumf
  // it is 99999. Of negative zeros the sum is negative zero.
  %f0 = arith.constant 0.0 : f64
  %f1 = arith.constant 1.0 : f64
  %f2 = arith.constant 2.0 : f64
  %nan = arith.constant 0x7FF8000000000000 : f64
  %negative = arith.constant -0.0 : f64
  %f:5 = scf.parallel (%i) = (%c0) to (%c100000) step (%c1)
      init (%f0, %f1, %f0, %f0, %negative) -> (f64, f64, f64, f64, f64) {
    %x = arith.index_cast %i : index to i64
    %y = arith.sitofp %x : i64 to f64
    %rest = arith.remui %i, %c1000 : index
    %is_thousand = arith.cmpi eq, %rest, %c0 : index
    %two = arith.select %is_thousand, %f2, %f1 : f64
    %is_seven = arith.cmpi eq, %i, %c7 : index
    %or_nan = arith.select %is_seven, %nan, %y : f64
    scf.reduce(%y, %two, %or_nan, %or_nan, %negative : f64, f64, f64, f64, f64) {
    ^bb0(%a: f64, %b: f64):
      %t = arith.addf %a, %b : f64
      scf.reduce.return %t : f64
    }, {
    ^bb0(%a: f64, %b: f64):
      %t = arith.mulf %a, %b fastmath<nnan> : f64
      scf.reduce.return %t : f64
    }, {
    ^bb0(%a: f64, %b: f64):
      %t = arith.maximumf %a, %b : f64
      scf.reduce.return %t : f64
    }, {
    ^bb0(%a: f64, %b: f64):
      %t = arith.maxnumf %a, %b : f64
      scf.reduce.return %t : f64
    }, {
    ^bb0(%a: f64, %b: f64):
      %t = arith.addf %a, %b : f64
      scf.reduce.return %t : f64
    }
  }
  %power = arith.constant 1267650600228229401496703205376.0 : f64
  %ratio = arith.divf %f#1, %power : f64
  %is_nan = arith.cmpf uno, %f#2, %f#2 : f64
  %bits = arith.bitcast %f#4 : f64 to i64
  %sign = arith.cmpi slt, %bits, %zero : i64
  vector.print str "floats: "
  vector.print %f#0 : f64
  vector.print %ratio : f64
  vector.print %is_nan : i1
  vector.print %f#3 : f64
  vector.print %sign : i1

  // Vectors and complex numbers: 100000 times (1, 2, 3, 4), and of 2i.
  %v0 = arith.constant dense<0> : vector<4xi32>
  %v1 = arith.constant dense<[1, 2, 3, 4]> : vector<4xi32>
  %z0 = complex.constant [0.0 : f64, 0.0 : f64] : complex<f64>
  %z1 = complex.constant [0.0 : f64, 2.0 : f64] : complex<f64>
  %v:2 = scf.parallel (%i) = (%c0) to (%c100000) step (%c1)
      init (%v0, %z0) -> (vector<4xi32>, complex<f64>) {
    scf.reduce(%v1, %z1 : vector<4xi32>, complex<f64>) {
    ^bb0(%a: vector<4xi32>, %b: vector<4xi32>):
      %t = arith.addi %a, %b : vector<4xi32>
      scf.reduce.return %t : vector<4xi32>
    }, {
    ^bb0(%a: complex<f64>, %b: complex<f64>):
      %t = complex.add %a, %b : complex<f64>
      scf.reduce.return %t : complex<f64>
    }
  }
  %re = complex.re %v#1 : complex<f64>
  %im = complex.im %v#1 : complex<f64>
  vector.print str "vectors: "
  vector.print %v#0 : vector<4xi32>
  vector.print %re : f64
  vector.print %im : f64

  // Loops in loops: the outer one has few iterations, so that the inner one is
  // shared out as well; the function that is called has one of its own. Each of
  // the 3 gives the sum of 1000 numbers i * 1000 + j, and that of 0 ... 999:
  // 3 * 499500 + 1000 * 1000 * (0 + 1 + 2) + 3 * 499500. Many around one: 1000
  // times 0 + ... + 9.
  %nested = scf.parallel (%i) = (%c0) to (%c3) step (%c1) init (%zero) -> i64 {
    %row = arith.muli %i, %c1000 : index
    %other = func.call @sum(%c1000, %zero) : (index, i64) -> i64
    %inner = scf.parallel (%j) = (%c0) to (%c1000) step (%c1)
        init (%other) -> i64 {
      %k = arith.addi %row, %j : index
      %x = arith.index_cast %k : index to i64
      scf.reduce(%x : i64) {
      ^bb0(%a: i64, %b: i64):
        %t = arith.addi %a, %b : i64
        scf.reduce.return %t : i64
      }
    }
    scf.reduce(%inner : i64) {
    ^bb0(%a: i64, %b: i64):
      %t = arith.addi %a, %b : i64
      scf.reduce.return %t : i64
    }
  }
  %around = scf.parallel (%i) = (%c0) to (%c1000) step (%c1)
      init (%zero) -> i64 {
    %inner = scf.parallel (%j) = (%c0) to (%c10) step (%c1)
        init (%zero) -> i64 {
      %x = arith.index_cast %j : index to i64
      scf.reduce(%x : i64) {
      ^bb0(%a: i64, %b: i64):
        %t = arith.addi %a, %b : i64
        scf.reduce.return %t : i64
      }
    }
    scf.reduce(%inner : i64) {
    ^bb0(%a: i64, %b: i64):
      %t = arith.addi %a, %b : i64
      scf.reduce.return %t : i64
    }
  }
  vector.print str "nested: "
  vector.print %nested : i64
  vector.print %around : i64

  // In regions, beside each other, and behind an await; 4999950000 each, and
  // the third from the first on.
  %t0, %v0a = async.execute -> !async.value<i64> {
    %x = func.call @sum(%c100000, %zero) : (index, i64) -> i64
    async.yield %x : i64
  }
  %t1, %v1a = async.execute -> !async.value<i64> {
    %first = async.await %v0a : !async.value<i64>
    %x = scf.parallel (%i) = (%c0) to (%c100000) step (%c1)
        init (%first) -> i64 {
      %y = arith.index_cast %i : index to i64
      scf.reduce(%y : i64) {
      ^bb0(%a: i64, %b: i64):
        %t = arith.addi %a, %b : i64
        scf.reduce.return %t : i64
      }
    }
    async.yield %x : i64
  }
  %in0 = async.await %v0a : !async.value<i64>
  %in1 = async.await %v1a : !async.value<i64>
  vector.print str "regions: "
  vector.print %in0 : i64
  vector.print %in1 : i64

  // Memory on the stack that each iteration has for itself, and an assertion
  // that holds: the sum of i + i. What the loop around it has is its own too.
  %own = scf.parallel (%i) = (%c0) to (%c100000) step (%c1)
      init (%zero) -> i64 {
    %pair = memref.alloca() : memref<2xi64>
    %x = arith.index_cast %i : index to i64
    scf.for %k = %c0 to %c2 step %c1 {
      memref.store %x, %pair[%k] : memref<2xi64>
    }
    %p = memref.load %pair[%c0] : memref<2xi64>
    %q = memref.load %pair[%c1] : memref<2xi64>
    %same = arith.cmpi eq, %p, %q : i64
    cf.assert %same, "another iteration wrote here"
    %y = arith.addi %p, %q : i64
    scf.reduce(%y : i64) {
    ^bb0(%a: i64, %b: i64):
      %t = arith.addi %a, %b : i64
      scf.reduce.return %t : i64
    }
  }
  vector.print str "own memory: "
  vector.print %own : i64

  // affine.parallel, with bounds that are maps of n = 1000 and of the outer
  // index: the triangle's 1000 * 1001 / 2 elements each have i + j; its sum is
  // the sum of i * (i + 1) + i * (i + 1) / 2 = 3/2 * (i * i + i) for i = 0 to
  // 999: 3/2 * (332833500 + 499500). The largest i + j is 1998.
  %m = memref.alloc(%c1000, %c1000) : memref<?x?xi64>
  affine.parallel (%i) = (0) to (symbol(%c1000)) {
    affine.parallel (%j) = (0) to (%i + 1) {
      %k = affine.apply affine_map<(d0, d1) -> (d0 + d1)>(%i, %j)
      %x = arith.index_cast %k : index to i64
      affine.store %x, %m[%i, %j] : memref<?x?xi64>
    }
  }
  %triangle:2 = affine.parallel (%i) = (0) to (symbol(%c1000))
      reduce ("addi", "maximumf") -> (i64, f64) {
    %row:2 = affine.parallel (%j) = (0) to (%i + 1) reduce ("addi", "maximumf")
        -> (i64, f64) {
      %x = affine.load %m[%i, %j] : memref<?x?xi64>
      %y = arith.sitofp %x : i64 to f64
      affine.yield %x, %y : i64, f64
    }
    affine.yield %row#0, %row#1 : i64, f64
  }
  vector.print str "affine: "
  vector.print %triangle#0 : i64
  vector.print %triangle#1 : f64

  // scf.forall: 5 more in each element of the first 10 rows and columns.
  scf.forall (%i, %j) = (0, 0) to (10, 10) step (1, 1) {
    %x = arith.constant 5 : i64
    memref.store %x, %m[%i, %j] : memref<?x?xi64>
  }
  %fives = scf.parallel (%i, %j) = (%c0, %c0) to (%c10, %c10)
      step (%c1, %c1) init (%zero) -> i64 {
    %x = memref.load %m[%i, %j] : memref<?x?xi64>
    scf.reduce(%x : i64) {
    ^bb0(%a: i64, %b: i64):
      %t = arith.addi %a, %b : i64
      scf.reduce.return %t : i64
    }
  }
  vector.print str "forall: "
  vector.print %fives : i64
  memref.dealloc %m : memref<?x?xi64>
  return
}
