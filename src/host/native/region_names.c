//===- region_names.c - What regions are called, for traces ---------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A region that is a task is known by the function that its task runs: the part
// of a coroutine that resumes, NAME.resume, or the body of a call that waits
// until work is enqueued. These have their addresses taken anyway, so a table
// of them, which constructors and destructors hand to the runtime, makes no
// code differ. A runtime that does not know of tables is not called.
//
// A region that runs in place is inlined, as a rule, and nothing of it is left.
// Where a trace is to show it, it gets a call at its begin and before each of
// its returns.
//
//===----------------------------------------------------------------------===//

#include "host/native/native.h"

#include "lower/dialect/attributes.h"
#include "lower/ir/llvm_compat.h"
#include "lower/ir/llvm_loops.h"

#include <stdlib.h>

/// What stands before the name of a call's body (async/enqueued_call.c).
static const char enqueued[] = "agpu_enqueued.";

static bool has_prefix(MlirStringRef text, const char *prefix) {
  size_t size = strlen(prefix);
  return text.length >= size && memcmp(text.data, prefix, size) == 0;
}

/// What the user knows of a region, or of an async function.
typedef struct region_name {
  MlirStringRef name;
  agpu__place place;
  int64_t region, stream; ///< -1: none
  bool is_outlined;       ///< it is no function of the user's
} region_name;

/// FUNCTION_region_N, and what passes append to that, is region N of FUNCTION
/// (host/async/outline.c), which it is known by where it has no name.
static region_name name_of(MlirOperation function, MlirStringRef symbol) {
  MlirLocation location = mlirOperationGetLocation(function);
  region_name of = {agpu__name_of(location), agpu__place_of(location),
                    agpu__get_int(function, AGPU__REGION_ATTR, -1),
                    agpu__get_int(function, AGPU__STREAM_ATTR, -1), false};
  AGPU__OWNED char *end = agpu__format("_region_%lld", (long long)of.region);
  const char *found = memmem(symbol.data, symbol.length, end, strlen(end));
  of.is_outlined = found;
  if (!of.name.length)
    of.name = mlirStringRefCreate(
        symbol.data, found ? (size_t)(found - symbol.data) : symbol.length);
  return of;
}

//===----------------------------------------------------------------------===//
// Constants
//===----------------------------------------------------------------------===//

static LLVMTypeRef pointer_type(LLVMModuleRef ir) {
  return LLVMPointerTypeInContext(LLVMGetModuleContext(ir), 0);
}

static LLVMValueRef make_string(LLVMModuleRef ir, const char *data,
                                size_t size) {
  if (!data)
    return LLVMConstNull(pointer_type(ir));
  LLVMValueRef text = LLVMConstStringInContext2(LLVMGetModuleContext(ir), data,
                                                size, /*DontNullTerminate=*/0);
  LLVMValueRef global = LLVMAddGlobal(ir, LLVMTypeOf(text), "agpu_name");
  LLVMSetInitializer(global, text);
  LLVMSetLinkage(global, LLVMPrivateLinkage);
  LLVMSetGlobalConstant(global, true);
  LLVMSetUnnamedAddress(global, LLVMGlobalUnnamedAddr);
  return global;
}

static LLVMValueRef make_integer(LLVMModuleRef ir, unsigned bits,
                                 unsigned long long value) {
  return LLVMConstInt(LLVMIntTypeInContext(LLVMGetModuleContext(ir), bits),
                      value, false);
}

/// A row of the table: agpu_trace_name.
static LLVMValueRef make_row(LLVMModuleRef ir, LLVMValueRef code,
                             region_name of) {
  LLVMValueRef fields[] = {
      code,
      make_string(ir, of.name.data, of.name.length),
      make_string(ir, of.place.file.data, of.place.file.length),
      make_integer(ir, 32, (unsigned)of.place.line),
      make_integer(ir, 32, (unsigned)of.place.column),
      make_integer(ir, 32, (unsigned)of.region),
      make_integer(ir, 32, (unsigned)of.stream),
  };
  return LLVMConstStructInContext(LLVMGetModuleContext(ir), fields, 7, false);
}

//===----------------------------------------------------------------------===//
// The table
//===----------------------------------------------------------------------===//

typedef struct rows {
  LLVMValueRef *data;
  size_t count, capacity;
} rows;

static LLVMValueRef find_defined(LLVMModuleRef ir, const char *name) {
  LLVMValueRef function = LLVMGetNamedFunction(ir, name);
  return function && !LLVMIsDeclaration(function) ? function : NULL;
}

static rows collect(MlirOperation module, LLVMModuleRef ir) {
  rows all = {0};
  AGPU__OPS_FOREACH (op, agpu__module_body(module)) {
    if (!agpu__op_is(op, "llvm.func"))
      continue;
    MlirStringRef symbol = agpu__get_string(op, "sym_name");
    bool is_call = has_prefix(symbol, enqueued);
    AGPU__OWNED char *name =
        agpu__format("%.*s%s", AGPU__STR(symbol), is_call ? "" : ".resume");
    LLVMValueRef code = find_defined(ir, name);
    if (!code)
      continue;
    if (is_call)
      symbol = mlirStringRefCreate(symbol.data + sizeof(enqueued) - 1,
                                   symbol.length - (sizeof(enqueued) - 1));
    AGPU__GROW(all.data, all.count, all.capacity);
    all.data[all.count++] = make_row(ir, code, name_of(op, symbol));
  }
  return all;
}

/// The table itself: agpu_trace_names.
static LLVMValueRef make_table(LLVMModuleRef ir, const rows *all) {
  LLVMValueRef array =
      LLVMConstArray2(LLVMTypeOf(all->data[0]), all->data, all->count);
  LLVMValueRef names = LLVMAddGlobal(ir, LLVMTypeOf(array), "agpu_names.rows");
  LLVMSetInitializer(names, array);
  LLVMSetLinkage(names, LLVMInternalLinkage);
  LLVMSetGlobalConstant(names, true);
  LLVMValueRef resume = find_defined(ir, "agpu_coro_resume");
  LLVMValueRef none = LLVMConstNull(pointer_type(ir));
  LLVMValueRef fields[] = {resume ? resume : none, names,
                           make_integer(ir, 64, all->count), none};
  LLVMValueRef table =
      LLVMConstStructInContext(LLVMGetModuleContext(ir), fields, 4, false);
  LLVMValueRef global = LLVMAddGlobal(ir, LLVMTypeOf(table), "agpu_names");
  LLVMSetInitializer(global, table);
  LLVMSetLinkage(global, LLVMInternalLinkage);
  return global;
}

/// Appends `function` to the list `name` of constructors or destructors.
static void append(LLVMModuleRef ir, const char *name, LLVMValueRef function) {
  LLVMValueRef fields[] = {make_integer(ir, 32, 65535), function,
                           LLVMConstNull(pointer_type(ir))};
  LLVMValueRef row =
      LLVMConstStructInContext(LLVMGetModuleContext(ir), fields, 3, false);
  LLVMValueRef list = LLVMGetNamedGlobal(ir, name);
  LLVMValueRef before = list ? LLVMGetInitializer(list) : NULL;
  unsigned count =
      before ? (unsigned)LLVMGetArrayLength2(LLVMTypeOf(before)) : 0;
  AGPU__OWNED LLVMValueRef *entries =
      agpu__allocate(count + 1, sizeof(*entries));
  for (unsigned i = 0; i < count; ++i)
    entries[i] = LLVMGetAggregateElement(before, i);
  entries[count] = row;
  LLVMValueRef array = LLVMConstArray2(LLVMTypeOf(row), entries, count + 1);
  if (list)
    LLVMDeleteGlobal(list);
  list = LLVMAddGlobal(ir, LLVMTypeOf(array), name);
  LLVMSetInitializer(list, array);
  LLVMSetLinkage(list, LLVMAppendingLinkage);
}

/// A function without parameters that calls `callee`(table), where the runtime
/// has that.
static LLVMValueRef make_caller(LLVMModuleRef ir, const char *name,
                                const char *callee_name, LLVMValueRef table) {
  LLVMContextRef context = LLVMGetModuleContext(ir);
  LLVMTypeRef nothing = LLVMVoidTypeInContext(context);
  LLVMTypeRef pointer = pointer_type(ir);
  LLVMTypeRef type = LLVMFunctionType(nothing, &pointer, 1, false);
  LLVMValueRef callee = LLVMAddFunction(ir, callee_name, type);
  LLVMSetLinkage(callee, LLVMExternalWeakLinkage);
  LLVMValueRef caller =
      LLVMAddFunction(ir, name, LLVMFunctionType(nothing, NULL, 0, false));
  LLVMSetLinkage(caller, LLVMInternalLinkage);
  LLVMBasicBlockRef entry =
      LLVMAppendBasicBlockInContext(context, caller, "entry");
  LLVMBasicBlockRef call =
      LLVMAppendBasicBlockInContext(context, caller, "call");
  LLVMBasicBlockRef end = LLVMAppendBasicBlockInContext(context, caller, "end");
  LLVMBuilderRef builder = agpu__compat_builder(ir);
  LLVMPositionBuilderAtEnd(builder, entry);
  (void)LLVMBuildCondBr(builder, LLVMBuildIsNull(builder, callee, ""), end,
                        call);
  LLVMPositionBuilderAtEnd(builder, call);
  (void)LLVMBuildCall2(builder, type, callee, &table, 1, "");
  (void)LLVMBuildBr(builder, end);
  LLVMPositionBuilderAtEnd(builder, end);
  (void)LLVMBuildRetVoid(builder);
  LLVMDisposeBuilder(builder);
  return caller;
}

void agpu__region_names_add(MlirOperation module, LLVMModuleRef ir) {
  rows all = collect(module, ir);
  if (all.count) {
    LLVMValueRef table = make_table(ir, &all);
    append(ir, "llvm.global_ctors",
           make_caller(ir, "agpu_names.add", "agpu_trace_names_add", table));
    append(
        ir, "llvm.global_dtors",
        make_caller(ir, "agpu_names.remove", "agpu_trace_names_remove", table));
  }
  free(all.data);
}

//===----------------------------------------------------------------------===//
// Regions that run in place
//===----------------------------------------------------------------------===//

typedef struct marks {
  LLVMTypeRef begin_type, end_type;
  LLVMValueRef begin, here, end;
} marks;

static marks declare(LLVMModuleRef ir) {
  LLVMTypeRef nothing = LLVMVoidTypeInContext(LLVMGetModuleContext(ir));
  LLVMTypeRef pointer = pointer_type(ir);
  marks m = {.begin_type = LLVMFunctionType(nothing, &pointer, 1, false),
             .end_type = LLVMFunctionType(nothing, NULL, 0, false)};
  m.begin = LLVMAddFunction(ir, "agpu_trace_begin", m.begin_type);
  m.here = LLVMAddFunction(ir, "agpu_trace_here", m.begin_type);
  m.end = LLVMAddFunction(ir, "agpu_trace_end", m.end_type);
  return m;
}

/// An agpu_trace_name of its own.
static LLVMValueRef make_record(LLVMModuleRef ir, region_name of) {
  LLVMValueRef row = make_row(ir, LLVMConstNull(pointer_type(ir)), of);
  LLVMValueRef global = LLVMAddGlobal(ir, LLVMTypeOf(row), "agpu_name");
  LLVMSetInitializer(global, row);
  LLVMSetLinkage(global, LLVMPrivateLinkage);
  LLVMSetGlobalConstant(global, true);
  return global;
}

static bool calls(LLVMValueRef instruction, const char *name) {
  if (!LLVMIsACallInst(instruction))
    return false;
  size_t size;
  const char *callee =
      LLVMGetValueName2(LLVMGetCalledValue(instruction), &size);
  return size == strlen(name) && memcmp(callee, name, size) == 0;
}

static void call_before(LLVMBuilderRef builder, LLVMValueRef instruction,
                        LLVMTypeRef type, LLVMValueRef callee,
                        LLVMValueRef record) {
  LLVMPositionBuilderBefore(builder, instruction);
  (void)LLVMBuildCall2(builder, type, callee, &record, record ? 1 : 0, "");
}

static bool asks_to_start_here(LLVMValueRef function) {
  AGPU__BASIC_BLOCKS_FOREACH (block, function)
    AGPU__INSTRUCTIONS_FOREACH (at, block)
      if (calls(at, "agpu_start_here"))
        return true;
  return false;
}

/// What asks whether to start here says before which region it is; another
/// region, unless it is a coroutine, runs from its begin to its returns.
static void mark(LLVMModuleRef ir, const marks *m, LLVMValueRef function,
                 bool is_coroutine, region_name of) {
  bool asks = asks_to_start_here(function), runs = !asks && !is_coroutine;
  LLVMBuilderRef builder = agpu__compat_builder(ir);
  LLVMValueRef record = make_record(ir, of);
  AGPU__BASIC_BLOCKS_FOREACH (block, function) {
    LLVMValueRef next;
    for (LLVMValueRef at = LLVMGetFirstInstruction(block); at; at = next) {
      next = LLVMGetNextInstruction(at);
      if (asks && calls(at, "agpu_start_here"))
        call_before(builder, at, m->begin_type, m->here, record);
      else if (runs && LLVMIsAReturnInst(at))
        call_before(builder, at, m->end_type, m->end, NULL);
    }
  }
  if (runs) {
    LLVMValueRef first =
        LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(function));
    while (LLVMIsAAllocaInst(first))
      first = LLVMGetNextInstruction(first);
    call_before(builder, first, m->begin_type, m->begin, record);
  }
  LLVMDisposeBuilder(builder);
}

/// Whether the function only makes a call that waits: the region is its body.
static bool has_body(LLVMModuleRef ir, MlirStringRef symbol) {
  AGPU__OWNED char *name = agpu__format("%s%.*s", enqueued, AGPU__STR(symbol));
  return find_defined(ir, name) != NULL;
}

void agpu__region_names_mark(MlirOperation module, LLVMModuleRef ir) {
  if (!agpu__has_attr(module, AGPU__TRACE_ATTR))
    return;
  marks m = declare(ir);
  AGPU__OPS_FOREACH (op, agpu__module_body(module)) {
    if (!agpu__op_is(op, "llvm.func"))
      continue;
    MlirStringRef symbol = agpu__get_string(op, "sym_name");
    LLVMValueRef function =
        LLVMGetNamedFunctionWithLength(ir, symbol.data, symbol.length);
    if (!function || LLVMIsDeclaration(function) || has_body(ir, symbol))
      continue;
    if (has_prefix(symbol, enqueued))
      symbol = mlirStringRefCreate(symbol.data + sizeof(enqueued) - 1,
                                   symbol.length - (sizeof(enqueued) - 1));
    bool is_coroutine =
        LLVMGetEnumAttributeAtIndex(
            function, (LLVMAttributeIndex)LLVMAttributeFunctionIndex,
            LLVMGetEnumAttributeKindForName("presplitcoroutine", 17)) != NULL;
    region_name of = name_of(op, symbol);
    if (is_coroutine || of.is_outlined)
      mark(ir, &m, function, is_coroutine, of);
  }
}

char *agpu__region_names_describe(MlirSymbolTable symbols, const char *symbol) {
  // Parts of a coroutine have its name and one of these.
  static const char *const parts[] = {".resume", ".destroy", ".cleanup"};
  size_t size = strlen(symbol);
  for (size_t i = 0; i < AGPU__COUNT(parts); ++i) {
    size_t tail = strlen(parts[i]);
    if (size > tail && strcmp(symbol + size - tail, parts[i]) == 0)
      size -= tail;
  }
  // So has the body of a call, and what a tool calls (exports.c).
  static const char *const prefixes[] = {enqueued, "agpu_call."};
  for (size_t i = 0; i < AGPU__COUNT(prefixes); ++i)
    if (has_prefix(mlirStringRefCreate(symbol, size), prefixes[i])) {
      symbol += strlen(prefixes[i]);
      size -= strlen(prefixes[i]);
    }
  MlirStringRef name = mlirStringRefCreate(symbol, size);
  MlirOperation op = mlirSymbolTableLookup(symbols, name);
  char *text = NULL;
  if (!mlirOperationIsNull(op)) {
    region_name of = name_of(op, name);
    bool has_own = agpu__name_of(mlirOperationGetLocation(op)).length > 0;
    AGPU__OWNED char *word =
        of.is_outlined ? agpu__format("region %lld%s", (long long)of.region,
                                      has_own ? " " : " of ")
                       : agpu__format("%s", "");
    AGPU__OWNED char *place =
        of.place.file.data
            ? agpu__format(" (%.*s:%d)", AGPU__STR(of.place.file),
                           of.place.line)
            : agpu__format("%s", "");
    text = agpu__format("%s'%.*s'%s", word, AGPU__STR(of.name), place);
  }
  return text;
}
