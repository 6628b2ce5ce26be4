// Vectors: wide loads and stores where alignment is known, arithmetic element
// by element, two halves at once where an instruction does.
// RUN: async-gpu-opt %s --async-gpu-kernels=targets=ptx --emit=ptx | FileCheck %s

gpu.module @m {
  // CHECK-LABEL: .entry load(
  // CHECK: ld.global.v4.b32
  // CHECK: fma.rn.f32
  // CHECK: st.global.v4.b32
  gpu.func @load(%x: memref<?xvector<4xf32>>, %a: f32) kernel {
    %t = gpu.thread_id x
    %v = memref.load %x[%t] : memref<?xvector<4xf32>>
    %b = vector.broadcast %a : f32 to vector<4xf32>
    %r = vector.fma %v, %b, %b : vector<4xf32>
    memref.store %r, %x[%t] : memref<?xvector<4xf32>>
    gpu.return
  }
  // CHECK-LABEL: .entry transfer(
  gpu.func @transfer(%x: memref<?xf32>, %y: memref<?xf32>, %n: index) kernel {
    %t = gpu.thread_id x
    %c0 = arith.constant 0.0 : f32
    %v = vector.transfer_read %x[%t], %c0 : memref<?xf32>, vector<4xf32>
    %s = vector.reduction <add>, %v : vector<4xf32> into f32
    %w = vector.insert %s, %v[2] : f32 into vector<4xf32>
    %sh = vector.shuffle %v, %w [0, 6, 2, 1] : vector<4xf32>, vector<4xf32>
    %m = vector.create_mask %n : vector<4xi1>
    vector.maskedstore %y[%t], %m, %sh : memref<?xf32>, vector<4xi1>, vector<4xf32>
    vector.transfer_write %w, %x[%t] : vector<4xf32>, memref<?xf32>
    gpu.return
  }
  // CHECK-LABEL: .entry halves(
  // CHECK: fma.rn.f16x2
  gpu.func @halves(%x: memref<?xvector<2xf16>>) kernel {
    %t = gpu.thread_id x
    %v = memref.load %x[%t] : memref<?xvector<2xf16>>
    %r = vector.fma %v, %v, %v : vector<2xf16>
    memref.store %r, %x[%t] : memref<?xvector<2xf16>>
    gpu.return
  }
  // CHECK-LABEL: .entry matrix(
  gpu.func @matrix(%x: memref<4x4xf32>) kernel {
    %c0 = arith.constant 0 : index
    %f0 = arith.constant 0.0 : f32
    %v = vector.transfer_read %x[%c0, %c0], %f0 {in_bounds = [true, true]} : memref<4x4xf32>, vector<4x4xf32>
    %t = vector.transpose %v, [1, 0] : vector<4x4xf32> to vector<4x4xf32>
    %s = arith.addf %v, %t : vector<4x4xf32>
    vector.transfer_write %s, %x[%c0, %c0] {in_bounds = [true, true]} : vector<4x4xf32>, memref<4x4xf32>
    gpu.return
  }  // Sums of the columns, one after the other.
  // CHECK-LABEL: .entry columns(
  // CHECK-COUNT-2: add.rn.f32
  // CHECK: ret;
  gpu.func @columns(%x: memref<vector<2x2xf32>>, %y: memref<vector<2xf32>>) kernel {
    %v = memref.load %x[] : memref<vector<2x2xf32>>
    %a = memref.load %y[] : memref<vector<2xf32>>
    %s = vector.multi_reduction <add>, %v, %a [0] : vector<2x2xf32> to vector<2xf32>
    memref.store %s, %y[] : memref<vector<2xf32>>
    gpu.return
  }
}
