// What is wrong with a pipeline is said before anything is read or written.

// RUN: not async-gpu-opt %s --pass-pipeline='builtin.module(nonesuch)' 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// UNKNOWN: async-gpu-opt: error: 'nonesuch' does not refer to a registered pass or pass pipeline
// UNKNOWN-NEXT: in the pipeline 'nonesuch'

// RUN: not async-gpu-opt %s --pass-pipeline='builtin.module(func.func(async-gpu-lower))' 2>&1 | FileCheck %s --check-prefix=ANCHOR
// ANCHOR: async-gpu-opt: error: 'async-gpu-lower' runs on 'builtin.module', but stands inside 'func.func(...)'

// RUN: not async-gpu-opt %s --pass-pipeline='builtin.module(gpu-async-region)' 2>&1 | FileCheck %s --check-prefix=NESTED
// NESTED: async-gpu-opt: error: {{.*}}restricted to 'func.func'

// RUN: not async-gpu-opt %s --pass-pipeline='canonicalize' 2>&1 | FileCheck %s --check-prefix=WRAPPED
// WRAPPED: async-gpu-opt: error: expected a pipeline that is wrapped with the op it runs on, as in 'builtin.module(...)'

// RUN: not async-gpu-opt %s --pass-pipeline='func.func(canonicalize)' 2>&1 | FileCheck %s --check-prefix=FUNC
// FUNC: async-gpu-opt: error: a pipeline for 'func.func' cannot run on 'builtin.module'

// RUN: not async-gpu-opt %s --pass-pipeline='builtin.module(func.func(cse)' 2>&1 | FileCheck %s --check-prefix=PAREN
// PAREN: async-gpu-opt: error: pipeline:1:15: expected ')' to close this parenthesis
// PAREN-NEXT: builtin.module(func.func(cse)
// PAREN-NEXT: {{^              \^}}

// RUN: not async-gpu-opt %s --pass-pipeline='builtin.module(cse{x=1)' 2>&1 | FileCheck %s --check-prefix=BRACE
// BRACE: pipeline:1:19: expected '}' to close this brace

// RUN: not async-gpu-opt %s --pass-pipeline='builtin.module(cse,,cse)' 2>&1 | FileCheck %s --check-prefix=EMPTY
// EMPTY: pipeline:1:20: expected the name of a pass, pipeline or op

// RUN: not async-gpu-opt %s --pass-pipeline='builtin.module(cse)cse' 2>&1 | FileCheck %s --check-prefix=TAIL
// TAIL: pipeline:1:20: expected ',' or the end of the pipeline

// RUN: not async-gpu-opt %s --pass-pipeline='builtin.module(cse)' --cse 2>&1 | FileCheck %s --check-prefix=BOTH
// BOTH: async-gpu-opt: error: '--pass-pipeline' and flags of single passes exclude each other

// Options of upstream's passes and of ours.
// RUN: not async-gpu-opt %s --canonicalize=nonesuch=1 2>&1 | FileCheck %s --check-prefix=NOOPT
// NOOPT: async-gpu-opt: error: no such option nonesuch
// NOOPT-NEXT: in the pipeline 'canonicalize{nonesuch=1}'
// RUN: not async-gpu-opt %s --canonicalize=max-iterations=x 2>&1 | FileCheck %s --check-prefix=BADOPT
// BADOPT: async-gpu-opt: error: {{.*}}canonicalize{{.*}}max-iterations=x
// RUN: not async-gpu-opt %s --async-gpu-regions=nonesuch=1 2>&1 | FileCheck %s --check-prefix=NOOWN
// NOOWN: async-gpu-opt: error: async-gpu-regions: no such option 'nonesuch'; its options are 'reuse-streams', 'remarks'
// RUN: not async-gpu-opt %s --async-gpu-regions=remarks=maybe 2>&1 | FileCheck %s --check-prefix=BADBOOL
// BADBOOL: async-gpu-opt: error: async-gpu-regions: option 'remarks' is true or false, not 'maybe'
// RUN: not async-gpu-opt %s --async-gpu-kernels=opt-level=high 2>&1 | FileCheck %s --check-prefix=BADINT
// BADINT: async-gpu-opt: error: async-gpu-kernels: option 'opt-level' is a decimal integer, 0 or more, not 'high'
// RUN: not async-gpu-opt %s --async-gpu-kernels='chip={sm_75' 2>&1 | FileCheck %s --check-prefix=OPEN
// OPEN: async-gpu-opt: error: async-gpu-kernels: unbalanced brace or quote in option 'chip'
// RUN: not async-gpu-opt %s --async-gpu-outline=x=1 2>&1 | FileCheck %s --check-prefix=NONE
// NONE: async-gpu-opt: error: async-gpu-outline: no such option 'x'; it has no options

// Options of the tool itself.
// RUN: not async-gpu-opt %s --verify-eech 2>&1 | FileCheck %s --check-prefix=HINT
// HINT: async-gpu-opt: error: unknown option or pass '--verify-eech', did you mean '--verify-each'? (--help lists the options)
// RUN: not async-gpu-opt %s --qqq 2>&1 | FileCheck %s --check-prefix=NOHINT
// NOHINT: async-gpu-opt: error: unknown option or pass '--qqq' (--help lists the options)
// RUN: not async-gpu-opt %s --async-gpu-lowr 2>&1 | FileCheck %s --check-prefix=HINTPASS
// HINTPASS: did you mean '--async-gpu-lower'?
// RUN: not async-gpu-opt %s --verify-each=maybe 2>&1 | FileCheck %s --check-prefix=BOOL
// BOOL: async-gpu-opt: error: option '--verify-each' is true or false, not 'maybe'
// RUN: not async-gpu-opt %s --show-dialects=1 2>&1 | FileCheck %s --check-prefix=FLAG
// FLAG: async-gpu-opt: error: option '--show-dialects' takes no value, got '1'
// RUN: not async-gpu-opt %s -o 2>&1 | FileCheck %s --check-prefix=VALUE
// VALUE: async-gpu-opt: error: option '--o' needs a value
// RUN: not async-gpu-opt %s --emit=image 2>&1 | FileCheck %s --check-prefix=EMIT
// EMIT: async-gpu-opt: error: option '--emit' is mlir, llvm, ptx, asm, obj, exe, plan-dot, plan-svg or plan-json, not 'image'
// RUN: not async-gpu-opt %s --verify-diagnostics=some 2>&1 | FileCheck %s --check-prefix=VERIFY
// VERIFY: async-gpu-opt: error: option '--verify-diagnostics' is all or only-expected, not 'some'
// RUN: not async-gpu-opt %s %s 2>&1 | FileCheck %s --check-prefix=TWO
// TWO: async-gpu-opt: error: more than one input
// RUN: not async-gpu-opt - %s < %s 2>&1 | FileCheck %s --check-prefix=TWO
// RUN: not async-gpu-opt %s --split-input-file --emit=obj 2>&1 | FileCheck %s --check-prefix=SPLIT
// SPLIT: async-gpu-opt: error: '--split-input-file' gives several modules, '--emit' writes one

func.func @main() {
  return
}
