// Shuffles of the first 1 to 32 lanes, which all lanes of a warp execute: those below
// the width get the value of the lane that is named, if it is below the width, too; it
// is not valid elsewhere. Each kernel tries all widths with some offsets, compares
// with what the lane that it should have read has, and prints how often that differs.

module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @xor(%out: memref<i32>) kernel {
      %zero = arith.constant 0 : i32
      %one = arith.constant 1 : i32
      %three = arith.constant 3 : i32
      %seven = arith.constant 7 : i32
      %last = arith.constant 33 : i32
      %beyond = arith.constant 32 : i32
      %true = arith.constant true
      %index = gpu.lane_id
      %lane = arith.index_cast %index : index to i32
      %mine = arith.muli %lane, %seven : i32
      scf.for %w = %one to %last step %one : i32 {
        scf.for %o = %zero to %beyond step %three : i32 {
          %v = arith.ori %mine, %zero : i32
          %r, %valid = gpu.shuffle xor %v, %o, %w : i32
          %s = arith.xori %lane, %o : i32
          %there = arith.cmpi ult, %s, %w : i32
          %in = arith.cmpi ult, %lane, %w : i32
          %want = arith.andi %there, %in : i1
          %theirs = arith.muli %s, %seven : i32
          %u = arith.ori %theirs, %zero : i32
          %differs = arith.cmpi ne, %r, %u : i32
          %wrong = arith.andi %differs, %want : i1
          %flag = arith.xori %want, %valid : i1
          %either = arith.ori %wrong, %flag : i1
          %count = arith.extui %either : i1 to i32
          %old = memref.atomic_rmw addi %count, %out[] : (i32, memref<i32>) -> i32
        }
      }
      gpu.return
    }
    gpu.func @up(%out: memref<i32>) kernel {
      %zero = arith.constant 0 : i32
      %one = arith.constant 1 : i32
      %three = arith.constant 3 : i32
      %seven = arith.constant 7 : i32
      %last = arith.constant 33 : i32
      %beyond = arith.constant 32 : i32
      %true = arith.constant true
      %index = gpu.lane_id
      %lane = arith.index_cast %index : index to i32
      %mine = arith.muli %lane, %seven : i32
      scf.for %w = %one to %last step %one : i32 {
        scf.for %o = %zero to %beyond step %three : i32 {
          %v = arith.ori %mine, %zero : i32
          %r, %valid = gpu.shuffle up %v, %o, %w : i32
          %s = arith.subi %lane, %o : i32
          %there = arith.cmpi sge, %s, %zero : i32
          %in = arith.cmpi ult, %lane, %w : i32
          %want = arith.andi %there, %in : i1
          %theirs = arith.muli %s, %seven : i32
          %u = arith.ori %theirs, %zero : i32
          %differs = arith.cmpi ne, %r, %u : i32
          %wrong = arith.andi %differs, %want : i1
          %flag = arith.xori %want, %valid : i1
          %either = arith.ori %wrong, %flag : i1
          %count = arith.extui %either : i1 to i32
          %old = memref.atomic_rmw addi %count, %out[] : (i32, memref<i32>) -> i32
        }
      }
      gpu.return
    }
    gpu.func @down(%out: memref<i32>) kernel {
      %zero = arith.constant 0 : i32
      %one = arith.constant 1 : i32
      %three = arith.constant 3 : i32
      %seven = arith.constant 7 : i32
      %last = arith.constant 33 : i32
      %beyond = arith.constant 32 : i32
      %true = arith.constant true
      %index = gpu.lane_id
      %lane = arith.index_cast %index : index to i32
      %mine = arith.muli %lane, %seven : i32
      scf.for %w = %one to %last step %one : i32 {
        scf.for %o = %zero to %beyond step %three : i32 {
          %v = arith.trunci %mine : i32 to i16
          %r, %valid = gpu.shuffle down %v, %o, %w : i16
          %s = arith.addi %lane, %o : i32
          %there = arith.cmpi ult, %s, %w : i32
          %in = arith.cmpi ult, %lane, %w : i32
          %want = arith.andi %there, %in : i1
          %theirs = arith.muli %s, %seven : i32
          %u = arith.trunci %theirs : i32 to i16
          %differs = arith.cmpi ne, %r, %u : i16
          %wrong = arith.andi %differs, %want : i1
          %flag = arith.xori %want, %valid : i1
          %either = arith.ori %wrong, %flag : i1
          %count = arith.extui %either : i1 to i32
          %old = memref.atomic_rmw addi %count, %out[] : (i32, memref<i32>) -> i32
        }
      }
      gpu.return
    }
    gpu.func @idx(%out: memref<i32>) kernel {
      %zero = arith.constant 0 : i32
      %one = arith.constant 1 : i32
      %three = arith.constant 3 : i32
      %seven = arith.constant 7 : i32
      %last = arith.constant 33 : i32
      %beyond = arith.constant 32 : i32
      %true = arith.constant true
      %index = gpu.lane_id
      %lane = arith.index_cast %index : index to i32
      %mine = arith.muli %lane, %seven : i32
      scf.for %w = %one to %last step %one : i32 {
        scf.for %o = %zero to %beyond step %three : i32 {
          %v = arith.ori %mine, %zero : i32
          %r, %valid = gpu.shuffle idx %v, %o, %w : i32
          %s = arith.ori %o, %zero : i32
          %there = arith.cmpi ult, %s, %w : i32
          %in = arith.cmpi ult, %lane, %w : i32
          %want = arith.andi %there, %in : i1
          %theirs = arith.muli %s, %seven : i32
          %u = arith.ori %theirs, %zero : i32
          %differs = arith.cmpi ne, %r, %u : i32
          %wrong = arith.andi %differs, %want : i1
          %flag = arith.xori %want, %valid : i1
          %either = arith.ori %wrong, %flag : i1
          %count = arith.extui %either : i1 to i32
          %old = memref.atomic_rmw addi %count, %out[] : (i32, memref<i32>) -> i32
        }
      }
      gpu.return
    }
  }

  // RUN: kernel
  // CHECK: 0
  // CHECK: 0
  // CHECK: 0
  // CHECK: 0
  func.func @main() {
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %zero = arith.constant 0 : i32
    %out = gpu.alloc host_shared () : memref<i32>
    memref.store %zero, %out[] : memref<i32>

    gpu.launch_func @kernels::@xor blocks in (%c1, %c1, %c1)
        threads in (%c64, %c1, %c1) args(%out : memref<i32>)
    %xor = memref.load %out[] : memref<i32>
    vector.print %xor : i32

    gpu.launch_func @kernels::@up blocks in (%c1, %c1, %c1)
        threads in (%c64, %c1, %c1) args(%out : memref<i32>)
    %up = memref.load %out[] : memref<i32>
    vector.print %up : i32

    gpu.launch_func @kernels::@down blocks in (%c1, %c1, %c1)
        threads in (%c64, %c1, %c1) args(%out : memref<i32>)
    %down = memref.load %out[] : memref<i32>
    vector.print %down : i32

    gpu.launch_func @kernels::@idx blocks in (%c1, %c1, %c1)
        threads in (%c64, %c1, %c1) args(%out : memref<i32>)
    %idx = memref.load %out[] : memref<i32>
    vector.print %idx : i32
    gpu.dealloc %out : memref<i32>
    return
  }
}
