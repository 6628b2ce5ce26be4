// What a chain of regions costs when it runs, with a stream handed from each to
// the next and with streams of their own.
// RUN: env ASYNC_GPU_LOG=driver async-gpu-runner --device=emu %s > %t.reuse 2>&1
// RUN: env ASYNC_GPU_LOG=driver async-gpu-runner --device=emu %s --async-gpu-reuse-streams=false > %t.own 2>&1
// RUN: FileCheck %s --check-prefix=REUSE --implicit-check-not=cuStreamCreate --implicit-check-not=cuStreamWaitEvent --implicit-check-not=cuEventRecord < %t.reuse
// RUN: FileCheck %s --check-prefix=OWN --implicit-check-not=cuStreamCreate --implicit-check-not=cuStreamWaitEvent --implicit-check-not=cuEventRecord < %t.own

// The wait of the host at the end is all that needs an event.
// REUSE: cuStreamCreate(stream=1,
// REUSE-COUNT-5: cuMemsetD32Async({{.*}}stream=1)
// REUSE: cuEventRecord({{.*}}stream=1)

// OWN: cuStreamCreate(stream=1,
// OWN: cuMemsetD32Async({{.*}}stream=1)
// OWN: cuStreamCreate(stream=2,
// OWN: cuEventRecord({{.*}}stream=1)
// OWN: cuStreamWaitEvent(stream=2
// OWN: cuMemsetD32Async({{.*}}stream=2)
// OWN: cuStreamCreate(stream=3,
// OWN: cuEventRecord({{.*}}stream=2)
// OWN: cuStreamWaitEvent(stream=3
// OWN: cuMemsetD32Async({{.*}}stream=3)
// OWN: cuStreamCreate(stream=4,
// OWN: cuEventRecord({{.*}}stream=3)
// OWN: cuStreamWaitEvent(stream=4
// OWN: cuMemsetD32Async({{.*}}stream=4)
// OWN: cuStreamCreate(stream=5,
// OWN: cuEventRecord({{.*}}stream=4)
// OWN: cuStreamWaitEvent(stream=5
// OWN: cuMemsetD32Async({{.*}}stream=5)
// OWN: cuEventRecord({{.*}}stream=5)
func.func @main() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %x = arith.constant 7 : i32
  %a, %m = async.execute -> !async.value<memref<4xi32>> {
    %d = gpu.alloc () : memref<4xi32>
    gpu.memset %d, %x : memref<4xi32>, i32
    async.yield %d : memref<4xi32>
  }
  %b, %n = async.execute [%a] (%m as %d: !async.value<memref<4xi32>>) -> !async.value<memref<4xi32>> {
    gpu.memset %d, %x : memref<4xi32>, i32
    async.yield %d : memref<4xi32>
  }
  %c, %o = async.execute [%b] (%n as %d: !async.value<memref<4xi32>>) -> !async.value<memref<4xi32>> {
    gpu.memset %d, %x : memref<4xi32>, i32
    async.yield %d : memref<4xi32>
  }
  %e, %p = async.execute [%c] (%o as %d: !async.value<memref<4xi32>>) -> !async.value<memref<4xi32>> {
    gpu.memset %d, %x : memref<4xi32>, i32
    async.yield %d : memref<4xi32>
  }
  %f = async.execute [%e] (%p as %d: !async.value<memref<4xi32>>) {
    gpu.memset %d, %x : memref<4xi32>, i32
    gpu.dealloc %d : memref<4xi32>
    async.yield
  }
  async.await %f : !async.token
  return
}
