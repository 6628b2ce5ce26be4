// Branches, loops and functions; f32 math that one instruction does.
// RUN: async-gpu-opt %s --async-gpu-kernels=targets=ptx --emit=ptx | FileCheck %s

gpu.module @m {
  // CHECK-NOT: .func
  func.func @twice(%x: f32) -> f32 {
    %r = arith.addf %x, %x : f32
    return %r : f32
  }
  gpu.func @root(%x: f32) -> f32 {
    %r = math.sqrt %x : f32
    gpu.return %r : f32
  }
  // CHECK-LABEL: .entry flow(
  // CHECK: bra
  gpu.func @flow(%x: memref<?xf32>, %n: index) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %t = gpu.thread_id x
    scf.for %i = %t to %n step %c1 {
      %v = memref.load %x[%i] : memref<?xf32>
      %c = arith.cmpf olt, %v, %v : f32
      %r = scf.if %c -> f32 {
        %a = func.call @twice(%v) : (f32) -> f32
        scf.yield %a : f32
      } else {
        %a = func.call @twice(%v) : (f32) -> f32
        scf.yield %a : f32
      }
      memref.store %r, %x[%i] : memref<?xf32>
    }
    %w = scf.while (%k = %c0) : (index) -> index {
      %m = arith.cmpi ult, %k, %n : index
      scf.condition(%m) %k : index
    } do {
    ^bb(%k: index):
      %z = memref.load %x[%k] : memref<?xf32>
      %zi = arith.fptoui %z : f32 to i64
      %zx = arith.index_cast %zi : i64 to index
      scf.yield %zx : index
    }
    scf.index_switch %w
    case 1 {
      %one = arith.constant 1.0 : f32
      memref.store %one, %x[%c0] : memref<?xf32>
      scf.yield
    }
    default {
    }
    gpu.return
  }
}
