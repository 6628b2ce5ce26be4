// Fills with every width: 8, 16, 32 and 64 bits, integers, floats and indices; of
// all elements, and of every second one. Each line is the second to the fifth of
// six elements.

func.func private @fill_i1() {
  %x = arith.constant true
  %zero = arith.constant false
  %h = memref.alloc() : memref<6xi1>
  %d = gpu.alloc () : memref<6xi1>
  gpu.memset %d, %x : memref<6xi1>, i1
  gpu.memcpy %h, %d : memref<6xi1>, memref<6xi1>
  func.call @print_i1(%h) : (memref<6xi1>) -> ()
  %even = memref.subview %d[0] [3] [2] : memref<6xi1> to memref<3xi1, strided<[2]>>
  %t0 = gpu.wait async
  %t1 = gpu.memset async [%t0] %even, %zero : memref<3xi1, strided<[2]>>, i1
  %t2 = gpu.memcpy async [%t1] %h, %d : memref<6xi1>, memref<6xi1>
  gpu.wait [%t2]
  func.call @print_i1(%h) : (memref<6xi1>) -> ()
  gpu.dealloc %d : memref<6xi1>
  memref.dealloc %h : memref<6xi1>
  return
}
func.func private @print_i1(%h: memref<6xi1>) {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %a = memref.load %h[%c1] : memref<6xi1>
  %b = memref.load %h[%c2] : memref<6xi1>
  vector.print %a : i1
  vector.print %b : i1
  return
}

func.func private @fill_i8() {
  %x = arith.constant -3 : i8
  %zero = arith.constant 0 : i8
  %h = memref.alloc() : memref<6xi8>
  %d = gpu.alloc () : memref<6xi8>
  gpu.memset %d, %x : memref<6xi8>, i8
  gpu.memcpy %h, %d : memref<6xi8>, memref<6xi8>
  func.call @print_i8(%h) : (memref<6xi8>) -> ()
  %even = memref.subview %d[0] [3] [2] : memref<6xi8> to memref<3xi8, strided<[2]>>
  %t0 = gpu.wait async
  %t1 = gpu.memset async [%t0] %even, %zero : memref<3xi8, strided<[2]>>, i8
  %t2 = gpu.memcpy async [%t1] %h, %d : memref<6xi8>, memref<6xi8>
  gpu.wait [%t2]
  func.call @print_i8(%h) : (memref<6xi8>) -> ()
  gpu.dealloc %d : memref<6xi8>
  memref.dealloc %h : memref<6xi8>
  return
}
func.func private @print_i8(%h: memref<6xi8>) {
  %c1 = arith.constant 1 : index
  %v = vector.load %h[%c1] : memref<6xi8>, vector<4xi8>
  vector.print %v : vector<4xi8>
  return
}

func.func private @fill_i16() {
  %x = arith.constant -300 : i16
  %zero = arith.constant 0 : i16
  %h = memref.alloc() : memref<6xi16>
  %d = gpu.alloc () : memref<6xi16>
  gpu.memset %d, %x : memref<6xi16>, i16
  gpu.memcpy %h, %d : memref<6xi16>, memref<6xi16>
  func.call @print_i16(%h) : (memref<6xi16>) -> ()
  %even = memref.subview %d[0] [3] [2] : memref<6xi16> to memref<3xi16, strided<[2]>>
  %t0 = gpu.wait async
  %t1 = gpu.memset async [%t0] %even, %zero : memref<3xi16, strided<[2]>>, i16
  %t2 = gpu.memcpy async [%t1] %h, %d : memref<6xi16>, memref<6xi16>
  gpu.wait [%t2]
  func.call @print_i16(%h) : (memref<6xi16>) -> ()
  gpu.dealloc %d : memref<6xi16>
  memref.dealloc %h : memref<6xi16>
  return
}
func.func private @print_i16(%h: memref<6xi16>) {
  %c1 = arith.constant 1 : index
  %v = vector.load %h[%c1] : memref<6xi16>, vector<4xi16>
  vector.print %v : vector<4xi16>
  return
}

func.func private @fill_i32() {
  %x = arith.constant -70000 : i32
  %zero = arith.constant 0 : i32
  %h = memref.alloc() : memref<6xi32>
  %d = gpu.alloc () : memref<6xi32>
  gpu.memset %d, %x : memref<6xi32>, i32
  gpu.memcpy %h, %d : memref<6xi32>, memref<6xi32>
  func.call @print_i32(%h) : (memref<6xi32>) -> ()
  %even = memref.subview %d[0] [3] [2] : memref<6xi32> to memref<3xi32, strided<[2]>>
  %t0 = gpu.wait async
  %t1 = gpu.memset async [%t0] %even, %zero : memref<3xi32, strided<[2]>>, i32
  %t2 = gpu.memcpy async [%t1] %h, %d : memref<6xi32>, memref<6xi32>
  gpu.wait [%t2]
  func.call @print_i32(%h) : (memref<6xi32>) -> ()
  gpu.dealloc %d : memref<6xi32>
  memref.dealloc %h : memref<6xi32>
  return
}
func.func private @print_i32(%h: memref<6xi32>) {
  %c1 = arith.constant 1 : index
  %v = vector.load %h[%c1] : memref<6xi32>, vector<4xi32>
  vector.print %v : vector<4xi32>
  return
}

func.func private @fill_i64() {
  %x = arith.constant -5000000000 : i64
  %zero = arith.constant 0 : i64
  %h = memref.alloc() : memref<6xi64>
  %d = gpu.alloc () : memref<6xi64>
  gpu.memset %d, %x : memref<6xi64>, i64
  gpu.memcpy %h, %d : memref<6xi64>, memref<6xi64>
  func.call @print_i64(%h) : (memref<6xi64>) -> ()
  %even = memref.subview %d[0] [3] [2] : memref<6xi64> to memref<3xi64, strided<[2]>>
  %t0 = gpu.wait async
  %t1 = gpu.memset async [%t0] %even, %zero : memref<3xi64, strided<[2]>>, i64
  %t2 = gpu.memcpy async [%t1] %h, %d : memref<6xi64>, memref<6xi64>
  gpu.wait [%t2]
  func.call @print_i64(%h) : (memref<6xi64>) -> ()
  gpu.dealloc %d : memref<6xi64>
  memref.dealloc %h : memref<6xi64>
  return
}
func.func private @print_i64(%h: memref<6xi64>) {
  %c1 = arith.constant 1 : index
  %v = vector.load %h[%c1] : memref<6xi64>, vector<4xi64>
  vector.print %v : vector<4xi64>
  return
}

func.func private @fill_f16() {
  %x = arith.constant 1.5 : f16
  %zero = arith.constant 0.0 : f16
  %h = memref.alloc() : memref<6xf16>
  %d = gpu.alloc () : memref<6xf16>
  gpu.memset %d, %x : memref<6xf16>, f16
  gpu.memcpy %h, %d : memref<6xf16>, memref<6xf16>
  func.call @print_f16(%h) : (memref<6xf16>) -> ()
  %even = memref.subview %d[0] [3] [2] : memref<6xf16> to memref<3xf16, strided<[2]>>
  %t0 = gpu.wait async
  %t1 = gpu.memset async [%t0] %even, %zero : memref<3xf16, strided<[2]>>, f16
  %t2 = gpu.memcpy async [%t1] %h, %d : memref<6xf16>, memref<6xf16>
  gpu.wait [%t2]
  func.call @print_f16(%h) : (memref<6xf16>) -> ()
  gpu.dealloc %d : memref<6xf16>
  memref.dealloc %h : memref<6xf16>
  return
}
func.func private @print_f16(%h: memref<6xf16>) {
  %c1 = arith.constant 1 : index
  %v = vector.load %h[%c1] : memref<6xf16>, vector<4xf16>
  %w = arith.extf %v : vector<4xf16> to vector<4xf32>
  vector.print %w : vector<4xf32>
  return
}

func.func private @fill_bf16() {
  %x = arith.constant 2.5 : bf16
  %zero = arith.constant 0.0 : bf16
  %h = memref.alloc() : memref<6xbf16>
  %d = gpu.alloc () : memref<6xbf16>
  gpu.memset %d, %x : memref<6xbf16>, bf16
  gpu.memcpy %h, %d : memref<6xbf16>, memref<6xbf16>
  func.call @print_bf16(%h) : (memref<6xbf16>) -> ()
  %even = memref.subview %d[0] [3] [2] : memref<6xbf16> to memref<3xbf16, strided<[2]>>
  %t0 = gpu.wait async
  %t1 = gpu.memset async [%t0] %even, %zero : memref<3xbf16, strided<[2]>>, bf16
  %t2 = gpu.memcpy async [%t1] %h, %d : memref<6xbf16>, memref<6xbf16>
  gpu.wait [%t2]
  func.call @print_bf16(%h) : (memref<6xbf16>) -> ()
  gpu.dealloc %d : memref<6xbf16>
  memref.dealloc %h : memref<6xbf16>
  return
}
func.func private @print_bf16(%h: memref<6xbf16>) {
  %c1 = arith.constant 1 : index
  %v = vector.load %h[%c1] : memref<6xbf16>, vector<4xbf16>
  %w = arith.extf %v : vector<4xbf16> to vector<4xf32>
  vector.print %w : vector<4xf32>
  return
}

func.func private @fill_f32() {
  %x = arith.constant 3.25 : f32
  %zero = arith.constant 0.0 : f32
  %h = memref.alloc() : memref<6xf32>
  %d = gpu.alloc () : memref<6xf32>
  gpu.memset %d, %x : memref<6xf32>, f32
  gpu.memcpy %h, %d : memref<6xf32>, memref<6xf32>
  func.call @print_f32(%h) : (memref<6xf32>) -> ()
  %even = memref.subview %d[0] [3] [2] : memref<6xf32> to memref<3xf32, strided<[2]>>
  %t0 = gpu.wait async
  %t1 = gpu.memset async [%t0] %even, %zero : memref<3xf32, strided<[2]>>, f32
  %t2 = gpu.memcpy async [%t1] %h, %d : memref<6xf32>, memref<6xf32>
  gpu.wait [%t2]
  func.call @print_f32(%h) : (memref<6xf32>) -> ()
  gpu.dealloc %d : memref<6xf32>
  memref.dealloc %h : memref<6xf32>
  return
}
func.func private @print_f32(%h: memref<6xf32>) {
  %c1 = arith.constant 1 : index
  %v = vector.load %h[%c1] : memref<6xf32>, vector<4xf32>
  vector.print %v : vector<4xf32>
  return
}

func.func private @fill_f64() {
  %x = arith.constant -1.0e10 : f64
  %zero = arith.constant 0.0 : f64
  %h = memref.alloc() : memref<6xf64>
  %d = gpu.alloc () : memref<6xf64>
  gpu.memset %d, %x : memref<6xf64>, f64
  gpu.memcpy %h, %d : memref<6xf64>, memref<6xf64>
  func.call @print_f64(%h) : (memref<6xf64>) -> ()
  %even = memref.subview %d[0] [3] [2] : memref<6xf64> to memref<3xf64, strided<[2]>>
  %t0 = gpu.wait async
  %t1 = gpu.memset async [%t0] %even, %zero : memref<3xf64, strided<[2]>>, f64
  %t2 = gpu.memcpy async [%t1] %h, %d : memref<6xf64>, memref<6xf64>
  gpu.wait [%t2]
  func.call @print_f64(%h) : (memref<6xf64>) -> ()
  gpu.dealloc %d : memref<6xf64>
  memref.dealloc %h : memref<6xf64>
  return
}
func.func private @print_f64(%h: memref<6xf64>) {
  %c1 = arith.constant 1 : index
  %v = vector.load %h[%c1] : memref<6xf64>, vector<4xf64>
  vector.print %v : vector<4xf64>
  return
}

func.func private @fill_index() {
  %x = arith.constant 77 : index
  %zero = arith.constant 0 : index
  %h = memref.alloc() : memref<6xindex>
  %d = gpu.alloc () : memref<6xindex>
  gpu.memset %d, %x : memref<6xindex>, index
  gpu.memcpy %h, %d : memref<6xindex>, memref<6xindex>
  func.call @print_index(%h) : (memref<6xindex>) -> ()
  %even = memref.subview %d[0] [3] [2] : memref<6xindex> to memref<3xindex, strided<[2]>>
  %t0 = gpu.wait async
  %t1 = gpu.memset async [%t0] %even, %zero : memref<3xindex, strided<[2]>>, index
  %t2 = gpu.memcpy async [%t1] %h, %d : memref<6xindex>, memref<6xindex>
  gpu.wait [%t2]
  func.call @print_index(%h) : (memref<6xindex>) -> ()
  gpu.dealloc %d : memref<6xindex>
  memref.dealloc %h : memref<6xindex>
  return
}
func.func private @print_index(%h: memref<6xindex>) {
  %c1 = arith.constant 1 : index
  %v = vector.load %h[%c1] : memref<6xindex>, vector<4xindex>
  vector.print %v : vector<4xindex>
  return
}

// RUN: device schedules=200
// CHECK: 1
// CHECK: 1
// CHECK: 1
// CHECK: 0
// CHECK: ( -3, -3, -3, -3 )
// CHECK: ( -3, 0, -3, 0 )
// CHECK: ( -300, -300, -300, -300 )
// CHECK: ( -300, 0, -300, 0 )
// CHECK: ( -70000, -70000, -70000, -70000 )
// CHECK: ( -70000, 0, -70000, 0 )
// CHECK: ( -5000000000, -5000000000, -5000000000, -5000000000 )
// CHECK: ( -5000000000, 0, -5000000000, 0 )
// CHECK: ( 1.5, 1.5, 1.5, 1.5 )
// CHECK: ( 1.5, 0, 1.5, 0 )
// CHECK: ( 2.5, 2.5, 2.5, 2.5 )
// CHECK: ( 2.5, 0, 2.5, 0 )
// CHECK: ( 3.25, 3.25, 3.25, 3.25 )
// CHECK: ( 3.25, 0, 3.25, 0 )
// CHECK: ( -1e+10, -1e+10, -1e+10, -1e+10 )
// CHECK: ( -1e+10, 0, -1e+10, 0 )
// CHECK: ( 77, 77, 77, 77 )
// CHECK: ( 77, 0, 77, 0 )
func.func @main() {
  call @fill_i1() : () -> ()
  call @fill_i8() : () -> ()
  call @fill_i16() : () -> ()
  call @fill_i32() : () -> ()
  call @fill_i64() : () -> ()
  call @fill_f16() : () -> ()
  call @fill_bf16() : () -> ()
  call @fill_f32() : () -> ()
  call @fill_f64() : () -> ()
  call @fill_index() : () -> ()
  return
}
