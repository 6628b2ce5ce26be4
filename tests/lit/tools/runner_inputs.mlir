// What --input and --output do: arrays in NumPy's files and on the command
// line, in every layout and type that a function takes.

// RUN: async-gpu-runner %s --print-signature | FileCheck %s --check-prefix=SIGNATURE --match-full-lines
// SIGNATURE:      add(memref<2x3xf32>, memref<?x3xf32>) -> memref<?x?xf32>
// SIGNATURE-NEXT: strided(memref<2x2xi16, strided<[5, 2], offset: 3>>)
// SIGNATURE-NEXT: types(i1, i8, bf16, f16, f64, index, complex<f32>) -> (i1, i8, bf16, f16, f64, index, complex<f32>)
// SIGNATURE-NEXT: memories(memref<f32>, memref<*xi32>, memref<2xi1>, memref<0x4xf64>) -> (memref<f32>, memref<*xi32>, memref<2xi1>, memref<0x4xf64>, memref<3xi8>)
// SIGNATURE-NEXT: later(f32, !async.token, memref<2xf32>) -> (!async.token, !async.value<f32>, !async.value<memref<2xf32>>)
// SIGNATURE-NEXT: bfloats(memref<2xbf16>) -> memref<2xbf16>
// SIGNATURE-NOT:  {{.}}
// RUN: async-gpu-runner %s --print-signature -e hidden | FileCheck %s --check-prefix=HIDDEN --match-full-lines
// HIDDEN: hidden(i32) -> i32

// From files in row-major and in column-major order, and into one.
// RUN: %python %S/Inputs/npy.py write %t.a.npy '<f4' '(2, 3)' '<f' 1 2 3 4 5 6
// RUN: %python %S/Inputs/npy.py write %t.b.npy '<f4' '(2, 3)' '<f' 10 40 20 50 30 60 --fortran --version=2
// RUN: async-gpu-runner %s --entry=add --input=%t.a.npy --input=%t.b.npy --output=%t.c.npy
// RUN: %python %S/Inputs/npy.py show %t.c.npy '<f' | FileCheck %s --check-prefix=FILE
// FILE: <f4 False (2, 3) 11.0 22.0 33.0 44.0 55.0 66.0
// RUN: async-gpu-runner %s -e add --input=2x3xf32=iota --input=2x3xf32=0.5 | FileCheck %s --check-prefix=ADD --match-full-lines
// ADD: 2x3xf32={{\[\[}}0.5,1.5,2.5],[3.5,4.5,5.5]]

// Arguments are as they were at each call; the last one's are shown.
// RUN: async-gpu-runner %s --entry=strided --input=1,2,3,4 --output=arg0=%t.s.npy --repeat=3 --report=%t.json
// RUN: %python %S/Inputs/npy.py show %t.s.npy '<h' | FileCheck %s --check-prefix=STRIDED
// STRIDED: <i2 False (2, 2) 2 3 4 5
// RUN: %python -c "import json, sys; r = json.load(open(sys.argv[1])); e = r['entries'][0]; print(e['name'], e['calls'], 0 <= e['min_ms'] <= e['median_ms'] <= e['max_ms'], r['parse_ms'] > 0, r['lower_ms'] > 0)" %t.json | FileCheck %s --check-prefix=JSON
// JSON: strided 3 True True True
// RUN: async-gpu-runner %s --entry=strided --input=1 --entry=strided --input=2 --report --repeat=4 2>&1 | FileCheck %s --check-prefix=REPORT
// REPORT:      parsed in {{[0-9.]+}} ms, lowered in {{[0-9.]+}} ms, compiled in
// REPORT-NEXT: strided(memref<{{.*}}>): 4 calls, the first in {{.*}} ms, the others: median
// REPORT-NEXT: strided({{.*}}): 4 calls

// RUN: async-gpu-runner %s -e types --input=true --input=-128 --input=1.00390625 --input=65504 --input=1e300 --input=-1 --input=1.5-2j | FileCheck %s --check-prefix=TYPES --match-full-lines
// TYPES:      1
// TYPES-NEXT: -128
// TYPES-NEXT: 1.000000e+00
// TYPES-NEXT: 6.550400e+04
// TYPES-NEXT: 1.000000e+300
// TYPES-NEXT: -1
// TYPES-NEXT: 1.500000e+00-2.000000e+00j

// RUN: %python %S/Inputs/npy.py write %t.u.npy '<u4' '(2,)' '<I' 7 4294967295
// RUN: async-gpu-runner %s -e memories --input=f32=0.1 --input=%t.u.npy --input=2xi1=0,1 --input=0x4xf64 | FileCheck %s --check-prefix=MEMORIES --match-full-lines
// MEMORIES:      f32=0.1
// MEMORIES-NEXT: 2xi32=[7,-1]
// MEMORIES-NEXT: 2xi1=[0,1]
// MEMORIES-NEXT: 0x4xf64=[]
// MEMORIES-NEXT: 3xi8=[1,2,3]
// RUN: async-gpu-runner %s -e memories --input=1 --input=1024xi32=iota --input=1 --input=0x4xf64 | FileCheck %s --check-prefix=LARGE
// LARGE: 1024xi32=[0,1,2,...,1021,1022,1023]

// Tokens and values are waited for; a token that is taken is ready.
// RUN: async-gpu-runner %s -e later --input=21 --input=2xf32=1,2 --repeat=3 | FileCheck %s --check-prefix=LATER --match-full-lines
// LATER:      4.200000e+01
// LATER-NEXT: 2xf32=[21,21]
// LATER-NOT: {{.}}
// RUN: async-gpu-runner %s -e bfloats --input=1,-0.5 --output=%t.h.npy
// RUN: %python %S/Inputs/npy.py show %t.h.npy '<H' | FileCheck %s --check-prefix=BFLOATS
// BFLOATS: |V2 False (2,) 16256 48896
// RUN: async-gpu-runner %s -e bfloats --input=%t.h.npy | FileCheck %s --check-prefix=BACK
// BACK: 2xbf16=[1,-0.5]

// The same numbers from the same seed, and a file's bytes.
// RUN: async-gpu-runner %s -e add --input=2x3xf32=random:7 --input=2x3xf32 > %t.1
// RUN: async-gpu-runner %s -e add --input=2x3xf32=random:7 --input=2x3xf32=0 > %t.2
// RUN: cmp %t.1 %t.2
// RUN: not async-gpu-runner %s -e bfloats --input=2xbf16=@%t.h.npy 2>&1 | FileCheck %s --check-prefix=BYTES
// BYTES: has more than 4 bytes, as many as 2xbf16 has
// RUN: tail -c 4 %t.h.npy > %t.raw
// RUN: async-gpu-runner %s -e bfloats --input=2xbf16=@%t.raw | FileCheck %s --check-prefix=BACK

// What does not fit is an error at the function, before anything is compiled.
// RUN: not async-gpu-runner %s -e add --input=2x3xf32 2>&1 | FileCheck %s --check-prefix=FEW
// FEW: runner_inputs.mlir:[[#@LINE+37]]:1: error: 'add' takes 2 arguments, and --input gives 1: it is add(memref<2x3xf32>
// RUN: not async-gpu-runner %s -e add --input=2x3xf32 --input=2x4xf32=1 2>&1 | FileCheck %s --check-prefix=SHAPE
// SHAPE: error: --input=2x4xf32=1 for argument 1 of 'add', memref<?x3xf32>: this is 2x4xf32
// RUN: not async-gpu-runner %s -e add --input=%t.u.npy --input=2x3xf32 2>&1 | FileCheck %s --check-prefix=TYPE
// TYPE: u.npy for argument 0 of 'add', memref<2x3xf32>: this is 2xi32
// RUN: not async-gpu-runner %s -e add --input=1,2 --input=2x3xf32 2>&1 | FileCheck %s --check-prefix=COUNT
// COUNT: 2 numbers for the 6 elements of 2x3xf32
// RUN: not async-gpu-runner %s -e add --input=2x3xf33=1 --input=1 2>&1 | FileCheck %s --check-prefix=NAME
// NAME: '2x3xf33=1' is no type like 4x8xf32
// RUN: not async-gpu-runner %s -e add --input=1 --input=2 2>&1 | FileCheck %s --check-prefix=DYNAMIC
// DYNAMIC: argument 1 of 'add', memref<?x3xf32>: its sizes have to be given, as in 4x8xf32=1.5
// RUN: not async-gpu-runner %s -e types --input=2 --input=0 --input=0 --input=0 --input=0 --input=0 --input=0 2>&1 | FileCheck %s --check-prefix=BIT
// BIT: '2' is too large for a number of type i1
// RUN: not async-gpu-runner %s -e types --input=0 --input=1.5 --input=0 --input=0 --input=0 --input=0 --input=0 2>&1 | FileCheck %s --check-prefix=WHOLE
// WHOLE: '1.5' is no number of type i8
// RUN: not async-gpu-runner %s -e bfloats --input=%s.npy 2>&1 | FileCheck %s --check-prefix=MISSING
// MISSING: cannot open input file
// RUN: cp %s %t.text.npy && not async-gpu-runner %s -e bfloats --input=%t.text.npy 2>&1 | FileCheck %s --check-prefix=TEXT
// TEXT: text.npy' is no .npy file
// RUN: head -c 130 %t.a.npy > %t.short.npy && not async-gpu-runner %s -e add --input=%t.short.npy --input=1 2>&1 | FileCheck %s --check-prefix=SHORT
// SHORT: short.npy' has 2 bytes of elements, and 2x3xf32 has 24
// RUN: head -c 60 %t.a.npy > %t.front.npy && not async-gpu-runner %s -e add --input=%t.front.npy --input=1 2>&1 | FileCheck %s --check-prefix=FRONT
// FRONT: front.npy' ends in the middle of its header
// RUN: %python %S/Inputs/npy.py write %t.big.npy '>f4' '(2, 3)' '>f' 1 2 3 4 5 6
// RUN: not async-gpu-runner %s -e add --input=%t.big.npy --input=1 2>&1 | FileCheck %s --check-prefix=BIG
// BIG: NumPy's type >f4, which is big endian
// RUN: not async-gpu-runner %s -e add --input=1 --input=2x3xf32 --output=%t.x --output=%t.y 2>&1 | FileCheck %s --check-prefix=OUTPUTS
// OUTPUTS: error: --output is for 2 results, and 'add' has 1
// RUN: not async-gpu-runner %s -e add --input=1 --input=2x3xf32 --output=arg2=%t.x 2>&1 | FileCheck %s --check-prefix=OUTPUT
// OUTPUT: arg2={{.*}}: 'add' has no such argument
// RUN: not async-gpu-runner %s -e add --input=1 --input=2x3xf32 --output=%t.none/x.npy 2>&1 | FileCheck %s --check-prefix=WRITE
// WRITE: async-gpu-runner: error: cannot write output file
// RUN: not async-gpu-runner %s --repeat=0 2>&1 | FileCheck %s --check-prefix=REPEAT
// REPEAT: error: option '--repeat' is how often to call, 1 or more, not '0'
// RUN: not async-gpu-runner %s -e add --input=1 --input=99999999999x9999999999x3xf32 2>&1 | FileCheck %s --check-prefix=HUGE
// HUGE: no memory for an array of type

func.func @add(%a: memref<2x3xf32>, %b: memref<?x3xf32>) -> memref<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %y = memref.alloc(%c2, %c3) : memref<?x?xf32>
  scf.for %i = %c0 to %c2 step %c1 {
    scf.for %j = %c0 to %c3 step %c1 {
      %p = memref.load %a[%i, %j] : memref<2x3xf32>
      %q = memref.load %b[%i, %j] : memref<?x3xf32>
      %s = arith.addf %p, %q : f32
      memref.store %s, %y[%i, %j] : memref<?x?xf32>
    }
  }
  return %y : memref<?x?xf32>
}

func.func @strided(%x: memref<2x2xi16, strided<[5, 2], offset: 3>>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %one = arith.constant 1 : i16
  scf.for %i = %c0 to %c2 step %c1 {
    scf.for %j = %c0 to %c2 step %c1 {
      %v = memref.load %x[%i, %j] : memref<2x2xi16, strided<[5, 2], offset: 3>>
      %w = arith.addi %v, %one : i16
      memref.store %w, %x[%i, %j] : memref<2x2xi16, strided<[5, 2], offset: 3>>
    }
  }
  return
}

func.func @types(%a: i1, %b: i8, %c: bf16, %d: f16, %e: f64, %f: index, %g: complex<f32>)
    -> (i1, i8, bf16, f16, f64, index, complex<f32>) {
  return %a, %b, %c, %d, %e, %f, %g : i1, i8, bf16, f16, f64, index, complex<f32>
}

memref.global "private" constant @table : memref<3xi8> = dense<[1, 2, 3]>

// Memory of the caller's and of the program's: nothing may be freed.
func.func @memories(%a: memref<f32>, %b: memref<*xi32>, %c: memref<2xi1>, %d: memref<0x4xf64>)
    -> (memref<f32>, memref<*xi32>, memref<2xi1>, memref<0x4xf64>, memref<3xi8>) {
  %t = memref.get_global @table : memref<3xi8>
  return %a, %b, %c, %d, %t
      : memref<f32>, memref<*xi32>, memref<2xi1>, memref<0x4xf64>, memref<3xi8>
}

async.func @later(%x: f32, %t: !async.token, %m: memref<2xf32>)
    -> (!async.token, !async.value<f32>, !async.value<memref<2xf32>>) {
  async.await %t : !async.token
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %y = arith.addf %x, %x : f32
  memref.store %x, %m[%c0] : memref<2xf32>
  memref.store %x, %m[%c1] : memref<2xf32>
  return %y, %m : f32, memref<2xf32>
}

func.func @bfloats(%x: memref<2xbf16>) -> memref<2xbf16> {
  %y = memref.alloc() : memref<2xbf16>
  memref.copy %x, %y : memref<2xbf16> to memref<2xbf16>
  return %y : memref<2xbf16>
}

func.func private @hidden(%x: i32) -> i32 {
  return %x : i32
}
