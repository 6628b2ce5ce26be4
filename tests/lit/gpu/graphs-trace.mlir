// A trace shows the nodes of a graph as if each had been launched alone: 100
// rounds of two kernels, of which the driver is told 98 as graphs, 14 at a time.
// RUN: env ASYNC_GPU_DEVICE=emu ASYNC_GPU_LOG=driver async-gpu-runner --graphs=on --trace=%t.json %S/../../../examples/jacobi.mlir 2>&1 | grep -c "cuGraphLaunch(" | FileCheck %s --check-prefix=LAUNCHES
// RUN: grep -o '"cat":"kernel","name":"main_kernel_[01]"' %t.json | sort | uniq -c | FileCheck %s
// RUN: grep -o '"cat":"enqueue","name":"main_kernel_[01]","args":{"id":[0-9]*,"at":"[^"]*jacobi.mlir:[0-9]*' %t.json | sed 's/.*"name"//; s/"id":[0-9]*//' | sort | uniq -c | FileCheck %s
// LAUNCHES: {{^}}7{{$}}
// CHECK: 100 {{.*}}main_kernel_0"
// CHECK: 100 {{.*}}main_kernel_1"
