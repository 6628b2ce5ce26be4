// Arithmetic on i8 and i16: every operation of arith, comparisons, bit counts.

module attributes {gpu.container_module} {
  // The kernel calls the same function.
  func.func private @f(%v: i32) -> i32 {
    %start = arith.constant 0 : i32
    %k33 = arith.constant 33 : i32
    %a8 = arith.trunci %v : i32 to i8
    %c8 = arith.constant 5 : i32
    %w8 = arith.shrui %v, %c8 : i32
    %x8 = arith.trunci %w8 : i32 to i8
    %one8 = arith.constant 1 : i8
    %b8 = arith.ori %x8, %one8 : i8
    %mask8 = arith.constant 7 : i8
    %s8 = arith.andi %b8, %mask8 : i8
    // Nothing divides the smallest number by -1.
    %least8 = arith.constant -128 : i8
    %isl8 = arith.cmpi eq, %a8, %least8 : i8
    %n8 = arith.select %isl8, %one8, %a8 : i8
    %r0 = arith.addi %n8, %b8 : i8
    %e0 = arith.extui %r0 : i8 to i32
    %m0 = arith.muli %start, %k33 : i32
    %t0 = arith.addi %m0, %e0 : i32
    %r1 = arith.subi %n8, %b8 : i8
    %e1 = arith.extui %r1 : i8 to i32
    %m1 = arith.muli %t0, %k33 : i32
    %t1 = arith.addi %m1, %e1 : i32
    %r2 = arith.muli %n8, %b8 : i8
    %e2 = arith.extui %r2 : i8 to i32
    %m2 = arith.muli %t1, %k33 : i32
    %t2 = arith.addi %m2, %e2 : i32
    %r3 = arith.divsi %n8, %b8 : i8
    %e3 = arith.extsi %r3 : i8 to i32
    %m3 = arith.muli %t2, %k33 : i32
    %t3 = arith.addi %m3, %e3 : i32
    %r4 = arith.divui %n8, %b8 : i8
    %e4 = arith.extui %r4 : i8 to i32
    %m4 = arith.muli %t3, %k33 : i32
    %t4 = arith.addi %m4, %e4 : i32
    %r5 = arith.remsi %n8, %b8 : i8
    %e5 = arith.extsi %r5 : i8 to i32
    %m5 = arith.muli %t4, %k33 : i32
    %t5 = arith.addi %m5, %e5 : i32
    %r6 = arith.remui %n8, %b8 : i8
    %e6 = arith.extui %r6 : i8 to i32
    %m6 = arith.muli %t5, %k33 : i32
    %t6 = arith.addi %m6, %e6 : i32
    %r7 = arith.floordivsi %n8, %b8 : i8
    %e7 = arith.extsi %r7 : i8 to i32
    %m7 = arith.muli %t6, %k33 : i32
    %t7 = arith.addi %m7, %e7 : i32
    %r8 = arith.ceildivsi %n8, %b8 : i8
    %e8 = arith.extsi %r8 : i8 to i32
    %m8 = arith.muli %t7, %k33 : i32
    %t8 = arith.addi %m8, %e8 : i32
    %r9 = arith.ceildivui %n8, %b8 : i8
    %e9 = arith.extui %r9 : i8 to i32
    %m9 = arith.muli %t8, %k33 : i32
    %t9 = arith.addi %m9, %e9 : i32
    %r10 = arith.andi %n8, %b8 : i8
    %e10 = arith.extui %r10 : i8 to i32
    %m10 = arith.muli %t9, %k33 : i32
    %t10 = arith.addi %m10, %e10 : i32
    %r11 = arith.ori %n8, %b8 : i8
    %e11 = arith.extui %r11 : i8 to i32
    %m11 = arith.muli %t10, %k33 : i32
    %t11 = arith.addi %m11, %e11 : i32
    %r12 = arith.xori %n8, %b8 : i8
    %e12 = arith.extui %r12 : i8 to i32
    %m12 = arith.muli %t11, %k33 : i32
    %t12 = arith.addi %m12, %e12 : i32
    %r13 = arith.maxsi %n8, %b8 : i8
    %e13 = arith.extsi %r13 : i8 to i32
    %m13 = arith.muli %t12, %k33 : i32
    %t13 = arith.addi %m13, %e13 : i32
    %r14 = arith.minsi %n8, %b8 : i8
    %e14 = arith.extsi %r14 : i8 to i32
    %m14 = arith.muli %t13, %k33 : i32
    %t14 = arith.addi %m14, %e14 : i32
    %r15 = arith.maxui %n8, %b8 : i8
    %e15 = arith.extui %r15 : i8 to i32
    %m15 = arith.muli %t14, %k33 : i32
    %t15 = arith.addi %m15, %e15 : i32
    %r16 = arith.minui %n8, %b8 : i8
    %e16 = arith.extui %r16 : i8 to i32
    %m16 = arith.muli %t15, %k33 : i32
    %t16 = arith.addi %m16, %e16 : i32
    %r17 = arith.shli %n8, %s8 : i8
    %e17 = arith.extui %r17 : i8 to i32
    %m17 = arith.muli %t16, %k33 : i32
    %t17 = arith.addi %m17, %e17 : i32
    %r18 = arith.shrsi %n8, %s8 : i8
    %e18 = arith.extsi %r18 : i8 to i32
    %m18 = arith.muli %t17, %k33 : i32
    %t18 = arith.addi %m18, %e18 : i32
    %r19 = arith.shrui %n8, %s8 : i8
    %e19 = arith.extui %r19 : i8 to i32
    %m19 = arith.muli %t18, %k33 : i32
    %t19 = arith.addi %m19, %e19 : i32
    %r20 = arith.cmpi slt, %a8, %b8 : i8
    %e20 = arith.extui %r20 : i1 to i32
    %m20 = arith.muli %t19, %k33 : i32
    %t20 = arith.addi %m20, %e20 : i32
    %r21 = arith.cmpi ult, %a8, %b8 : i8
    %e21 = arith.extui %r21 : i1 to i32
    %m21 = arith.muli %t20, %k33 : i32
    %t21 = arith.addi %m21, %e21 : i32
    %r22 = arith.cmpi sge, %a8, %b8 : i8
    %e22 = arith.extui %r22 : i1 to i32
    %m22 = arith.muli %t21, %k33 : i32
    %t22 = arith.addi %m22, %e22 : i32
    %r23 = arith.cmpi ugt, %a8, %b8 : i8
    %e23 = arith.extui %r23 : i1 to i32
    %m23 = arith.muli %t22, %k33 : i32
    %t23 = arith.addi %m23, %e23 : i32
    %r24 = arith.cmpi eq, %a8, %b8 : i8
    %e24 = arith.extui %r24 : i1 to i32
    %m24 = arith.muli %t23, %k33 : i32
    %t24 = arith.addi %m24, %e24 : i32
    %r25 = math.ctpop %a8 : i8
    %e25 = arith.extui %r25 : i8 to i32
    %m25 = arith.muli %t24, %k33 : i32
    %t25 = arith.addi %m25, %e25 : i32
    %r26 = math.ctlz %a8 : i8
    %e26 = arith.extui %r26 : i8 to i32
    %m26 = arith.muli %t25, %k33 : i32
    %t26 = arith.addi %m26, %e26 : i32
    %r27 = math.cttz %a8 : i8
    %e27 = arith.extui %r27 : i8 to i32
    %m27 = arith.muli %t26, %k33 : i32
    %t27 = arith.addi %m27, %e27 : i32
    %r28 = math.absi %a8 : i8
    %e28 = arith.extui %r28 : i8 to i32
    %m28 = arith.muli %t27, %k33 : i32
    %t28 = arith.addi %m28, %e28 : i32
    %a16 = arith.trunci %v : i32 to i16
    %c16 = arith.constant 5 : i32
    %w16 = arith.shrui %v, %c16 : i32
    %x16 = arith.trunci %w16 : i32 to i16
    %one16 = arith.constant 1 : i16
    %b16 = arith.ori %x16, %one16 : i16
    %mask16 = arith.constant 15 : i16
    %s16 = arith.andi %b16, %mask16 : i16
    // Nothing divides the smallest number by -1.
    %least16 = arith.constant -32768 : i16
    %isl16 = arith.cmpi eq, %a16, %least16 : i16
    %n16 = arith.select %isl16, %one16, %a16 : i16
    %r29 = arith.addi %n16, %b16 : i16
    %e29 = arith.extui %r29 : i16 to i32
    %m29 = arith.muli %t28, %k33 : i32
    %t29 = arith.addi %m29, %e29 : i32
    %r30 = arith.subi %n16, %b16 : i16
    %e30 = arith.extui %r30 : i16 to i32
    %m30 = arith.muli %t29, %k33 : i32
    %t30 = arith.addi %m30, %e30 : i32
    %r31 = arith.muli %n16, %b16 : i16
    %e31 = arith.extui %r31 : i16 to i32
    %m31 = arith.muli %t30, %k33 : i32
    %t31 = arith.addi %m31, %e31 : i32
    %r32 = arith.divsi %n16, %b16 : i16
    %e32 = arith.extsi %r32 : i16 to i32
    %m32 = arith.muli %t31, %k33 : i32
    %t32 = arith.addi %m32, %e32 : i32
    %r33 = arith.divui %n16, %b16 : i16
    %e33 = arith.extui %r33 : i16 to i32
    %m33 = arith.muli %t32, %k33 : i32
    %t33 = arith.addi %m33, %e33 : i32
    %r34 = arith.remsi %n16, %b16 : i16
    %e34 = arith.extsi %r34 : i16 to i32
    %m34 = arith.muli %t33, %k33 : i32
    %t34 = arith.addi %m34, %e34 : i32
    %r35 = arith.remui %n16, %b16 : i16
    %e35 = arith.extui %r35 : i16 to i32
    %m35 = arith.muli %t34, %k33 : i32
    %t35 = arith.addi %m35, %e35 : i32
    %r36 = arith.floordivsi %n16, %b16 : i16
    %e36 = arith.extsi %r36 : i16 to i32
    %m36 = arith.muli %t35, %k33 : i32
    %t36 = arith.addi %m36, %e36 : i32
    %r37 = arith.ceildivsi %n16, %b16 : i16
    %e37 = arith.extsi %r37 : i16 to i32
    %m37 = arith.muli %t36, %k33 : i32
    %t37 = arith.addi %m37, %e37 : i32
    %r38 = arith.ceildivui %n16, %b16 : i16
    %e38 = arith.extui %r38 : i16 to i32
    %m38 = arith.muli %t37, %k33 : i32
    %t38 = arith.addi %m38, %e38 : i32
    %r39 = arith.andi %n16, %b16 : i16
    %e39 = arith.extui %r39 : i16 to i32
    %m39 = arith.muli %t38, %k33 : i32
    %t39 = arith.addi %m39, %e39 : i32
    %r40 = arith.ori %n16, %b16 : i16
    %e40 = arith.extui %r40 : i16 to i32
    %m40 = arith.muli %t39, %k33 : i32
    %t40 = arith.addi %m40, %e40 : i32
    %r41 = arith.xori %n16, %b16 : i16
    %e41 = arith.extui %r41 : i16 to i32
    %m41 = arith.muli %t40, %k33 : i32
    %t41 = arith.addi %m41, %e41 : i32
    %r42 = arith.maxsi %n16, %b16 : i16
    %e42 = arith.extsi %r42 : i16 to i32
    %m42 = arith.muli %t41, %k33 : i32
    %t42 = arith.addi %m42, %e42 : i32
    %r43 = arith.minsi %n16, %b16 : i16
    %e43 = arith.extsi %r43 : i16 to i32
    %m43 = arith.muli %t42, %k33 : i32
    %t43 = arith.addi %m43, %e43 : i32
    %r44 = arith.maxui %n16, %b16 : i16
    %e44 = arith.extui %r44 : i16 to i32
    %m44 = arith.muli %t43, %k33 : i32
    %t44 = arith.addi %m44, %e44 : i32
    %r45 = arith.minui %n16, %b16 : i16
    %e45 = arith.extui %r45 : i16 to i32
    %m45 = arith.muli %t44, %k33 : i32
    %t45 = arith.addi %m45, %e45 : i32
    %r46 = arith.shli %n16, %s16 : i16
    %e46 = arith.extui %r46 : i16 to i32
    %m46 = arith.muli %t45, %k33 : i32
    %t46 = arith.addi %m46, %e46 : i32
    %r47 = arith.shrsi %n16, %s16 : i16
    %e47 = arith.extsi %r47 : i16 to i32
    %m47 = arith.muli %t46, %k33 : i32
    %t47 = arith.addi %m47, %e47 : i32
    %r48 = arith.shrui %n16, %s16 : i16
    %e48 = arith.extui %r48 : i16 to i32
    %m48 = arith.muli %t47, %k33 : i32
    %t48 = arith.addi %m48, %e48 : i32
    %r49 = arith.cmpi slt, %a16, %b16 : i16
    %e49 = arith.extui %r49 : i1 to i32
    %m49 = arith.muli %t48, %k33 : i32
    %t49 = arith.addi %m49, %e49 : i32
    %r50 = arith.cmpi ult, %a16, %b16 : i16
    %e50 = arith.extui %r50 : i1 to i32
    %m50 = arith.muli %t49, %k33 : i32
    %t50 = arith.addi %m50, %e50 : i32
    %r51 = arith.cmpi sge, %a16, %b16 : i16
    %e51 = arith.extui %r51 : i1 to i32
    %m51 = arith.muli %t50, %k33 : i32
    %t51 = arith.addi %m51, %e51 : i32
    %r52 = arith.cmpi ugt, %a16, %b16 : i16
    %e52 = arith.extui %r52 : i1 to i32
    %m52 = arith.muli %t51, %k33 : i32
    %t52 = arith.addi %m52, %e52 : i32
    %r53 = arith.cmpi eq, %a16, %b16 : i16
    %e53 = arith.extui %r53 : i1 to i32
    %m53 = arith.muli %t52, %k33 : i32
    %t53 = arith.addi %m53, %e53 : i32
    %r54 = math.ctpop %a16 : i16
    %e54 = arith.extui %r54 : i16 to i32
    %m54 = arith.muli %t53, %k33 : i32
    %t54 = arith.addi %m54, %e54 : i32
    %r55 = math.ctlz %a16 : i16
    %e55 = arith.extui %r55 : i16 to i32
    %m55 = arith.muli %t54, %k33 : i32
    %t55 = arith.addi %m55, %e55 : i32
    %r56 = math.cttz %a16 : i16
    %e56 = arith.extui %r56 : i16 to i32
    %m56 = arith.muli %t55, %k33 : i32
    %t56 = arith.addi %m56, %e56 : i32
    %r57 = math.absi %a16 : i16
    %e57 = arith.extui %r57 : i16 to i32
    %m57 = arith.muli %t56, %k33 : i32
    %t57 = arith.addi %m57, %e57 : i32
    return %t57 : i32
  }

  gpu.module @kernels {
    func.func private @f(%v: i32) -> i32 {
      %start = arith.constant 0 : i32
      %k33 = arith.constant 33 : i32
      %a8 = arith.trunci %v : i32 to i8
      %c8 = arith.constant 5 : i32
      %w8 = arith.shrui %v, %c8 : i32
      %x8 = arith.trunci %w8 : i32 to i8
      %one8 = arith.constant 1 : i8
      %b8 = arith.ori %x8, %one8 : i8
      %mask8 = arith.constant 7 : i8
      %s8 = arith.andi %b8, %mask8 : i8
      // Nothing divides the smallest number by -1.
      %least8 = arith.constant -128 : i8
      %isl8 = arith.cmpi eq, %a8, %least8 : i8
      %n8 = arith.select %isl8, %one8, %a8 : i8
      %r0 = arith.addi %n8, %b8 : i8
      %e0 = arith.extui %r0 : i8 to i32
      %m0 = arith.muli %start, %k33 : i32
      %t0 = arith.addi %m0, %e0 : i32
      %r1 = arith.subi %n8, %b8 : i8
      %e1 = arith.extui %r1 : i8 to i32
      %m1 = arith.muli %t0, %k33 : i32
      %t1 = arith.addi %m1, %e1 : i32
      %r2 = arith.muli %n8, %b8 : i8
      %e2 = arith.extui %r2 : i8 to i32
      %m2 = arith.muli %t1, %k33 : i32
      %t2 = arith.addi %m2, %e2 : i32
      %r3 = arith.divsi %n8, %b8 : i8
      %e3 = arith.extsi %r3 : i8 to i32
      %m3 = arith.muli %t2, %k33 : i32
      %t3 = arith.addi %m3, %e3 : i32
      %r4 = arith.divui %n8, %b8 : i8
      %e4 = arith.extui %r4 : i8 to i32
      %m4 = arith.muli %t3, %k33 : i32
      %t4 = arith.addi %m4, %e4 : i32
      %r5 = arith.remsi %n8, %b8 : i8
      %e5 = arith.extsi %r5 : i8 to i32
      %m5 = arith.muli %t4, %k33 : i32
      %t5 = arith.addi %m5, %e5 : i32
      %r6 = arith.remui %n8, %b8 : i8
      %e6 = arith.extui %r6 : i8 to i32
      %m6 = arith.muli %t5, %k33 : i32
      %t6 = arith.addi %m6, %e6 : i32
      %r7 = arith.floordivsi %n8, %b8 : i8
      %e7 = arith.extsi %r7 : i8 to i32
      %m7 = arith.muli %t6, %k33 : i32
      %t7 = arith.addi %m7, %e7 : i32
      %r8 = arith.ceildivsi %n8, %b8 : i8
      %e8 = arith.extsi %r8 : i8 to i32
      %m8 = arith.muli %t7, %k33 : i32
      %t8 = arith.addi %m8, %e8 : i32
      %r9 = arith.ceildivui %n8, %b8 : i8
      %e9 = arith.extui %r9 : i8 to i32
      %m9 = arith.muli %t8, %k33 : i32
      %t9 = arith.addi %m9, %e9 : i32
      %r10 = arith.andi %n8, %b8 : i8
      %e10 = arith.extui %r10 : i8 to i32
      %m10 = arith.muli %t9, %k33 : i32
      %t10 = arith.addi %m10, %e10 : i32
      %r11 = arith.ori %n8, %b8 : i8
      %e11 = arith.extui %r11 : i8 to i32
      %m11 = arith.muli %t10, %k33 : i32
      %t11 = arith.addi %m11, %e11 : i32
      %r12 = arith.xori %n8, %b8 : i8
      %e12 = arith.extui %r12 : i8 to i32
      %m12 = arith.muli %t11, %k33 : i32
      %t12 = arith.addi %m12, %e12 : i32
      %r13 = arith.maxsi %n8, %b8 : i8
      %e13 = arith.extsi %r13 : i8 to i32
      %m13 = arith.muli %t12, %k33 : i32
      %t13 = arith.addi %m13, %e13 : i32
      %r14 = arith.minsi %n8, %b8 : i8
      %e14 = arith.extsi %r14 : i8 to i32
      %m14 = arith.muli %t13, %k33 : i32
      %t14 = arith.addi %m14, %e14 : i32
      %r15 = arith.maxui %n8, %b8 : i8
      %e15 = arith.extui %r15 : i8 to i32
      %m15 = arith.muli %t14, %k33 : i32
      %t15 = arith.addi %m15, %e15 : i32
      %r16 = arith.minui %n8, %b8 : i8
      %e16 = arith.extui %r16 : i8 to i32
      %m16 = arith.muli %t15, %k33 : i32
      %t16 = arith.addi %m16, %e16 : i32
      %r17 = arith.shli %n8, %s8 : i8
      %e17 = arith.extui %r17 : i8 to i32
      %m17 = arith.muli %t16, %k33 : i32
      %t17 = arith.addi %m17, %e17 : i32
      %r18 = arith.shrsi %n8, %s8 : i8
      %e18 = arith.extsi %r18 : i8 to i32
      %m18 = arith.muli %t17, %k33 : i32
      %t18 = arith.addi %m18, %e18 : i32
      %r19 = arith.shrui %n8, %s8 : i8
      %e19 = arith.extui %r19 : i8 to i32
      %m19 = arith.muli %t18, %k33 : i32
      %t19 = arith.addi %m19, %e19 : i32
      %r20 = arith.cmpi slt, %a8, %b8 : i8
      %e20 = arith.extui %r20 : i1 to i32
      %m20 = arith.muli %t19, %k33 : i32
      %t20 = arith.addi %m20, %e20 : i32
      %r21 = arith.cmpi ult, %a8, %b8 : i8
      %e21 = arith.extui %r21 : i1 to i32
      %m21 = arith.muli %t20, %k33 : i32
      %t21 = arith.addi %m21, %e21 : i32
      %r22 = arith.cmpi sge, %a8, %b8 : i8
      %e22 = arith.extui %r22 : i1 to i32
      %m22 = arith.muli %t21, %k33 : i32
      %t22 = arith.addi %m22, %e22 : i32
      %r23 = arith.cmpi ugt, %a8, %b8 : i8
      %e23 = arith.extui %r23 : i1 to i32
      %m23 = arith.muli %t22, %k33 : i32
      %t23 = arith.addi %m23, %e23 : i32
      %r24 = arith.cmpi eq, %a8, %b8 : i8
      %e24 = arith.extui %r24 : i1 to i32
      %m24 = arith.muli %t23, %k33 : i32
      %t24 = arith.addi %m24, %e24 : i32
      %r25 = math.ctpop %a8 : i8
      %e25 = arith.extui %r25 : i8 to i32
      %m25 = arith.muli %t24, %k33 : i32
      %t25 = arith.addi %m25, %e25 : i32
      %r26 = math.ctlz %a8 : i8
      %e26 = arith.extui %r26 : i8 to i32
      %m26 = arith.muli %t25, %k33 : i32
      %t26 = arith.addi %m26, %e26 : i32
      %r27 = math.cttz %a8 : i8
      %e27 = arith.extui %r27 : i8 to i32
      %m27 = arith.muli %t26, %k33 : i32
      %t27 = arith.addi %m27, %e27 : i32
      %r28 = math.absi %a8 : i8
      %e28 = arith.extui %r28 : i8 to i32
      %m28 = arith.muli %t27, %k33 : i32
      %t28 = arith.addi %m28, %e28 : i32
      %a16 = arith.trunci %v : i32 to i16
      %c16 = arith.constant 5 : i32
      %w16 = arith.shrui %v, %c16 : i32
      %x16 = arith.trunci %w16 : i32 to i16
      %one16 = arith.constant 1 : i16
      %b16 = arith.ori %x16, %one16 : i16
      %mask16 = arith.constant 15 : i16
      %s16 = arith.andi %b16, %mask16 : i16
      // Nothing divides the smallest number by -1.
      %least16 = arith.constant -32768 : i16
      %isl16 = arith.cmpi eq, %a16, %least16 : i16
      %n16 = arith.select %isl16, %one16, %a16 : i16
      %r29 = arith.addi %n16, %b16 : i16
      %e29 = arith.extui %r29 : i16 to i32
      %m29 = arith.muli %t28, %k33 : i32
      %t29 = arith.addi %m29, %e29 : i32
      %r30 = arith.subi %n16, %b16 : i16
      %e30 = arith.extui %r30 : i16 to i32
      %m30 = arith.muli %t29, %k33 : i32
      %t30 = arith.addi %m30, %e30 : i32
      %r31 = arith.muli %n16, %b16 : i16
      %e31 = arith.extui %r31 : i16 to i32
      %m31 = arith.muli %t30, %k33 : i32
      %t31 = arith.addi %m31, %e31 : i32
      %r32 = arith.divsi %n16, %b16 : i16
      %e32 = arith.extsi %r32 : i16 to i32
      %m32 = arith.muli %t31, %k33 : i32
      %t32 = arith.addi %m32, %e32 : i32
      %r33 = arith.divui %n16, %b16 : i16
      %e33 = arith.extui %r33 : i16 to i32
      %m33 = arith.muli %t32, %k33 : i32
      %t33 = arith.addi %m33, %e33 : i32
      %r34 = arith.remsi %n16, %b16 : i16
      %e34 = arith.extsi %r34 : i16 to i32
      %m34 = arith.muli %t33, %k33 : i32
      %t34 = arith.addi %m34, %e34 : i32
      %r35 = arith.remui %n16, %b16 : i16
      %e35 = arith.extui %r35 : i16 to i32
      %m35 = arith.muli %t34, %k33 : i32
      %t35 = arith.addi %m35, %e35 : i32
      %r36 = arith.floordivsi %n16, %b16 : i16
      %e36 = arith.extsi %r36 : i16 to i32
      %m36 = arith.muli %t35, %k33 : i32
      %t36 = arith.addi %m36, %e36 : i32
      %r37 = arith.ceildivsi %n16, %b16 : i16
      %e37 = arith.extsi %r37 : i16 to i32
      %m37 = arith.muli %t36, %k33 : i32
      %t37 = arith.addi %m37, %e37 : i32
      %r38 = arith.ceildivui %n16, %b16 : i16
      %e38 = arith.extui %r38 : i16 to i32
      %m38 = arith.muli %t37, %k33 : i32
      %t38 = arith.addi %m38, %e38 : i32
      %r39 = arith.andi %n16, %b16 : i16
      %e39 = arith.extui %r39 : i16 to i32
      %m39 = arith.muli %t38, %k33 : i32
      %t39 = arith.addi %m39, %e39 : i32
      %r40 = arith.ori %n16, %b16 : i16
      %e40 = arith.extui %r40 : i16 to i32
      %m40 = arith.muli %t39, %k33 : i32
      %t40 = arith.addi %m40, %e40 : i32
      %r41 = arith.xori %n16, %b16 : i16
      %e41 = arith.extui %r41 : i16 to i32
      %m41 = arith.muli %t40, %k33 : i32
      %t41 = arith.addi %m41, %e41 : i32
      %r42 = arith.maxsi %n16, %b16 : i16
      %e42 = arith.extsi %r42 : i16 to i32
      %m42 = arith.muli %t41, %k33 : i32
      %t42 = arith.addi %m42, %e42 : i32
      %r43 = arith.minsi %n16, %b16 : i16
      %e43 = arith.extsi %r43 : i16 to i32
      %m43 = arith.muli %t42, %k33 : i32
      %t43 = arith.addi %m43, %e43 : i32
      %r44 = arith.maxui %n16, %b16 : i16
      %e44 = arith.extui %r44 : i16 to i32
      %m44 = arith.muli %t43, %k33 : i32
      %t44 = arith.addi %m44, %e44 : i32
      %r45 = arith.minui %n16, %b16 : i16
      %e45 = arith.extui %r45 : i16 to i32
      %m45 = arith.muli %t44, %k33 : i32
      %t45 = arith.addi %m45, %e45 : i32
      %r46 = arith.shli %n16, %s16 : i16
      %e46 = arith.extui %r46 : i16 to i32
      %m46 = arith.muli %t45, %k33 : i32
      %t46 = arith.addi %m46, %e46 : i32
      %r47 = arith.shrsi %n16, %s16 : i16
      %e47 = arith.extsi %r47 : i16 to i32
      %m47 = arith.muli %t46, %k33 : i32
      %t47 = arith.addi %m47, %e47 : i32
      %r48 = arith.shrui %n16, %s16 : i16
      %e48 = arith.extui %r48 : i16 to i32
      %m48 = arith.muli %t47, %k33 : i32
      %t48 = arith.addi %m48, %e48 : i32
      %r49 = arith.cmpi slt, %a16, %b16 : i16
      %e49 = arith.extui %r49 : i1 to i32
      %m49 = arith.muli %t48, %k33 : i32
      %t49 = arith.addi %m49, %e49 : i32
      %r50 = arith.cmpi ult, %a16, %b16 : i16
      %e50 = arith.extui %r50 : i1 to i32
      %m50 = arith.muli %t49, %k33 : i32
      %t50 = arith.addi %m50, %e50 : i32
      %r51 = arith.cmpi sge, %a16, %b16 : i16
      %e51 = arith.extui %r51 : i1 to i32
      %m51 = arith.muli %t50, %k33 : i32
      %t51 = arith.addi %m51, %e51 : i32
      %r52 = arith.cmpi ugt, %a16, %b16 : i16
      %e52 = arith.extui %r52 : i1 to i32
      %m52 = arith.muli %t51, %k33 : i32
      %t52 = arith.addi %m52, %e52 : i32
      %r53 = arith.cmpi eq, %a16, %b16 : i16
      %e53 = arith.extui %r53 : i1 to i32
      %m53 = arith.muli %t52, %k33 : i32
      %t53 = arith.addi %m53, %e53 : i32
      %r54 = math.ctpop %a16 : i16
      %e54 = arith.extui %r54 : i16 to i32
      %m54 = arith.muli %t53, %k33 : i32
      %t54 = arith.addi %m54, %e54 : i32
      %r55 = math.ctlz %a16 : i16
      %e55 = arith.extui %r55 : i16 to i32
      %m55 = arith.muli %t54, %k33 : i32
      %t55 = arith.addi %m55, %e55 : i32
      %r56 = math.cttz %a16 : i16
      %e56 = arith.extui %r56 : i16 to i32
      %m56 = arith.muli %t55, %k33 : i32
      %t56 = arith.addi %m56, %e56 : i32
      %r57 = math.absi %a16 : i16
      %e57 = arith.extui %r57 : i16 to i32
      %m57 = arith.muli %t56, %k33 : i32
      %t57 = arith.addi %m57, %e57 : i32
      return %t57 : i32
    }
    gpu.func @k(%x: memref<?xi32>, %out: memref<?xi32>) kernel {
      %g = gpu.global_id x
      %v = memref.load %x[%g] : memref<?xi32>
      %r = func.call @f(%v) : (i32) -> i32
      memref.store %r, %out[%g] : memref<?xi32>
      gpu.return
    }
  }

  // What the kernel makes of elements from .. to, those of block b.
  func.func @expect(%x: memref<?xi32>, %want: memref<?xi32>, %b: index,
                    %from: index, %to: index) {
    %c1 = arith.constant 1 : index
    scf.for %i = %from to %to step %c1 {
      %v = memref.load %x[%i] : memref<?xi32>
      %r = func.call @f(%v) : (i32) -> i32
      memref.store %r, %want[%i] : memref<?xi32>
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
