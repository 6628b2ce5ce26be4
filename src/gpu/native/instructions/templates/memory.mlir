// Instructions of a GPU that order and move memory, and its clock
// (instructions.c).
//
// {{pointer}}: !llvm.ptr<3>; !llvm.ptr

// Host memory is coherent, and all threads of a block are one host thread.
func.func @fence() {
  llvm.fence seq_cst
  return
}

func.func @trap() {
  "llvm.intr.debugtrap"() : () -> ()
  return
}

func.func @cycles() -> i64 {
  %r = llvm.call_intrinsic "llvm.readcyclecounter"() : () -> i64
  return %r : i64
}

func.func @cycles_32() -> i32 {
  %all = func.call @cycles() : () -> i64
  %r = llvm.trunc %all : i64 to i32
  return %r : i32
}

func.func @bulk_store(%to: {{pointer}}, %bytes: i64) {
  %zero = llvm.mlir.constant(0 : i8) : i8
  "llvm.intr.memset"(%to, %zero, %bytes) <{isVolatile = false}> : ({{pointer}}, i8, i64) -> ()
  return
}
