// A payload that has to lie at a multiple of 64 bytes. Upstream's storage is
// aligned to 16, so its program crashes.

func.func private @make(%f: f32) -> !async.value<vector<16xf32>> {
  %t, %v = async.execute -> !async.value<vector<16xf32>> {
    %x = vector.broadcast %f : f32 to vector<16xf32>
    async.yield %x : vector<16xf32>
  }
  return %v : !async.value<vector<16xf32>>
}

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
  vector.print str "sum: "
  vector.print %sum : f32
  return
}
