// Instructions of a GPU that compute (instructions.c).
//
// {{nearest}}: away; even; bits
// {{limited}}: special; finite
// {{number}}: special; finite; positive
// {{element}}: f16; bf16
// {{table}}: 0; 0x6543543243213210
// {{selector}}: asked; row
// {{a_extend}}: sext; zext
// {{b_extend}}: sext; zext
// {{half}}: 0, 1; 2, 3

// Exact where the instruction approximates; what is denormal counts as zero.
func.func @reciprocal(%x: f32) -> f32 {
  %one = llvm.mlir.constant(1.0 : f32) : f32
  %normal = func.call @flush(%x) : (f32) -> f32
  %quotient = llvm.fdiv %one, %normal : f32
  %r = func.call @flush(%quotient) : (f32) -> f32
  return %r : f32
}

func.func @flush(%x: f32) -> f32 {
  %least = llvm.mlir.constant(1.17549435E-38 : f32) : f32
  %zero = llvm.mlir.constant(0.0 : f32) : f32
  %size = llvm.intr.fabs(%x) : (f32) -> f32
  %small = llvm.fcmp "olt" %size, %least : f32
  %none = llvm.intr.copysign(%zero, %x) : (f32, f32) -> f32
  %r = llvm.select %small, %none, %x : i1, f32
  return %r : f32
}

// TF32 keeps ten bits of the fraction, in the place where f32 has them.
func.func @tf32(%x: f32) -> i32 {
  %zero = llvm.mlir.constant(0 : i32) : i32
  %one = llvm.mlir.constant(1 : i32) : i32
  %thirteen = llvm.mlir.constant(13 : i32) : i32
  %kept = llvm.mlir.constant(0xffffe000 : i32) : i32
  %half = llvm.mlir.constant(0x1000 : i32) : i32
  %less = llvm.mlir.constant(0xfff : i32) : i32
  %unsigned = llvm.mlir.constant(0x7fffffff : i32) : i32
  %sign_bit = llvm.mlir.constant(0x80000000 : i32) : i32
  %infinity = llvm.mlir.constant(0x7f800000 : i32) : i32
  %nan = llvm.mlir.constant(0x7fffffff : i32) : i32
  %largest = llvm.mlir.constant(0x7f7fe000 : i32) : i32
  %bits = llvm.bitcast %x : f32 to i32
  // Half of the last place that is kept: added to round away from zero where
  // two are as near; one less, and the last bit, for the even one of them.
  %away = llvm.add %bits, %half : i32
  %last = llvm.lshr %bits, %thirteen : i32
  %odd = llvm.and %last, %one : i32
  %below = llvm.add %bits, %less : i32
  %even = llvm.add %below, %odd : i32
  %rounded = llvm.and %{{nearest}}, %kept : i32
  %plain = llvm.and %bits, %unsigned : i32
  %is_nan = llvm.icmp "ugt" %plain, %infinity : i32
  %is_infinite = llvm.icmp "eq" %plain, %infinity : i32
  %special = llvm.select %is_infinite, %bits, %rounded : i1, i32
  %size = llvm.and %special, %unsigned : i32
  %over = llvm.icmp "ugt" %size, %largest : i32
  %sign = llvm.and %special, %sign_bit : i32
  %most = llvm.or %sign, %largest : i32
  %finite = llvm.select %over, %most, %special : i1, i32
  %negative = llvm.icmp "slt" %{{limited}}, %zero : i32
  %positive = llvm.select %negative, %zero, %{{limited}} : i1, i32
  %r = llvm.select %is_nan, %nan, %{{number}} : i1, i32
  return %r : i32
}

func.func @pack(%high: f32, %low: f32) -> vector<2x{{element}}> {
  %zero = llvm.mlir.constant(0 : i32) : i32
  %one = llvm.mlir.constant(1 : i32) : i32
  %none = llvm.mlir.undef : vector<2x{{element}}>
  %h = llvm.fptrunc %high : f32 to {{element}}
  %l = llvm.fptrunc %low : f32 to {{element}}
  %first = llvm.insertelement %l, %none[%zero : i32] : vector<2x{{element}}>
  %both = llvm.insertelement %h, %first[%one : i32] : vector<2x{{element}}>
  return %both : vector<2x{{element}}>
}

// A digit of the selector names a byte; its highest bit asks for the byte's
// sign alone. Modes other than the default one have a selector for each of four
// numbers that are asked for.
func.func @permute_3(%low: i32, %high: i32, %asked: i32) -> i32 {
  %two = llvm.mlir.constant(2 : i32) : i32
  %three = llvm.mlir.constant(3 : i32) : i32
  %four = llvm.mlir.constant(4 : i32) : i32
  %word = llvm.mlir.constant(32 : i64) : i64
  %table = llvm.mlir.constant({{table}} : i64) : i64
  %number = llvm.and %asked, %three : i32
  %at = llvm.shl %number, %four : i32
  %places = llvm.zext %at : i32 to i64
  %shifted = llvm.lshr %table, %places : i64
  %row = llvm.trunc %shifted : i64 to i32
  %lo = llvm.zext %low : i32 to i64
  %hi = llvm.zext %high : i32 to i64
  %upper = llvm.shl %hi, %word : i64
  %all = llvm.or %upper, %lo : i64
  %zero = llvm.mlir.constant(0 : i32) : i32
  %one = llvm.mlir.constant(1 : i32) : i32
  %b0 = func.call @byte(%all, %{{selector}}, %zero) : (i64, i32, i32) -> i32
  %b1 = func.call @byte(%all, %{{selector}}, %one) : (i64, i32, i32) -> i32
  %b2 = func.call @byte(%all, %{{selector}}, %two) : (i64, i32, i32) -> i32
  %b3 = func.call @byte(%all, %{{selector}}, %three) : (i64, i32, i32) -> i32
  %b01 = llvm.or %b0, %b1 : i32
  %b23 = llvm.or %b2, %b3 : i32
  %r = llvm.or %b01, %b23 : i32
  return %r : i32
}

func.func @permute_2(%low: i32, %asked: i32) -> i32 {
  %zero = llvm.mlir.constant(0 : i32) : i32
  %r = func.call @permute_3(%low, %zero, %asked) : (i32, i32, i32) -> i32
  return %r : i32
}

// Byte %number of a permutation, in its place.
func.func @byte(%all: i64, %selector: i32, %number: i32) -> i32 {
  %zero = llvm.mlir.constant(0 : i32) : i32
  %two = llvm.mlir.constant(2 : i32) : i32
  %three = llvm.mlir.constant(3 : i32) : i32
  %seven = llvm.mlir.constant(7 : i32) : i32
  %eight = llvm.mlir.constant(8 : i32) : i32
  %mask = llvm.mlir.constant(255 : i32) : i32
  %digits = llvm.shl %number, %two : i32
  %digit = llvm.lshr %selector, %digits : i32
  %from = llvm.and %digit, %seven : i32
  %bits = llvm.shl %from, %three : i32
  %places = llvm.zext %bits : i32 to i64
  %shifted = llvm.lshr %all, %places : i64
  %narrow = llvm.trunc %shifted : i64 to i8
  %plain = llvm.zext %narrow : i8 to i32
  %wide = llvm.sext %narrow : i8 to i32
  %signs = llvm.ashr %wide, %seven : i32
  %sign = llvm.and %signs, %mask : i32
  %mode = llvm.and %digit, %eight : i32
  %is_sign = llvm.icmp "ne" %mode, %zero : i32
  %value = llvm.select %is_sign, %sign, %plain : i1, i32
  %to = llvm.shl %number, %three : i32
  %r = llvm.shl %value, %to : i32
  return %r : i32
}

func.func @dot_4(%a: vector<4xi8>, %b: vector<4xi8>, %c: i32) -> i32 {
  %aw = llvm.{{a_extend}} %a : vector<4xi8> to vector<4xi32>
  %bw = llvm.{{b_extend}} %b : vector<4xi8> to vector<4xi32>
  %products = llvm.mul %aw, %bw : vector<4xi32>
  %sum = "llvm.intr.vector.reduce.add"(%products) : (vector<4xi32>) -> i32
  %r = llvm.add %sum, %c : i32
  return %r : i32
}

func.func @dot_2(%a: vector<2xi16>, %b: vector<4xi8>, %c: i32) -> i32 {
  %part = llvm.shufflevector %b, %b [{{half}}] : vector<4xi8>
  %aw = llvm.{{a_extend}} %a : vector<2xi16> to vector<2xi32>
  %bw = llvm.{{b_extend}} %part : vector<2xi8> to vector<2xi32>
  %products = llvm.mul %aw, %bw : vector<2xi32>
  %sum = "llvm.intr.vector.reduce.add"(%products) : (vector<2xi32>) -> i32
  %r = llvm.add %sum, %c : i32
  return %r : i32
}
