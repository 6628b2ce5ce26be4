// Regions and launches under control flow.

// RUN: device schedules=200
// CHECK: 17
// CHECK: 97
// CHECK: 177
// CHECK: 257
// CHECK: 427
// CHECK: 507
// CHECK: 587
// CHECK: 667
// CHECK: 175104
func.func @main() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %c10 = arith.constant 10 : index
  %c64 = arith.constant 64 : index
  %c512 = arith.constant 512 : index
  %zero = arith.constant 0 : i32

  // A region per slice, in a group: data[i] = i / 64 * 10 for i in 0 .. 511.
  %data = gpu.alloc() : memref<512xi32>
  %group = async.create_group %c8 : !async.group
  scf.for %k = %c0 to %c8 step %c1 {
    %t = async.execute {
      gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
                 threads(%tx, %ty, %tz) in (%sx = %c64, %sy = %c1, %sz = %c1) {
        %base = arith.muli %k, %sx : index
        %i = arith.addi %base, %tx : index
        %v = arith.muli %k, %c10 : index
        %x = arith.index_cast %v : index to i32
        memref.store %x, %data[%i] : memref<512xi32>
        gpu.terminator
      }
      async.yield
    }
    %rank = async.add_to_group %t, %group : !async.token
  }
  async.await_all %group

  // A chain: each region waits for the one before it, through a token that the
  // loop carries. data[i] is doubled 3 times, and 1 is added in between:
  // x → 2x + 1, so 8x + 7.
  %c3 = arith.constant 3 : index
  %start = async.execute {
    async.yield
  }
  %last = scf.for %k = %c0 to %c3 step %c1
      iter_args(%before = %start) -> !async.token {
    %t = async.execute [%before] {
      gpu.launch blocks(%bx, %by, %bz) in (%gx = %c8, %gy = %c1, %gz = %c1)
                 threads(%tx, %ty, %tz) in (%sx = %c64, %sy = %c1, %sz = %c1) {
        %one = arith.constant 1 : i32
        %base = arith.muli %bx, %sx : index
        %i = arith.addi %base, %tx : index
        %x = memref.load %data[%i] : memref<512xi32>
        %y = arith.addi %x, %x : i32
        %z = arith.addi %y, %one : i32
        memref.store %z, %data[%i] : memref<512xi32>
        gpu.terminator
      }
      async.yield
    }
    scf.yield %t : !async.token
  }

  // A region with a loop of launches in it, and a branch: 10 times + 1 for the
  // first half of the data, once + 100 for the second half.
  %done = async.execute [%last] {
    %half = arith.constant 256 : index
    scf.for %k = %c0 to %c10 step %c1 {
      %first = arith.cmpi eq, %k, %c0 : index
      scf.if %first {
        gpu.launch blocks(%bx, %by, %bz) in (%gx = %half, %gy = %c1, %gz = %c1)
                   threads(%tx, %ty, %tz) in (%sx = %c1, %sy = %c1, %sz = %c1) {
          %hundred = arith.constant 100 : i32
          %i = arith.addi %half, %bx : index
          %x = memref.load %data[%i] : memref<512xi32>
          %y = arith.addi %x, %hundred : i32
          memref.store %y, %data[%i] : memref<512xi32>
          gpu.terminator
        }
      }
      gpu.launch blocks(%bx, %by, %bz) in (%gx = %half, %gy = %c1, %gz = %c1)
                 threads(%tx, %ty, %tz) in (%sx = %c1, %sy = %c1, %sz = %c1) {
        %one = arith.constant 1 : i32
        %x = memref.load %data[%bx] : memref<512xi32>
        %y = arith.addi %x, %one : i32
        memref.store %y, %data[%bx] : memref<512xi32>
        gpu.terminator
      }
    }
    async.yield
  }
  async.await %done : !async.token

  %host = memref.alloc() : memref<512xi32>
  gpu.memcpy %host, %data : memref<512xi32>, memref<512xi32>
  gpu.dealloc %data : memref<512xi32>

  // One element of every slice: 80k + 17, then 80k + 107 from slice 4 on.
  scf.for %i = %c0 to %c512 step %c64 {
    %x = memref.load %host[%i] : memref<512xi32>
    vector.print %x : i32
  }
  // The sum: 64 * (80 * 28 + 4 * 17 + 4 * 107) = 175104
  %sum = scf.for %i = %c0 to %c512 step %c1 iter_args(%acc = %zero) -> i32 {
    %x = memref.load %host[%i] : memref<512xi32>
    %next = arith.addi %acc, %x : i32
    scf.yield %next : i32
  }
  vector.print %sum : i32
  memref.dealloc %host : memref<512xi32>
  return
}
