// What copies and fills cannot do, when compiled and when run.
// RUN: async-gpu-opt %s --async-gpu-stream-calls --split-input-file --verify-diagnostics
// RUN: not async-gpu-runner --device=emu %S/Inputs/copy_shapes.mlir 2>&1 | FileCheck %s --check-prefix=SHAPES
// RUN: not async-gpu-runner --device=emu %S/Inputs/copy_overlap.mlir 2>&1 | FileCheck %s --check-prefix=OVERLAP

// SHAPES: copy_shapes.mlir:9:3: error: {{.*}}copy between memrefs of different shapes: dimension 1 has 3 elements in the target and 4 in the source
// OVERLAP: copy_overlap.mlir:11:3: error: {{.*}}copy between memrefs that overlap

func.func @unranked(%s: !agpu.stream, %a: memref<*xf32>) {
  // expected-error@+1 {{gpu.memcpy of an unranked memref is not supported: cast it to a ranked memref first}}
  "agpu.memcpy"(%s, %a, %a) : (!agpu.stream, memref<*xf32>, memref<*xf32>) -> ()
  return
}

// -----

func.func @layout(%s: !agpu.stream, %a: memref<4xf32, affine_map<(i) -> (i floordiv 2)>>, %x: f32) {
  // expected-error@+1 {{gpu.memset of a memref whose layout is not strided is not supported}}
  "agpu.memset"(%s, %a, %x) : (!agpu.stream, memref<4xf32, affine_map<(i) -> (i floordiv 2)>>, f32) -> ()
  return
}

// -----

func.func @pattern(%s: !agpu.stream, %a: memref<4xi128>, %x: i128) {
  // expected-error@+1 {{gpu.memset needs an element type of 8, 16, 32 or 64 bits}}
  "agpu.memset"(%s, %a, %x) : (!agpu.stream, memref<4xi128>, i128) -> ()
  return
}
