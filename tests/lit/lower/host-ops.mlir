// What is lowered in kernels is on the host too.
// RUN: async-gpu-runner %s | FileCheck %s
// RUN: async-gpu-opt %s --async-gpu-lower=check-accesses=true -o /dev/null

func.func private @printI64(i64)
func.func private @printF32(f32)
func.func private @printNewline()

func.func @line(%x: i64) {
  call @printI64(%x) : (i64) -> ()
  call @printNewline() : () -> ()
  return
}
func.func @real_line(%x: f32) {
  call @printF32(%x) : (f32) -> ()
  call @printNewline() : () -> ()
  return
}

#same = affine_map<(d0) -> (d0)>
func.func @structured() {
  %five = arith.constant 5 : i64
  %a = memref.alloc() : memref<4xi64>
  %b = memref.alloc() : memref<4xi64>
  linalg.fill ins(%five : i64) outs(%a : memref<4xi64>)
  %t = async.execute {
    linalg.generic {indexing_maps = [#same, #same], iterator_types = ["parallel"]}
        ins(%a : memref<4xi64>) outs(%b : memref<4xi64>) {
    ^bb0(%x: i64, %y: i64):
      %s = arith.addi %x, %x : i64
      linalg.yield %s : i64
    }
    async.yield
  }
  async.await %t : !async.token
  %c3 = arith.constant 3 : index
  %v = memref.load %b[%c3] : memref<4xi64>
  call @line(%v) : (i64) -> ()
  memref.dealloc %a : memref<4xi64>
  memref.dealloc %b : memref<4xi64>
  return
}

func.func @atomic() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %three = arith.constant 3 : i64
  %half = arith.constant 0.5 : f32
  %a = memref.alloca() : memref<2xi64>
  memref.store %three, %a[%c0] : memref<2xi64>
  memref.store %three, %a[%c1] : memref<2xi64>
  %old = memref.generic_atomic_rmw %a[%c0] : memref<2xi64> {
  ^bb0(%now: i64):
    %n = arith.shli %now, %now : i64
    memref.atomic_yield %n : i64
  }
  %x = memref.load %a[%c0] : memref<2xi64>
  call @line(%old) : (i64) -> ()
  call @line(%x) : (i64) -> ()
  %product = memref.atomic_rmw muli %three, %a[%c1] : (i64, memref<2xi64>) -> i64
  %y = memref.load %a[%c1] : memref<2xi64>
  call @line(%y) : (i64) -> ()
  %r = memref.alloca() : memref<f32>
  memref.store %half, %r[] : memref<f32>
  %square = memref.atomic_rmw mulf %half, %r[] : (f32, memref<f32>) -> f32
  %z = memref.load %r[] : memref<f32>
  call @real_line(%z) : (f32) -> ()
  return
}

// The shape stands in 32 bits; its memory is taken once, not in each round.
func.func @shaped() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %rounds = arith.constant 3000000 : index
  %two = arith.constant 2 : i32
  %nine = arith.constant 9 : i64
  %a = memref.alloca() : memref<4xi64>
  %s = memref.alloca() : memref<2xi32>
  memref.store %nine, %a[%c2] : memref<4xi64>
  memref.store %two, %s[%c0] : memref<2xi32>
  memref.store %two, %s[%c1] : memref<2xi32>
  %sum = scf.for %i = %c0 to %rounds step %c1 iter_args(%now = %c0) -> index {
    %r = memref.reshape %a(%s) : (memref<4xi64>, memref<2xi32>) -> memref<?x?xi64>
    %d = memref.dim %r, %c1 : memref<?x?xi64>
    %next = arith.addi %now, %d : index
    scf.yield %next : index
  }
  %r = memref.reshape %a(%s) : (memref<4xi64>, memref<2xi32>) -> memref<?x?xi64>
  %x = memref.load %r[%c1, %c0] : memref<?x?xi64>
  %n = arith.index_cast %sum : index to i64
  call @line(%x) : (i64) -> ()
  call @line(%n) : (i64) -> ()
  %any = memref.cast %s : memref<2xi32> to memref<?xi32>
  %u = memref.reshape %a(%any) : (memref<4xi64>, memref<?xi32>) -> memref<*xi64>
  %rank = memref.rank %u : memref<*xi64>
  %m = arith.index_cast %rank : index to i64
  call @line(%m) : (i64) -> ()
  return
}

func.func @vectors() {
  %c0 = arith.constant 0 : index
  %c = arith.constant dense<[[1.0, 2.0], [3.0, 4.0]]> : vector<2x2xf32>
  %z = arith.constant dense<1.0> : vector<2xf32>
  %f0 = arith.constant 0.0 : f32
  %r = vector.multi_reduction <add>, %c, %z [1] : vector<2x2xf32> to vector<2xf32>
  %v = vector.extract %r[1] : f32 from vector<2xf32>
  call @real_line(%v) : (f32) -> ()
  %m = memref.alloca() : memref<4x4xf32>
  vector.transfer_write %c, %m[%c0, %c0] {permutation_map = affine_map<(i, j) -> (j, i)>} : vector<2x2xf32>, memref<4x4xf32>
  %row = vector.transfer_read %m[%c0, %c0], %f0 {in_bounds = [true, true]} : memref<4x4xf32>, vector<1x2xf32>
  %w = vector.extract %row[0, 1] : f32 from vector<1x2xf32>
  call @real_line(%w) : (f32) -> ()
  return
}

func.func @numbers() {
  %one = arith.constant 1.0 : f32
  %zero = arith.constant 0.0 : f32
  %c = complex.create %zero, %one : complex<f32>
  %s = complex.sqrt %c : complex<f32>
  %p = complex.mul %s, %s : complex<f32>
  %a = complex.abs %p : complex<f32>
  call @real_line(%a) : (f32) -> ()
  return
}

// What control cannot reach is no reason not to compile.
func.func @unreachable(%x: i64) -> i64 {
  cf.br ^out(%x : i64)
^never:
  %y = arith.addi %x, %z : i64
  cf.br ^never_either
^never_either:
  %z = arith.addi %x, %y : i64
  cf.cond_br %b, ^never, ^out(%y : i64)
^neither:
  %b = arith.cmpi eq, %x, %x : i64
  cf.br ^never
^out(%r: i64):
  return %r : i64
}

// CHECK: 10
// CHECK-NEXT: 3
// CHECK-NEXT: 24
// CHECK-NEXT: 9
// CHECK-NEXT: 0.25
// CHECK-NEXT: 9
// CHECK-NEXT: 6000000
// CHECK-NEXT: 2
// CHECK-NEXT: 8
// CHECK-NEXT: 3
// CHECK-NEXT: 1
// CHECK-NEXT: 7
func.func @main() {
  call @structured() : () -> ()
  call @atomic() : () -> ()
  call @shaped() : () -> ()
  call @vectors() : () -> ()
  call @numbers() : () -> ()
  %seven = arith.constant 7 : i64
  %x = call @unreachable(%seven) : (i64) -> i64
  call @line(%x) : (i64) -> ()
  return
}
