// Math functions of f32 without calls, so that loops of them become vectors
// (libdevice.c). Polynomials are fitted where they are used; a multiplication
// and an addition are one instruction where the host has it.

// e^x = 2^n e^r with r in half of log(2) around 0; n is added in two parts, since
// 2^n may be none that f32 has. Sums with 1.5 * 2^23 round to an integer.
func.func @exp(%x: f32) -> f32 {
  %c1 = llvm.mlir.constant(-105.0 : f32) : f32
  %c2 = llvm.mlir.constant(89.0 : f32) : f32
  %c3 = llvm.mlir.constant(1.4426950216293335 : f32) : f32
  %c4 = llvm.mlir.constant(12582912.0 : f32) : f32
  %c5 = llvm.mlir.constant(-0.693359375 : f32) : f32
  %c6 = llvm.mlir.constant(0.00021219444170128554 : f32) : f32
  %c7 = llvm.mlir.constant(1.0 : f32) : f32
  %over = llvm.fcmp "ogt" %x, %c2 : f32
  %upper = llvm.select %over, %c2, %x : i1, f32
  %under = llvm.fcmp "olt" %upper, %c1 : f32
  %a = llvm.select %under, %c1, %upper : i1, f32
  %t = llvm.intr.fmuladd(%a, %c3, %c4) : (f32, f32, f32) -> f32
  %n = llvm.fsub %t, %c4 : f32
  %r1 = llvm.intr.fmuladd(%n, %c5, %a) : (f32, f32, f32) -> f32
  %r = llvm.intr.fmuladd(%n, %c6, %r1) : (f32, f32, f32) -> f32
  %c8 = llvm.mlir.constant(0.00019899301696568727 : f32) : f32
  %c9 = llvm.mlir.constant(0.0013933663722127676 : f32) : f32
  %p0 = llvm.intr.fmuladd(%c8, %r, %c9) : (f32, f32, f32) -> f32
  %c10 = llvm.mlir.constant(0.0083332983776927 : f32) : f32
  %p1 = llvm.intr.fmuladd(%p0, %r, %c10) : (f32, f32, f32) -> f32
  %c11 = llvm.mlir.constant(0.041666463017463684 : f32) : f32
  %p2 = llvm.intr.fmuladd(%p1, %r, %c11) : (f32, f32, f32) -> f32
  %c12 = llvm.mlir.constant(0.1666666716337204 : f32) : f32
  %p3 = llvm.intr.fmuladd(%p2, %r, %c12) : (f32, f32, f32) -> f32
  %c13 = llvm.mlir.constant(0.5 : f32) : f32
  %p4 = llvm.intr.fmuladd(%p3, %r, %c13) : (f32, f32, f32) -> f32
  %rr = llvm.fmul %r, %r : f32
  %q = llvm.intr.fmuladd(%p4, %rr, %r) : (f32, f32, f32) -> f32
  %e = llvm.fadd %q, %c7 : f32
  %i14 = llvm.mlir.constant(1262485504 : i32) : i32
  %i15 = llvm.mlir.constant(1 : i32) : i32
  %i16 = llvm.mlir.constant(127 : i32) : i32
  %i17 = llvm.mlir.constant(23 : i32) : i32
  %bits = llvm.bitcast %t : f32 to i32
  %k = llvm.sub %bits, %i14 : i32
  %k1 = llvm.ashr %k, %i15 : i32
  %k2 = llvm.sub %k, %k1 : i32
  %b1 = llvm.add %k1, %i16 : i32
  %b2 = llvm.add %k2, %i16 : i32
  %s1 = llvm.shl %b1, %i17 : i32
  %s2 = llvm.shl %b2, %i17 : i32
  %f1 = llvm.bitcast %s1 : i32 to f32
  %f2 = llvm.bitcast %s2 : i32 to f32
  %e1 = llvm.fmul %e, %f1 : f32
  %e2 = llvm.fmul %e1, %f2 : f32
  return %e2 : f32
}

// By e^2x; near 0, where that cancels, by a polynomial.
func.func @tanh(%x: f32) -> f32 {
  %size = llvm.intr.fabs(%x) : (f32) -> f32
  %c18 = llvm.mlir.constant(2.0 : f32) : f32
  %c19 = llvm.mlir.constant(1.0 : f32) : f32
  %c20 = llvm.mlir.constant(0.625 : f32) : f32
  %double = llvm.fadd %size, %size : f32
  %e = func.call @exp(%double) : (f32) -> f32
  %below = llvm.fadd %e, %c19 : f32
  %part = llvm.fdiv %c18, %below : f32
  %far = llvm.fsub %c19, %part : f32
  %signed = llvm.intr.copysign(%far, %x) : (f32, f32) -> f32
  %s = llvm.fmul %x, %x : f32
  %c21 = llvm.mlir.constant(-0.006104347761720419 : f32) : f32
  %c22 = llvm.mlir.constant(0.02100311405956745 : f32) : f32
  %p0 = llvm.intr.fmuladd(%c21, %s, %c22) : (f32, f32, f32) -> f32
  %c23 = llvm.mlir.constant(-0.05385234206914902 : f32) : f32
  %p1 = llvm.intr.fmuladd(%p0, %s, %c23) : (f32, f32, f32) -> f32
  %c24 = llvm.mlir.constant(0.13332781195640564 : f32) : f32
  %p2 = llvm.intr.fmuladd(%p1, %s, %c24) : (f32, f32, f32) -> f32
  %c25 = llvm.mlir.constant(-0.333333283662796 : f32) : f32
  %p3 = llvm.intr.fmuladd(%p2, %s, %c25) : (f32, f32, f32) -> f32
  %ps = llvm.fmul %p3, %s : f32
  %small = llvm.intr.fmuladd(%ps, %x, %x) : (f32, f32, f32) -> f32
  %is_near = llvm.fcmp "olt" %size, %c20 : f32
  %y = llvm.select %is_near, %small, %signed : i1, f32
  return %y : f32
}

// 1 - e^-p(|x|), which is 1 from 4 on; near 0 by another polynomial.
func.func @erf(%x: f32) -> f32 {
  %size = llvm.intr.fabs(%x) : (f32) -> f32
  %c26 = llvm.mlir.constant(1.0 : f32) : f32
  %c27 = llvm.mlir.constant(0.9200000166893005 : f32) : f32
  %c28 = llvm.mlir.constant(4.0 : f32) : f32
  %over = llvm.fcmp "ogt" %size, %c28 : f32
  %t = llvm.select %over, %c28, %size : i1, f32
  %c29 = llvm.mlir.constant(-0.00018097391875926405 : f32) : f32
  %c30 = llvm.mlir.constant(0.0029115465003997087 : f32) : f32
  %p0 = llvm.intr.fmuladd(%c29, %t, %c30) : (f32, f32, f32) -> f32
  %c31 = llvm.mlir.constant(-0.021756723523139954 : f32) : f32
  %p1 = llvm.intr.fmuladd(%p0, %t, %c31) : (f32, f32, f32) -> f32
  %c32 = llvm.mlir.constant(0.10305876284837723 : f32) : f32
  %p2 = llvm.intr.fmuladd(%p1, %t, %c32) : (f32, f32, f32) -> f32
  %c33 = llvm.mlir.constant(0.6380713582038879 : f32) : f32
  %p3 = llvm.intr.fmuladd(%p2, %t, %c33) : (f32, f32, f32) -> f32
  %c34 = llvm.mlir.constant(1.1272038221359253 : f32) : f32
  %p4 = llvm.intr.fmuladd(%p3, %t, %c34) : (f32, f32, f32) -> f32
  %c35 = llvm.mlir.constant(0.0002976439136546105 : f32) : f32
  %p5 = llvm.intr.fmuladd(%p4, %t, %c35) : (f32, f32, f32) -> f32
  %minus = llvm.fneg %p5 : f32
  %e = func.call @exp(%minus) : (f32) -> f32
  %far = llvm.fsub %c26, %e : f32
  %signed = llvm.intr.copysign(%far, %x) : (f32, f32) -> f32
  %s = llvm.fmul %x, %x : f32
  %c36 = llvm.mlir.constant(8.404849359067157e-05 : f32) : f32
  %c37 = llvm.mlir.constant(-0.0008151340298354626 : f32) : f32
  %q0 = llvm.intr.fmuladd(%c36, %s, %c37) : (f32, f32, f32) -> f32
  %c38 = llvm.mlir.constant(0.0052018375135958195 : f32) : f32
  %q1 = llvm.intr.fmuladd(%q0, %s, %c38) : (f32, f32, f32) -> f32
  %c39 = llvm.mlir.constant(-0.026859745383262634 : f32) : f32
  %q2 = llvm.intr.fmuladd(%q1, %s, %c39) : (f32, f32, f32) -> f32
  %c40 = llvm.mlir.constant(0.11283702403306961 : f32) : f32
  %q3 = llvm.intr.fmuladd(%q2, %s, %c40) : (f32, f32, f32) -> f32
  %c41 = llvm.mlir.constant(-0.37612634897232056 : f32) : f32
  %q4 = llvm.intr.fmuladd(%q3, %s, %c41) : (f32, f32, f32) -> f32
  %c42 = llvm.mlir.constant(0.12837916612625122 : f32) : f32
  %q5 = llvm.intr.fmuladd(%q4, %s, %c42) : (f32, f32, f32) -> f32
  %small = llvm.intr.fmuladd(%q5, %x, %x) : (f32, f32, f32) -> f32
  %is_near = llvm.fcmp "olt" %size, %c27 : f32
  %y = llvm.select %is_near, %small, %signed : i1, f32
  return %y : f32
}
