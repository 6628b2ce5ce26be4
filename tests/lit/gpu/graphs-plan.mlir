// Pictures of the plan show what may become graphs, once the pass has found it.
// RUN: async-gpu-opt %integration/gpu/graph_rounds.mlir --async-gpu-lower=graphs=on --emit=plan-dot | FileCheck %s --check-prefix=DOT
// RUN: async-gpu-opt %integration/gpu/graph_rounds.mlir --async-gpu-lower=graphs=on --emit=plan-json -o %t
// RUN: %python -c 'import json, sys; plan = json.load(open(sys.argv[1])); names = {region["id"]: region["name"] for region in plan["regions"]}; [print(names[part["region"]], part["work"], part["rounds"], part["fixed"], part["certain"], part["place"]["line"]) for part in plan["parts"]]' %t | FileCheck %s
// RUN: async-gpu-opt %integration/gpu/graph_rounds.mlir --emit=plan-json | not grep parts
// DOT: p1 [pos="400,100" shape=note id="part-1" {{.*}}label="graph 1: 3 pieces of work a round, always the same, 7 rounds a graph\nline 48"];
// DOT-NEXT: p1 -> r2 [style=dotted arrowhead=none
// CHECK: advance 1 1 False True 32
// CHECK: same 3 7 True True 48
// CHECK: differ 2 32 False True 70
// CHECK: memory 5 6 False True 94
