//===- weak_memory.h - What weak memory orders allow --------------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For interleave.c, where it searches with memory as weak as C11 has it: what
// the scheduler tells the memory, and asks it for. Without INTERLEAVE_WEAK
// memory is sequentially consistent, and there is nothing to tell.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_TESTS_UNIT_WEAK_MEMORY_H
#define ASYNC_GPU_TESTS_UNIT_WEAK_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// What the memory asks the scheduler for.

/// Another thread may go on at this access. Whether others access it too.
bool interleave_turn(const volatile void *object);

/// One of `count` ways to go on; 0 is the usual one.
int interleave_choose(int count);

/// Adds to what the current thread has seen. Returns the digest of that.
uint64_t interleave_note(uint64_t digest);

/// Whether accesses are of no thread's at the moment.
bool interleave_outside(void);

/// What led here, on standard error.
void interleave_say_choices(void);

#ifdef INTERLEAVE_WEAK

/// Before the threads of a run begin: what `begin` has written all see.
void weak_memory_begin(int stale);

/// The current thread takes or gives back a lock, or what is like one.
void weak_memory_acquire(const void *lock);
void weak_memory_release(const void *lock);

/// The current thread has seen all that the others have done.
void weak_memory_meet(void);

/// A barrier of all threads: what each has done before it comes before what the
/// current one does behind it, and the other way round.
void weak_memory_barrier(void);

/// The kernel's look at a futex: what the current thread reads there it learns
/// nothing else by.
uint32_t weak_memory_look(const volatile void *word);

/// For the digest of a state: reads of what has been replaced.
int weak_memory_stale(void);

// Accesses of `size` bytes, for weak_calls.c: with the orders that the source
// gives, as __ATOMIC_RELAXED and so on.
uint64_t weak_memory_load(const volatile void *address, int size, int order);
void weak_memory_store(volatile void *address, int size, uint64_t value,
                       int order);
/// Returns what was there before.
uint64_t weak_memory_replace(volatile void *address, int size, int order,
                             uint64_t (*change)(uint64_t, uint64_t),
                             uint64_t operand);
/// Returns the value that was read; `*out_done`: the other was written.
uint64_t weak_memory_compare(volatile void *address, int size,
                             uint64_t expected, uint64_t value, int order,
                             int failure, bool is_weak, bool *out_done);
void weak_memory_read(const volatile void *address, size_t size);
void weak_memory_write(const volatile void *address, size_t size);

#else

static inline void weak_memory_begin(int stale) { (void)stale; }
static inline void weak_memory_acquire(const void *lock) { (void)lock; }
static inline void weak_memory_release(const void *lock) { (void)lock; }
static inline void weak_memory_meet(void) {}
static inline void weak_memory_barrier(void) {}
static inline int weak_memory_stale(void) { return 0; }

#endif

#endif // ASYNC_GPU_TESTS_UNIT_WEAK_MEMORY_H
