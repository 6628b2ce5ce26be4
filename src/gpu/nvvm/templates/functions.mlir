// Math functions as formulas (functions.c), of f32 and vectors of it. A constant
// stands in {{<}} and {{>}}, which make a vector of it where it has to be one.
//
// {{type}}: f32; vector<4xf32>
// {{select}}: f32; vector<4xi1>, vector<4xf32>
// {{<}}: ; dense<
// {{>}}: ; >

// %t + %lo is %a * log2(e) with twice the digits: the product's error counts as
// often as %a is large.
func.func @product(%a: {{type}}) -> ({{type}}, {{type}}, {{type}}) {
  %high = arith.constant {{<}}1.4426950216293335{{>}} : {{type}}
  %low = arith.constant {{<}}1.9259629911266175e-8{{>}} : {{type}}
  %t = arith.mulf %a, %high : {{type}}
  %minus_t = arith.negf %t : {{type}}
  %rest = math.fma %a, %high, %minus_t : {{type}}
  %lo = math.fma %a, %low, %rest : {{type}}
  %ln2 = arith.constant {{<}}0.693147180559945{{>}} : {{type}}
  return %t, %lo, %ln2 : {{type}}, {{type}}, {{type}}
}

// 2^(%p + %lo); where 2^%p is none or all there is, %lo may be no number.
func.func @power(%p: {{type}}, %lo: {{type}}, %ln2: {{type}}) -> {{type}} {
  %e0 = math.exp2 %p : {{type}}
  %bend = arith.mulf %lo, %ln2 : {{type}}
  %e1 = math.fma %e0, %bend, %e0 : {{type}}
  %far = arith.constant {{<}}160.0{{>}} : {{type}}
  %size = math.absf %p : {{type}}
  %near = arith.cmpf olt, %size, %far : {{type}}
  %e = arith.select %near, %e1, %e0 : {{select}}
  return %e : {{type}}
}

// %e = e^%a / 2, which is there as long as the result is; %other = e^-%a / 2.
func.func @half_exponential(%a: {{type}}) -> ({{type}}, {{type}}, {{type}}) {
  %t, %lo, %ln2 = func.call @product(%a) : ({{type}}) -> ({{type}}, {{type}}, {{type}})
  %one = arith.constant {{<}}1.0{{>}} : {{type}}
  %p = arith.subf %t, %one : {{type}}
  %e = func.call @power(%p, %lo, %ln2) : ({{type}}, {{type}}, {{type}}) -> {{type}}
  %quarter = arith.constant {{<}}0.25{{>}} : {{type}}
  %other = arith.divf %quarter, %e : {{type}}
  return %e, %other, %one : {{type}}, {{type}}, {{type}}
}

// log(1 + %u). Near 0 by the series of artanh(u / (2 + u)).
func.func @logarithm(%u: {{type}}) -> ({{type}}, {{type}}, {{type}}) {
  %one = arith.constant {{<}}1.0{{>}} : {{type}}
  %two = arith.constant {{<}}2.0{{>}} : {{type}}
  %ln2 = arith.constant {{<}}0.693147180559945{{>}} : {{type}}
  %w = arith.addf %u, %one : {{type}}
  %lg = math.log2 %w : {{type}}
  %l0 = arith.mulf %lg, %ln2 : {{type}}
  %below = arith.addf %u, %two : {{type}}
  %s = arith.divf %u, %below : {{type}}
  %ss = arith.mulf %s, %s : {{type}}
  %n9 = arith.constant {{<}}0.111111111{{>}} : {{type}}
  %n7 = arith.constant {{<}}0.142857143{{>}} : {{type}}
  %n5 = arith.constant {{<}}0.2{{>}} : {{type}}
  %n3 = arith.constant {{<}}0.333333333{{>}} : {{type}}
  %q7 = math.fma %ss, %n9, %n7 : {{type}}
  %q5 = math.fma %ss, %q7, %n5 : {{type}}
  %q3 = math.fma %ss, %q5, %n3 : {{type}}
  %q2 = arith.mulf %ss, %q3 : {{type}}
  %q1 = math.fma %s, %q2, %s : {{type}}
  %l1 = arith.addf %q1, %q1 : {{type}}
  %small = arith.constant {{<}}0.41{{>}} : {{type}}
  %usize = math.absf %u : {{type}}
  %close = arith.cmpf olt, %usize, %small : {{type}}
  %l = arith.select %close, %l1, %l0 : {{select}}
  return %l, %one, %ln2 : {{type}}, {{type}}, {{type}}
}

// %l, or log(2 %a) where %a is so large that its square is none.
func.func @or_large(%a: {{type}}, %l: {{type}}, %one: {{type}}, %ln2: {{type}}) -> {{type}} {
  %huge = arith.constant {{<}}1.0e+9{{>}} : {{type}}
  %large = arith.cmpf ogt, %a, %huge : {{type}}
  %lga = math.log2 %a : {{type}}
  %lgb = arith.addf %lga, %one : {{type}}
  %l2 = arith.mulf %lgb, %ln2 : {{type}}
  %r = arith.select %large, %l2, %l : {{select}}
  return %r : {{type}}
}

func.func @exp(%x: {{type}}) -> {{type}} {
  %t, %lo, %ln2 = func.call @product(%x) : ({{type}}) -> ({{type}}, {{type}}, {{type}})
  %y = func.call @power(%t, %lo, %ln2) : ({{type}}, {{type}}, {{type}}) -> {{type}}
  return %y : {{type}}
}

// Below 1 by the first terms of its series.
func.func @sinh(%x: {{type}}) -> {{type}} {
  %a = math.absf %x : {{type}}
  %e, %other, %one = func.call @half_exponential(%a) : ({{type}}) -> ({{type}}, {{type}}, {{type}})
  %r0 = arith.subf %e, %other : {{type}}
  %xx = arith.mulf %x, %x : {{type}}
  %k9 = arith.constant {{<}}2.75573192e-6{{>}} : {{type}}
  %k7 = arith.constant {{<}}1.98412698e-4{{>}} : {{type}}
  %k5 = arith.constant {{<}}8.33333333e-3{{>}} : {{type}}
  %k3 = arith.constant {{<}}0.166666667{{>}} : {{type}}
  %h7 = math.fma %xx, %k9, %k7 : {{type}}
  %h5 = math.fma %xx, %h7, %k5 : {{type}}
  %h3 = math.fma %xx, %h5, %k3 : {{type}}
  %h2 = arith.mulf %xx, %h3 : {{type}}
  %r1 = math.fma %a, %h2, %a : {{type}}
  %close = arith.cmpf olt, %a, %one : {{type}}
  %r = arith.select %close, %r1, %r0 : {{select}}
  %y = math.copysign %r, %x : {{type}}
  return %y : {{type}}
}

func.func @cosh(%x: {{type}}) -> {{type}} {
  %a = math.absf %x : {{type}}
  %e, %other, %one = func.call @half_exponential(%a) : ({{type}}) -> ({{type}}, {{type}}, {{type}})
  %y = arith.addf %e, %other : {{type}}
  return %y : {{type}}
}

// Below 0.6 by a fraction of polynomials, the fifth of its continued fraction
// (Lambert).
func.func @tanh(%x: {{type}}) -> {{type}} {
  %size_x = math.absf %x : {{type}}
  %a = arith.addf %size_x, %size_x : {{type}}
  %t, %lo, %ln2 = func.call @product(%a) : ({{type}}) -> ({{type}}, {{type}}, {{type}})
  %one = arith.constant {{<}}1.0{{>}} : {{type}}
  %e = func.call @power(%t, %lo, %ln2) : ({{type}}, {{type}}, {{type}}) -> {{type}}
  %two = arith.constant {{<}}2.0{{>}} : {{type}}
  %e2 = arith.addf %e, %one : {{type}}
  %part = arith.divf %two, %e2 : {{type}}
  %r0 = arith.subf %one, %part : {{type}}
  %xx = arith.mulf %x, %x : {{type}}
  %n1 = arith.constant {{<}}105.0{{>}} : {{type}}
  %n0 = arith.constant {{<}}945.0{{>}} : {{type}}
  %d2 = arith.constant {{<}}15.0{{>}} : {{type}}
  %d1 = arith.constant {{<}}420.0{{>}} : {{type}}
  %u1 = arith.addf %xx, %n1 : {{type}}
  %u0 = math.fma %xx, %u1, %n0 : {{type}}
  %v1 = math.fma %xx, %d2, %d1 : {{type}}
  %v0 = math.fma %xx, %v1, %n0 : {{type}}
  %quotient = arith.divf %u0, %v0 : {{type}}
  %r1 = arith.mulf %size_x, %quotient : {{type}}
  %small = arith.constant {{<}}0.6{{>}} : {{type}}
  %close = arith.cmpf olt, %size_x, %small : {{type}}
  %r = arith.select %close, %r1, %r0 : {{select}}
  %y = math.copysign %r, %x : {{type}}
  return %y : {{type}}
}

// log(a + sqrt(a^2 + 1)), as log(1 + u).
func.func @asinh(%x: {{type}}) -> {{type}} {
  %a = math.absf %x : {{type}}
  %aa = arith.mulf %a, %a : {{type}}
  %unit = arith.constant {{<}}1.0{{>}} : {{type}}
  %aa1 = arith.addf %aa, %unit : {{type}}
  %root = math.sqrt %aa1 : {{type}}
  %root1 = arith.addf %root, %unit : {{type}}
  %more = arith.divf %aa, %root1 : {{type}}
  %u = arith.addf %a, %more : {{type}}
  %l, %one, %ln2 = func.call @logarithm(%u) : ({{type}}) -> ({{type}}, {{type}}, {{type}})
  %r = func.call @or_large(%a, %l, %one, %ln2) : ({{type}}, {{type}}, {{type}}, {{type}}) -> {{type}}
  %y = math.copysign %r, %x : {{type}}
  return %y : {{type}}
}

// log(x + sqrt(x^2 - 1)), as log(1 + u); no number below 1.
func.func @acosh(%x: {{type}}) -> {{type}} {
  %unit = arith.constant {{<}}1.0{{>}} : {{type}}
  %d = arith.subf %x, %unit : {{type}}
  %d2 = arith.addf %x, %unit : {{type}}
  %root0 = math.sqrt %d : {{type}}
  %root1 = math.sqrt %d2 : {{type}}
  %root = arith.mulf %root0, %root1 : {{type}}
  %u = arith.addf %d, %root : {{type}}
  %l, %one, %ln2 = func.call @logarithm(%u) : ({{type}}) -> ({{type}}, {{type}}, {{type}})
  %r = func.call @or_large(%x, %l, %one, %ln2) : ({{type}}, {{type}}, {{type}}, {{type}}) -> {{type}}
  return %r : {{type}}
}

// log((1 + a) / (1 - a)) / 2, as log(1 + u).
func.func @atanh(%x: {{type}}) -> {{type}} {
  %a = math.absf %x : {{type}}
  %unit = arith.constant {{<}}1.0{{>}} : {{type}}
  %aa = arith.addf %a, %a : {{type}}
  %down = arith.subf %unit, %a : {{type}}
  %u = arith.divf %aa, %down : {{type}}
  %l, %one, %ln2 = func.call @logarithm(%u) : ({{type}}) -> ({{type}}, {{type}}, {{type}})
  %half = arith.constant {{<}}0.5{{>}} : {{type}}
  %r = arith.mulf %l, %half : {{type}}
  %y = math.copysign %r, %x : {{type}}
  return %y : {{type}}
}

// Of what is left of x by multiples of pi / 2, in three parts; by a fraction as
// the hyperbolic one, or what is left of it.
func.func @tan(%x: {{type}}) -> {{type}} {
  %two_by_pi = arith.constant {{<}}0.636619772367581{{>}} : {{type}}
  %pi0 = arith.constant {{<}}-1.5707963705062866{{>}} : {{type}}
  %pi1 = arith.constant {{<}}4.371138828673793e-8{{>}} : {{type}}
  %pi2 = arith.constant {{<}}1.7151245100058819e-15{{>}} : {{type}}
  %turns = arith.mulf %x, %two_by_pi : {{type}}
  %k = math.roundeven %turns : {{type}}
  %x0 = math.fma %k, %pi0, %x : {{type}}
  %x1 = math.fma %k, %pi1, %x0 : {{type}}
  %x2 = math.fma %k, %pi2, %x1 : {{type}}
  %xx = arith.mulf %x2, %x2 : {{type}}
  %n1 = arith.constant {{<}}-105.0{{>}} : {{type}}
  %n0 = arith.constant {{<}}945.0{{>}} : {{type}}
  %d2 = arith.constant {{<}}15.0{{>}} : {{type}}
  %d1 = arith.constant {{<}}-420.0{{>}} : {{type}}
  %u1 = arith.addf %xx, %n1 : {{type}}
  %u0 = math.fma %xx, %u1, %n0 : {{type}}
  %v1 = math.fma %xx, %d2, %d1 : {{type}}
  %v0 = math.fma %xx, %v1, %n0 : {{type}}
  %up = arith.mulf %x2, %u0 : {{type}}
  %even = arith.divf %up, %v0 : {{type}}
  %minus = arith.negf %v0 : {{type}}
  %odd = arith.divf %minus, %up : {{type}}
  %half = arith.constant {{<}}0.5{{>}} : {{type}}
  %pairs = arith.mulf %k, %half : {{type}}
  %whole = math.roundeven %pairs : {{type}}
  %is_even = arith.cmpf oeq, %pairs, %whole : {{type}}
  %r = arith.select %is_even, %even, %odd : {{select}}
  %none = arith.constant {{<}}0.0{{>}} : {{type}}
  %is_none = arith.cmpf oeq, %x, %none : {{type}}
  %y = arith.select %is_none, %x, %r : {{select}}
  return %y : {{type}}
}
