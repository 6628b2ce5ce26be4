//===- embed.c - Descriptors of kernels in the program --------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "gpu/embed.h"

#include "async_gpu/kernel.h"
#include "lower/ir.h"
#include "lower/llvm_ops.h"
#include "lower/text.h"

#include "mlir-c/BuiltinAttributes.h"
#include "mlir-c/Dialect/LLVM.h"

#include <stdlib.h>
#include <string.h>

//===----------------------------------------------------------------------===//
// Symbols
//===----------------------------------------------------------------------===//

char *agpu__embed_symbol(const char *prefix, MlirStringRef module,
                         MlirStringRef name) {
  agpu__text text = {0};
  agpu__text_printf(&text, "%s.", prefix);
  // The first dot that is not escaped ends the module's name.
  for (size_t i = 0; i < module.length; ++i) {
    if (module.data[i] == '.' || module.data[i] == '$')
      agpu__text_puts(&text, "$");
    agpu__text_append(&text, module.data + i, 1);
  }
  if (name.length) {
    agpu__text_puts(&text, ".");
    agpu__text_append(&text, name.data, name.length);
  }
  return agpu__text_take(&text);
}

char *agpu__kernel_symbol(MlirAttribute kernel_ref) {
  if (mlirAttributeIsNull(kernel_ref) ||
      !mlirAttributeIsASymbolRef(kernel_ref) ||
      mlirSymbolRefAttrGetNumNestedReferences(kernel_ref) != 1)
    return NULL;
  return agpu__embed_symbol("agpu_kernel",
                            mlirSymbolRefAttrGetRootReference(kernel_ref),
                            mlirSymbolRefAttrGetLeafReference(kernel_ref));
}

//===----------------------------------------------------------------------===//
// Building globals
//===----------------------------------------------------------------------===//

/// Where globals go.
typedef struct writer {
  agpu__builder builder;
  MlirOperation host_module;
} writer;

/// A global with a value attribute, or with an initialiser when `value` is
/// null; then the initialiser's block is stored.
static void build_global(writer *to, const char *symbol, MlirType type,
                         bool constant, MlirAttribute value, const char *mark,
                         MlirStringRef mark_value, MlirBlock *out_initializer) {
  MlirContext context = to->builder.context;
  MlirNamedAttribute attributes[7];
  size_t count = 0;
  attributes[count++] =
      agpu__named(context, "sym_name", agpu__string_attr(context, symbol));
  attributes[count++] =
      agpu__named(context, "global_type", mlirTypeAttrGet(type));
  attributes[count++] =
      agpu__named(context, "linkage",
                  mlirLLVMLinkageAttrGet(context, MlirLLVMLinkageInternal));
  attributes[count++] =
      agpu__named(context, "addr_space", agpu__i32_attr(context, 0));
  if (constant)
    attributes[count++] =
        agpu__named(context, "constant", mlirUnitAttrGet(context));
  if (!mlirAttributeIsNull(value))
    attributes[count++] = agpu__named(context, "value", value);
  if (mark)
    attributes[count++] =
        agpu__named(context, mark, mlirStringAttrGet(context, mark_value));
  MlirRegion region = mlirRegionCreate();
  if (out_initializer) {
    *out_initializer = mlirBlockCreate(0, NULL, NULL);
    mlirRegionAppendOwnedBlock(region, *out_initializer);
  }
  agpu__op_spec spec = {.name = "llvm.mlir.global",
                        .location = to->builder.location,
                        .attributes = attributes,
                        .attribute_count = count,
                        .regions = &region,
                        .region_count = 1};
  agpu__build(&to->builder, &spec);
}

static MlirValue constant_i32(agpu__builder *at, uint32_t value) {
  return agpu__llvm_constant(at, agpu__i32_attr(at->context, (int32_t)value));
}

static MlirValue undefined(agpu__builder *at, MlirType type) {
  return agpu__result(
      agpu__build_op(at, "llvm.mlir.undef", NULL, 0, type, NULL, 0), 0);
}

/// `aggregate` with `value` at `position`.
static MlirValue insert(agpu__builder *at, MlirValue aggregate, MlirValue value,
                        int64_t position) {
  MlirValue operands[] = {aggregate, value};
  MlirNamedAttribute attribute = agpu__named(
      at->context, "position", mlirDenseI64ArrayGet(at->context, 1, &position));
  return agpu__result(agpu__build_op(at, "llvm.insertvalue", operands, 2,
                                     mlirValueGetType(aggregate), &attribute,
                                     1),
                      0);
}

/// A structure of `values`, in order.
static MlirValue build_struct(agpu__builder *at, MlirType type,
                              const MlirValue *values, size_t count) {
  MlirValue aggregate = undefined(at, type);
  for (size_t i = 0; i < count; ++i)
    aggregate = insert(at, aggregate, values[i], (int64_t)i);
  return aggregate;
}

static void build_return(agpu__builder *at, MlirValue value) {
  agpu__build_op(at, "llvm.return", &value, 1, (MlirType){NULL}, NULL, 0);
}

/// A literal structure type from a string of 'i' (i32), 'l' (i64), 'p' (ptr):
/// the members of the structures in kernel.h, without padding of their own.
static MlirType struct_type(MlirContext context, const char *members) {
  MlirType types[8];
  intptr_t count = 0;
  for (; members[count]; ++count)
    types[count] = members[count] == 'i'   ? agpu__i32_type(context)
                   : members[count] == 'l' ? agpu__i64_type(context)
                                           : agpu__ptr_type(context);
  return mlirLLVMStructTypeLiteralGet(context, count, types, false);
}

//===----------------------------------------------------------------------===//
// The parts
//===----------------------------------------------------------------------===//

static void embed_ptx(writer *to, const agpu__images *images,
                      const char *symbol) {
  MlirContext context = to->builder.context;
  size_t bytes = strlen(images->ptx) + 1;
  MlirType type =
      mlirLLVMArrayTypeGet(mlirIntegerTypeGet(context, 8), (unsigned)bytes);
  MlirAttribute value =
      mlirStringAttrGet(context, mlirStringRefCreate(images->ptx, bytes));
  build_global(to, symbol, type, true, value, "agpu.ptx", images->module_name,
               NULL);
}

/// The sizes of a kernel's parameters; returns false if it has none.
static bool embed_param_sizes(writer *to, const agpu__kernel *kernel,
                              const char *symbol) {
  if (!kernel->param_count)
    return false;
  MlirContext context = to->builder.context;
  int64_t count = (int64_t)kernel->param_count;
  MlirType shape = mlirRankedTensorTypeGet(1, &count, agpu__i32_type(context),
                                           mlirAttributeGetNull());
  MlirAttribute value =
      mlirDenseElementsAttrUInt32Get(shape, count, kernel->param_sizes);
  build_global(to, symbol,
               mlirLLVMArrayTypeGet(agpu__i32_type(context), (unsigned)count),
               true, value, NULL, mlirStringRefCreate(NULL, 0), NULL);
  return true;
}

/// agpu_native_kernel[], and the agpu_native_image `symbol` over it.
static void embed_native(writer *to, const agpu__images *images,
                         const char *symbol) {
  MlirContext context = to->builder.context;
  MlirStringRef none = mlirStringRefCreate(NULL, 0);
  MlirType row_type = struct_type(context, "pppii");
  MlirType table_type =
      mlirLLVMArrayTypeGet(row_type, (unsigned)images->kernel_count);
  char *table =
      agpu__embed_symbol("agpu_native_kernels", images->module_name, none);
  char **sizes = calloc(images->kernel_count + 1, sizeof(*sizes));
  if (!sizes)
    abort();
  for (size_t i = 0; i < images->kernel_count; ++i) {
    const agpu__kernel *kernel = &images->kernels[i];
    sizes[i] = agpu__embed_symbol("agpu_param_sizes", images->module_name,
                                  kernel->name);
    if (!embed_param_sizes(to, kernel, sizes[i])) {
      free(sizes[i]);
      sizes[i] = NULL;
    }
  }

  MlirBlock block;
  build_global(to, table, table_type, true, mlirAttributeGetNull(), NULL, none,
               &block);
  agpu__builder at = agpu__builder_at_end(block, to->builder.location);
  MlirValue rows = undefined(&at, table_type);
  for (size_t i = 0; i < images->kernel_count; ++i) {
    const agpu__kernel *kernel = &images->kernels[i];
    MlirValue members[] = {
        agpu__string_constant(&at, to->host_module, kernel->image_name),
        agpu__llvm_address(&at, kernel->native_symbol),
        sizes[i] ? agpu__llvm_address(&at, sizes[i]) : agpu__llvm_null(&at),
        constant_i32(&at, (uint32_t)kernel->param_count),
        constant_i32(&at, (uint32_t)kernel->shared_bytes),
    };
    rows =
        insert(&at, rows, build_struct(&at, row_type, members, 5), (int64_t)i);
    free(sizes[i]);
  }
  build_return(&at, rows);
  free(sizes);

  MlirType image_type = struct_type(context, "iip");
  build_global(to, symbol, image_type, true, mlirAttributeGetNull(), NULL, none,
               &block);
  at = agpu__builder_at_end(block, to->builder.location);
  MlirValue members[] = {
      constant_i32(&at, AGPU_NATIVE_MAGIC),
      constant_i32(&at, (uint32_t)images->kernel_count),
      images->kernel_count ? agpu__llvm_address(&at, table)
                           : agpu__llvm_null(&at),
  };
  build_return(&at, build_struct(&at, image_type, members, 3));
  free(table);
}

/// agpu_image_desc[]; returns how many there are.
static uint32_t embed_image_table(writer *to, const agpu__images *images,
                                  const char *symbol, const char *ptx,
                                  const char *native) {
  uint32_t count = (images->ptx ? 1u : 0u) + (images->has_native ? 1u : 0u);
  MlirContext context = to->builder.context;
  MlirType row_type = struct_type(context, "iipl");
  MlirType type = mlirLLVMArrayTypeGet(row_type, count);
  MlirBlock block;
  build_global(to, symbol, type, true, mlirAttributeGetNull(), NULL,
               mlirStringRefCreate(NULL, 0), &block);
  agpu__builder at = agpu__builder_at_end(block, to->builder.location);
  MlirValue rows = undefined(&at, type);
  int64_t row = 0;
  if (images->ptx) {
    MlirValue members[] = {
        constant_i32(&at, AGPU_IMAGE_PTX), constant_i32(&at, images->chip),
        agpu__llvm_address(&at, ptx),
        agpu__llvm_i64(&at, (int64_t)strlen(images->ptx) + 1)};
    rows = insert(&at, rows, build_struct(&at, row_type, members, 4), row++);
  }
  if (images->has_native) {
    MlirValue members[] = {
        constant_i32(&at, AGPU_IMAGE_NATIVE), constant_i32(&at, 0),
        agpu__llvm_address(&at, native),
        agpu__llvm_i64(&at, (int64_t)sizeof(agpu_native_image))};
    rows = insert(&at, rows, build_struct(&at, row_type, members, 4), row++);
  }
  build_return(&at, rows);
  return count;
}

static void embed_module(writer *to, const agpu__images *images,
                         const char *symbol, const char *table,
                         uint32_t image_count) {
  MlirContext context = to->builder.context;
  MlirType type = struct_type(context, "iippp");
  MlirBlock block;
  build_global(to, symbol, type, false, mlirAttributeGetNull(), NULL,
               mlirStringRefCreate(NULL, 0), &block);
  agpu__builder at = agpu__builder_at_end(block, to->builder.location);
  char *name = agpu__format("%.*s", (int)images->module_name.length,
                            images->module_name.data);
  MlirValue members[] = {constant_i32(&at, AGPU_MODULE_VERSION),
                         constant_i32(&at, image_count),
                         agpu__string_constant(&at, to->host_module, name),
                         agpu__llvm_address(&at, table), agpu__llvm_null(&at)};
  build_return(&at, build_struct(&at, type, members, 5));
  free(name);
}

static void embed_kernel(writer *to, const agpu__images *images,
                         const agpu__kernel *kernel, const char *module) {
  MlirContext context = to->builder.context;
  MlirType type = struct_type(context, "pppp");
  char *symbol =
      agpu__embed_symbol("agpu_kernel", images->module_name, kernel->name);
  char *location = agpu__location_text(kernel->location);
  MlirBlock block;
  to->builder.location = kernel->location;
  build_global(to, symbol, type, false, mlirAttributeGetNull(), NULL,
               mlirStringRefCreate(NULL, 0), &block);
  agpu__builder at = agpu__builder_at_end(block, kernel->location);
  MlirValue members[] = {
      agpu__llvm_address(&at, module),
      agpu__string_constant(&at, to->host_module, kernel->image_name),
      *location ? agpu__string_constant(&at, to->host_module, location)
                : agpu__llvm_null(&at),
      agpu__llvm_null(&at)};
  build_return(&at, build_struct(&at, type, members, 4));
  free(symbol);
  free(location);
}

void agpu__embed(MlirOperation host_module, MlirOperation before,
                 const agpu__images *images) {
  writer to = {agpu__builder_before(before), host_module};
  MlirStringRef none = mlirStringRefCreate(NULL, 0);
  char *ptx = agpu__embed_symbol("agpu_ptx", images->module_name, none);
  char *native =
      agpu__embed_symbol("agpu_native_image", images->module_name, none);
  char *table = agpu__embed_symbol("agpu_images", images->module_name, none);
  char *module = agpu__embed_symbol("agpu_module", images->module_name, none);
  if (images->ptx)
    embed_ptx(&to, images, ptx);
  if (images->has_native)
    embed_native(&to, images, native);
  uint32_t count = embed_image_table(&to, images, table, ptx, native);
  embed_module(&to, images, module, table, count);
  for (size_t i = 0; i < images->kernel_count; ++i)
    embed_kernel(&to, images, &images->kernels[i], module);
  free(ptx);
  free(native);
  free(table);
  free(module);
}
