// What traces call regions: a table of the functions that tasks run, which no other
// code refers to, and calls where a region is no task, if they are asked for.

// RUN: async-gpu-opt %s --async-gpu-lower --emit=llvm | FileCheck %s
// RUN: async-gpu-opt %s --async-gpu-lower=abi=upstream --emit=llvm | FileCheck %s --check-prefix=UPSTREAM
// RUN: async-gpu-opt %s --async-gpu-lower=trace=true --emit=llvm | FileCheck %s --check-prefix=TRACE

// CHECK-DAG: [[OUTER:@agpu_name[.0-9]*]] = private {{.*}}c"outer\00"
// CHECK-DAG: @agpu_names.rows = {{.*}} { ptr @main_region_1.resume, ptr [[OUTER]], ptr @{{[a-z_.0-9]+}}, i32 [[# @LINE + 14]], i32
// CHECK-DAG: @agpu_names = internal global { ptr, ptr, i64, ptr } { ptr @agpu_coro_resume, ptr @agpu_names.rows, i64 1, ptr null }
// CHECK-DAG: @llvm.global_ctors = {{.*}} ptr @agpu_names.add
// CHECK-DAG: @llvm.global_dtors = {{.*}} ptr @agpu_names.remove
// CHECK-NOT: @agpu_trace_begin
// CHECK: declare extern_weak void @agpu_trace_names_add(ptr)

// A runtime that has no such function is not called.
// UPSTREAM: declare extern_weak void @agpu_trace_names_add(ptr)
// UPSTREAM: icmp eq ptr @agpu_trace_names_add, null

// TRACE-DAG: call void @agpu_trace_begin(
// TRACE-DAG: call void @agpu_trace_end()
func.func @main(%m: memref<8xi32>) {
  %outer = async.execute {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c8 = arith.constant 8 : index
    scf.for %i = %c0 to %c8 step %c1 {
      %x = arith.index_cast %i : index to i32
      memref.store %x, %m[%i] : memref<8xi32>
    }
    async.yield
  }
  %short = async.execute {
    %c0 = arith.constant 0 : index
    %x = memref.load %m[%c0] : memref<8xi32>
    memref.store %x, %m[%c0] : memref<8xi32>
    async.yield
  }
  async.await %outer : !async.token
  async.await %short : !async.token
  return
}
