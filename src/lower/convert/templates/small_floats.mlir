// Floats of 8, 6 and 4 bits (small_conversions.c), in the lowest bits of
// an i32.
//
// {{fraction}}: 20; 21
// {{below_half}}: 0x7ffff; 0xfffff
// {{rebias}}: 960; 448
// {{least}}: 0x3c800000; 0x38800000
// {{magic}}: 0x46800000; 0x43000000
// {{most}}: 0x7e; 0x7b
// {{over}}: 0x7e; 0x7c
// {{nan}}: 0x7f
// {{infinity}}: 0; 0x7c
// {{sign}}: 7; 5; 3
// {{size}}: 0x7f; 0x1f; 0x7
// {{negative}}: signed; zero
// {{scale}}: 0x7b800000; 0x77800000
// {{field}}: 8; 4
// {{packed}}: i16; i8
// {{result}}: i16; i8
// {{half}}: f16; bf16
// {{wanted}}: bits; positive

// The nearest one, of two as near the even one. Below the least that is normal, a
// sum with a number whose last place is theirs rounds; above, an integer one does.
func.func @encode(%x: f32) -> i32 {
  %zero = llvm.mlir.constant(0 : i32) : i32
  %one = llvm.mlir.constant(1 : i32) : i32
  %unsigned = llvm.mlir.constant(0x7fffffff : i32) : i32
  %infinity = llvm.mlir.constant(0x7f800000 : i32) : i32
  %last = llvm.mlir.constant(31 : i32) : i32
  %fraction = llvm.mlir.constant({{fraction}} : i32) : i32
  %below_half = llvm.mlir.constant({{below_half}} : i32) : i32
  %rebias = llvm.mlir.constant({{rebias}} : i32) : i32
  %least = llvm.mlir.constant({{least}} : i32) : i32
  %magic = llvm.mlir.constant({{magic}} : i32) : i32
  %most = llvm.mlir.constant({{most}} : i32) : i32
  %over = llvm.mlir.constant({{over}} : i32) : i32
  %nan = llvm.mlir.constant({{nan}} : i32) : i32
  %sign_place = llvm.mlir.constant({{sign}} : i32) : i32
  %bits = llvm.bitcast %x : f32 to i32
  %size = llvm.and %bits, %unsigned : i32
  %shifted = llvm.lshr %size, %fraction : i32
  %odd = llvm.and %shifted, %one : i32
  %near = llvm.add %size, %below_half : i32
  %even = llvm.add %near, %odd : i32
  %cut = llvm.lshr %even, %fraction : i32
  %normal = llvm.sub %cut, %rebias : i32
  %size_float = llvm.bitcast %size : i32 to f32
  %magic_float = llvm.bitcast %magic : i32 to f32
  %sum = llvm.fadd %size_float, %magic_float : f32
  %sum_bits = llvm.bitcast %sum : f32 to i32
  %small = llvm.sub %sum_bits, %magic : i32
  %is_small = llvm.icmp "ult" %size, %least : i32
  %rounded = llvm.select %is_small, %small, %normal : i1, i32
  %is_over = llvm.icmp "sgt" %rounded, %most : i32
  %limited = llvm.select %is_over, %over, %rounded : i1, i32
  %sign_bit = llvm.lshr %bits, %last : i32
  %sign = llvm.shl %sign_bit, %sign_place : i32
  %signed = llvm.or %limited, %sign : i32
  %is_negative = llvm.icmp "ne" %sign_bit, %zero : i32
  %number = llvm.select %is_negative, %{{negative}}, %limited : i1, i32
  %is_nan = llvm.icmp "ugt" %size, %infinity : i32
  %r = llvm.select %is_nan, %nan, %number : i1, i32
  return %r : i32
}

// Each is an f32: a product by a power of two puts the exponent right.
func.func @decode(%x: i32) -> f32 {
  %zero = llvm.mlir.constant(0 : i32) : i32
  %infinity = llvm.mlir.constant(0x7f800000 : i32) : i32
  %nan_bits = llvm.mlir.constant(0x7fffffff : i32) : i32
  %last = llvm.mlir.constant(31 : i32) : i32
  %one = llvm.mlir.constant(1 : i32) : i32
  %fraction = llvm.mlir.constant({{fraction}} : i32) : i32
  %mask = llvm.mlir.constant({{size}} : i32) : i32
  %most = llvm.mlir.constant({{most}} : i32) : i32
  %over = llvm.mlir.constant({{infinity}} : i32) : i32
  %sign_place = llvm.mlir.constant({{sign}} : i32) : i32
  %scale_bits = llvm.mlir.constant({{scale}} : i32) : i32
  %scale = llvm.bitcast %scale_bits : i32 to f32
  %size = llvm.and %x, %mask : i32
  %placed = llvm.shl %size, %fraction : i32
  %unscaled = llvm.bitcast %placed : i32 to f32
  %scaled = llvm.fmul %unscaled, %scale : f32
  %number = llvm.bitcast %scaled : f32 to i32
  %is_special = llvm.icmp "ugt" %size, %most : i32
  %is_infinite = llvm.icmp "eq" %size, %over : i32
  %special = llvm.select %is_infinite, %infinity, %nan_bits : i1, i32
  %all = llvm.select %is_special, %special, %number : i1, i32
  %sign_bit = llvm.lshr %x, %sign_place : i32
  %sign_only = llvm.and %sign_bit, %one : i32
  %sign = llvm.shl %sign_only, %last : i32
  %signed = llvm.or %all, %sign : i32
  %r = llvm.bitcast %signed : i32 to f32
  return %r : f32
}

// The f32 next to an f64, and to zero, whose last bit is one where it is not the
// same number: what is rounded again is rounded as if from there.
func.func @odd(%x: f64) -> f32 {
  %one = llvm.mlir.constant(1 : i32) : i32
  %near = llvm.fptrunc %x : f64 to f32
  %back = llvm.fpext %near : f32 to f64
  %differs = llvm.fcmp "one" %back, %x : f64
  %unsigned = llvm.mlir.constant(0x7fffffffffffffff : i64) : i64
  %x_bits = llvm.bitcast %x : f64 to i64
  %back_bits = llvm.bitcast %back : f64 to i64
  %size = llvm.and %x_bits, %unsigned : i64
  %back_size = llvm.and %back_bits, %unsigned : i64
  %is_larger = llvm.icmp "ugt" %back_size, %size : i64
  %is_above = llvm.and %is_larger, %differs : i1
  %bits = llvm.bitcast %near : f32 to i32
  %above = llvm.zext %is_above : i1 to i32
  %below = llvm.sub %bits, %above : i32
  %last = llvm.zext %differs : i1 to i32
  %odd = llvm.or %below, %last : i32
  %r = llvm.bitcast %odd : i32 to f32
  return %r : f32
}

// Two, the first in the upper half of what they are packed in.
func.func @pair(%high: f32, %low: f32) -> {{result}} {
  %field = llvm.mlir.constant({{field}} : i32) : i32
  %h = func.call @encode(%high) : (f32) -> i32
  %l = func.call @encode(%low) : (f32) -> i32
  %upper = llvm.shl %h, %field : i32
  %both = llvm.or %upper, %l : i32
  %packed = llvm.trunc %both : i32 to {{packed}}
  %r = llvm.bitcast %packed : {{packed}} to {{result}}
  return %r : {{result}}
}

// Two halves, each in its place.
func.func @pair_of_halves(%x: vector<2x{{half}}>) -> {{result}} {
  %zero = llvm.mlir.constant(0 : i32) : i32
  %one = llvm.mlir.constant(1 : i32) : i32
  %l = llvm.extractelement %x[%zero : i32] : vector<2x{{half}}>
  %h = llvm.extractelement %x[%one : i32] : vector<2x{{half}}>
  %low = llvm.fpext %l : {{half}} to f32
  %high = llvm.fpext %h : {{half}} to f32
  %r = func.call @pair(%high, %low) : (f32, f32) -> {{result}}
  return %r : {{result}}
}

// The half of a small one, which is exact; negative ones become 0 where none are
// wanted.
func.func @half(%x: i32) -> {{half}} {
  %zero = llvm.mlir.constant(0.0 : {{half}}) : {{half}}
  %f = func.call @decode(%x) : (i32) -> f32
  %bits = llvm.fptrunc %f : f32 to {{half}}
  %is_negative = llvm.fcmp "olt" %bits, %zero : {{half}}
  %none = llvm.fcmp "oeq" %bits, %zero : {{half}}
  %cut = llvm.or %is_negative, %none : i1
  %positive = llvm.select %cut, %zero, %bits : i1, {{half}}
  return %{{wanted}} : {{half}}
}

func.func @halves(%x: i32) -> vector<2x{{half}}> {
  %zero = llvm.mlir.constant(0 : i32) : i32
  %one = llvm.mlir.constant(1 : i32) : i32
  %field = llvm.mlir.constant({{field}} : i32) : i32
  %none = llvm.mlir.undef : vector<2x{{half}}>
  %h = llvm.lshr %x, %field : i32
  %low = func.call @half(%x) : (i32) -> {{half}}
  %high = func.call @half(%h) : (i32) -> {{half}}
  %first = llvm.insertelement %low, %none[%zero : i32] : vector<2x{{half}}>
  %r = llvm.insertelement %high, %first[%one : i32] : vector<2x{{half}}>
  return %r : vector<2x{{half}}>
}

func.func @halves_of_bytes(%x: vector<2xi8>) -> vector<2x{{half}}> {
  %packed = llvm.bitcast %x : vector<2xi8> to i16
  %bits = llvm.zext %packed : i16 to i32
  %r = func.call @halves(%bits) : (i32) -> vector<2x{{half}}>
  return %r : vector<2x{{half}}>
}

func.func @halves_of_nibbles(%x: i8) -> vector<2x{{half}}> {
  %bits = llvm.zext %x : i8 to i32
  %r = func.call @halves(%bits) : (i32) -> vector<2x{{half}}>
  return %r : vector<2x{{half}}>
}
