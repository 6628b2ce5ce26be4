// An executable's public functions that the C library has, too: libraries of the process
// would call those of the program. Nobody else sees what is private, and what the program
// only declares is the library's.

// RUN: async-gpu-opt --emit=exe %s -o %t 2>%t.log && %t
// RUN: FileCheck %s --implicit-check-not=warning: < %t.log
// RUN: async-gpu-opt --emit=obj %s 2>&1 >/dev/null | count 0

// CHECK: opt_emit_exe_names.mlir:[[#@LINE+1]]:1: warning: the C library has a 'send', too, and all libraries of the process would call this one: make it private or rename it
func.func @send(%a: i32) -> i32 {
  return %a : i32
}

// CHECK: opt_emit_exe_names.mlir:[[#@LINE+1]]:1: warning: the C library has a 'fork', too
async.func @fork() -> !async.token {
  return
}

// CHECK: opt_emit_exe_names.mlir:[[#@LINE+1]]:1: warning: the C library has a 'hypot', too
llvm.func @hypot() {
  llvm.return
}

func.func private @read() {
  return
}

llvm.func internal @close() {
  llvm.return
}

func.func private @abs(i32) -> i32

func.func @no_library_has_this() {
  return
}

func.func @main() -> i32 {
  %c = arith.constant -7 : i32
  %a = func.call @abs(%c) : (i32) -> i32
  %b = func.call @send(%a) : (i32) -> i32
  %d = arith.subi %b, %a : i32
  return %d : i32
}
