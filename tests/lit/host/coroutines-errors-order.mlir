// All errors of a body are reported, in the order in which it is read.
// RUN: not async-gpu-opt %s --async-gpu-coroutines --split-input-file 2>&1 | FileCheck %s

async.func @body(%t: !async.token, %c: i1) -> !async.token {
  scf.if %c {
    // CHECK: [[@LINE+1]]:5: error: cf.assert inside scf.if cannot suspend
    cf.assert %c, "why"
    // CHECK: [[@LINE+1]]:5: error: async.await inside scf.if cannot suspend
    async.await %t : !async.token
  }
  scf.if %c {
    // CHECK: [[@LINE+1]]:5: error: async.await inside scf.if cannot suspend
    async.await %t : !async.token
  }
  return
}

// -----

func.func @regions() {
  // CHECK: [[@LINE+1]]:8: error: async.execute must be outlined
  %t = async.execute {
    async.yield
  }
  // CHECK: [[@LINE+1]]:8: error: async.execute must be outlined
  %u = async.execute {
    async.yield
  }
  return
}
