//===- order_sample.c - What check_sources.py finds -----------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

struct inner {
  int v;
};
struct outer {
  int v, w;
  struct inner in;
  struct outer *next;
};

int change(int *place);
int look(const int *place);
void take(int first, int second);
void take_outer(int first, struct outer second);

void arguments(int x) {
  take(change(&x), x);   // found
  take(x, change(&(x))); // found
  take(look(&x), x);
  take(change(&x), 1);
  change(&x);
}

int operators(int x, int (*pointer)(int *)) {
  int y = change(&x) + x; // found
  y += pointer(&x) | x;   // found
  y += change(&y);        // found
  x = change(&x);         // written after the call
  return (change(&x) && x) + (change(&y), y);
}

int fields(struct outer *p, struct outer q) {
  int y = change(&p->v) + p->w;
  y += change(&p->v) * p->v;      // found
  take(change(&q.in.v), q.in.v);  // found
  take_outer(change(&q.in.v), q); // found
  p->next->v = change(&p->next->v);
  p->v = change(&p->v);
  return y + change(&q.in.v) + q.v;
}

void targets(struct outer *p, int (*move)(struct outer **), int *array) {
  int i = 0;
  array[i] = change(&i); // found
  p->v = move(&p);       // found
  array[i] = (int)sizeof(change(&i));
}
