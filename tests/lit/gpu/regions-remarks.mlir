// The plan as remarks: regions, streams, dependencies, waits and their reasons.
// RUN: async-gpu-opt %s --async-gpu-regions=remarks=true -o /dev/null 2>&1 | FileCheck %s

func.func @main(%h: memref<f32>, %d: memref<f32>, %x: f32) {
  // CHECK: [[@LINE+1]]:{{.*}}: remark: region 1: device, stream 0, 1 GPU ops
  %a = async.execute {
    gpu.memset %d, %x : memref<f32>, f32
    async.yield
  }
  // CHECK: [[@LINE+1]]:{{.*}}: remark: region 2: host
  %b = async.execute {
    async.yield
  }
  // CHECK: [[@LINE+3]]:{{.*}}: remark: region 3: mixed, stream 1, 1 GPU ops
  // CHECK: remark: region 3 depends on region 1: event
  // CHECK: remark: region 3 depends on region 2: enqueued when the host is done
  %c = async.execute [%a, %b, %a] {
    gpu.memcpy %h, %d : memref<f32>, memref<f32>
    // CHECK: [[@LINE+1]]:{{.*}}: remark: memref.load may observe device results: region 3 waits for its stream here
    %y = memref.load %h[] : memref<f32>
    async.yield
  }
  // CHECK: [[@LINE+2]]:{{.*}}: remark: region 4: host
  // CHECK: remark: region 4 depends on region 3: the host waits
  %e = async.execute [%c] {
    async.yield
  }
  return
}
// CHECK-NOT: remark
