// Powers (math.c).
//
// {{type}}: i32; i1
// {{one}}: 1 : i32; true
// {{float}}: f64; f16

// The product of those of the squares b, b^2, b^4, ... whose bit the exponent
// has. To a negative power, 1 and -1 have themselves or each other, others
// nothing left.
func.func @power(%b: {{type}}, %e: {{type}}) -> {{type}} {
  %one = arith.constant {{one}}
  %none = arith.subi %b, %b : {{type}}
  %no_bits = arith.subi %e, %e : {{type}}
  %p:3 = scf.while (%base = %b, %rest = %e, %so_far = %one) : ({{type}}, {{type}}, {{type}}) -> ({{type}}, {{type}}, {{type}}) {
    %more = arith.cmpi ne, %rest, %no_bits : {{type}}
    scf.condition(%more) %base, %rest, %so_far : {{type}}, {{type}}, {{type}}
  } do {
  ^bb0(%base: {{type}}, %rest: {{type}}, %so_far: {{type}}):
    %bit = arith.andi %rest, %one : {{type}}
    %odd = arith.cmpi ne, %bit, %no_bits : {{type}}
    %product = arith.muli %so_far, %base : {{type}}
    %next = arith.select %odd, %product, %so_far : {{type}}
    %square = arith.muli %base, %base : {{type}}
    %half = arith.shrui %rest, %one : {{type}}
    scf.yield %square, %half, %next : {{type}}, {{type}}, {{type}}
  }
  %minus = arith.subi %none, %one : {{type}}
  %is_one = arith.cmpi eq, %b, %one : {{type}}
  %is_minus = arith.cmpi eq, %b, %minus : {{type}}
  %unit = arith.ori %is_one, %is_minus : i1
  %inverse = arith.select %unit, %p#2, %none : {{type}}
  %down = arith.cmpi slt, %e, %no_bits : {{type}}
  %r = arith.select %down, %inverse, %p#2 : {{type}}
  return %r : {{type}}
}

// The same of a float: to a negative power, 1 by the product.
func.func @float_power(%b: {{float}}, %e: {{type}}) -> {{float}} {
  %unit = arith.constant 1.0 : {{float}}
  %one = arith.constant {{one}}
  %no_bits = arith.subi %e, %e : {{type}}
  %down = arith.cmpi slt, %e, %no_bits : {{type}}
  %minus = arith.subi %no_bits, %e : {{type}}
  %times = arith.select %down, %minus, %e : {{type}}
  %p:3 = scf.while (%base = %b, %rest = %times, %so_far = %unit) : ({{float}}, {{type}}, {{float}}) -> ({{float}}, {{type}}, {{float}}) {
    %more = arith.cmpi ne, %rest, %no_bits : {{type}}
    scf.condition(%more) %base, %rest, %so_far : {{float}}, {{type}}, {{float}}
  } do {
  ^bb0(%base: {{float}}, %rest: {{type}}, %so_far: {{float}}):
    %bit = arith.andi %rest, %one : {{type}}
    %odd = arith.cmpi ne, %bit, %no_bits : {{type}}
    %product = arith.mulf %so_far, %base : {{float}}
    %next = arith.select %odd, %product, %so_far : {{float}}
    %square = arith.mulf %base, %base : {{float}}
    %half = arith.shrui %rest, %one : {{type}}
    scf.yield %square, %half, %next : {{float}}, {{type}}, {{float}}
  }
  %inverse = arith.divf %unit, %p#2 : {{float}}
  %r = arith.select %down, %inverse, %p#2 : {{float}}
  return %r : {{float}}
}
