// Executables: they run by themselves, with the runtime beside them or inside.

// RUN: rm -rf %t && mkdir -p %t/moved %t/both/bin %t/both/lib
// RUN: async-gpu-opt --emit=exe %s -o %t/shared
// RUN: %t/shared | FileCheck %s
// RUN: async-gpu-opt --emit=exe --runtime=static %s -o %t/static
// RUN: %t/static | FileCheck %s
// RUN: async-gpu-runner %s | FileCheck %s

// What they need is on every machine; the runtime is found beside them.
// RUN: readelf -d %t/shared | FileCheck %s --check-prefix=SHARED
// SHARED-DAG: NEEDED{{.*}}libasync_gpu_runtime.so
// SHARED-DAG: RUNPATH{{.*}}[$ORIGIN:$ORIGIN/../lib:
// RUN: readelf -d %t/shared | FileCheck %s --check-prefix=NEEDS
// RUN: readelf -d %t/static | FileCheck %s --check-prefix=NEEDS
// RUN: readelf -d %t/static | FileCheck %s --check-prefix=STATIC
// STATIC-NOT: libasync_gpu_runtime
// NEEDS-NOT: NEEDED{{.*(LLVM|MLIR|stdc|gcc|cuda)}}

// Both kinds of image are inside, and nothing is left beside.
// RUN: strings -n 6 %t/shared | FileCheck %s --check-prefix=IMAGES
// IMAGES: .target sm_
// RUN: ls -A %t | FileCheck %s --check-prefix=LEFT
// LEFT:      both
// LEFT-NEXT: moved
// LEFT-NEXT: shared
// LEFT-NEXT: static
// LEFT-NOT: {{.}}

// A pipeline that is named is what runs.
// RUN: async-gpu-opt --async-gpu-lower=gpu-targets=native --emit=exe %s -o %t/native
// RUN: strings -n 6 %t/native | not grep ".target sm_"
// RUN: env ASYNC_GPU_DEVICE=emu %t/native | FileCheck %s

// What cannot be linked is an error, and no file.
// RUN: echo 'func.func private @elsewhere()  func.func @main() { call @elsewhere() : () -> () return }' > %t/undefined.mlir
// RUN: not async-gpu-opt --emit=exe %t/undefined.mlir -o %t/moved/program 2>&1 | FileCheck %s --check-prefix=UNDEFINED
// UNDEFINED: async-gpu-opt: error: 'cc' did not link the program: nothing defines 'elsewhere'; --link=FILE,... adds libraries and object files
// RUN: echo 'void elsewhere(void) {}' > %t/elsewhere.c
// RUN: async-gpu-opt --emit=exe --link=%t/elsewhere.c,-O1 %t/undefined.mlir -o %t/linked && %t/linked
// RUN: not env CC=no-such-compiler async-gpu-opt --emit=exe %s -o %t/moved/program 2>&1 | FileCheck %s --check-prefix=COMPILER
// COMPILER: async-gpu-opt: error: cannot run 'no-such-compiler' to link: No such file or directory; install a C compiler, or name one with CC
// RUN: echo 'func.func @start() { return }' | not async-gpu-opt --emit=exe -o %t/moved/program 2>&1 | FileCheck %s --check-prefix=MAIN
// MAIN: <stdin>:1:1: error: no function 'main' to begin with
// RUN: echo "func.func @main() -> f32 { %%c = arith.constant 1.0 : f32 return %%c : f32 }" | not async-gpu-opt --emit=exe -o %t/moved/program 2>&1 | FileCheck %s --check-prefix=RESULT
// RESULT: <stdin>:1:1: error: what 'main' returns is the exit status of the program: no result, or an i32
// RUN: not async-gpu-opt --emit=exe --runtime=both %s -o %t/moved/program 2>&1 | FileCheck %s --check-prefix=RUNTIME
// RUNTIME: async-gpu-opt: error: option '--runtime' is shared or static, not 'both'
// RUN: not ls %t/moved/program

// The status of main is that of the program.
// RUN: echo 'func.func @main() -> i32 { %%c = arith.constant 3 : i32 return %%c : i32 }' | async-gpu-opt --emit=exe -o %t/three
// RUN: sh -c '"$0"; echo status $?' %t/three | FileCheck %s --check-prefix=THREE
// THREE: status 3

// CHECK: ( 0, 1, 4, 9 )
func.func @main() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %out = memref.alloc() : memref<4xi32>
  %token, %squares = async.execute -> !async.value<memref<4xi32>> {
    %buffer = gpu.alloc() : memref<4xi32>
    gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
               threads(%tx, %ty, %tz) in (%sx = %c4, %sy = %c1, %sz = %c1) {
      %square = arith.muli %tx, %tx : index
      %value = arith.index_cast %square : index to i32
      memref.store %value, %buffer[%tx] : memref<4xi32>
      gpu.terminator
    }
    async.yield %buffer : memref<4xi32>
  }
  %done = async.execute (%squares as %buffer: !async.value<memref<4xi32>>) {
    gpu.memcpy %out, %buffer : memref<4xi32>, memref<4xi32>
    gpu.dealloc %buffer : memref<4xi32>
    async.yield
  }
  async.await %done : !async.token
  %zero = arith.constant 0 : i32
  %row = vector.transfer_read %out[%c0], %zero : memref<4xi32>, vector<4xi32>
  vector.print %row : vector<4xi32>
  memref.dealloc %out : memref<4xi32>
  return
}
