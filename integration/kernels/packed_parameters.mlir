// Parameters whose numbers do not fill whole bytes, with others around them: what
// the kernel reads is what was passed.

module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @k(%before: i8, %f: vector<4xi1>, %g: vector<17xi1>,
                %one: vector<1xi1>, %n: vector<3xi4>, %nibble: i4, %t: i24,
                %l: i48, %w: vector<5xi24>, %half: vector<3xf16>,
                %after: i8, %out: memref<40xi64>) kernel {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c4 = arith.constant 4 : index
      %c17 = arith.constant 17 : index
      %c3 = arith.constant 3 : index
      %c5 = arith.constant 5 : index
      scf.for %i = %c0 to %c4 step %c1 {
        %x = vector.extract %f[%i] : i1 from vector<4xi1>
        %y = arith.extui %x : i1 to i64
        memref.store %y, %out[%i] : memref<40xi64>
      }
      scf.for %i = %c0 to %c17 step %c1 {
        %x = vector.extract %g[%i] : i1 from vector<17xi1>
        %y = arith.extui %x : i1 to i64
        %o = arith.addi %i, %c4 : index
        memref.store %y, %out[%o] : memref<40xi64>
      }
      scf.for %i = %c0 to %c3 step %c1 {
        %x = vector.extract %n[%i] : i4 from vector<3xi4>
        %y = arith.extui %x : i4 to i64
        %c21 = arith.constant 21 : index
        %o = arith.addi %i, %c21 : index
        memref.store %y, %out[%o] : memref<40xi64>
        %h = vector.extract %half[%i] : f16 from vector<3xf16>
        %k = arith.fptosi %h : f16 to i64
        %c24 = arith.constant 24 : index
        %p = arith.addi %i, %c24 : index
        memref.store %k, %out[%p] : memref<40xi64>
      }
      scf.for %i = %c0 to %c5 step %c1 {
        %x = vector.extract %w[%i] : i24 from vector<5xi24>
        %y = arith.extui %x : i24 to i64
        %c27 = arith.constant 27 : index
        %o = arith.addi %i, %c27 : index
        memref.store %y, %out[%o] : memref<40xi64>
      }
      %x0 = arith.extsi %before : i8 to i64
      %x1 = arith.extui %nibble : i4 to i64
      %x2 = arith.extsi %t : i24 to i64
      %x3 = arith.extsi %l : i48 to i64
      %x4 = arith.extsi %after : i8 to i64
      %x5 = vector.extract %one[0] : i1 from vector<1xi1>
      %x6 = arith.extui %x5 : i1 to i64
      %c32 = arith.constant 32 : index
      %c33 = arith.constant 33 : index
      %c34 = arith.constant 34 : index
      %c35 = arith.constant 35 : index
      %c36 = arith.constant 36 : index
      %c37 = arith.constant 37 : index
      memref.store %x0, %out[%c32] : memref<40xi64>
      memref.store %x1, %out[%c33] : memref<40xi64>
      memref.store %x2, %out[%c34] : memref<40xi64>
      memref.store %x3, %out[%c35] : memref<40xi64>
      memref.store %x4, %out[%c36] : memref<40xi64>
      memref.store %x6, %out[%c37] : memref<40xi64>
      gpu.return
    }
  }

  func.func @print(%out: memref<40xi64>, %first: index, %count: index) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    scf.for %i = %c0 to %count step %c1 {
      %o = arith.addi %i, %first : index
      %v = memref.load %out[%o] : memref<40xi64>
      vector.print %v : i64 punctuation <no_punctuation>
      vector.print str " "
    }
    vector.print punctuation <newline>
    return
  }

  // RUN: kernel
  // CHECK: 1 0 1 1{{ }}
  // CHECK: 1 1 1 1 0 0 0 0 1 0 1 0 0 1 0 1 1{{ }}
  // CHECK: 1 7 10 1 2 -3{{ }}
  // CHECK: 1 256 65536 8000000 3{{ }}
  // CHECK: -1 13 -70000 -5000000000 99 1{{ }}
  func.func @main() {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %before = arith.constant -1 : i8
    %f = arith.constant dense<[true, false, true, true]> : vector<4xi1>
    %g = arith.constant dense<[true, true, true, true, false, false, false,
        false, true, false, true, false, false, true, false, true, true]>
        : vector<17xi1>
    %one = arith.constant dense<true> : vector<1xi1>
    %n = arith.constant dense<[1, 7, -6]> : vector<3xi4>
    %nibble = arith.constant -3 : i4
    %t = arith.constant -70000 : i24
    %l = arith.constant -5000000000 : i48
    %w = arith.constant dense<[1, 256, 65536, 8000000, 3]> : vector<5xi24>
    %half = arith.constant dense<[1.0, 2.0, -3.0]> : vector<3xf16>
    %after = arith.constant 99 : i8
    %out = gpu.alloc host_shared () : memref<40xi64>
    gpu.launch_func @kernels::@k blocks in (%c1, %c1, %c1)
        threads in (%c1, %c1, %c1)
        args(%before : i8, %f : vector<4xi1>, %g : vector<17xi1>,
             %one : vector<1xi1>, %n : vector<3xi4>, %nibble : i4, %t : i24,
             %l : i48, %w : vector<5xi24>, %half : vector<3xf16>, %after : i8,
             %out : memref<40xi64>)
    %c4 = arith.constant 4 : index
    %c5 = arith.constant 5 : index
    %c6 = arith.constant 6 : index
    %c17 = arith.constant 17 : index
    %c21 = arith.constant 21 : index
    %c27 = arith.constant 27 : index
    %c32 = arith.constant 32 : index
    func.call @print(%out, %c0, %c4) : (memref<40xi64>, index, index) -> ()
    func.call @print(%out, %c4, %c17) : (memref<40xi64>, index, index) -> ()
    func.call @print(%out, %c21, %c6) : (memref<40xi64>, index, index) -> ()
    func.call @print(%out, %c27, %c5) : (memref<40xi64>, index, index) -> ()
    func.call @print(%out, %c32, %c6) : (memref<40xi64>, index, index) -> ()
    gpu.dealloc %out : memref<40xi64>
    return
  }
}
