#include "pass/sites/library_call_sites.h"

#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/Intrinsics.h>

#include "pass/hooks/hook_builder.h"
#include "pass/sites/library_calls.h"
#include "pass/sites/printf_format.h"

using namespace llvm;

namespace heddle::instrument {
namespace {

// The emitted libc calls execute in the block of an armed site only, just before the program's own call.
Value* call_libc(IRBuilder<>& ir, StringRef name, Type* result, ArrayRef<Value*> arguments) {
  SmallVector<Type*, 4> parameters;
  for (Value* argument : arguments) parameters.push_back(argument->getType());
  Module* module = ir.GetInsertBlock()->getModule();
  FunctionCallee callee = module->getOrInsertFunction(name, FunctionType::get(result, parameters, false));
  return ir.CreateCall(callee, arguments);
}

Value* to_size(IRBuilder<>& ir, Value* value) { return ir.CreateZExtOrTrunc(value, ir.getInt64Ty()); }

Value* string_length(IRBuilder<>& ir, Value* text) { return call_libc(ir, "strlen", ir.getInt64Ty(), {text}); }

Value* bounded_string_length(IRBuilder<>& ir, Value* text, Value* bound) {
  return call_libc(ir, "strnlen", ir.getInt64Ty(), {text, to_size(ir, bound)});
}

Value* smaller_of(IRBuilder<>& ir, Value* a, Value* b) { return ir.CreateBinaryIntrinsic(Intrinsic::umin, a, b); }

// A bounded string is read up to and including its NUL, or for `bound` bytes if these contain no NUL.
Value* bytes_of_bounded_string(IRBuilder<>& ir, Value* text, Value* bound) {
  Value* length = bounded_string_length(ir, text, bound);
  return smaller_of(ir, ir.CreateAdd(length, ir.getInt64(1)), to_size(ir, bound));
}

Value* begin_of(IRBuilder<>& ir, const Effect& effect, Value* argument) {
  Value* base = argument;
  if (effect.origin == Origin::EndOfString) return ir.CreatePtrAdd(base, string_length(ir, base));
  if (effect.origin == Origin::Behind) {
    LoadInst* pointer = ir.CreateLoad(ir.getPtrTy(), ir.CreatePtrAdd(base, ir.getInt64(effect.pointer_offset)));
    pointer->setNoSanitizeMetadata();
    base = pointer;
  }
  return effect.offset == 0 ? base : ir.CreatePtrAdd(base, ir.getInt64(effect.offset));
}

Value* bytes_until_found(IRBuilder<>& ir, Value* address, Value* byte, Value* bound) {
  Value* size = to_size(ir, bound);
  Value* found = call_libc(ir, "memchr", ir.getPtrTy(), {address, ir.CreateZExtOrTrunc(byte, ir.getInt32Ty()), size});
  Value* read = ir.CreateSub(ir.CreatePtrToInt(found, ir.getInt64Ty()), ir.CreatePtrToInt(address, ir.getInt64Ty()));
  return ir.CreateSelect(ir.CreateIsNull(found), size, ir.CreateAdd(read, ir.getInt64(1)));
}

void announce_effect(HookBuilder& hook, const Effect& effect, CallBase& call) {
  IRBuilder<>& ir = hook.ir();
  const auto argument = [&](unsigned index) { return call.getArgOperand(index); };
  Value* address = begin_of(ir, effect, argument(effect.argument));
  switch (effect.extent) {
    case Extent::Bytes:
      return hook.range(address, argument(effect.a));
    case Extent::Product:
      return hook.range(address, ir.CreateMul(to_size(ir, argument(effect.a)), to_size(ir, argument(effect.b))));
    case Extent::Words:
      return hook.range(address, ir.CreateMul(to_size(ir, argument(effect.a)), ir.getInt64(4)));
    case Extent::Fixed:
      return hook.range(address, ir.getInt64(effect.a));
    case Extent::Found:
      return hook.range(address, bytes_until_found(ir, address, argument(effect.a), argument(effect.b)));
    case Extent::String:
      return hook.string(address, argument(effect.a));
    case Extent::StringUpTo:
      return hook.range(address, bytes_of_bounded_string(ir, argument(effect.a), argument(effect.b)));
    case Extent::PrefixAndNul:
      return hook.range(
          address, ir.CreateAdd(bounded_string_length(ir, argument(effect.a), argument(effect.b)), ir.getInt64(1)));
  }
}

bool has_pointers_where_needed(const Effect& effect, const CallBase& call) {
  const auto is_pointer = [&](unsigned index) { return call.getArgOperand(index)->getType()->isPointerTy(); };
  const bool reads_string =
      effect.extent == Extent::String || effect.extent == Extent::StringUpTo || effect.extent == Extent::PrefixAndNul;
  return is_pointer(effect.argument) && (!reads_string || is_pointer(effect.a));
}

Site range_site(CallBase& call, bool writes, unique_function<void(HookBuilder&)> announce) {
  return {&call, writes ? HEDDLE_SITE_RANGE_WRITE : HEDDLE_SITE_RANGE_READ, HEDDLE_ORDER_NONE, 0, std::move(announce)};
}

// True if the extent of the effect is computed without a call that receives the address.
bool needs_no_libc_call(const Effect& effect) {
  return effect.origin == Origin::Argument &&
         (effect.extent == Extent::Bytes || effect.extent == Extent::Product || effect.extent == Extent::Words ||
          effect.extent == Extent::Fixed || effect.extent == Extent::String);
}

void collect_effects(CallBase& call, ArrayRef<Effect> effects, SharedMemory& shared, SmallVectorImpl<Site>& sites) {
  for (const Effect& effect : effects) {
    if (!has_pointers_where_needed(effect, call)) continue;
    if (shared.scope() == SharedMemory::Scope::Private && !needs_no_libc_call(effect)) continue;
    const bool is_behind = effect.origin == Origin::Behind;
    if (!is_behind && !shared.may_contain(call.getArgOperand(effect.argument))) continue;
    sites.push_back(
        range_site(call, effect.writes, [&call, &effect](HookBuilder& hook) { announce_effect(hook, effect, call); }));
  }
}

// The number of bytes that a call of the sprintf family will write, from snprintf with an empty buffer. With a va_list,
// or with %n, which must not be executed twice, the result is 1.
Value* formatted_size(IRBuilder<>& ir, const PrintfCall& printf, CallBase& call, bool may_measure) {
  Value* size = ir.getInt64(1);
  if (may_measure) {
    FunctionCallee snprintf = call.getModule()->getOrInsertFunction(
        "snprintf", FunctionType::get(ir.getInt32Ty(), {ir.getPtrTy(), ir.getInt64Ty(), ir.getPtrTy()},
                                      /*isVarArg=*/true));
    SmallVector<Value*, 8> arguments = {ConstantPointerNull::get(ir.getPtrTy()), ir.getInt64(0)};
    arguments.append(call.arg_begin() + printf.format, call.arg_end());
    Value* length = ir.CreateSExt(ir.CreateCall(snprintf, arguments), ir.getInt64Ty());
    size = ir.CreateAdd(length, ir.getInt64(1));
  }
  return printf.has_bound ? smaller_of(ir, size, to_size(ir, call.getArgOperand(1))) : size;
}

void announce_string_conversion(HookBuilder& hook, Value* text, std::optional<std::uint64_t> precision,
                                Value* precision_argument) {
  IRBuilder<>& ir = hook.ir();
  if (precision)
    hook.range(text, bytes_of_bounded_string(ir, text, ir.getInt64(*precision)));
  else if (precision_argument && precision_argument->getType()->isIntegerTy())
    // A negative precision means that there is none; as an unsigned number it does not bound the string either.
    hook.range(text, bytes_of_bounded_string(ir, text, ir.CreateSExtOrTrunc(precision_argument, ir.getInt64Ty())));
  else
    hook.string(text, text);
}

void collect_printf(CallBase& call, const PrintfCall& printf, SharedMemory& shared, SmallVectorImpl<Site>& sites) {
  std::optional<PrintfFormat> format;
  if (StringRef text; getConstantStringInfo(call.getArgOperand(printf.format), text))
    format = parse_printf_format(text);

  if (format && !printf.takes_va_list) {
    for (const StringConversion& conversion : format->strings) {
      const auto argument = [&call, first = printf.format + 1u](unsigned index) -> Value* {
        return first + index < call.arg_size() ? call.getArgOperand(first + index) : nullptr;
      };
      Value* text = argument(conversion.argument);
      if (!text || !text->getType()->isPointerTy() || !shared.may_contain(text)) continue;
      Value* precision = conversion.precision_argument ? argument(*conversion.precision_argument) : nullptr;
      sites.push_back(range_site(call, false, [text, conversion, precision](HookBuilder& hook) {
        // glibc prints "(null)" for a null pointer.
        hook.when(hook.ir().CreateIsNotNull(text),
                  [&] { announce_string_conversion(hook, text, conversion.precision, precision); });
      }));
    }
  }
  if (printf.has_destination && shared.may_contain(call.getArgOperand(0))) {
    const bool may_measure = format && !format->writes_arguments && !printf.takes_va_list;
    sites.push_back(range_site(call, true, [&call, &printf, may_measure](HookBuilder& hook) {
      hook.range(call.getArgOperand(0), formatted_size(hook.ir(), printf, call, may_measure));
    }));
  }
}

// Passing a struct by value copies it at the call.
void collect_by_value_arguments(CallBase& call, SharedMemory& shared, SmallVectorImpl<Site>& sites) {
  const DataLayout& layout = call.getModule()->getDataLayout();
  for (unsigned index = 0; index < call.arg_size(); ++index) {
    if (!call.isByValArgument(index) || !shared.may_contain(call.getArgOperand(index))) continue;
    const std::uint64_t size = layout.getTypeStoreSize(call.getParamByValType(index));
    sites.push_back(range_site(call, false, [&call, index, size](HookBuilder& hook) {
      hook.range(call.getArgOperand(index), hook.ir().getInt64(size));
    }));
  }
}

}  // namespace

void collect_call_sites(CallBase& call, SharedMemory& shared, SmallVectorImpl<Site>& sites) {
  collect_by_value_arguments(call, shared, sites);
  const Function* callee = call.getCalledFunction();
  // A function that is defined in this module has sites of its own.
  if (!callee || !callee->isDeclaration()) return;
  const unsigned argument_count = call.arg_size();
  if (const PrintfCall* printf = find_printf_call(callee->getName(), argument_count)) {
    if (shared.scope() == SharedMemory::Scope::Private) return;
    collect_printf(call, *printf, shared, sites);
    return;
  }
  collect_effects(call, find_library_effects(callee->getName(), argument_count), shared, sites);
}

}  // namespace heddle::instrument
