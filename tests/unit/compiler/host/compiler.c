//===- compiler.c - Compiling from C --------------------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The embedding API: a program parsed, lowered, emitted and called, and what
// its errors say.
//
//===----------------------------------------------------------------------===//

#include "async_gpu/compiler.h"

#include "check.h"

#include <stdbool.h>

static const char program_text[] = "func.func @triple(%x: i64) -> i64 {\n"
                                   "  %three = arith.constant 3 : i64\n"
                                   "  %r = arith.muli %x, %three : i64\n"
                                   "  return %r : i64\n"
                                   "}\n";

static void check_ok(agpu_status status) {
  CHECK_STR(agpu_status_get_message(status), "ok");
}

/// Parses `text` as "test.mlir"; it must be well formed.
static agpu_program *parse(agpu_compiler *compiler, const char *text) {
  agpu_program *program;
  check_ok(
      agpu_program_parse(compiler, "test.mlir", text, strlen(text), &program));
  return program;
}

/// Consumes a status that must hold `part` in its message, and stand at
/// `location`.
static void check_error(agpu_status status, agpu_status_code code,
                        const char *location, const char *part) {
  CHECK_EQ(agpu_status_get_code(status), code);
  CHECK_STR(agpu_status_get_location(status), location);
  if (!strstr(agpu_status_get_message(status), part))
    CHECK_STR(agpu_status_get_message(status), part);
  agpu_status_release(status);
}

static void test_jit(agpu_compiler *compiler) {
  for (int level = 0; level <= 3; ++level) {
    agpu_program *program = parse(compiler, program_text);
    check_ok(agpu_program_lower(program, "canonicalize,async-gpu-lower"));
    agpu_jit *jit;
    check_ok(agpu_jit_create(program, level, &jit));
    agpu_program_release(program); // the code does not need it
    void *address;
    check_ok(agpu_jit_lookup(jit, "triple", &address));
    CHECK_EQ(((int64_t (*)(int64_t))(uintptr_t)address)(14), 42);
    check_error(agpu_jit_lookup(jit, "nonesuch", &address),
                AGPU_STATUS_NOT_FOUND, "", "nonesuch");
    CHECK(!address);
    agpu_jit_release(jit);
  }
}

static void test_emit(agpu_compiler *compiler) {
  static const struct {
    agpu_emit_kind kind;
    const char *part;
  } forms[] = {
      {AGPU_EMIT_MLIR, "llvm.func @triple"},
      {AGPU_EMIT_LLVM, "define"},
      {AGPU_EMIT_ASM, "triple:"},
  };
  agpu_program *program = parse(compiler, program_text);
  check_ok(agpu_program_lower(program, "async-gpu-lower"));
  char *data;
  size_t size;
  for (size_t i = 0; i < sizeof(forms) / sizeof(*forms); ++i) {
    check_ok(agpu_program_emit(program, forms[i].kind, 2, &data, &size));
    CHECK_EQ(strlen(data), size);
    CHECK(strstr(data, forms[i].part));
    free(data);
  }
  check_ok(agpu_program_emit(program, AGPU_EMIT_OBJ, 2, &data, &size));
  CHECK(size > 4 && memcmp(data, "\177ELF", 4) == 0);
  free(data);
  check_error(agpu_program_emit(program, AGPU_EMIT_PTX, 2, &data, &size),
              AGPU_STATUS_INVALID_ARGUMENT, "test.mlir:1:1",
              "has no kernels, and so no PTX");
  CHECK(!data && size == 0);
  check_error(agpu_program_emit(program, AGPU_EMIT_ASM, 4, &data, &size),
              AGPU_STATUS_INVALID_ARGUMENT, "", "0 to 3, not 4");
  check_error(agpu_program_emit(program, (agpu_emit_kind)(AGPU_EMIT_OBJ + 1), 2,
                                &data, &size),
              AGPU_STATUS_INVALID_ARGUMENT, "", "5 is not a kind of output");
  agpu_program_release(program);
}

static void test_errors(agpu_compiler *compiler) {
  agpu_program *program;
  static const char broken[] = "func.func @f() {\n  nonesuch.op\n}\n";
  check_error(agpu_program_parse(compiler, "broken.mlir", broken,
                                 strlen(broken), &program),
              AGPU_STATUS_INVALID_ARGUMENT, "broken.mlir:2:3",
              "\n  nonesuch.op\n  ^\n");
  CHECK(!program);

  program = parse(compiler, program_text);
  agpu_jit *jit;
  check_error(agpu_jit_create(program, 2, &jit), AGPU_STATUS_INVALID_ARGUMENT,
              "test.mlir:1:1", "'func.func' is not in the LLVM dialect");
  CHECK(!jit);
  check_error(agpu_program_lower(program, "nonesuch"),
              AGPU_STATUS_INVALID_ARGUMENT, "", "'nonesuch' does not refer");
  check_error(agpu_program_lower(program, "cse("), AGPU_STATUS_INVALID_ARGUMENT,
              "", "expected");
  agpu_program_release(program);

  program = parse(compiler, "func.func private @nowhere()\n"
                            "func.func @f() {\n"
                            "  func.call @nowhere() : () -> ()\n"
                            "  return\n"
                            "}\n");
  check_ok(agpu_program_lower(program, "async-gpu-lower"));
  check_error(agpu_jit_create(program, 2, &jit), AGPU_STATUS_INVALID_ARGUMENT,
              "test.mlir:1:1", "'nowhere' is called");
  agpu_program_release(program);
}

/// What vector.print calls comes from a library that this test does not link.
static void test_print(agpu_compiler *compiler) {
  agpu_program *program = parse(compiler, "func.func @print(%x: i64) {\n"
                                          "  vector.print %x : i64\n"
                                          "  return\n"
                                          "}\n");
  check_ok(agpu_program_lower(program, "async-gpu-lower"));
  agpu_jit *jit;
  check_ok(agpu_jit_create(program, 2, &jit));
  agpu_program_release(program);
  void *address;
  check_ok(agpu_jit_lookup(jit, "print", &address));
  ((void (*)(int64_t))(uintptr_t)address)(42);
  agpu_jit_release(jit);
}

static void keep(const char *text, size_t size, void *data) {
  size_t used = strlen(data);
  (void)snprintf((char *)data + used, 4096 - used, "%.*s", (int)size, text);
}

/// A warning of a call that succeeds, and remarks where they are wanted, in
/// more programs than a compiler keeps anything of.
static void test_handler(agpu_compiler *compiler) {
  static const char mapped[] =
      "func.func @mapped(%n: index) {\n"
      "  %c0 = arith.constant 0 : index\n"
      "  %c1 = arith.constant 1 : index\n"
      "  scf.parallel (%i) = (%c0) to (%n) step (%c1) {\n"
      "    scf.reduce\n"
      "  } {mapping = [#gpu.loop_dim_map<processor = block_x, map = (d0) -> "
      "(d0), bound = (d0) -> (d0)>]}\n"
      "  return\n"
      "}\n";
  char text[4096];
  bool remarks = false;
  for (int i = 0; i < 60; ++i) {
    if (i % 20 == 0) {
      remarks = !remarks;
      agpu_compiler_set_diagnostic_handler(compiler, keep, text, remarks);
    }
    *text = '\0';
    agpu_program *program = parse(compiler, mapped);
    check_ok(agpu_program_lower(program, "async-gpu-lower"));
    agpu_program_release(program);
    CHECK(strstr(text, "test.mlir:4:3: warning: this loop is mapped to a GPU"));
    CHECK_EQ(strstr(text, "test.mlir:4:3: remark: ") != NULL, remarks);
  }
  *text = '\0';
  agpu_compiler_set_diagnostic_handler(compiler, NULL, NULL, false);
  agpu_program *program = parse(compiler, mapped);
  check_ok(agpu_program_lower(program, "async-gpu-lower"));
  agpu_program_release(program);
  CHECK_STR(text, "");
}

int main(void) {
  // Compilers are independent of each other, and can be made again.
  for (int i = 0; i < 2; ++i) {
    agpu_compiler *compiler, *other;
    check_ok(agpu_compiler_create(&compiler));
    check_ok(agpu_compiler_create(&other));
    test_jit(compiler);
    test_errors(other);
    test_emit(compiler);
    test_print(compiler);
    test_handler(compiler);
    agpu_compiler_release(other);
    agpu_compiler_release(compiler);
  }
  agpu_program_release(NULL);
  agpu_jit_release(NULL);
  agpu_compiler_release(NULL);
  return 0;
}
