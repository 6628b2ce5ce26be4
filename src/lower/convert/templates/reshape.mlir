// A reshape by a shape that is not of indices (to_llvm.c).
//
// {{source}}: memref<12xf32>
// {{shape}}: memref<2xi32>
// {{number}}: i32
// {{indices}}: memref<2xindex>
// {{result}}: memref<?x?xf32>

func.func @reshape(%m: {{source}}, %s: {{shape}}, %t: {{indices}}) -> {{result}} {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %n = memref.dim %s, %zero : {{shape}}
  scf.for %i = %zero to %n step %one {
    %d = memref.load %s[%i] : {{shape}}
    %x = arith.index_cast %d : {{number}} to index
    memref.store %x, %t[%i] : {{indices}}
  }
  %r = memref.reshape %m(%t) : ({{source}}, {{indices}}) -> {{result}}
  return %r : {{result}}
}
