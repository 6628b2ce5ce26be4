//===- weak_calls.c - What code under thread sanitizer calls --------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The functions that GCC and clang call for -fsanitize=thread, as accesses of
// weak_memory.c.
//
//===----------------------------------------------------------------------===//

#include "weak_memory.h"

#include <string.h>

// There are no fences for threads.
void __tsan_atomic_signal_fence(int order);
void __tsan_atomic_signal_fence(int order) { (void)order; }

void __tsan_init(void);
void __tsan_init(void) {}
void __tsan_func_entry(void *caller);
void __tsan_func_entry(void *caller) { (void)caller; }
void __tsan_func_exit(void);
void __tsan_func_exit(void) {}

#define PLAIN(name, size)                                                      \
  void __tsan_read##name(const void *address);                                 \
  void __tsan_read##name(const void *address) {                                \
    weak_memory_read(address, size);                                           \
  }                                                                            \
  void __tsan_write##name(const void *address);                                \
  void __tsan_write##name(const void *address) {                               \
    weak_memory_write(address, size);                                          \
  }                                                                            \
  void __tsan_unaligned_read##name(const void *address);                       \
  void __tsan_unaligned_read##name(const void *address) {                      \
    weak_memory_read(address, size);                                           \
  }                                                                            \
  void __tsan_unaligned_write##name(const void *address);                      \
  void __tsan_unaligned_write##name(const void *address) {                     \
    weak_memory_write(address, size);                                          \
  }                                                                            \
  void __tsan_read_write##name(const void *address);                           \
  void __tsan_read_write##name(const void *address) {                          \
    weak_memory_read(address, size);                                           \
    weak_memory_write(address, size);                                          \
  }
PLAIN(1, 1)
PLAIN(2, 2)
PLAIN(4, 4)
PLAIN(8, 8)
PLAIN(16, 16)

void __tsan_read_range(const void *address, size_t size);
void __tsan_read_range(const void *address, size_t size) {
  weak_memory_read(address, size);
}

void __tsan_write_range(const void *address, size_t size);
void __tsan_write_range(const void *address, size_t size) {
  weak_memory_write(address, size);
}

void *__tsan_memcpy(void *to, const void *from, size_t size);
void *__tsan_memcpy(void *to, const void *from, size_t size) {
  weak_memory_read(from, size);
  weak_memory_write(to, size);
  return memcpy(to, from, size);
}

void *__tsan_memset(void *to, int value, size_t size);
void *__tsan_memset(void *to, int value, size_t size) {
  weak_memory_write(to, size);
  return memset(to, value, size);
}

static uint64_t plus(uint64_t a, uint64_t b) { return a + b; }
static uint64_t minus(uint64_t a, uint64_t b) { return a - b; }
static uint64_t both(uint64_t a, uint64_t b) { return a & b; }
static uint64_t either(uint64_t a, uint64_t b) { return a | b; }
static uint64_t differ(uint64_t a, uint64_t b) { return a ^ b; }
static uint64_t second(uint64_t a, uint64_t b) { return (void)a, b; }

#define CHANGE(bits, name, change)                                             \
  uint##bits##_t __tsan_atomic##bits##_##name(                                 \
      volatile uint##bits##_t *address, uint##bits##_t operand, int order);    \
  uint##bits##_t __tsan_atomic##bits##_##name(                                 \
      volatile uint##bits##_t *address, uint##bits##_t operand, int order) {   \
    return (uint##bits##_t)weak_memory_replace(address, bits / 8, order,       \
                                               change, operand);               \
  }

#define COMPARE(bits, name, is_weak)                                           \
  int __tsan_atomic##bits##_compare_exchange_##name(                           \
      volatile uint##bits##_t *address, uint##bits##_t *expected,              \
      uint##bits##_t value, int order, int failure);                           \
  int __tsan_atomic##bits##_compare_exchange_##name(                           \
      volatile uint##bits##_t *address, uint##bits##_t *expected,              \
      uint##bits##_t value, int order, int failure) {                          \
    bool done;                                                                 \
    *expected = (uint##bits##_t)weak_memory_compare(                           \
        address, bits / 8, *expected, value, order, failure, is_weak, &done);  \
    return done;                                                               \
  }

// Clang's form of both.
#define COMPARE_VALUE(bits)                                                    \
  uint##bits##_t __tsan_atomic##bits##_compare_exchange_val(                   \
      volatile uint##bits##_t *address, uint##bits##_t expected,               \
      uint##bits##_t value, int order, int failure);                           \
  uint##bits##_t __tsan_atomic##bits##_compare_exchange_val(                   \
      volatile uint##bits##_t *address, uint##bits##_t expected,               \
      uint##bits##_t value, int order, int failure) {                          \
    bool done;                                                                 \
    return (uint##bits##_t)weak_memory_compare(                                \
        address, bits / 8, expected, value, order, failure, false, &done);     \
  }

#define ATOMIC(bits)                                                           \
  uint##bits##_t __tsan_atomic##bits##_load(                                   \
      const volatile uint##bits##_t *address, int order);                      \
  uint##bits##_t __tsan_atomic##bits##_load(                                   \
      const volatile uint##bits##_t *address, int order) {                     \
    return (uint##bits##_t)weak_memory_load(address, bits / 8, order);         \
  }                                                                            \
  void __tsan_atomic##bits##_store(volatile uint##bits##_t *address,           \
                                   uint##bits##_t value, int order);           \
  void __tsan_atomic##bits##_store(volatile uint##bits##_t *address,           \
                                   uint##bits##_t value, int order) {          \
    weak_memory_store(address, bits / 8, value, order);                        \
  }                                                                            \
  CHANGE(bits, exchange, second)                                               \
  CHANGE(bits, fetch_add, plus)                                                \
  CHANGE(bits, fetch_sub, minus)                                               \
  CHANGE(bits, fetch_and, both)                                                \
  CHANGE(bits, fetch_or, either)                                               \
  CHANGE(bits, fetch_xor, differ)                                              \
  COMPARE(bits, strong, false)                                                 \
  COMPARE(bits, weak, true)                                                    \
  COMPARE_VALUE(bits)
ATOMIC(8)
ATOMIC(16)
ATOMIC(32)
ATOMIC(64)
