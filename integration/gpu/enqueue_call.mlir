// Calls of a C library that enqueues a copy and a kernel on the region's stream:
// they are in the order of the region's own work and behind its token, on the
// host and on another region's stream.
// LINK: enqueue_library.c

// device[i] = 2 * host[i], enqueued.
func.func private @enqueue_doubled(%host: memref<?xi32>, %device: memref<?xi32>)

// RUN: device schedules=200
// CHECK: 20100
func.func @main() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.constant 100 : index
  %zero = arith.constant 0 : i32
  %three = arith.constant 3 : i32
  %host = memref.alloc(%n) : memref<?xi32>
  scf.for %i = %c0 to %n step %c1 {
    %x = arith.index_cast %i : index to i32
    memref.store %x, %host[%i] : memref<?xi32>
  }
  %back = memref.alloc(%n) : memref<?xi32>

  // d[i] = 2 * i, then + 3 by a kernel of the program.
  %a, %v = async.execute -> !async.value<memref<?xi32>> {
    %d = gpu.alloc(%n) : memref<?xi32>
    gpu.memset %d, %zero : memref<?xi32>, i32
    func.call @enqueue_doubled(%host, %d) {async_gpu.enqueue}
      : (memref<?xi32>, memref<?xi32>) -> ()
    gpu.launch blocks(%bx, %by, %bz) in (%gx = %n, %gy = %c1, %gz = %c1)
               threads(%tx, %ty, %tz) in (%sx = %c1, %sy = %c1, %sz = %c1) {
      %x = memref.load %d[%bx] : memref<?xi32>
      %y = arith.addi %x, %three : i32
      memref.store %y, %d[%bx] : memref<?xi32>
      gpu.terminator
    }
    async.yield %d : memref<?xi32>
  }
  // The call is all the work that this region has: its token is behind it.
  %b, %w = async.execute -> !async.value<memref<?xi32>> {
    %d = gpu.alloc(%n) : memref<?xi32>
    func.call @enqueue_doubled(%host, %d) {async_gpu.enqueue}
      : (memref<?xi32>, memref<?xi32>) -> ()
    async.yield %d : memref<?xi32>
  }
  // On another stream: the sum of both.
  %c = async.execute (%v as %d: !async.value<memref<?xi32>>,
                      %w as %e: !async.value<memref<?xi32>>) {
    gpu.launch blocks(%bx, %by, %bz) in (%gx = %n, %gy = %c1, %gz = %c1)
               threads(%tx, %ty, %tz) in (%sx = %c1, %sy = %c1, %sz = %c1) {
      %x = memref.load %d[%bx] : memref<?xi32>
      %y = memref.load %e[%bx] : memref<?xi32>
      %z = arith.addi %x, %y : i32
      memref.store %z, %d[%bx] : memref<?xi32>
      gpu.terminator
    }
    gpu.memcpy %back, %d : memref<?xi32>, memref<?xi32>
    gpu.dealloc %d : memref<?xi32>
    gpu.dealloc %e : memref<?xi32>
    async.yield
  }
  async.await %c : !async.token

  // The sum of 4 * i + 3 for i below 100: 4 * 4950 + 300 = 20100.
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%s = %zero) -> i32 {
    %x = memref.load %back[%i] : memref<?xi32>
    %y = arith.addi %s, %x : i32
    scf.yield %y : i32
  }
  vector.print %sum : i32
  memref.dealloc %host : memref<?xi32>
  memref.dealloc %back : memref<?xi32>
  return
}
