// Payloads that LLVM would align to 64 and 256 bytes. A value's storage is
// aligned to 64, upstream's to 16, so that upstream's program crashes.
// MATRIX: ours-on-ours ours-on-upstream upstream-on-ours, upstream's storage of values is aligned to 16 bytes

func.func private @make(%f: f32) -> !async.value<vector<16xf32>> {
  %t, %v = async.execute -> !async.value<vector<16xf32>> {
    %x = vector.broadcast %f : f32 to vector<16xf32>
    async.yield %x : vector<16xf32>
  }
  return %v : !async.value<vector<16xf32>>
}

func.func private @make_wide(%n: i64) -> !async.value<vector<32xi64>> {
  %t, %v = async.execute -> !async.value<vector<32xi64>> {
    %x = vector.broadcast %n : i64 to vector<32xi64>
    async.yield %x : vector<32xi64>
  }
  return %v : !async.value<vector<32xi64>>
}

// RUN: workers
// CHECK: 448
// CHECK: sum: 3200
func.func @main() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.constant 100 : index
  %two = arith.constant 2.0 : f32
  %zero = arith.constant 0.0 : f32
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> f32 {
    %v = func.call @make(%two) : (f32) -> !async.value<vector<16xf32>>
    %x = async.await %v : !async.value<vector<16xf32>>
    %s = vector.reduction <add>, %x : vector<16xf32> into f32
    %next = arith.addf %acc, %s : f32
    scf.yield %next : f32
  }
  %seven = arith.constant 7 : i64
  %ten = arith.constant 10 : index
  scf.for %i = %c0 to %ten step %c1 {
    %v = func.call @make_wide(%seven) : (i64) -> !async.value<vector<32xi64>>
    // In a region the vector is part of the frame while it is suspended.
    %t, %w = async.execute (%v as %y: !async.value<vector<32xi64>>) -> !async.value<vector<32xi64>> {
      %u = func.call @make_wide(%seven) : (i64) -> !async.value<vector<32xi64>>
      %z = async.await %u : !async.value<vector<32xi64>>
      %s = arith.addi %y, %z : vector<32xi64>
      async.yield %s : vector<32xi64>
    }
    %x = async.await %w : !async.value<vector<32xi64>>
    %s = vector.reduction <add>, %x : vector<32xi64> into i64
    %last = arith.subi %ten, %c1 : index
    %is_last = arith.cmpi eq, %i, %last : index
    scf.if %is_last {
      vector.print %s : i64
    }
  }
  vector.print str "sum: "
  vector.print %sum : f32
  return
}
