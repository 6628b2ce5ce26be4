//===- embed.c - Descriptors of kernels in the program --------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Globals of the program: the bytes of images, tables of kernels and of images,
// the module over them, and a descriptor for each kernel, which launches name.
//
//===----------------------------------------------------------------------===//

#include "gpu/images/embed.h"

#include "async_gpu/compiled/kernel.h"
#include "gpu/kernels/symbols.h"
#include "lower/ir/ir.h"
#include "lower/ir/llvm_ops.h"
#include "lower/ir/text.h"

#include "mlir-c/BuiltinAttributes.h"
#include "mlir-c/Dialect/LLVM.h"

#include <stdlib.h>
#include <string.h>

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

/// A structure of `values`, in order.
static MlirValue build_struct(agpu__builder *at, MlirType type,
                              const MlirValue *values, size_t count) {
  MlirValue aggregate = agpu__llvm_undef(at, type);
  for (size_t i = 0; i < count; ++i)
    aggregate = agpu__llvm_insert(at, aggregate, values[i], (int64_t)i);
  return aggregate;
}

static void build_return(agpu__builder *at, MlirValue value) {
  agpu__build_op(at, "llvm.return", &value, 1, (MlirType){NULL}, NULL, 0);
}

/// How many images a module has.
static uint32_t image_count(const agpu__embedding *self) {
  return (uint32_t)self->image_count + (self->has_native ? 1u : 0u);
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

/// The bytes of one image; returns the symbol, which the caller frees.
static char *embed_image(writer *to, const agpu__embedding *self,
                         const agpu__image *image) {
  MlirContext context = to->builder.context;
  bool is_ptx = image->format == AGPU_IMAGE_PTX;
  char *symbol =
      agpu__embed_symbol(is_ptx ? "agpu_ptx" : "agpu_cubin", self->module_name,
                         agpu__str(image->chip->name));
  MlirType type = mlirLLVMArrayTypeGet(mlirIntegerTypeGet(context, 8),
                                       (unsigned)image->size);
  MlirAttribute value =
      mlirStringAttrGet(context, mlirStringRefCreate(image->data, image->size));
  build_global(to, symbol, type, true, value,
               is_ptx ? "agpu.ptx" : "agpu.cubin", self->module_name, NULL);
  return symbol;
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

/// The parameters that are addresses; returns false if there are none.
static bool embed_pointers(writer *to, const agpu__kernel *kernel,
                           const char *symbol) {
  if (!kernel->pointer_count)
    return false;
  MlirType row_type = struct_type(to->builder.context, "iiiil");
  MlirType type =
      mlirLLVMArrayTypeGet(row_type, (unsigned)kernel->pointer_count);
  MlirBlock block;
  build_global(to, symbol, type, true, mlirAttributeGetNull(), NULL,
               mlirStringRefCreate(NULL, 0), &block);
  agpu__builder at = agpu__builder_at_end(block, to->builder.location);
  MlirValue rows = agpu__llvm_undef(&at, type);
  for (size_t i = 0; i < kernel->pointer_count; ++i) {
    const agpu_native_pointer *pointer = &kernel->pointers[i];
    MlirValue members[] = {
        constant_i32(&at, pointer->param), constant_i32(&at, pointer->argument),
        // Two members of 16 bits.
        constant_i32(&at, (uint32_t)pointer->kind | (uint32_t)pointer->alignment
                                                        << 16),
        constant_i32(&at, pointer->element_bytes),
        agpu__llvm_i64(&at, pointer->offset)};
    rows = agpu__llvm_insert(&at, rows, build_struct(&at, row_type, members, 5),
                             (int64_t)i);
  }
  build_return(&at, rows);
  return true;
}

/// A table of the kernel; NULL where `embed` says that it has none.
static char *embed_table(writer *to, const agpu__embedding *self,
                         const agpu__kernel *kernel, const char *prefix,
                         bool (*embed)(writer *, const agpu__kernel *,
                                       const char *)) {
  char *symbol = agpu__embed_symbol(prefix, self->module_name, kernel->name);
  if (embed(to, kernel, symbol))
    return symbol;
  free(symbol);
  return NULL;
}

static MlirValue table_address(agpu__builder *at, const char *symbol) {
  return symbol ? agpu__llvm_address(at, symbol) : agpu__llvm_null(at);
}

/// agpu_native_kernel[], and the agpu_native_image `symbol` over it.
static void embed_native(writer *to, const agpu__embedding *self,
                         const char *symbol) {
  MlirContext context = to->builder.context;
  MlirStringRef none = mlirStringRefCreate(NULL, 0);
  MlirType row_type = struct_type(context, "pppiipii");
  MlirType table_type =
      mlirLLVMArrayTypeGet(row_type, (unsigned)self->kernel_count);
  char *table =
      agpu__embed_symbol("agpu_native_kernels", self->module_name, none);
  char **sizes = agpu__allocate(self->kernel_count, sizeof(*sizes));
  char **pointers = agpu__allocate(self->kernel_count, sizeof(*pointers));
  for (size_t i = 0; i < self->kernel_count; ++i) {
    const agpu__kernel *kernel = &self->kernels[i];
    sizes[i] =
        embed_table(to, self, kernel, "agpu_param_sizes", embed_param_sizes);
    pointers[i] =
        embed_table(to, self, kernel, "agpu_pointers", embed_pointers);
  }

  MlirBlock block;
  build_global(to, table, table_type, true, mlirAttributeGetNull(), NULL, none,
               &block);
  agpu__builder at = agpu__builder_at_end(block, to->builder.location);
  MlirValue rows = agpu__llvm_undef(&at, table_type);
  for (size_t i = 0; i < self->kernel_count; ++i) {
    const agpu__kernel *kernel = &self->kernels[i];
    MlirValue members[] = {
        agpu__string_constant(&at, to->host_module, kernel->image_name),
        agpu__llvm_address(&at, kernel->native_symbol),
        table_address(&at, sizes[i]),
        constant_i32(&at, (uint32_t)kernel->param_count),
        constant_i32(&at, (uint32_t)kernel->shared_bytes),
        table_address(&at, pointers[i]),
        constant_i32(&at, (uint32_t)kernel->pointer_count),
        constant_i32(&at, 0),
    };
    rows = agpu__llvm_insert(&at, rows, build_struct(&at, row_type, members, 8),
                             (int64_t)i);
    free(sizes[i]);
    free(pointers[i]);
  }
  build_return(&at, rows);
  free(sizes);
  free(pointers);

  MlirType image_type = struct_type(context, "iip");
  build_global(to, symbol, image_type, true, mlirAttributeGetNull(), NULL, none,
               &block);
  at = agpu__builder_at_end(block, to->builder.location);
  MlirValue members[] = {
      constant_i32(&at, AGPU_NATIVE_MAGIC),
      constant_i32(&at, (uint32_t)self->kernel_count),
      self->kernel_count ? agpu__llvm_address(&at, table)
                         : agpu__llvm_null(&at),
  };
  build_return(&at, build_struct(&at, image_type, members, 3));
  free(table);
}

/// Whether `text` stands in `image`, PTX or machine code, whose symbols have
/// their names.
static bool names(const agpu__image *image, const char *text) {
  size_t length = strlen(text);
  for (size_t i = 0; i + length <= image->size; ++i)
    if (!memcmp(image->data + i, text, length))
      return true;
  return false;
}

/// Of agpu_image_flags.
static uint32_t image_flags(const agpu__image *image) {
  return names(image, "vprintf") || names(image, "__assertfail")
             ? AGPU_IMAGE_WRITES
             : 0;
}

/// One agpu_image_desc.
static MlirValue image_row(agpu__builder *at, MlirType type, uint32_t format,
                           uint32_t flags, const agpu__chip *chip,
                           const char *symbol, size_t size) {
  MlirValue members[] = {constant_i32(at, format),
                         constant_i32(at, chip ? chip->number : 0),
                         constant_i32(at, chip ? (uint32_t)chip->variant : 0),
                         constant_i32(at, flags),
                         agpu__llvm_address(at, symbol),
                         agpu__llvm_i64(at, (int64_t)size)};
  return build_struct(at, type, members, 6);
}

/// agpu_image_desc[]; `symbols` are those of the images for CUDA.
static void embed_image_table(writer *to, const agpu__embedding *self,
                              const char *symbol, char *const *symbols,
                              const char *native) {
  MlirContext context = to->builder.context;
  MlirType row_type = struct_type(context, "iiiipl");
  MlirType type = mlirLLVMArrayTypeGet(row_type, image_count(self));
  MlirBlock block;
  build_global(to, symbol, type, true, mlirAttributeGetNull(), NULL,
               mlirStringRefCreate(NULL, 0), &block);
  agpu__builder at = agpu__builder_at_end(block, to->builder.location);
  MlirValue rows = agpu__llvm_undef(&at, type);
  int64_t row = 0;
  for (size_t i = 0; i < self->image_count; ++i) {
    const agpu__image *image = &self->images[i];
    rows = agpu__llvm_insert(&at, rows,
                             image_row(&at, row_type, (uint32_t)image->format,
                                       image_flags(image), image->chip,
                                       symbols[i], image->size),
                             row++);
  }
  if (self->has_native)
    rows =
        agpu__llvm_insert(&at, rows,
                          image_row(&at, row_type, AGPU_IMAGE_NATIVE,
                                    self->native_writes ? AGPU_IMAGE_WRITES : 0,
                                    NULL, native, sizeof(agpu_native_image)),
                          row++);
  build_return(&at, rows);
}

static void embed_module(writer *to, const agpu__embedding *self,
                         const char *symbol, const char *table) {
  MlirContext context = to->builder.context;
  MlirType type = struct_type(context, "iippp");
  MlirBlock block;
  build_global(to, symbol, type, false, mlirAttributeGetNull(), NULL,
               mlirStringRefCreate(NULL, 0), &block);
  agpu__builder at = agpu__builder_at_end(block, to->builder.location);
  char *name = agpu__format("%.*s", (int)self->module_name.length,
                            self->module_name.data);
  MlirValue members[] = {constant_i32(&at, AGPU_MODULE_VERSION),
                         constant_i32(&at, image_count(self)),
                         agpu__string_constant(&at, to->host_module, name),
                         agpu__llvm_address(&at, table), agpu__llvm_null(&at)};
  build_return(&at, build_struct(&at, type, members, 5));
  free(name);
}

/// How text refers to a symbol, whatever is in its name.
static char *print_symbol(MlirContext context, const char *symbol) {
  agpu__text text = {0};
  mlirAttributePrint(mlirFlatSymbolRefAttrGet(context, agpu__str(symbol)),
                     agpu__text_callback, &text);
  return agpu__text_take(&text);
}

/// A destructor of the program that gives the module back to the devices: other
/// code may lie where the program lay.
static void embed_release(writer *to, const agpu__embedding *self,
                          const char *module) {
  MlirContext context = to->builder.context;
  char *name = agpu__embed_symbol("agpu_release", self->module_name,
                                  mlirStringRefCreate(NULL, 0));
  char *release = print_symbol(context, name);
  char *given = print_symbol(context, module);
  // The first two are what the others refer to.
  char *text = agpu__format(
      "llvm.mlir.global internal %s() : i8\n"
      "llvm.func @agpu_module_release(!llvm.ptr)\n"
      "llvm.func internal %s() {\n"
      "  %%0 = llvm.mlir.addressof %s : !llvm.ptr\n"
      "  llvm.call @agpu_module_release(%%0) : (!llvm.ptr) -> ()\n"
      "  llvm.return\n"
      "}\n"
      "llvm.mlir.global_dtors dtors = [%s], priorities = [65535 : i32], "
      "data = [#llvm.zero]\n",
      given, release, given, release);
  MlirModule parsed = mlirModuleCreateParse(context, agpu__str(text));
  if (mlirModuleIsNull(parsed))
    abort();
  bool is_declared = !mlirOperationIsNull(
      agpu__lookup(to->host_module, "agpu_module_release"));
  MlirOperation op = mlirBlockGetFirstOperation(mlirModuleGetBody(parsed));
  for (int i = 0; !mlirOperationIsNull(op); ++i) {
    MlirOperation next = mlirOperationGetNextInBlock(op);
    if (i > 1 || (i == 1 && !is_declared)) {
      mlirOperationRemoveFromParent(op);
      mlirBlockInsertOwnedOperationBefore(to->builder.block, to->builder.before,
                                          op);
    }
    op = next;
  }
  mlirModuleDestroy(parsed);
  free(text);
  free(given);
  free(release);
  free(name);
}

static void embed_kernel(writer *to, const agpu__embedding *self,
                         const agpu__kernel *kernel, const char *module) {
  MlirContext context = to->builder.context;
  MlirType type = struct_type(context, "pppp");
  char *symbol =
      agpu__embed_symbol("agpu_kernel", self->module_name, kernel->name);
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
                 const agpu__embedding *embedding) {
  const agpu__embedding *self = embedding;
  writer to = {agpu__builder_before(before), host_module};
  MlirStringRef none = mlirStringRefCreate(NULL, 0);
  char *native =
      agpu__embed_symbol("agpu_native_image", self->module_name, none);
  char *table = agpu__embed_symbol("agpu_images", self->module_name, none);
  char *module = agpu__embed_symbol("agpu_module", self->module_name, none);
  char *symbols[2 * AGPU__MAX_CHIPS];
  for (size_t i = 0; i < self->image_count; ++i)
    symbols[i] = embed_image(&to, self, &self->images[i]);
  if (self->has_native)
    embed_native(&to, self, native);
  embed_image_table(&to, self, table, symbols, native);
  embed_module(&to, self, module, table);
  embed_release(&to, self, module);
  for (size_t i = 0; i < self->kernel_count; ++i)
    embed_kernel(&to, self, &self->kernels[i], module);
  for (size_t i = 0; i < self->image_count; ++i)
    free(symbols[i]);
  free(native);
  free(table);
  free(module);
}
