//===- crash.c - A word before the end ------------------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "crash.h"

#include "lower/pass/progress.h"
#include "lower/pass/temporary.h"

#include "llvm-c/ErrorHandling.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

static const struct {
  int number;
  const char *name, *cause;
  /// The checks that find such mistakes of a program, and how; or NULL.
  const char *checks, *finds;
} crashes[] = {
    {SIGSEGV, "SIGSEGV", "an invalid memory access", "memory,races",
     " finds dependencies that are missing and device memory that is misused"},
    {SIGBUS, "SIGBUS", "an invalid memory access", "memory,races",
     " finds dependencies that are missing and device memory that is misused"},
    {SIGILL, "SIGILL", "an illegal instruction", NULL, NULL},
    {SIGTRAP, "SIGTRAP", "a trap", NULL, NULL},
    {SIGFPE, "SIGFPE", "a division by zero, or one that overflows",
     "arithmetic", " says where"},
    {SIGABRT, "SIGABRT", "a call of abort()", NULL, NULL},
};
enum { CRASH_COUNT = sizeof(crashes) / sizeof(*crashes) };

/// What LLVM would do of each of them: say in which of its passes it is.
static struct sigaction llvm_actions[CRASH_COUNT];

// Written before the signals can come, or one word at a time.
static const char *volatile tool_name, *volatile input_name;
static volatile sig_atomic_t program_runs;
static const char *volatile checks_made; // the value of ASYNC_GPU_EMU_CHECK
static const char *volatile reproducer_path, *volatile reproducer_text;
static const char *(*volatile describe_code)(const void *, uintptr_t);
static const void *volatile described;

//===----------------------------------------------------------------------===//
// In a handler: only what may be called there
//===----------------------------------------------------------------------===//

/// True if all of it was written.
static bool put_to(int file, const char *text) {
  size_t size = strlen(text);
  while (size) {
    ssize_t written = write(file, text, size);
    if (written <= 0)
      return false;
    text += written;
    size -= (size_t)written;
  }
  return true;
}

static void put(const char *text) { (void)put_to(STDERR_FILENO, text); }

static void put_address(uintptr_t address) {
  char digits[2 * sizeof(address) + 3];
  char *at = digits + sizeof(digits);
  *--at = '\0';
  do
    *--at = "0123456789abcdef"[address % 16];
  while (address /= 16);
  *--at = 'x';
  *--at = '0';
  put(at);
}

/// Ends the process by the signal, as it would have without a handler.
static void end_by(int number) {
  struct sigaction action = {.sa_handler = SIG_DFL};
  sigemptyset(&action.sa_mask);
  (void)sigaction(number, &action, NULL);
  sigset_t this;
  sigemptyset(&this);
  sigaddset(&this, number);
  (void)raise(number);
  (void)sigprocmask(SIG_UNBLOCK, &this, NULL);
  _exit(EXIT_FAILURE);
}

/// The stack pointer of what was interrupted.
static uintptr_t stack_pointer(const void *context) {
#if defined(__x86_64__)
  const ucontext_t *of = context;
  return (uintptr_t)of->uc_mcontext.gregs[REG_RSP];
#elif defined(__aarch64__)
  const ucontext_t *of = context;
  return (uintptr_t)of->uc_mcontext.sp;
#else
  (void)context;
  return 0;
#endif
}

/// The address of the code that was interrupted.
static uintptr_t program_counter(const void *context) {
#if defined(__x86_64__)
  const ucontext_t *of = context;
  return (uintptr_t)of->uc_mcontext.gregs[REG_RIP];
#elif defined(__aarch64__)
  const ucontext_t *of = context;
  return (uintptr_t)of->uc_mcontext.pc;
#else
  (void)context;
  return 0;
#endif
}

/// The code of the program that was interrupted: what the program counter is
/// in, or else the innermost on the stack, of whose words one is its return
/// address. Or NULL. Where the stack ends is not known: the kernel reads it for
/// us.
static const char *find_code(const void *context) {
  enum { WORDS = 4096 };
  static uintptr_t stack[WORDS];
  const char *what = describe_code(described, program_counter(context));
  uintptr_t at = stack_pointer(context) & ~(sizeof(uintptr_t) - 1);
  for (size_t page = 0; !what && at && page < 8; ++page) {
    enum { PAGE = WORDS / 8 };
    struct iovec to = {stack, PAGE * sizeof(*stack)};
    struct iovec from = {(void *)at, PAGE * sizeof(*stack)};
    ssize_t size = process_vm_readv(getpid(), &to, 1, &from, 1, 0);
    for (size_t i = 0; !what && size > 0 && i < (size_t)size / sizeof(*stack);
         ++i)
      // A call at the very end of a function returns behind it.
      what = describe_code(described, stack[i] - 1);
    if (size < (ssize_t)(PAGE * sizeof(*stack)))
      break;
    at += PAGE * sizeof(*stack);
  }
  return what;
}

/// True if what was not there is where the stack would have grown to.
static bool is_stack(uintptr_t address, uintptr_t stack) {
  enum { NEAR = 1 << 16 };
  return address + NEAR > stack && address < stack + NEAR;
}

static void report_program(int index, const siginfo_t *info,
                           const void *context) {
  put(tool_name);
  put(": error: the program crashed: ");
  put(crashes[index].name);
  put(", ");
  put(crashes[index].cause);
  int number = crashes[index].number;
  if ((number == SIGSEGV || number == SIGBUS) && info->si_code > 0) {
    put(", at ");
    put_address((uintptr_t)info->si_addr);
    if ((uintptr_t)info->si_addr < 4096)
      put(" (a null pointer)");
    else if (is_stack((uintptr_t)info->si_addr, stack_pointer(context)))
      put(" (the end of the stack: calls are nested too deeply, or a "
          "function's "
          "memref.alloca is too large)");
  }
  const char *code = describe_code ? find_code(context) : NULL;
  if (code) {
    put(", in ");
    put(code);
  }
  const char *checks = crashes[index].checks;
  if (checks && !(checks_made && strstr(checks_made, checks))) {
    put("; --device=emu --check=");
    put(checks);
    put(crashes[index].finds);
  }
  put("\n");
}

/// Has a child do what LLVM would do of the signal, and reads into `text` what
/// it prints. It shares nothing with us, and gets five seconds: what crashed
/// may hold the allocator's lock.
static void ask_llvm(int index, char *text, size_t size) {
  int number = crashes[index].number, ends[2];
  text[0] = '\0';
  if (llvm_actions[index].sa_handler == SIG_DFL || pipe(ends) != 0)
    return;
  pid_t child = _Fork();
  if (child == 0) {
    (void)dup2(ends[1], STDERR_FILENO);
    (void)sigaction(number, &llvm_actions[index], NULL);
    sigset_t this;
    sigemptyset(&this);
    sigaddset(&this, number);
    (void)sigprocmask(SIG_UNBLOCK, &this, NULL);
    (void)raise(number);
    _exit(EXIT_FAILURE);
  }
  (void)close(ends[1]);
  struct pollfd wait = {.fd = ends[0], .events = POLLIN};
  size_t used = 0;
  while (child > 0 && used < size - 1 && poll(&wait, 1, 5000) > 0) {
    ssize_t got = read(ends[0], text + used, size - 1 - used);
    if (got <= 0)
      break;
    used += (size_t)got;
    text[used] = '\0';
  }
  (void)close(ends[0]);
  if (child > 0) {
    (void)kill(child, SIGKILL);
    (void)waitpid(child, NULL, 0);
  }
}

/// Prints where in LLVM it was: the innermost line of its stack that names a
/// pass, `1.\tRunning pass "P" on function "F"`.
static void put_llvm(int index) {
  static char text[1 << 14];
  static const char running[] = "Running pass ";
  ask_llvm(index, text, sizeof(text));
  char *last = NULL;
  for (char *at = text; (at = strstr(at, running)); ++at)
    last = at;
  if (!last)
    return;
  last += sizeof(running) - 1;
  last[strcspn(last, "\n")] = '\0';
  put(", in LLVM's pass ");
  put(last);
}

static void report_compiler(int index) {
  const char *what = agpu__progress_get(),
             *detail = agpu__progress_get_detail(),
             *op = agpu__progress_get_op();
  put(input_name ? input_name : tool_name);
  put(": error: the compiler crashed (");
  put(crashes[index].name);
  put(") while ");
  put(what         ? what
      : input_name ? "no pass ran"
                   : "it had not read the file yet");
  if (detail) {
    put(", in upstream's ");
    put(detail);
  }
  if (op) {
    put(" on ");
    put(op);
  }
  put_llvm(index);
  put("; this is a defect of ");
  put(tool_name);
  put(" or of the LLVM that it uses, not of the file, and nothing was "
      "written\n");
}

/// The module before the pass that crashed, with that pass.
static void write_reproducer(void) {
  const char *path = reproducer_path, *text = reproducer_text;
  if (!path || !text)
    return;
  int file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  bool ok = file >= 0 && put_to(file, text);
  if (file >= 0)
    ok = close(file) == 0 && ok;
  put(tool_name);
  put(ok ? ": note: '" : ": error: cannot write '");
  put(path);
  put(ok ? "' repeats this: " : "'\n");
  if (!ok)
    return;
  put(tool_name);
  put(" --run-reproducer ");
  put(path);
  put("\n");
}

static void handle_crash(int number, siginfo_t *info, void *context) {
  int index = 0;
  while (index + 1 < CRASH_COUNT && crashes[index].number != number)
    ++index;
  agpu__temporary_remove_all();
  if (program_runs || agpu__progress_get() == agpu__progress_program) {
    report_program(index, info, context);
    end_by(number);
  }
  report_compiler(index);
  write_reproducer();
  _exit(EXIT_FAILURE);
}

//===----------------------------------------------------------------------===//
// Outside
//===----------------------------------------------------------------------===//

void agpu__crash_watch(const char *tool) {
  tool_name = tool;
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  return; // sanitizers report more
#endif
  // LLVM takes more signals than these, and a stack for them: only what it does
  // of these is kept.
  enum { SIGNALS = 32 };
  struct sigaction before[SIGNALS];
  for (int i = 1; i < SIGNALS; ++i)
    (void)sigaction(i, NULL, &before[i]);
  LLVMEnablePrettyStackTrace();
  for (int i = 0; i < CRASH_COUNT; ++i)
    (void)sigaction(crashes[i].number, NULL, &llvm_actions[i]);
  for (int i = 1; i < SIGNALS; ++i)
    (void)sigaction(i, &before[i], NULL);
  // A stack that overflows is a crash like others. Only this thread compiles.
  static char stack[64 * 1024];
  stack_t alternate = {.ss_sp = stack, .ss_size = sizeof(stack)};
  (void)sigaltstack(&alternate, NULL);
  // A crash of the handler ends the process.
  struct sigaction action = {.sa_sigaction = handle_crash,
                             .sa_flags =
                                 (int)(SA_SIGINFO | SA_ONSTACK | SA_RESETHAND)};
  sigemptyset(&action.sa_mask);
  for (int i = 0; i < CRASH_COUNT; ++i)
    (void)sigaction(crashes[i].number, &action, NULL);
}

void agpu__crash_set_input(const char *name) { input_name = name; }

void agpu__crash_program_runs(void) {
  checks_made = secure_getenv("ASYNC_GPU_EMU_CHECK");
  program_runs = 1;
}

void agpu__crash_describe_code(const char *(*describe)(const void *data,
                                                       uintptr_t address),
                               const void *data) {
  described = data;
  describe_code = describe;
}

void agpu__crash_set_reproducer(const char *path, const char *text) {
  reproducer_path = path;
  reproducer_text = text;
}
