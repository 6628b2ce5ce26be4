// Inline assembly with an instruction that only cards have compiles beside its
// PTX; launched on the emulated device, it fails with the place.
// CARD: never, it has the instruction
// FAULTS: none, nothing runs

module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @k(%x: memref<16xi32>) kernel {
      %t = gpu.thread_id x
      %v = memref.load %x[%t] : memref<16xi32>
      %d = llvm.inline_asm asm_dialect = att
          "{ .reg .b32 a; add.s32 a, $1, $1; vabsdiff4.u32.u32.u32 $0, a, $1, $1; }",
          "=r,r" %v : (i32) -> i32
      memref.store %d, %x[%t] : memref<16xi32>
      gpu.return
    }
  }

  // RUN: ahead-of-time
  // ERROR: unknown_assembly.mlir:[[@LINE-9]]:12: kernel 'k', block 0,0,0: the instruction 'vabsdiff4.u32.u32.u32' in inline assembly ('llvm.inline_asm') is not supported on the emulated device
  func.func @main() {
    %c1 = arith.constant 1 : index
    %c16 = arith.constant 16 : index
    %d = gpu.alloc() : memref<16xi32>
    gpu.launch_func @kernels::@k blocks in (%c1, %c1, %c1)
        threads in (%c16, %c1, %c1) args(%d : memref<16xi32>)
    gpu.wait
    return
  }
}
