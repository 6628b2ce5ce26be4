// A plan of more than 32 boxes: arrows beside a longer way are left out, what
// the others say is shown when they are pointed at. The JSON has all.

// RUN: %python -c "t = ['%%t' + str(i) for i in range(40)]; print('func.func @main() {', *[t[i] + ' = async.execute [' + ', '.join(t[:i]) + '] { async.yield }' for i in range(1, 40)], *['async.await ' + x + ' : !async.token' for x in t], 'return }', sep='\n')" | sed -e 's/() {$/() { %%t0 = async.execute { async.yield }/' > %t.mlir
// RUN: async-gpu-opt %t.mlir --emit=plan-dot -o %t.dot
// RUN: grep -e '->' %t.dot | FileCheck %s
// RUN: grep -c -e '->' %t.dot | FileCheck %s --check-prefix=COUNT
// RUN: async-gpu-opt %t.mlir --emit=plan-json | grep -c '"from"' | FileCheck %s --check-prefix=JSON

// Of 780 arrows between regions the 39 from each to the next are left, and of
// 40 to the function that awaits them all, the last region's.
// CHECK: r40 -> r0 [id="edge-39" tooltip="the host waits"
// CHECK-NEXT: r1 -> r2 [id="edge-40" tooltip="the host waits"
// CHECK-NEXT: r2 -> r3
// CHECK: r39 -> r40
// COUNT: {{^}}40{{$}}
// JSON: {{^}}820{{$}}
