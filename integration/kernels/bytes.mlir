// Permutations of bytes in every mode, and dot products of bytes and of half
// words, signed and not.

module attributes {gpu.container_module} {
  // Byte %n of the eight of %high and %low.
  func.func private @byte(%low: i32, %high: i32, %n: i32) -> i32 {
    %three = arith.constant 3 : i32
    %four = arith.constant 4 : i32
    %eight = arith.constant 8 : i32
    %ff = arith.constant 255 : i32
    %is_low = arith.cmpi ult, %n, %four : i32
    %word = arith.select %is_low, %low, %high : i32
    %place = arith.andi %n, %three : i32
    %bits = arith.muli %place, %eight : i32
    %shifted = arith.shrui %word, %bits : i32
    %byte = arith.andi %shifted, %ff : i32
    return %byte : i32
  }
  // The word of bytes %n0 (the lowest) to %n3.
  func.func private @word(%low: i32, %high: i32, %n0: i32, %n1: i32, %n2: i32, %n3: i32) -> i32 {
    %c256 = arith.constant 256 : i32
    %b0 = func.call @byte(%low, %high, %n0) : (i32, i32, i32) -> i32
    %b1 = func.call @byte(%low, %high, %n1) : (i32, i32, i32) -> i32
    %b2 = func.call @byte(%low, %high, %n2) : (i32, i32, i32) -> i32
    %b3 = func.call @byte(%low, %high, %n3) : (i32, i32, i32) -> i32
    %a0 = arith.muli %b3, %c256 : i32
    %a1 = arith.addi %a0, %b2 : i32
    %a2 = arith.muli %a1, %c256 : i32
    %a3 = arith.addi %a2, %b1 : i32
    %a4 = arith.muli %a3, %c256 : i32
    %a5 = arith.addi %a4, %b0 : i32
    return %a5 : i32
  }
  // The byte that digit %n of the selector asks for, or eight times its sign.
  func.func private @digit(%selector: i32, %low: i32, %high: i32, %n: i32) -> i32 {
    %four = arith.constant 4 : i32
    %seven = arith.constant 7 : i32
    %eight = arith.constant 8 : i32
    %c128 = arith.constant 128 : i32
    %zero = arith.constant 0 : i32
    %ff = arith.constant 255 : i32
    %bits = arith.muli %n, %four : i32
    %shifted = arith.shrui %selector, %bits : i32
    %place = arith.andi %shifted, %seven : i32
    %flag = arith.andi %shifted, %eight : i32
    %sign_only = arith.cmpi ne, %flag, %zero : i32
    %byte = func.call @byte(%low, %high, %place) : (i32, i32, i32) -> i32
    %is_negative = arith.cmpi uge, %byte, %c128 : i32
    %signs = arith.select %is_negative, %ff, %zero : i32
    %r = arith.select %sign_only, %signs, %byte : i32
    return %r : i32
  }

  gpu.module @kernels {
    gpu.func @k(%x: memref<?xi32>, %out: memref<?xi32>) kernel {
      %g = gpu.global_id x
      %v = memref.load %x[%g] : memref<?xi32>
      %k31 = arith.constant 31 : i32
      %k7 = arith.constant 7 : i32
      %w = arith.muli %v, %k31 : i32
      %s0 = arith.shrui %w, %k7 : i32
      %r0 = nvvm.prmt #nvvm.permute_mode<default> %v, %v, %w : i32
      %m0 = arith.muli %s0, %k31 : i32
      %t0 = arith.addi %m0, %r0 : i32
      %r1 = nvvm.prmt #nvvm.permute_mode<f4e> %s0, %v, %w : i32
      %m1 = arith.muli %t0, %k31 : i32
      %t1 = arith.addi %m1, %r1 : i32
      %r2 = nvvm.prmt #nvvm.permute_mode<b4e> %s0, %v, %w : i32
      %m2 = arith.muli %t1, %k31 : i32
      %t2 = arith.addi %m2, %r2 : i32
      %r3 = nvvm.prmt #nvvm.permute_mode<rc8> %v, %w : i32
      %m3 = arith.muli %t2, %k31 : i32
      %t3 = arith.addi %m3, %r3 : i32
      %r4 = nvvm.prmt #nvvm.permute_mode<ecl> %v, %w : i32
      %m4 = arith.muli %t3, %k31 : i32
      %t4 = arith.addi %m4, %r4 : i32
      %r5 = nvvm.prmt #nvvm.permute_mode<ecr> %v, %w : i32
      %m5 = arith.muli %t4, %k31 : i32
      %t5 = arith.addi %m5, %r5 : i32
      %r6 = nvvm.prmt #nvvm.permute_mode<rc16> %v, %w : i32
      %m6 = arith.muli %t5, %k31 : i32
      %t6 = arith.addi %m6, %r6 : i32
      %bb = llvm.bitcast %v : i32 to vector<4xi8>
      %c = llvm.bitcast %w : i32 to vector<4xi8>
      %h = llvm.bitcast %v : i32 to vector<2xi16>
      %r7 = nvvm.dot.accumulate.4way %bb <unsigned>, %c <unsigned>, %w : vector<4xi8>, vector<4xi8>
      %m7 = arith.muli %t6, %k31 : i32
      %t7 = arith.addi %m7, %r7 : i32
      %r8 = nvvm.dot.accumulate.2way %h <unsigned>, %c <unsigned>, %w {b_hi = true} : vector<2xi16>, vector<4xi8>
      %m8 = arith.muli %t7, %k31 : i32
      %t8 = arith.addi %m8, %r8 : i32
      %r9 = nvvm.dot.accumulate.4way %bb <unsigned>, %c <signed>, %w : vector<4xi8>, vector<4xi8>
      %m9 = arith.muli %t8, %k31 : i32
      %t9 = arith.addi %m9, %r9 : i32
      %r10 = nvvm.dot.accumulate.2way %h <unsigned>, %c <signed>, %w {b_hi = false} : vector<2xi16>, vector<4xi8>
      %m10 = arith.muli %t9, %k31 : i32
      %t10 = arith.addi %m10, %r10 : i32
      %r11 = nvvm.dot.accumulate.4way %bb <signed>, %c <unsigned>, %w : vector<4xi8>, vector<4xi8>
      %m11 = arith.muli %t10, %k31 : i32
      %t11 = arith.addi %m11, %r11 : i32
      %r12 = nvvm.dot.accumulate.2way %h <signed>, %c <unsigned>, %w {b_hi = false} : vector<2xi16>, vector<4xi8>
      %m12 = arith.muli %t11, %k31 : i32
      %t12 = arith.addi %m12, %r12 : i32
      %r13 = nvvm.dot.accumulate.4way %bb <signed>, %c <signed>, %w : vector<4xi8>, vector<4xi8>
      %m13 = arith.muli %t12, %k31 : i32
      %t13 = arith.addi %m13, %r13 : i32
      %r14 = nvvm.dot.accumulate.2way %h <signed>, %c <signed>, %w {b_hi = true} : vector<2xi16>, vector<4xi8>
      %m14 = arith.muli %t13, %k31 : i32
      %t14 = arith.addi %m14, %r14 : i32
      memref.store %t14, %out[%g] : memref<?xi32>
      gpu.return
    }
  }

  // What the kernel makes of elements from .. to, those of block b.
  func.func @expect(%x: memref<?xi32>, %want: memref<?xi32>, %b: index,
                    %from: index, %to: index) {
    %c1 = arith.constant 1 : index
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %two = arith.constant 2 : i32
    %three = arith.constant 3 : i32
    %seven = arith.constant 7 : i32
    %eight = arith.constant 8 : i32
    %k31 = arith.constant 31 : i32
    %k7 = arith.constant 7 : i32
    %c256 = arith.constant 256 : i32
    %c65536 = arith.constant 65536 : i32
    %c24 = arith.constant 24 : i32
    scf.for %i = %from to %to step %c1 {
      %v = memref.load %x[%i] : memref<?xi32>
      %w = arith.muli %v, %k31 : i32
      %s0 = arith.shrui %w, %k7 : i32
      %d0 = func.call @digit(%v, %v, %w, %zero) : (i32, i32, i32, i32) -> i32
      %d1 = func.call @digit(%v, %v, %w, %one) : (i32, i32, i32, i32) -> i32
      %d2 = func.call @digit(%v, %v, %w, %two) : (i32, i32, i32, i32) -> i32
      %d3 = func.call @digit(%v, %v, %w, %three) : (i32, i32, i32, i32) -> i32
      %e0 = arith.muli %d3, %c256 : i32
      %e1 = arith.addi %e0, %d2 : i32
      %e2 = arith.muli %e1, %c256 : i32
      %e3 = arith.addi %e2, %d1 : i32
      %e4 = arith.muli %e3, %c256 : i32
      %r0 = arith.addi %e4, %d0 : i32
      %sel = arith.andi %s0, %three : i32
      %vsel = arith.andi %v, %three : i32
      %f1 = arith.addi %sel, %one : i32
      %g10 = arith.subi %sel, %one : i32
      %g1 = arith.andi %g10, %seven : i32
      %l1 = arith.maxui %vsel, %one : i32
      %q1 = arith.minui %vsel, %one : i32
      %f2 = arith.addi %sel, %two : i32
      %g20 = arith.subi %sel, %two : i32
      %g2 = arith.andi %g20, %seven : i32
      %l2 = arith.maxui %vsel, %two : i32
      %q2 = arith.minui %vsel, %two : i32
      %f3 = arith.addi %sel, %three : i32
      %g30 = arith.subi %sel, %three : i32
      %g3 = arith.andi %g30, %seven : i32
      %l3 = arith.maxui %vsel, %three : i32
      %q3 = arith.minui %vsel, %three : i32
      %q0 = arith.minui %vsel, %zero : i32
      %vodd = arith.andi %vsel, %one : i32
      %vh = arith.muli %vodd, %two : i32
      %vh1 = arith.addi %vh, %one : i32
      %r1 = func.call @word(%v, %w, %sel, %f1, %f2, %f3) : (i32, i32, i32, i32, i32, i32) -> i32
      %r2 = func.call @word(%v, %w, %sel, %g1, %g2, %g3) : (i32, i32, i32, i32, i32, i32) -> i32
      %r3 = func.call @word(%w, %w, %vsel, %vsel, %vsel, %vsel) : (i32, i32, i32, i32, i32, i32) -> i32
      %r4 = func.call @word(%w, %w, %vsel, %l1, %l2, %l3) : (i32, i32, i32, i32, i32, i32) -> i32
      %r5 = func.call @word(%w, %w, %q0, %q1, %q2, %q3) : (i32, i32, i32, i32, i32, i32) -> i32
      %r6 = func.call @word(%w, %w, %vh, %vh1, %vh, %vh1) : (i32, i32, i32, i32, i32, i32) -> i32
      %x0 = func.call @byte(%v, %v, %zero) : (i32, i32, i32) -> i32
      %y0 = func.call @byte(%w, %w, %zero) : (i32, i32, i32) -> i32
      %xs0a = arith.shli %x0, %c24 : i32
      %xs0 = arith.shrsi %xs0a, %c24 : i32
      %ys0a = arith.shli %y0, %c24 : i32
      %ys0 = arith.shrsi %ys0a, %c24 : i32
      %x1 = func.call @byte(%v, %v, %one) : (i32, i32, i32) -> i32
      %y1 = func.call @byte(%w, %w, %one) : (i32, i32, i32) -> i32
      %xs1a = arith.shli %x1, %c24 : i32
      %xs1 = arith.shrsi %xs1a, %c24 : i32
      %ys1a = arith.shli %y1, %c24 : i32
      %ys1 = arith.shrsi %ys1a, %c24 : i32
      %x2 = func.call @byte(%v, %v, %two) : (i32, i32, i32) -> i32
      %y2 = func.call @byte(%w, %w, %two) : (i32, i32, i32) -> i32
      %xs2a = arith.shli %x2, %c24 : i32
      %xs2 = arith.shrsi %xs2a, %c24 : i32
      %ys2a = arith.shli %y2, %c24 : i32
      %ys2 = arith.shrsi %ys2a, %c24 : i32
      %x3 = func.call @byte(%v, %v, %three) : (i32, i32, i32) -> i32
      %y3 = func.call @byte(%w, %w, %three) : (i32, i32, i32) -> i32
      %xs3a = arith.shli %x3, %c24 : i32
      %xs3 = arith.shrsi %xs3a, %c24 : i32
      %ys3a = arith.shli %y3, %c24 : i32
      %ys3 = arith.shrsi %ys3a, %c24 : i32
      %k16 = arith.constant 16 : i32
      %z0a = arith.shli %v, %k16 : i32
      %z0 = arith.shrui %z0a, %k16 : i32
      %z1 = arith.shrui %v, %k16 : i32
      %zs0 = arith.shrsi %z0a, %k16 : i32
      %zs1 = arith.shrsi %v, %k16 : i32
      %p7_0 = arith.muli %x0, %y0 : i32
      %u7_0 = arith.addi %w, %p7_0 : i32
      %p7_1 = arith.muli %x1, %y1 : i32
      %u7_1 = arith.addi %u7_0, %p7_1 : i32
      %p7_2 = arith.muli %x2, %y2 : i32
      %u7_2 = arith.addi %u7_1, %p7_2 : i32
      %p7_3 = arith.muli %x3, %y3 : i32
      %u7_3 = arith.addi %u7_2, %p7_3 : i32
      %r7 = arith.addi %u7_3, %zero : i32
      %p8_0 = arith.muli %z0, %y2 : i32
      %u8_0 = arith.addi %w, %p8_0 : i32
      %p8_1 = arith.muli %z1, %y3 : i32
      %u8_1 = arith.addi %u8_0, %p8_1 : i32
      %r8 = arith.addi %u8_1, %zero : i32
      %p9_0 = arith.muli %x0, %ys0 : i32
      %u9_0 = arith.addi %w, %p9_0 : i32
      %p9_1 = arith.muli %x1, %ys1 : i32
      %u9_1 = arith.addi %u9_0, %p9_1 : i32
      %p9_2 = arith.muli %x2, %ys2 : i32
      %u9_2 = arith.addi %u9_1, %p9_2 : i32
      %p9_3 = arith.muli %x3, %ys3 : i32
      %u9_3 = arith.addi %u9_2, %p9_3 : i32
      %r9 = arith.addi %u9_3, %zero : i32
      %p10_0 = arith.muli %z0, %ys0 : i32
      %u10_0 = arith.addi %w, %p10_0 : i32
      %p10_1 = arith.muli %z1, %ys1 : i32
      %u10_1 = arith.addi %u10_0, %p10_1 : i32
      %r10 = arith.addi %u10_1, %zero : i32
      %p11_0 = arith.muli %xs0, %y0 : i32
      %u11_0 = arith.addi %w, %p11_0 : i32
      %p11_1 = arith.muli %xs1, %y1 : i32
      %u11_1 = arith.addi %u11_0, %p11_1 : i32
      %p11_2 = arith.muli %xs2, %y2 : i32
      %u11_2 = arith.addi %u11_1, %p11_2 : i32
      %p11_3 = arith.muli %xs3, %y3 : i32
      %u11_3 = arith.addi %u11_2, %p11_3 : i32
      %r11 = arith.addi %u11_3, %zero : i32
      %p12_0 = arith.muli %zs0, %y0 : i32
      %u12_0 = arith.addi %w, %p12_0 : i32
      %p12_1 = arith.muli %zs1, %y1 : i32
      %u12_1 = arith.addi %u12_0, %p12_1 : i32
      %r12 = arith.addi %u12_1, %zero : i32
      %p13_0 = arith.muli %xs0, %ys0 : i32
      %u13_0 = arith.addi %w, %p13_0 : i32
      %p13_1 = arith.muli %xs1, %ys1 : i32
      %u13_1 = arith.addi %u13_0, %p13_1 : i32
      %p13_2 = arith.muli %xs2, %ys2 : i32
      %u13_2 = arith.addi %u13_1, %p13_2 : i32
      %p13_3 = arith.muli %xs3, %ys3 : i32
      %u13_3 = arith.addi %u13_2, %p13_3 : i32
      %r13 = arith.addi %u13_3, %zero : i32
      %p14_0 = arith.muli %zs0, %ys2 : i32
      %u14_0 = arith.addi %w, %p14_0 : i32
      %p14_1 = arith.muli %zs1, %ys3 : i32
      %u14_1 = arith.addi %u14_0, %p14_1 : i32
      %r14 = arith.addi %u14_1, %zero : i32
      %m0 = arith.muli %s0, %k31 : i32
      %t0 = arith.addi %m0, %r0 : i32
      %m1 = arith.muli %t0, %k31 : i32
      %t1 = arith.addi %m1, %r1 : i32
      %m2 = arith.muli %t1, %k31 : i32
      %t2 = arith.addi %m2, %r2 : i32
      %m3 = arith.muli %t2, %k31 : i32
      %t3 = arith.addi %m3, %r3 : i32
      %m4 = arith.muli %t3, %k31 : i32
      %t4 = arith.addi %m4, %r4 : i32
      %m5 = arith.muli %t4, %k31 : i32
      %t5 = arith.addi %m5, %r5 : i32
      %m6 = arith.muli %t5, %k31 : i32
      %t6 = arith.addi %m6, %r6 : i32
      %m7 = arith.muli %t6, %k31 : i32
      %t7 = arith.addi %m7, %r7 : i32
      %m8 = arith.muli %t7, %k31 : i32
      %t8 = arith.addi %m8, %r8 : i32
      %m9 = arith.muli %t8, %k31 : i32
      %t9 = arith.addi %m9, %r9 : i32
      %m10 = arith.muli %t9, %k31 : i32
      %t10 = arith.addi %m10, %r10 : i32
      %m11 = arith.muli %t10, %k31 : i32
      %t11 = arith.addi %m11, %r11 : i32
      %m12 = arith.muli %t11, %k31 : i32
      %t12 = arith.addi %m12, %r12 : i32
      %m13 = arith.muli %t12, %k31 : i32
      %t13 = arith.addi %m13, %r13 : i32
      %m14 = arith.muli %t13, %k31 : i32
      %t14 = arith.addi %m14, %r14 : i32
      memref.store %t14, %want[%i] : memref<?xi32>
    }
    return
  }

  // Launches the kernel on numbers that repeat nowhere near, and prints how many
  // elements differ from what the host wants.
  func.func @check(%blocks: index, %threads: index) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %zero = arith.constant 0 : i32
    %factor = arith.constant 7919 : i32
    %n = arith.muli %blocks, %threads : index
    %x = memref.alloc(%n) : memref<?xi32>
    %out = memref.alloc(%n) : memref<?xi32>
    %want = memref.alloc(%n) : memref<?xi32>
    scf.for %i = %c0 to %n step %c1 {
      %k = arith.index_cast %i : index to i32
      %v = arith.muli %k, %factor : i32
      memref.store %v, %x[%i] : memref<?xi32>
      memref.store %zero, %out[%i] : memref<?xi32>
      memref.store %zero, %want[%i] : memref<?xi32>
    }
    %dx = gpu.alloc(%n) : memref<?xi32>
    %dout = gpu.alloc(%n) : memref<?xi32>
    gpu.memcpy %dx, %x : memref<?xi32>, memref<?xi32>
    gpu.memcpy %dout, %out : memref<?xi32>, memref<?xi32>
    gpu.launch_func @kernels::@k
        blocks in (%blocks, %c1, %c1) threads in (%threads, %c1, %c1)
        args(%dx : memref<?xi32>, %dout : memref<?xi32>)
    gpu.memcpy %out, %dout : memref<?xi32>, memref<?xi32>
    scf.for %b = %c0 to %blocks step %c1 {
      %from = arith.muli %b, %threads : index
      %to = arith.addi %from, %threads : index
      func.call @expect(%x, %want, %b, %from, %to)
          : (memref<?xi32>, memref<?xi32>, index, index, index) -> ()
    }
    %wrong = scf.for %i = %c0 to %n step %c1 iter_args(%w = %zero) -> i32 {
      %a = memref.load %out[%i] : memref<?xi32>
      %e = memref.load %want[%i] : memref<?xi32>
      %differ = arith.cmpi ne, %a, %e : i32
      %d = arith.extui %differ : i1 to i32
      %w1 = arith.addi %w, %d : i32
      scf.yield %w1 : i32
    }
    vector.print %wrong : i32
    gpu.dealloc %dx : memref<?xi32>
    gpu.dealloc %dout : memref<?xi32>
    memref.dealloc %x : memref<?xi32>
    memref.dealloc %out : memref<?xi32>
    memref.dealloc %want : memref<?xi32>
    return
  }

  // RUN: kernel
  // CHECK: 0
  // CHECK: 0
  // CHECK: 0
  // CHECK: 0
  // CHECK: 0
  // CHECK: 0
  func.func @main() {
    %c1 = arith.constant 1 : index
    %c3 = arith.constant 3 : index
    %c7 = arith.constant 7 : index
    %c31 = arith.constant 31 : index
    %c32 = arith.constant 32 : index
    %c33 = arith.constant 33 : index
    %c256 = arith.constant 256 : index
    %c1024 = arith.constant 1024 : index
    func.call @check(%c7, %c1) : (index, index) -> ()
    func.call @check(%c3, %c31) : (index, index) -> ()
    func.call @check(%c7, %c32) : (index, index) -> ()
    func.call @check(%c3, %c33) : (index, index) -> ()
    func.call @check(%c7, %c256) : (index, index) -> ()
    func.call @check(%c3, %c1024) : (index, index) -> ()
    return
  }
}
