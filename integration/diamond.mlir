// Four regions with a kernel each: the first fills a buffer, two read it side
// by side, the fourth overwrites it with what they made of it. A missing
// dependency in either direction changes the result.

// RUN: device schedules=1000 host-schedules=60
// CHECK: wrong elements: 0
// CHECK: sum of all elements: 47473520640
// RUNNER: 0
func.func @main() -> i32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %c256 = arith.constant 256 : index
  %c4096 = arith.constant 4096 : index
  %out = memref.alloc() : memref<4096xi64>

  // a[i] = i
  %t0, %top = async.execute -> !async.value<memref<4096xi64>> {
    %a = gpu.alloc() : memref<4096xi64>
    gpu.launch blocks(%bx, %by, %bz) in (%gx = %c16, %gy = %c1, %gz = %c1)
               threads(%tx, %ty, %tz) in (%sx = %c256, %sy = %c1, %sz = %c1) {
      %base = arith.muli %bx, %sx : index
      %i = arith.addi %base, %tx : index
      %x = arith.index_cast %i : index to i64
      memref.store %x, %a[%i] : memref<4096xi64>
      gpu.terminator
    }
    async.yield %a : memref<4096xi64>
  }

  // b[i] = 2 * a[i]
  %t1, %left = async.execute (%top as %a: !async.value<memref<4096xi64>>)
      -> !async.value<memref<4096xi64>> {
    %b = gpu.alloc() : memref<4096xi64>
    gpu.launch blocks(%bx, %by, %bz) in (%gx = %c16, %gy = %c1, %gz = %c1)
               threads(%tx, %ty, %tz) in (%sx = %c256, %sy = %c1, %sz = %c1) {
      %two = arith.constant 2 : i64
      %base = arith.muli %bx, %sx : index
      %i = arith.addi %base, %tx : index
      %x = memref.load %a[%i] : memref<4096xi64>
      %y = arith.muli %x, %two : i64
      memref.store %y, %b[%i] : memref<4096xi64>
      gpu.terminator
    }
    async.yield %b : memref<4096xi64>
  }

  // c[i] = a[i] + 100
  %t2, %right = async.execute (%top as %a: !async.value<memref<4096xi64>>)
      -> !async.value<memref<4096xi64>> {
    %c = gpu.alloc() : memref<4096xi64>
    gpu.launch blocks(%bx, %by, %bz) in (%gx = %c16, %gy = %c1, %gz = %c1)
               threads(%tx, %ty, %tz) in (%sx = %c256, %sy = %c1, %sz = %c1) {
      %hundred = arith.constant 100 : i64
      %base = arith.muli %bx, %sx : index
      %i = arith.addi %base, %tx : index
      %x = memref.load %a[%i] : memref<4096xi64>
      %y = arith.addi %x, %hundred : i64
      memref.store %y, %c[%i] : memref<4096xi64>
      gpu.terminator
    }
    async.yield %c : memref<4096xi64>
  }

  // a[i] = b[i] * c[i], which is 2 * i * (i + 100)
  %t3 = async.execute (%top as %a: !async.value<memref<4096xi64>>,
                       %left as %b: !async.value<memref<4096xi64>>,
                       %right as %c: !async.value<memref<4096xi64>>) {
    gpu.launch blocks(%bx, %by, %bz) in (%gx = %c16, %gy = %c1, %gz = %c1)
               threads(%tx, %ty, %tz) in (%sx = %c256, %sy = %c1, %sz = %c1) {
      %base = arith.muli %bx, %sx : index
      %i = arith.addi %base, %tx : index
      %x = memref.load %b[%i] : memref<4096xi64>
      %y = memref.load %c[%i] : memref<4096xi64>
      %z = arith.muli %x, %y : i64
      memref.store %z, %a[%i] : memref<4096xi64>
      gpu.terminator
    }
    gpu.memcpy %out, %a : memref<4096xi64>, memref<4096xi64>
    gpu.dealloc %a : memref<4096xi64>
    gpu.dealloc %b : memref<4096xi64>
    gpu.dealloc %c : memref<4096xi64>
    async.yield
  }
  async.await %t3 : !async.token

  %zero = arith.constant 0 : i64
  %wrong, %sum = scf.for %i = %c0 to %c4096 step %c1
      iter_args(%count = %zero, %acc = %zero) -> (i64, i64) {
    %two = arith.constant 2 : i64
    %hundred = arith.constant 100 : i64
    %i64 = arith.index_cast %i : index to i64
    %i2 = arith.muli %i64, %two : i64
    %i100 = arith.addi %i64, %hundred : i64
    %expected = arith.muli %i2, %i100 : i64
    %x = memref.load %out[%i] : memref<4096xi64>
    %differs = arith.cmpi ne, %x, %expected : i64
    %one = arith.extui %differs : i1 to i64
    %count1 = arith.addi %count, %one : i64
    %acc1 = arith.addi %acc, %x : i64
    scf.yield %count1, %acc1 : i64, i64
  }
  vector.print str "wrong elements: "
  vector.print %wrong : i64
  vector.print str "sum of all elements: "
  vector.print %sum : i64
  memref.dealloc %out : memref<4096xi64>
  %status = arith.trunci %wrong : i64 to i32
  return %status : i32
}
