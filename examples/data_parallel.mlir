// A vector is split over all devices that there are. Each device gets a region:
// it copies its part in, computes squares, and copies them out, beside the
// others. The host adds up what has come back.
//
//                    split
//         /        |        |        \
//     device 0  device 1  device 2   ...
//         \        |        |        /
//                 host: sum
//
// The sum does not depend on how many devices there are. Try 1 and 4:
//
//     ASYNC_GPU_DEVICE=emu ASYNC_GPU_EMU_DEVICES=4 \
//         scripts/run.sh examples/data_parallel.mlir
// DEVICES: 3

// How many devices there are: a function of the runtime.
func.func private @agpu_device_count() -> i32

// RUN: device
// RUN: EMU_DEVICES=1|4 schedules=200
// RUN: EMU_DEVICES=16
// CHECK: 129962
func.func @main() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c128 = arith.constant 128 : index
  %c127 = arith.constant 127 : index
  %n = arith.constant 10000 : index

  // in[i] = i mod 7
  %in = memref.alloc(%n) : memref<?xi32>
  %out = memref.alloc(%n) : memref<?xi32>
  %seven = arith.constant 7 : index
  scf.for %i = %c0 to %n step %c1 {
    %r = arith.remui %i, %seven : index
    %x = arith.index_cast %r : index to i32
    memref.store %x, %in[%i] : memref<?xi32>
  }

  // Part d is [d * n / devices, (d + 1) * n / devices).
  %count = func.call @agpu_device_count() : () -> i32
  %devices = arith.index_cast %count : i32 to index
  %group = async.create_group %devices : !async.group
  scf.for %d = %c0 to %devices step %c1 {
    %scaled = arith.muli %d, %n : index
    %begin = arith.divui %scaled, %devices : index
    %next = arith.addi %d, %c1 : index
    %next_scaled = arith.muli %next, %n : index
    %end = arith.divui %next_scaled, %devices : index
    %size = arith.subi %end, %begin : index
    %device = arith.index_cast %d : index to i32

    %token = async.execute {
      gpu.set_default_device %device
      %part_in = memref.subview %in[%begin] [%size] [1]
          : memref<?xi32> to memref<?xi32, strided<[1], offset: ?>>
      %part_out = memref.subview %out[%begin] [%size] [1]
          : memref<?xi32> to memref<?xi32, strided<[1], offset: ?>>
      %part = gpu.alloc(%size) : memref<?xi32>
      gpu.memcpy %part, %part_in
          : memref<?xi32>, memref<?xi32, strided<[1], offset: ?>>
      %padded = arith.addi %size, %c127 : index
      %blocks = arith.divui %padded, %c128 : index
      gpu.launch blocks(%bx, %by, %bz) in (%gx = %blocks, %gy = %c1, %gz = %c1)
                 threads(%tx, %ty, %tz) in (%sx = %c128, %sy = %c1, %sz = %c1) {
        %base = arith.muli %bx, %sx : index
        %i = arith.addi %base, %tx : index
        %inside = arith.cmpi ult, %i, %size : index
        scf.if %inside {
          %x = memref.load %part[%i] : memref<?xi32>
          %y = arith.muli %x, %x : i32
          memref.store %y, %part[%i] : memref<?xi32>
        }
        gpu.terminator
      }
      gpu.memcpy %part_out, %part
          : memref<?xi32, strided<[1], offset: ?>>, memref<?xi32>
      gpu.dealloc %part : memref<?xi32>
      async.yield
    }
    %index = async.add_to_group %token, %group : !async.token
  }
  async.await_all %group

  %zero = arith.constant 0 : i64
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%s = %zero) -> i64 {
    %y = memref.load %out[%i] : memref<?xi32>
    %y64 = arith.extsi %y : i32 to i64
    %more = arith.addi %s, %y64 : i64
    scf.yield %more : i64
  }
  vector.print %sum : i64
  memref.dealloc %in : memref<?xi32>
  memref.dealloc %out : memref<?xi32>
  return
}
