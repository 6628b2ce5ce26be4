// Device buffers as values: made by one region, passed through functions,
// awaited by the host, used in another region, freed in a third.

// A buffer of n elements that all are x, as a value of the region that fills it.
func.func private @filled(%n: index, %x: f32) -> !async.value<memref<?xf32>> {
  %t, %v = async.execute -> !async.value<memref<?xf32>> {
    %d = gpu.alloc(%n) : memref<?xf32>
    gpu.memset %d, %x : memref<?xf32>, f32
    async.yield %d : memref<?xf32>
  }
  return %v : !async.value<memref<?xf32>>
}

// a[i] += b[i], behind both.
func.func private @accumulate(%a: !async.value<memref<?xf32>>,
                              %b: !async.value<memref<?xf32>>)
    -> !async.token {
  %t = async.execute (%a as %x: !async.value<memref<?xf32>>,
                      %b as %y: !async.value<memref<?xf32>>) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %n = memref.dim %x, %c0 : memref<?xf32>
    gpu.launch blocks(%bx, %by, %bz) in (%gx = %n, %gy = %c1, %gz = %c1)
               threads(%tx, %ty, %tz) in (%sx = %c1, %sy = %c1, %sz = %c1) {
      %p = memref.load %x[%bx] : memref<?xf32>
      %q = memref.load %y[%bx] : memref<?xf32>
      %s = arith.addf %p, %q : f32
      memref.store %s, %x[%bx] : memref<?xf32>
      gpu.terminator
    }
    async.yield
  }
  return %t : !async.token
}

// RUN: device schedules=200
// CHECK: 77
// CHECK: 3.75
func.func @main() {
  %c0 = arith.constant 0 : index
  %n = arith.constant 77 : index
  %one = arith.constant 1.5 : f32
  %two = arith.constant 2.25 : f32
  %a = call @filled(%n, %one) : (index, f32) -> !async.value<memref<?xf32>>
  %b = call @filled(%n, %two) : (index, f32) -> !async.value<memref<?xf32>>
  %t = call @accumulate(%a, %b)
    : (!async.value<memref<?xf32>>, !async.value<memref<?xf32>>) -> !async.token

  // The host learns the buffer's size from the value, and its content from a
  // region that copies it back and reads it.
  %buffer = async.await %a : !async.value<memref<?xf32>>
  %size = memref.dim %buffer, %c0 : memref<?xf32>
  vector.print %size : index
  %host = memref.alloc(%size) : memref<?xf32>
  %t1, %last = async.execute [%t] (%a as %x: !async.value<memref<?xf32>>)
      -> !async.value<f32> {
    %c76 = arith.constant 76 : index
    gpu.memcpy %host, %x : memref<?xf32>, memref<?xf32>
    %v = memref.load %host[%c76] : memref<?xf32>
    async.yield %v : f32
  }
  %v = async.await %last : !async.value<f32>
  vector.print %v : f32

  %freed = async.execute [%t, %t1] (%a as %x: !async.value<memref<?xf32>>,
                                    %b as %y: !async.value<memref<?xf32>>) {
    gpu.dealloc %x : memref<?xf32>
    gpu.dealloc %y : memref<?xf32>
    async.yield
  }
  async.await %freed : !async.token
  memref.dealloc %host : memref<?xf32>
  return
}
