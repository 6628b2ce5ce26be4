// Kernels give what loops of the host give, bit by bit: numbers are small, so
// that the order of additions makes no difference. Each kind of kernel, with
// sizes that fit blocks and tiles and sizes that do not, static and dynamic.

// RUN: async-gpu-opt %s --async-gpu-bufferize --convert-linalg-to-loops -o %t.host.mlir
// RUN: not grep -E 'linalg\.|tensor<' %t.host.mlir
// RUN: %python %S/Inputs/both.py async-gpu-runner %s %t.host.mlir %t \
// RUN:   product 70x33 33x50 : product 1x1 1x1 : product 64x16 16x64 : product 0x4 4x3 : product 3x0 0x2 \
// RUN:   fitting 128x32 32x128 : transposed 5x3x17x20 5x3x20x18 : mixed 20x40 40x24 \
// RUN:   rows 30x1000 : rows 3x2 : columns 300x20 : total 40x50 : total 1x1 : highest 10x700 : \
// RUN:   where 7x30 : shifted 4x130 : five 2x3x2x3x5 : window 1x3x12x13 4x3x3x3 : strided 2x15x13x3 3x3x3x24 : halves 40x24 24x64 : scalar 3

// Linalg on memrefs alone stays on the host in the runner: arguments may be the
// same memory. Kernels are made of it on request.
// RUN: async-gpu-opt %s --async-gpu-bufferize -o %t.memrefs.mlir
// RUN: env ASYNC_GPU_LOG=driver async-gpu-runner %t.memrefs.mlir --entry=scalar --input=1 2>&1 | FileCheck %s --check-prefix=HOST
// HOST-NOT: cuLaunchKernel
// HOST: f32=1
// RUN: env ASYNC_GPU_LOG=driver async-gpu-runner %s --entry=rows --input=3x3xf32=2 2>&1 | FileCheck %s --check-prefix=DEVICE
// DEVICE: cuLaunchKernel
// DEVICE: 3xf32=[12,12,12]

func.func @product(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %z = arith.constant 0.0 : f32
  %m = tensor.dim %a, %c0 : tensor<?x?xf32>
  %n = tensor.dim %b, %c1 : tensor<?x?xf32>
  %e = tensor.empty(%m, %n) : tensor<?x?xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<?x?xf32>) -> tensor<?x?xf32>
  %c = linalg.matmul ins(%a, %b : tensor<?x?xf32>, tensor<?x?xf32>)
      outs(%f : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %c : tensor<?x?xf32>
}

// Adds to what is there.
func.func @fitting(%a: tensor<128x32xi32>, %b: tensor<32x128xi32>) -> tensor<128x128xi32> {
  %three = arith.constant 3 : i32
  %e = tensor.empty() : tensor<128x128xi32>
  %f = linalg.fill ins(%three : i32) outs(%e : tensor<128x128xi32>) -> tensor<128x128xi32>
  %c = linalg.matmul ins(%a, %b : tensor<128x32xi32>, tensor<32x128xi32>)
      outs(%f : tensor<128x128xi32>) -> tensor<128x128xi32>
  return %c : tensor<128x128xi32>
}

// Two batch loops, two of the inner ones in b, and columns before rows.
func.func @transposed(%a: tensor<5x3x17x20xf64>, %b: tensor<5x3x20x18xf64>) -> tensor<5x18x17xf64> {
  %z = arith.constant 0.0 : f64
  %e = tensor.empty() : tensor<5x18x17xf64>
  %f = linalg.fill ins(%z : f64) outs(%e : tensor<5x18x17xf64>) -> tensor<5x18x17xf64>
  %c = linalg.generic {
      indexing_maps = [affine_map<(b, n, m, h, k) -> (b, h, m, k)>,
                       affine_map<(b, n, m, h, k) -> (b, h, k, n)>,
                       affine_map<(b, n, m, h, k) -> (b, n, m)>],
      iterator_types = ["parallel", "parallel", "parallel", "reduction", "reduction"]}
      ins(%a, %b : tensor<5x3x17x20xf64>, tensor<5x3x20x18xf64>)
      outs(%f : tensor<5x18x17xf64>) {
  ^bb0(%x: f64, %y: f64, %acc: f64):
    %p = arith.mulf %y, %x : f64
    %s = arith.addf %p, %acc : f64
    linalg.yield %s : f64
  } -> tensor<5x18x17xf64>
  return %c : tensor<5x18x17xf64>
}

func.func @mixed(%a: tensor<20x40xi8>, %b: tensor<40x24xi8>) -> tensor<20x24xi32> {
  %z = arith.constant 0 : i32
  %e = tensor.empty() : tensor<20x24xi32>
  %f = linalg.fill ins(%z : i32) outs(%e : tensor<20x24xi32>) -> tensor<20x24xi32>
  %c = linalg.matmul ins(%a, %b : tensor<20x40xi8>, tensor<40x24xi8>)
      outs(%f : tensor<20x24xi32>) -> tensor<20x24xi32>
  return %c : tensor<20x24xi32>
}

// A sum for each row, of the squares.
func.func @rows(%x: tensor<?x?xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %z = arith.constant 0.0 : f32
  %n = tensor.dim %x, %c0 : tensor<?x?xf32>
  %e = tensor.empty(%n) : tensor<?xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  %y = linalg.generic {
      indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>],
      iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<?x?xf32>) outs(%f : tensor<?xf32>) {
  ^bb0(%v: f32, %acc: f32):
    %q = arith.mulf %v, %v : f32
    %s = arith.addf %acc, %q : f32
    linalg.yield %s : f32
  } -> tensor<?xf32>
  return %y : tensor<?xf32>
}

func.func @columns(%x: tensor<300x20xi64>) -> tensor<20xi64> {
  %z = arith.constant -5 : i64
  %e = tensor.empty() : tensor<20xi64>
  %f = linalg.fill ins(%z : i64) outs(%e : tensor<20xi64>) -> tensor<20xi64>
  %y = linalg.reduce ins(%x : tensor<300x20xi64>) outs(%f : tensor<20xi64>) dimensions = [0]
    (%v: i64, %acc: i64) {
      %s = arith.maxsi %v, %acc : i64
      linalg.yield %s : i64
    }
  return %y : tensor<20xi64>
}

func.func @total(%x: tensor<?x?xf64>) -> tensor<f64> {
  %z = arith.constant 1.0 : f64
  %e = tensor.empty() : tensor<f64>
  %f = linalg.fill ins(%z : f64) outs(%e : tensor<f64>) -> tensor<f64>
  %y = linalg.generic {
      indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> ()>],
      iterator_types = ["reduction", "reduction"]}
      ins(%x : tensor<?x?xf64>) outs(%f : tensor<f64>) {
  ^bb0(%v: f64, %acc: f64):
    %s = arith.addf %acc, %v : f64
    linalg.yield %s : f64
  } -> tensor<f64>
  return %y : tensor<f64>
}

// Combined by one op, of a term that knows where it is and is never 0.
func.func @highest(%x: tensor<10x700xi32>) -> tensor<10xi32> {
  %z = arith.constant -2000 : i32
  %far = arith.constant 1000 : i32
  %e = tensor.empty() : tensor<10xi32>
  %f = linalg.fill ins(%z : i32) outs(%e : tensor<10xi32>) -> tensor<10xi32>
  %y = linalg.generic {
      indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>],
      iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<10x700xi32>) outs(%f : tensor<10xi32>) {
  ^bb0(%v: i32, %acc: i32):
    %j = linalg.index 1 : index
    %ji = arith.index_cast %j : index to i32
    %below = arith.subi %ji, %far : i32
    %t = arith.subi %below, %v : i32
    %s = arith.maxsi %acc, %t : i32
    linalg.yield %s : i32
  } -> tensor<10xi32>
  return %y : tensor<10xi32>
}

// Two results, and a choice between them.
func.func @where(%x: tensor<7x30xf32>) -> (tensor<7xf32>, tensor<7xi64>) {
  %low = arith.constant 0xFF800000 : f32
  %zero = arith.constant 0 : i64
  %e = tensor.empty() : tensor<7xf32>
  %f = linalg.fill ins(%low : f32) outs(%e : tensor<7xf32>) -> tensor<7xf32>
  %g = tensor.empty() : tensor<7xi64>
  %h = linalg.fill ins(%zero : i64) outs(%g : tensor<7xi64>) -> tensor<7xi64>
  %y:2 = linalg.generic {
      indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>,
                       affine_map<(i, j) -> (i)>],
      iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<7x30xf32>) outs(%f, %h : tensor<7xf32>, tensor<7xi64>) {
  ^bb0(%v: f32, %best: f32, %at: i64):
    %j = linalg.index 1 : index
    %ji = arith.index_cast %j : index to i64
    %more = arith.cmpf ogt, %v, %best : f32
    %s = arith.select %more, %v, %best : f32
    %t = arith.select %more, %ji, %at : i64
    linalg.yield %s, %t : f32, i64
  } -> (tensor<7xf32>, tensor<7xi64>)
  return %y#0, %y#1 : tensor<7xf32>, tensor<7xi64>
}

// Broadcast, transposed, and with control flow in the body.
func.func @shifted(%x: tensor<4x130xf32>) -> tensor<130x4xf32> {
  %c2 = arith.constant 2 : index
  %half = arith.constant 0.5 : f32
  %e = tensor.empty() : tensor<130x4xf32>
  %t = linalg.transpose ins(%x : tensor<4x130xf32>) outs(%e : tensor<130x4xf32>) permutation = [1, 0]
  %y = linalg.generic {
      indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j, 0)>,
                       affine_map<(i, j) -> (i, j)>],
      iterator_types = ["parallel", "parallel"]}
      ins(%t, %x : tensor<130x4xf32>, tensor<4x130xf32>) outs(%e : tensor<130x4xf32>) {
  ^bb0(%v: f32, %w: f32, %out: f32):
    %j = linalg.index 1 : index
    %few = arith.cmpi ult, %j, %c2 : index
    %s = scf.if %few -> f32 {
      %a = arith.addf %v, %w : f32
      scf.yield %a : f32
    } else {
      %a = arith.mulf %v, %half : f32
      scf.yield %a : f32
    }
    linalg.yield %s : f32
  } -> tensor<130x4xf32>
  return %y : tensor<130x4xf32>
}

func.func @five(%x: tensor<2x3x2x3x5xi16>) -> tensor<2x3x2x3x5xi16> {
  %c = arith.constant 7 : i16
  %y = linalg.generic {
      indexing_maps = [affine_map<(a, b, c, d, e) -> (a, b, c, d, e)>],
      iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]}
      outs(%x : tensor<2x3x2x3x5xi16>) {
  ^bb0(%v: i16):
    %s = arith.muli %v, %c : i16
    linalg.yield %s : i16
  } -> tensor<2x3x2x3x5xi16>
  return %y : tensor<2x3x2x3x5xi16>
}

func.func @window(%x: tensor<1x3x12x13xf32>, %k: tensor<4x3x3x3xf32>) -> tensor<1x4x10x11xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x4x10x11xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<1x4x10x11xf32>) -> tensor<1x4x10x11xf32>
  %y = linalg.conv_2d_nchw_fchw ins(%x, %k : tensor<1x3x12x13xf32>, tensor<4x3x3x3xf32>)
      outs(%f : tensor<1x4x10x11xf32>) -> tensor<1x4x10x11xf32>
  return %y : tensor<1x4x10x11xf32>
}

func.func @scalar(%x: tensor<3xf32>) -> tensor<f32> {
  %c1 = arith.constant 1 : index
  %v = tensor.extract %x[%c1] : tensor<3xf32>
  %e = tensor.empty() : tensor<f32>
  %f = linalg.fill ins(%v : f32) outs(%e : tensor<f32>) -> tensor<f32>
  return %f : tensor<f32>
}

// Channels that lie last, every other place, and a border in both directions.
func.func @strided(%x: tensor<2x15x13x3xf32>, %w: tensor<3x3x3x24xf32>) -> tensor<2x7x6x24xf32> {
  %z = arith.constant 0.5 : f32
  %e = tensor.empty() : tensor<2x7x6x24xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<2x7x6x24xf32>) -> tensor<2x7x6x24xf32>
  %y = linalg.conv_2d_nhwc_hwcf {strides = dense<2> : tensor<2xi64>}
    ins(%x, %w : tensor<2x15x13x3xf32>, tensor<3x3x3x24xf32>)
    outs(%f : tensor<2x7x6x24xf32>) -> tensor<2x7x6x24xf32>
  return %y : tensor<2x7x6x24xf32>
}

// Sums of f16, whose vectors are.
func.func @halves(%a: tensor<40x24xf16>, %b: tensor<24x64xf16>) -> tensor<40x64xf16> {
  %z = arith.constant 0.0 : f16
  %e = tensor.empty() : tensor<40x64xf16>
  %f = linalg.fill ins(%z : f16) outs(%e : tensor<40x64xf16>) -> tensor<40x64xf16>
  %c = linalg.matmul ins(%a, %b : tensor<40x24xf16>, tensor<24x64xf16>)
    outs(%f : tensor<40x64xf16>) -> tensor<40x64xf16>
  return %c : tensor<40x64xf16>
}
