// A program on tensors that is split among ranks, as an executable: each rank makes the
// whole input, computes its part, and looks at the whole result.
shard.grid @ranks(shape = ?)

// RUN: @sums ranks=2 --async-gpu-shard --async-gpu-from-linalg --async-gpu-lower
// Row i of 5 has 10 * i + j in column j of 3: the sums are 100, 105 and 110, and each is
// computed of parts of 3 and 2 rows.
func.func @sums() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %zero = arith.constant 0 : i64
  %c5 = arith.constant 5 : i64
  %c100 = arith.constant 100 : i64
  %rows = shard.sharding @ranks split_axes = [[0]] : !shard.sharding
  %x = arith.constant dense<[[0, 1, 2], [10, 11, 12], [20, 21, 22], [30, 31, 32], [40, 41, 42]]> : tensor<5x3xi64>
  %part = shard.shard %x to %rows : tensor<5x3xi64>
  %e = tensor.empty() : tensor<3xi64>
  %f = linalg.fill ins(%zero : i64) outs(%e : tensor<3xi64>) -> tensor<3xi64>
  %sums = linalg.reduce {arith.addi} ins(%part : tensor<5x3xi64>) outs(%f : tensor<3xi64>) dimensions = [0]
  scf.for %j = %c0 to %c3 step %c1 {
    %sum = tensor.extract %sums[%j] : tensor<3xi64>
    %number = arith.index_cast %j : index to i64
    %five = arith.muli %number, %c5 : i64
    %wanted = arith.addi %five, %c100 : i64
    %is_right = arith.cmpi eq, %sum, %wanted : i64
    cf.assert %is_right, "a sum is wrong"
  }
  return
}

// The same by --emit=exe.
// RUN: ranks=2 --async-gpu-shard --async-gpu-from-linalg --async-gpu-lower
func.func @main() {
  call @sums() : () -> ()
  return
}
