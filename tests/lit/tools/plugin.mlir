// Our passes in upstream's mlir-opt, and our dialect in its language server: made of
// C++, which is left out where there is no compiler for it.
// REQUIRES: plugin

// RUN: async-gpu-opt %s --async-gpu-lower -o %t.ours
// RUN: mlir-opt --load-dialect-plugin=%plugin --load-pass-plugin=%plugin %s \
// RUN:   --pass-pipeline='builtin.module(canonicalize,async-gpu-lower{remarks=false},cse)'
// RUN: mlir-opt --load-dialect-plugin=%plugin --load-pass-plugin=%plugin %s \
// RUN:   --pass-pipeline='builtin.module(async-gpu-lower)' -o %t.theirs
// RUN: diff %t.ours %t.theirs

// Options, and a pass that runs on functions.
// RUN: mlir-opt --load-dialect-plugin=%plugin --load-pass-plugin=%plugin %s \
// RUN:   --pass-pipeline='builtin.module(async-gpu-plan{host-region-ops=1},async-gpu-outline)' -o %t.streams
// RUN: FileCheck %s --check-prefix=STREAMS < %t.streams
// STREAMS: "agpu.stream_acquire"()

// RUN: not mlir-opt --load-dialect-plugin=%plugin --load-pass-plugin=%plugin %s \
// RUN:   --pass-pipeline='builtin.module(async-gpu-plan{bogus=1})' 2>&1 | FileCheck %s --check-prefix=BOGUS
// BOGUS: error: async-gpu-plan: no such option 'bogus'

// RUN: %python %S/Inputs/ask_server.py %bin/async-gpu-lsp-server %t.streams | FileCheck %s --check-prefix=KNOWN
// KNOWN: 0 diagnostics
// RUN: sed 's/"agpu.stream_acquire"/"agpu.nothing"/' %t.streams > %t.wrong
// RUN: %python %S/Inputs/ask_server.py %bin/async-gpu-lsp-server %t.wrong | FileCheck %s --check-prefix=WRONG
// WRONG: unregistered operation 'agpu.nothing' found in dialect ('agpu')

func.func @main() {
  %c1 = arith.constant 1 : index
  %t = async.execute {
    %d = gpu.alloc () : memref<4xi32>
    gpu.launch blocks(%x, %y, %z) in (%gx = %c1, %gy = %c1, %gz = %c1)
        threads(%i, %j, %k) in (%bx = %c1, %by = %c1, %bz = %c1) {
      %v = arith.constant 7 : i32
      memref.store %v, %d[%i] : memref<4xi32>
      gpu.terminator
    }
    gpu.dealloc %d : memref<4xi32>
    async.yield
  }
  async.await %t : !async.token
  return
}
