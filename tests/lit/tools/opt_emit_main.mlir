// A program's main without results ends with exit status 0, as under the
// runner: whoever starts it takes what main returns for its status.

// RUN: async-gpu-opt %s --async-gpu-lower --emit=obj -o %t.o
// RUN: cc %t.o -o %t.exe && %t.exe
// RUN: async-gpu-opt %s --async-gpu-lower --emit=llvm -O0 | FileCheck %s
// CHECK: define internal void @main.body()
// CHECK: define i32 @main()
// CHECK:   call void @main.body()
// CHECK:   ret i32 0

// A main with a result is left alone, and so is a private one.
// RUN: sed 's/func @main()/func @main() -> i32/; s/return/return %%status : i32/' %s \
// RUN:   | async-gpu-opt --async-gpu-lower --emit=llvm -O0 | FileCheck %s --check-prefix=RESULT
// RESULT-NOT: main.body
// RESULT: define{{.*}} i32 @main()
// RESULT-NOT: main.body
// RUN: sed 's/func @main/func private @main/' %s \
// RUN:   | async-gpu-opt --async-gpu-lower --emit=llvm -O0 | FileCheck %s --check-prefix=PRIVATE
// PRIVATE-NOT: main.body

func.func private @abs(i32) -> i32

func.func @main() {
  %x = arith.constant -56 : i32
  // The last call's result is what a processor would return.
  %status = func.call @abs(%x) : (i32) -> i32
  return
}
