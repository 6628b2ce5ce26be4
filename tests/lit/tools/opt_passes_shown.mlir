// What can be asked about passes: which there are, which will run, what they do.

// RUN: async-gpu-opt --list-passes | FileCheck %s --check-prefix=LIST
// LIST: --async-gpu-lower {{.*}}Lower async and gpu to the LLVM dialect
// LIST: --async-gpu-regions
// LIST: Passes of upstream MLIR:
// LIST: --affine-loop-fusion {{.*}}Fuse affine loop nests
// LIST: --cse {{ *}}Eliminate common sub-expressions
// LIST: --wrap-emitc-func-in-class
// Each pass that mlir-opt lists, but for those of its own tests.
// RUN: mlir-opt --list-passes | grep -oE '^  --[a-z0-9-]+' | grep -vE 'test|test$' > %t.theirs
// RUN: async-gpu-opt --list-passes > %t.ours
// RUN: %python -c 'import sys; theirs, ours = (open(name).read().split() for name in sys.argv[1:]); missing = set(theirs) - set(ours); sys.exit(repr(missing) if missing or len(theirs) < 200 else 0)' %t.theirs %t.ours

// RUN: async-gpu-opt %s --async-gpu-plan='reuse-streams=false' --canonicalize --promote-buffers-to-stack --dump-pass-pipeline -o /dev/null 2> %t.dump
// RUN: FileCheck %s --check-prefix=DUMP < %t.dump
// DUMP: builtin.module({{.*}}async-gpu-check-input,{{.*}},async-gpu-regions{reuse-streams=false remarks=false},canonicalize,func.func(promote-buffers-to-stack))
// What is printed can be run.
// RUN: %python -c 'import subprocess, sys; subprocess.run(["async-gpu-opt", "--pass-pipeline=" + open(sys.argv[1]).read().strip(), sys.argv[2]], check=True)' %t.dump %s
// RUN: async-gpu-opt %s --pass-pipeline='builtin.module(gpu.module(async-gpu-native),cse,func.func(cse))' --dump-pass-pipeline -o /dev/null 2>&1 | FileCheck %s --check-prefix=NEST
// NEST: builtin.module(gpu.module(async-gpu-native-legalize,{{.*}},async-gpu-native-block,async-gpu-native-share),cse,func.func(cse))

// RUN: not async-gpu-opt %s --pass-pipeline='builtin.module(func.func(cannonicalize))' 2>&1 | FileCheck %s --check-prefix=MEANT
// MEANT: error: 'cannonicalize' does not refer to a registered pass or pass pipeline, did you mean 'canonicalize'?
// RUN: not async-gpu-opt %s --sparsifer 2>&1 | FileCheck %s --check-prefix=FLAG
// FLAG: error: unknown option or pass '--sparsifer', did you mean '--sparsifier'?
// RUN: not async-gpu-opt %s --convert-arith-llvm 2>&1 | FileCheck %s --check-prefix=SLIPS
// SLIPS: did you mean '--convert-arith-to-llvm'?

// Passes that others run are found by their names, too.
// RUN: async-gpu-opt %s --async-gpu-to-llvm -o /dev/null --mlir-print-ir-before=convert-to-llvm --mlir-print-ir-after=convert-to-llvm 2>&1 | FileCheck %s --check-prefix=INSIDE
// INSIDE: IR Dump Before {{.*}}convert-to-llvm
// INSIDE: arith.constant 2
// INSIDE: IR Dump After {{.*}}convert-to-llvm
// INSIDE: llvm.mlir.constant(2

// RUN: async-gpu-opt %s --cse --mlir-pass-statistics -o /dev/null 2>&1 | FileCheck %s --check-prefix=STATISTICS
// STATISTICS: Pass statistics report
// RUN: not async-gpu-opt %s --mlir-pass-statistics-display=tree 2>&1 | FileCheck %s --check-prefix=DISPLAY
// DISPLAY: error: option '--mlir-pass-statistics-display' is list or pipeline, not 'tree'

// The runner shows the same.
// RUN: async-gpu-runner %s --mlir-print-ir-after=async-gpu-regions --mlir-timing 2>&1 | FileCheck %s --check-prefix=RUNNER
// RUNNER: IR Dump After async-gpu-regions
// RUNNER: Execution time report
// RUNNER: async-gpu-check-lowered
// RUN: not async-gpu-runner %s --mlir-print-ir-after=nonesuch 2>&1 | FileCheck %s --check-prefix=NONESUCH
// NONESUCH: async-gpu-runner: error: option '--mlir-print-ir-after': no pass is called 'nonesuch'
// RUN: not async-gpu-runner %s --mlir-timming 2>&1 | FileCheck %s --check-prefix=TIMMING
// TIMMING: did you mean '--mlir-timing'?

func.func @main() {
  %a = arith.constant 1 : i64
  %b = arith.addi %a, %a : i64
  vector.print %b : i64
  return
}
