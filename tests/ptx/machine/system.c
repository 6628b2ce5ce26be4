//===- system.c - Calls of the system ------------------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "machine/system.h"
#include "machine/host.h"

#include <stdio.h>
#include <string.h>

enum { MAX_FORMAT = 2048, MAX_TEXT = 8192, MAX_STRING = 512 };

void ptx_read_string(ptx_warp *warp, const ptx_insn *insn, unsigned lane,
                     uint64_t address, char *text, size_t size) {
  size_t length = 0;
  while (length + 1 < size) {
    const char *at =
        ptx_memory_at(warp, insn, lane, PTX_GENERIC, address + length, 1, 1);
    if (!*at)
      break;
    text[length++] = *at;
  }
  text[length] = 0;
}

/// A printf in progress: the arguments lie one behind the other, each at a
/// multiple of its size.
typedef struct printing {
  ptx_warp *warp;
  const ptx_insn *insn;
  unsigned lane;
  uint64_t arguments, offset;
  char format[MAX_FORMAT];
  char text[MAX_TEXT];
  size_t used;
} printing;

/// The next argument. One that was not, or not all, written is a fault: what
/// the format says and what was passed do not agree.
static uint64_t next_argument(printing *p, unsigned bytes) {
  p->offset = (p->offset + bytes - 1) / bytes * bytes;
  const uint8_t *at = ptx_memory_at(p->warp, p->insn, p->lane, PTX_GENERIC,
                                    p->arguments + p->offset, bytes, bytes);
  unsigned poisoned = 0;
  for (unsigned i = 0; i < bytes; ++i)
    poisoned = at[i] == PTX_POISON_BYTE ? poisoned + 1 : 0;
  if (poisoned > 1)
    ptx_fault(p->warp, p->insn, p->lane, PTX_LAUNCH_FAILED,
              "printf reads an argument of %u bytes at offset %llu, of which "
              "%u were not written; format \"%.60s\"",
              bytes, (unsigned long long)p->offset, poisoned, p->format);
  p->offset += bytes;
  return ptx_load(at, bytes);
}

static size_t room(const printing *p) { return MAX_TEXT - p->used; }

static void note_printed(printing *p, int length) {
  if (length > 0)
    p->used += (size_t)length < room(p) ? (size_t)length : room(p) - 1;
}

static void print_integer(printing *p, char *spec, size_t length, char kind,
                          bool is_long) {
  uint64_t value = next_argument(p, is_long ? 8 : 4);
  bool is_signed = kind == 'd' || kind == 'i';
  if (is_signed && !is_long)
    value = (uint64_t)ptx_signed(value, 32);
  snprintf(spec + length, 8, "ll%c", kind);
  note_printed(
      p, snprintf(p->text + p->used, room(p), spec, (unsigned long long)value));
}

static void print_double(printing *p, char *spec, size_t length, char kind) {
  uint64_t bits = next_argument(p, 8);
  double value;
  memcpy(&value, &bits, sizeof value);
  snprintf(spec + length, 8, "%c", kind);
  note_printed(p, snprintf(p->text + p->used, room(p), spec, value));
}

static void print_string(printing *p, char *spec, size_t length) {
  char text[MAX_STRING];
  ptx_read_string(p->warp, p->insn, p->lane, next_argument(p, 8), text,
                  sizeof text);
  snprintf(spec + length, 8, "s");
  note_printed(p, snprintf(p->text + p->used, room(p), spec, text));
}

/// Flags, width and precision of a conversion, where a * takes an argument.
static const char *take_spec(printing *p, const char *at, char *spec,
                             size_t *length) {
  spec[(*length)++] = '%';
  for (; *at && strchr("-+ #0123456789.*", *at) && *length < 40; ++at) {
    if (*at == '*')
      *length += (size_t)snprintf(spec + *length, 12, "%d",
                                  (int32_t)next_argument(p, 4));
    else
      spec[(*length)++] = *at;
  }
  return at;
}

/// One conversion from behind its '%'.
static const char *print_one(printing *p, const char *at) {
  char spec[64] = "";
  size_t length = 0;
  at = take_spec(p, at, spec, &length);
  bool is_long = false;
  for (; *at && strchr("hlLqjzt", *at); ++at)
    is_long |= *at != 'h' && *at != 'L';
  char kind = *at;
  if (kind && strchr("diuxXo", kind)) {
    print_integer(p, spec, length, kind, is_long);
  } else if (kind && strchr("fFeEgGaA", kind)) {
    print_double(p, spec, length, kind);
  } else if (kind == 'c') {
    snprintf(spec + length, 8, "c");
    note_printed(p, snprintf(p->text + p->used, room(p), spec,
                             (int)next_argument(p, 4)));
  } else if (kind == 'p') {
    note_printed(p, snprintf(p->text + p->used, room(p), "0x%llx",
                             (unsigned long long)next_argument(p, 8)));
  } else if (kind == 's') {
    print_string(p, spec, length);
  } else {
    ptx_fault(p->warp, p->insn, p->lane, PTX_LAUNCH_FAILED,
              "printf's format \"%.60s\" has the conversion '%c'", p->format,
              kind ? kind : '0');
  }
  return at + 1;
}

/// The number of arguments taken: not of bytes, other than C's.
static uint64_t print(ptx_warp *warp, const ptx_insn *insn, unsigned lane,
                      const uint64_t *arguments) {
  printing p = {
      .warp = warp, .insn = insn, .lane = lane, .arguments = arguments[1]};
  uint64_t count = 0;
  ptx_read_string(warp, insn, lane, arguments[0], p.format, sizeof p.format);
  for (const char *at = p.format; *at && room(&p) > 1;) {
    if (at[0] == '%' && at[1] != '%') {
      at = print_one(&p, at + 1);
      ++count;
    } else {
      p.text[p.used++] = *at;
      at += at[0] == '%' ? 2 : 1;
    }
  }
  ptx_output_add(warp->block->run->launch->device, p.text, p.used);
  return count;
}

static uint64_t fail_assertion(ptx_warp *warp, const ptx_insn *insn,
                               unsigned lane, const uint64_t *arguments) {
  char message[MAX_STRING], file[MAX_STRING], function[MAX_STRING];
  char line[3 * MAX_STRING + 200];
  ptx_read_string(warp, insn, lane, arguments[0], message, sizeof message);
  ptx_read_string(warp, insn, lane, arguments[1], file, sizeof file);
  ptx_read_string(warp, insn, lane, arguments[3], function, sizeof function);
  const uint32_t *block = warp->block->id, *id = warp->lanes[lane].id;
  snprintf(line, sizeof line,
           "%s:%u: %s: block: [%u,%u,%u], thread: [%u,%u,%u] Assertion `%s` "
           "failed.\n",
           file, (unsigned)arguments[2], function, block[0], block[1], block[2],
           id[0], id[1], id[2], message);
  ptx_error_add(line);
  ptx_fault(warp, insn, lane, PTX_ASSERT, "an assertion has failed");
}

static uint64_t set_condition(ptx_warp *warp, const ptx_insn *insn,
                              unsigned lane, const uint64_t *arguments) {
  if (!ptx_condition_set(warp->block->run->launch->device, arguments[0],
                         (uint32_t)arguments[1]))
    ptx_fault(warp, insn, lane, PTX_ILLEGAL_ADDRESS,
              "a condition is set that is none of the device's");
  return 0;
}

static const struct {
  const char *name;
  uint64_t (*call)(ptx_warp *warp, const ptx_insn *insn, unsigned lane,
                   const uint64_t *arguments);
} calls[] = {{"vprintf", print},
             {"__assertfail", fail_assertion},
             {"cudaGraphSetConditional", set_condition}};

bool ptx_system_has(const char *name) {
  for (size_t i = 0; i < sizeof calls / sizeof *calls; ++i)
    if (strcmp(calls[i].name, name) == 0)
      return true;
  return false;
}

uint64_t ptx_system_call(ptx_warp *warp, const ptx_insn *insn, unsigned lane,
                         const char *name, const uint64_t *arguments) {
  for (size_t i = 0; i < sizeof calls / sizeof *calls; ++i)
    if (strcmp(calls[i].name, name) == 0)
      return calls[i].call(warp, insn, lane, arguments);
  ptx_fault(warp, insn, lane, PTX_LAUNCH_FAILED, "'%s' has no body", name);
}
