// Floats of 6 and 4 bits, and scales of 8 that have an exponent alone.
// CHIPS: sm_100a

module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @k(%x: memref<?xf32>, %out: memref<?x8xi32>) kernel {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c2 = arith.constant 2 : index
      %c3 = arith.constant 3 : index
      %c4 = arith.constant 4 : index
      %c5 = arith.constant 5 : index
      %c6 = arith.constant 6 : index
      %c7 = arith.constant 7 : index
      %i = gpu.global_id x
      %v = memref.load %x[%i] : memref<?xf32>
      %n = arith.negf %v : f32
      %a = nvvm.convert.f32x2.to.f6x2 %n, %v : i16 (f6E2M3FN)
      %b = nvvm.convert.f32x2.to.f6x2 %n, %v {relu = true} : vector<2xi8> (f6E3M2FN)
      %c = nvvm.convert.f32x2.to.f4x2 %n, %v : i8 (f4E2M1FN)
      %d = nvvm.convert.f32x2.to.f8x2 %n, %v {rnd = #nvvm.fp_rnd_mode<rz>, sat = #nvvm.sat_mode<satfinite>} : i16 (f8E8M0FNU)
      %e = nvvm.convert.f32x2.to.f8x2 %n, %v {rnd = #nvvm.fp_rnd_mode<rp>, sat = #nvvm.sat_mode<satfinite>} : i16 (f8E8M0FNU)
      %a32 = arith.extui %a : i16 to i32
      %b16 = llvm.bitcast %b : vector<2xi8> to i16
      %b32 = arith.extui %b16 : i16 to i32
      %c32 = arith.extui %c : i8 to i32
      %d32 = arith.extui %d : i16 to i32
      %e32 = arith.extui %e : i16 to i32
      %f = nvvm.convert.f6x2.to.f16x2 %b : vector<2xi8> (f6E3M2FN) -> vector<2xf16>
      %f32 = llvm.bitcast %f : vector<2xf16> to i32
      %g = nvvm.convert.f4x2.to.f16x2 %c : i8 (f4E2M1FN) -> vector<2xf16>
      %g32 = llvm.bitcast %g : vector<2xf16> to i32
      %dv = llvm.bitcast %d : i16 to vector<2xi8>
      %h = nvvm.convert.f8x2.to.bf16x2 %dv : vector<2xi8> (f8E8M0FNU) -> vector<2xbf16>
      %h32 = llvm.bitcast %h : vector<2xbf16> to i32
      memref.store %a32, %out[%i, %c0] : memref<?x8xi32>
      memref.store %b32, %out[%i, %c1] : memref<?x8xi32>
      memref.store %c32, %out[%i, %c2] : memref<?x8xi32>
      memref.store %d32, %out[%i, %c3] : memref<?x8xi32>
      memref.store %e32, %out[%i, %c4] : memref<?x8xi32>
      memref.store %f32, %out[%i, %c5] : memref<?x8xi32>
      memref.store %g32, %out[%i, %c6] : memref<?x8xi32>
      memref.store %h32, %out[%i, %c7] : memref<?x8xi32>
      gpu.return
    }
  }

  // Of 0.25 (a tie for the least of 4 bits is 0), 0.4375, 1.75, 5 and 1000, in this
  // order: pairs of 6 bits (2 and 3 of exponent), of 4 bits, of scales down and up,
  // and back.
  //
  // RUN: kernel
  // CHECK: 8706, 4, 128, 32125, 32125, 13312, -2147483648, 1048592000
  // CHECK: 9220, 7, 145, 32125, 32382, 14080, -1207945216, 1048592000
  // CHECK: 11790, 15, 196, 32639, 32896, 16128, -1073725440, 1065369472
  // CHECK: 14874, 21, 230, 33153, 33410, 17664, -1006615552, 1082146944
  // CHECK: 16159, 31, 247, 34952, 35209, 20224, -973060608, 1140868096
  func.func @main() {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %n = arith.constant 5 : index
    %c8 = arith.constant 8 : index
    %x = gpu.alloc host_shared (%n) : memref<?xf32>
    %out = gpu.alloc host_shared (%n) : memref<?x8xi32>
    %v0 = arith.constant 0.25 : f32
    %v1 = arith.constant 0.4375 : f32
    %v2 = arith.constant 1.75 : f32
    %v3 = arith.constant 5.0 : f32
    %v4 = arith.constant 1000.0 : f32
    %c2 = arith.constant 2 : index
    %c3 = arith.constant 3 : index
    %c4 = arith.constant 4 : index
    memref.store %v0, %x[%c0] : memref<?xf32>
    memref.store %v1, %x[%c1] : memref<?xf32>
    memref.store %v2, %x[%c2] : memref<?xf32>
    memref.store %v3, %x[%c3] : memref<?xf32>
    memref.store %v4, %x[%c4] : memref<?xf32>
    gpu.launch_func @kernels::@k blocks in (%c1, %c1, %c1) threads in (%n, %c1, %c1)
        args(%x : memref<?xf32>, %out : memref<?x8xi32>)
    scf.for %i = %c0 to %n step %c1 {
      scf.for %j = %c0 to %c8 step %c1 {
        %v = memref.load %out[%i, %j] : memref<?x8xi32>
        vector.print %v : i32 punctuation <no_punctuation>
        %next = arith.addi %j, %c1 : index
        %more = arith.cmpi ult, %next, %c8 : index
        scf.if %more {
          vector.print str ", "
        }
      }
      vector.print str "\n"
    }
    gpu.dealloc %x : memref<?xf32>
    gpu.dealloc %out : memref<?x8xi32>
    return
  }
}
