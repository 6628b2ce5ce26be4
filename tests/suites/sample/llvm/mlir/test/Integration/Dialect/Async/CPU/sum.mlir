// DEFINE: %{lower} = mlir-opt %s --async-to-async-runtime --async-runtime-ref-counting \
// DEFINE:   --convert-async-to-llvm --convert-func-to-llvm --convert-arith-to-llvm \
// DEFINE:   --convert-cf-to-llvm --reconcile-unrealized-casts
// DEFINE: %{run} = mlir-runner -e main --entry-point-result=void \
// DEFINE:   --shared-libs=%mlir_c_runner_utils,%mlir_async_runtime
// RUN: %{lower} | %{run} | FileCheck %s

func.func private @printI64(i64)
func.func private @printNewline()

// CHECK: 42
func.func @main() {
  %a = arith.constant 40 : i64
  %token, %value = async.execute -> !async.value<i64> {
    %b = arith.constant 2 : i64
    %sum = arith.addi %a, %b : i64
    async.yield %sum : i64
  }
  %sum = async.await %value : !async.value<i64>
  call @printI64(%sum) : (i64) -> ()
  call @printNewline() : () -> ()
  return
}
