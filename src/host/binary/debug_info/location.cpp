#include "binary/debug_info/location.h"

#include <dwarf.h>

#include <cstring>
#include <vector>

namespace heddle::binary {
namespace {

// A stack machine for DWARF expressions. Without a context it assumes a frame in which all memory is readable, and
// either all registers are known or, if the frame is in a call, only the callee-saved ones.
class Machine {
 public:
  explicit Machine(const LocationContext* context, bool has_called = false)
      : context_(context), has_called_(has_called) {}

  MemoryLocation run(const Dwarf_Op* operations, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
      const bool last = i + 1 == count;
      if (!step(operations[i], last)) return {};
    }
    if (stack_.empty()) return {};
    return {is_value_ ? MemoryLocation::Kind::Value : MemoryLocation::Kind::Memory, stack_.back()};
  }

 private:
  struct Frame {
    std::uint64_t base = 0, address = 0, bias = 0;
  };
  Frame frame() const {
    return context_ == nullptr ? Frame{} : Frame{context_->frame_base, context_->frame_address, context_->bias};
  }

  bool push_register(unsigned number, std::uint64_t offset) {
    Dwarf_Word value = 0;
    if (context_ != nullptr) {
      if (dwfl_frame_reg(context_->frame, number, &value) != 0) return false;
    } else {
      const bool preserved = number == kRbx || number == kRbp || number == kRsp || (number >= kR12 && number < kRip);
      if (number >= kRip || (has_called_ && !preserved)) return false;
    }
    stack_.push_back(value + offset);
    return true;
  }

  std::uint64_t pop() {
    if (stack_.empty()) {
      underflow_ = true;
      return 0;
    }
    const std::uint64_t value = stack_.back();
    stack_.pop_back();
    return value;
  }

  bool read_memory(std::uint64_t bytes) {
    std::uint64_t value = 0;
    const std::uint64_t address = pop();
    if (underflow_ || bytes == 0 || bytes > 8) return false;
    if (context_ != nullptr) {
      const std::uint8_t* from = context_->image.at(address, bytes);
      if (from == nullptr) return false;
      std::memcpy(&value, from, bytes);
    }
    stack_.push_back(value);
    return true;
  }

  template <typename Function>
  bool binary(Function function) {
    const std::uint64_t right = pop(), left = pop();
    if (underflow_) return false;
    stack_.push_back(function(left, right));
    return true;
  }

  bool step(const Dwarf_Op& operation, bool last) {
    const unsigned atom = operation.atom;
    if (atom >= DW_OP_reg0 && atom <= DW_OP_reg31) {
      is_value_ = true;
      return push_register(atom - DW_OP_reg0, 0);
    }
    if (atom >= DW_OP_breg0 && atom <= DW_OP_breg31) return push_register(atom - DW_OP_breg0, operation.number);
    if (atom >= DW_OP_lit0 && atom <= DW_OP_lit31) {
      stack_.push_back(atom - DW_OP_lit0);
      return true;
    }
    switch (atom) {
      case DW_OP_regx:
        is_value_ = true;
        return push_register(static_cast<unsigned>(operation.number), 0);
      case DW_OP_bregx:
        return push_register(static_cast<unsigned>(operation.number), operation.number2);
      case DW_OP_fbreg:
        stack_.push_back(frame().base + operation.number);
        return true;
      case DW_OP_addr:
        stack_.push_back(operation.number + frame().bias);
        return true;
      case DW_OP_call_frame_cfa:
        stack_.push_back(frame().address);
        return true;
      case DW_OP_const1u:
      case DW_OP_const1s:
      case DW_OP_const2u:
      case DW_OP_const2s:
      case DW_OP_const4u:
      case DW_OP_const4s:
      case DW_OP_const8u:
      case DW_OP_const8s:
      case DW_OP_constu:
      case DW_OP_consts:
        stack_.push_back(operation.number);
        return true;
      case DW_OP_plus_uconst:
        stack_.push_back(pop() + operation.number);
        return !underflow_;
      case DW_OP_plus:
        return binary([](std::uint64_t a, std::uint64_t b) { return a + b; });
      case DW_OP_minus:
        return binary([](std::uint64_t a, std::uint64_t b) { return a - b; });
      case DW_OP_mul:
        return binary([](std::uint64_t a, std::uint64_t b) { return a * b; });
      case DW_OP_div:  // signed; a damaged expression may divide by zero, or overflow by dividing by -1
        return binary([](std::uint64_t a, std::uint64_t b) {
          const auto left = static_cast<std::int64_t>(a), right = static_cast<std::int64_t>(b);
          return right == 0 || right == -1 ? -a : static_cast<std::uint64_t>(left / right);
        });
      case DW_OP_and:
        return binary([](std::uint64_t a, std::uint64_t b) { return a & b; });
      case DW_OP_or:
        return binary([](std::uint64_t a, std::uint64_t b) { return a | b; });
      case DW_OP_xor:
        return binary([](std::uint64_t a, std::uint64_t b) { return a ^ b; });
      case DW_OP_shl:
        return binary([](std::uint64_t a, std::uint64_t b) { return b < 64 ? a << b : 0; });
      case DW_OP_shr:
        return binary([](std::uint64_t a, std::uint64_t b) { return b < 64 ? a >> b : 0; });
      case DW_OP_shra:
        return binary([](std::uint64_t a, std::uint64_t b) {
          return static_cast<std::uint64_t>(static_cast<std::int64_t>(a) >> (b < 64 ? b : 63));
        });
      case DW_OP_neg:
        stack_.push_back(-pop());
        return !underflow_;
      case DW_OP_not:
        stack_.push_back(~pop());
        return !underflow_;
      case DW_OP_dup:
        if (stack_.empty()) return false;
        stack_.push_back(stack_.back());
        return true;
      case DW_OP_drop:
        pop();
        return !underflow_;
      case DW_OP_deref:
        return read_memory(8);
      case DW_OP_deref_size:
        return read_memory(operation.number);
      case DW_OP_convert:  // clang's conversions between widths of integers
      case DW_OP_nop:
        return true;
      case DW_OP_stack_value:
        is_value_ = true;
        return true;
      case DW_OP_piece:
        return last && !stack_.empty();  // a single piece is the whole value
      default:
        return false;
    }
  }

  const LocationContext* context_;
  bool has_called_;
  std::vector<std::uint64_t> stack_;
  bool is_value_ = false;
  bool underflow_ = false;
};

}  // namespace

MemoryLocation evaluate(const Dwarf_Op* operations, std::size_t count, const LocationContext& context) {
  return Machine(&context).run(operations, count);
}

bool can_evaluate(const Dwarf_Op* operations, std::size_t count, bool has_called) {
  return Machine(nullptr, has_called).run(operations, count).kind != MemoryLocation::Kind::Unknown;
}

}  // namespace heddle::binary
