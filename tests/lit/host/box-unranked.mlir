// Unranked memrefs that leave their frame become boxes.
// RUN: async-gpu-opt %s --split-input-file --async-gpu-box-unranked | FileCheck %s

// A function that keeps its own to itself has nothing to do with boxes.
// CHECK-LABEL: func.func @plain(
// CHECK-SAME: %[[C:[a-z0-9]+]]: i1, %[[P:[a-z0-9]+]]: memref<*xf32>) -> memref<*xf32>
// CHECK-NEXT: memref.cast
// CHECK-NEXT: %[[M:.*]] = memref.cast
// CHECK-NEXT: cf.cond_br %[[C]], ^bb1(%[[M]] : memref<*xf32>), ^bb1(%[[P]] : memref<*xf32>)
func.func @plain(%c: i1, %p: memref<*xf32>) -> memref<*xf32> {
  %r = memref.cast %p : memref<*xf32> to memref<4xf32>
  %m = memref.cast %r : memref<4xf32> to memref<*xf32>
  cf.cond_br %c, ^end(%m : memref<*xf32>), ^end(%p : memref<*xf32>)
^end(%q: memref<*xf32>):
  return %q : memref<*xf32>
}

// -----

// CHECK-LABEL: func.func @awaits(
// CHECK-SAME: !async.value<!async.value<tuple<memref<*xf32>>>>, %[[M:.*]]: memref<4xf32>) -> memref<*xf32>
// CHECK: %[[BOX:.*]] = async.await
// CHECK: %[[U:.*]] = memref.cast %[[M]]
// CHECK: %[[COPY:.*]] = "agpu.box_unranked"(%[[U]])
// CHECK: %[[S:.*]] = arith.select %{{.*}}, %[[BOX]], %[[COPY]] : !async.value<tuple<memref<*xf32>>>
// CHECK: %[[P:.*]] = "agpu.unbox_unranked"(%[[S]]) : (!async.value<tuple<memref<*xf32>>>) -> memref<*xf32>
// CHECK-NEXT: memref.rank %[[P]]
// CHECK-NEXT: "agpu.keep"(%[[S]])
// What is returned lies on the stack.
// CHECK: %[[R:.*]] = "agpu.unbox_unranked"(%[[S]]) {copy}
// CHECK-NEXT: return %[[R]] : memref<*xf32>
func.func @awaits(%v: !async.value<memref<*xf32>>, %m: memref<4xf32>)
    -> memref<*xf32> {
  %a = async.await %v : !async.value<memref<*xf32>>
  %u = memref.cast %m : memref<4xf32> to memref<*xf32>
  %c = arith.constant true
  %s = arith.select %c, %a, %u : memref<*xf32>
  %r = memref.rank %s : memref<*xf32>
  return %s : memref<*xf32>
}

// -----

func.func private @make() -> memref<*xf32>
func.func private @take(%m: memref<*xf32>)

// What a call gives is copied at once, what it takes is not.
// CHECK-LABEL: async.func @region(
// CHECK-SAME: %[[A:[a-z0-9]+]]: !async.value<tuple<memref<*xf32>>>, %[[M:[a-z0-9]+]]: memref<4xf32>
// CHECK: %[[U:.*]] = memref.cast %[[M]]
// CHECK-NEXT: func.call @take(%[[U]]) : (memref<*xf32>) -> ()
// The stack is as large behind it as it was before.
// CHECK: %[[STACK:.*]] = llvm.intr.stacksave
// CHECK-NEXT: %[[MADE:.*]] = func.call @make()
// CHECK-NEXT: %[[BOX:.*]] = "agpu.box_unranked"(%[[MADE]])
// CHECK-NEXT: llvm.intr.stackrestore %[[STACK]]
// CHECK: %[[LAST:.*]] = "agpu.box_unranked"(%[[U]])
// CHECK: call @region(%[[LAST]], %[[M]], %{{[a-z0-9]+}})
// CHECK-SAME: (!async.value<tuple<memref<*xf32>>>, memref<4xf32>, i1)
// CHECK: %[[OTHER:.*]] = "agpu.box_unranked"(%[[U]])
// CHECK: cf.cond_br %{{.*}}, ^[[END:bb[0-9]+]](%[[BOX]] : {{.*}}), ^[[END]](%[[OTHER]] :
// CHECK: ^[[END]](%[[X:.*]]: !async.value<tuple<memref<*xf32>>>):
// CHECK: %[[OPEN:.*]] = "agpu.unbox_unranked"(%[[X]])
// CHECK-NEXT: func.call @take(%[[OPEN]])
// CHECK-NEXT: "agpu.keep"(%[[X]])
// CHECK: return %[[X]], %[[A]]
async.func @region(%a: memref<*xf32>, %m: memref<4xf32>, %c: i1)
    -> (!async.token, !async.value<memref<*xf32>>, !async.value<memref<*xf32>>) {
  %u = memref.cast %m : memref<4xf32> to memref<*xf32>
  func.call @take(%u) : (memref<*xf32>) -> ()
  %made = func.call @make() : () -> memref<*xf32>
  %t, %v, %w = async.call @region(%u, %m, %c) : (memref<*xf32>, memref<4xf32>, i1)
      -> (!async.token, !async.value<memref<*xf32>>, !async.value<memref<*xf32>>)
  cf.cond_br %c, ^end(%made : memref<*xf32>), ^end(%u : memref<*xf32>)
^end(%x: memref<*xf32>):
  func.call @take(%x) : (memref<*xf32>) -> ()
  return %x, %a : memref<*xf32>, memref<*xf32>
}

// -----

// Types of functions and values of values.
// CHECK-LABEL: func.func private @types(
// CHECK-SAME: (!async.value<!async.value<tuple<memref<*xf32>>>>) -> !async.value<!async.value<!async.value<tuple<memref<*xi8>>>>>
func.func private @types(%f: (!async.value<memref<*xf32>>) -> !async.value<!async.value<memref<*xi8>>>)
