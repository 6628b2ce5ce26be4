// How loops over threads count (simt.c).

// Blocks have 1024 threads at most. That sums do not overflow is a property of
// the op, which C can build from text alone.
func.func @sum(%a: i32, %b: i32) -> i32 {
  %sum = llvm.add %a, %b overflow<nsw, nuw> : i32
  return %sum : i32
}
