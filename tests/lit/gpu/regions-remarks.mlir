// The plan as remarks: regions, streams, dependencies, waits and their reasons.
// RUN: async-gpu-opt %s --async-gpu-regions=remarks=true -o /dev/null --verify-diagnostics
// The tool's option asks every pass, and adds nothing to a pass that is asked.
// RUN: async-gpu-opt %s --async-gpu-remarks --async-gpu-regions -o /dev/null --verify-diagnostics
// RUN: async-gpu-opt %s --async-gpu-remarks --async-gpu-regions=remarks=true -o /dev/null --verify-diagnostics
// RUN: async-gpu-opt %s --async-gpu-lower=remarks=true -o /dev/null --verify-diagnostics
// RUN: not async-gpu-opt %s --async-gpu-regions -o /dev/null --verify-diagnostics 2>&1 | FileCheck %s --check-prefix=NONE
// NONE: error: expected remark "region 1: device, stream 0, 1 GPU ops" was not produced

// RUN: async-gpu-opt %s --async-gpu-remarks --async-gpu-regions -o /dev/null 2>&1 | FileCheck %s
// RUN: async-gpu-opt %s --async-gpu-regions -o /dev/null 2>&1 | FileCheck %s --allow-empty --check-prefix=QUIET
// QUIET-NOT: remark

func.func @main(%h: memref<f32>, %d: memref<f32>, %x: f32) {
  // CHECK: [[@LINE+4]]:8: remark: region 1: device, stream 0, 1 GPU ops
  // CHECK-NEXT: {{^}}  %a = async.execute {
  // CHECK-NEXT: {{^}}       ^
  // expected-remark @+1 {{region 1: device, stream 0, 1 GPU ops}}
  %a = async.execute {
    gpu.memset %d, %x : memref<f32>, f32
    async.yield
  }
  // expected-remark @+1 {{region 2: host}}
  %b = async.execute {
    vector.print %x : f32
    async.yield
  }
  // Twice the same says no more than once. Host work is no stream's.
  // expected-remark @+4 {{region 3: mixed, stream 0, 1 GPU ops}}
  // expected-remark @+3 {{region 3 depends on region 1: reuses its stream, an event only for others that wait for it}}
  // expected-remark @+2 {{region 3 depends on region 2: enqueued when the host is done}}
  // expected-remark @+1 {{region 3 depends on region 1: no wait, operand 0 says the same}}
  %c = async.execute [%a, %b, %a] {
    gpu.memcpy %h, %d : memref<f32>, memref<f32>
    // expected-remark @+1 {{memref.load may observe device results: region 3 waits for its stream here}}
    %y = memref.load %h[] : memref<f32>
    async.yield
  }
  // expected-remark @+2 {{region 4: host}}
  // expected-remark @+1 {{region 4 depends on region 3: the host waits}}
  %e = async.execute [%c] {
    vector.print %x : f32
    async.yield
  }
  async.await %a : !async.token
  return
}

func.func @fork(%d: memref<f32>, %x: f32, %from: !async.token) -> !async.token {
  // expected-remark @+2 {{region 6: device, stream 1, 1 GPU ops}}
  // expected-remark @+1 {{region 6 depends on operand 0: event}}
  %a, %v = async.execute [%from] -> !async.value<f32> {
    gpu.memset %d, %x : memref<f32>, f32
    async.yield %x : f32
  }
  // expected-remark @+2 {{region 7: device, stream 2, 1 GPU ops}}
  // expected-remark @+1 {{region 7 depends on region 6: event}}
  %b = async.execute [%a] {
    gpu.memset %d, %x : memref<f32>, f32
    async.yield
  }
  // expected-remark @+3 {{region 8: device, stream 3, 1 GPU ops}}
  // expected-remark @+2 {{region 8 depends on region 6: event}}
  // expected-remark @+1 {{region 8 depends on operand 1: event}}
  %c = async.execute [%a, %from] {
    gpu.memset %d, %x : memref<f32>, f32
    async.yield
  }
  // expected-remark @+4 {{region 9: device, stream 4, 1 GPU ops}}
  // expected-remark @+3 {{region 9 depends on region 7: event}}
  // expected-remark @+2 {{region 9 depends on region 8: event}}
  // expected-remark @+1 {{region 9 depends on region 6: no wait, region 7 runs after it}}
  %e = async.execute [%b, %c] (%v as %y: !async.value<f32>) {
    gpu.memset %d, %y : memref<f32>, f32
    async.yield
  }
  return %e : !async.token
}

// expected-remark @+1 {{region 10: mixed, stream 5, 1 GPU ops}}
func.func @spawns(%d: memref<f32>, %x: f32) -> !async.token {
  gpu.memset %d, %x : memref<f32>, f32
  // expected-remark @+2 {{region 11: device, stream 6, 1 GPU ops}}
  // expected-remark @+1 {{async.execute depends on the work of region 10 so far, which does not wait here}}
  %a = async.execute {
    gpu.memset %d, %x : memref<f32>, f32
    async.yield
  }
  // expected-remark @+1 {{func.return may observe device results: region 10 waits for its stream here}}
  return %a : !async.token
}

func.func @loop(%n: index, %d: memref<f32>, %x: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-remark @+1 {{region 13: device, stream 7, 1 GPU ops}}
  %a = async.execute {
    gpu.memset %d, %x : memref<f32>, f32
    async.yield
  }
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%t = %a) -> !async.token {
    // expected-remark @+2 {{region 14: device, stream of operand 0 or 8, 1 GPU ops}}
    // expected-remark @+1 {{region 14 depends on operand 0: reuses its stream, no event}}
    %u = async.execute [%t] {
      gpu.memset %d, %x : memref<f32>, f32
      async.yield
    }
    scf.yield %u : !async.token
  }
  return
}
