#include "tests/support/dwarf_writer.h"

#include <map>

#include "tests/support/byte_writer.h"

namespace heddle::test_support {
namespace {

constexpr unsigned kRbp = 6;

template <typename... Functions>
struct Overloaded : Functions... {
  using Functions::operator()...;
};

unsigned form_of(const Attribute& attribute) {
  return std::visit(Overloaded{[](std::uint64_t) { return unsigned{DW_FORM_udata}; },
                               [](const std::string&) { return unsigned{DW_FORM_strp}; },
                               [](const Label&) { return unsigned{DW_FORM_ref_addr}; },
                               [](CodeAddress) { return unsigned{DW_FORM_addr}; },
                               [](Flag) { return unsigned{DW_FORM_flag_present}; },
                               [](const Expression&) { return unsigned{DW_FORM_exprloc}; },
                               [](const LocationList&) { return unsigned{DW_FORM_sec_offset}; }},
                    attribute.value);
}

// Writes the length of a section at its beginning, without the length field.
class Counted {
 public:
  explicit Counted(ByteWriter& to) : to_(to), at_(to.size()) { to.u32(0); }
  ~Counted() { to_.patch_u32(at_, to_.size() - at_ - 4); }
  Counted(const Counted&) = delete;
  Counted& operator=(const Counted&) = delete;

 private:
  ByteWriter& to_;
  std::size_t at_;
};

class DwarfWriter {
 public:
  DwarfSections write(const std::vector<Unit>& units) {
    str_.u8(0);
    {
      const Counted length(loclists_);
      loclists_.u16(5);
      loclists_.u8(8);
      loclists_.u8(0);
      loclists_.u32(0);
      for (const Unit& unit : units) put_unit(unit);
    }
    abbrev_.u8(0);
    for (const auto& [at, label] : references_) info_.patch_u32(at, offsets_.at(label));
    return {info_.take(), abbrev_.take(), str_.take(), line_.take(), loclists_.take()};
  }

 private:
  void put_unit(const Unit& unit) {
    Die root{DW_TAG_compile_unit,
             {{DW_AT_name, unit.name},
              {DW_AT_comp_dir, "/source"},
              {DW_AT_low_pc, CodeAddress{unit.begin}},
              {DW_AT_high_pc, unit.end - unit.begin}},
             unit.children};
    line_table_ = line_.size();
    has_lines_ = !unit.files.empty();
    if (has_lines_) put_lines(unit);
    const Counted length(info_);
    info_.u16(5);
    info_.u8(DW_UT_compile);
    info_.u8(8);
    info_.u32(0);
    put_die(root, true);
  }

  void put_die(const Die& die, bool is_unit = false) {
    if (!die.label.empty()) offsets_[die.label] = info_.size();
    info_.uleb(++code_);
    abbrev_.uleb(code_);
    abbrev_.uleb(die.tag);
    abbrev_.u8(die.children.empty() ? DW_CHILDREN_no : DW_CHILDREN_yes);
    for (const Attribute& attribute : die.attributes) {
      abbrev_.uleb(attribute.name);
      abbrev_.uleb(form_of(attribute));
      put_value(attribute);
    }
    if (is_unit && has_lines_) {
      abbrev_.uleb(DW_AT_stmt_list);
      abbrev_.uleb(DW_FORM_sec_offset);
      info_.u32(line_table_);
    }
    abbrev_.u16(0);
    if (die.children.empty()) return;
    for (const Die& child : die.children) put_die(child);
    info_.u8(0);
  }

  void put_value(const Attribute& attribute) {
    std::visit(Overloaded{[&](std::uint64_t value) { info_.uleb(value); },
                          [&](const std::string& text) {
                            info_.u32(str_.size());
                            str_.text(text);
                          },
                          [&](const Label& label) {
                            references_.emplace_back(info_.size(), label.name);
                            info_.u32(0);
                          },
                          [&](CodeAddress address) { info_.u64(address.value); }, [](Flag) {},
                          [&](const Expression& expression) {
                            info_.uleb(expression.bytes.size());
                            info_.bytes(expression.bytes);
                          },
                          [&](const LocationList& list) {
                            info_.u32(loclists_.size());
                            put_list(list);
                          }},
               attribute.value);
  }

  void put_list(const LocationList& list) {
    for (const LocationRange& range : list) {
      loclists_.u8(DW_LLE_start_end);
      loclists_.u64(range.begin);
      loclists_.u64(range.end);
      loclists_.uleb(range.location.bytes.size());
      loclists_.bytes(range.location.bytes);
    }
    loclists_.u8(DW_LLE_end_of_list);
  }

  void put_lines(const Unit& unit) {
    const Counted length(line_);
    line_.u16(5);
    line_.u8(8);
    line_.u8(0);
    {
      const Counted header(line_);
      for (const unsigned value : {1, 1, 1}) line_.u8(value);  // instruction length, operations in one, is_stmt
      line_.u8(0x100 - 5);                                     // line_base
      line_.u8(14);                                            // line_range
      line_.u8(13);                                            // opcode_base
      for (const unsigned operands : {0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 1}) line_.u8(operands);
      line_.u8(1);
      line_.uleb(DW_LNCT_path);
      line_.uleb(DW_FORM_string);
      line_.uleb(1);
      line_.text("/source");
      line_.u8(2);
      line_.uleb(DW_LNCT_path);
      line_.uleb(DW_FORM_string);
      line_.uleb(DW_LNCT_directory_index);
      line_.uleb(DW_FORM_udata);
      line_.uleb(unit.files.size());
      for (const std::string& file : unit.files) {
        line_.text(file);
        line_.uleb(0);
      }
    }
    unsigned line = 1;
    for (const LineRow& row : unit.lines) {
      put_extended(DW_LNE_set_address, row.address);
      line_.u8(DW_LNS_set_file);
      line_.uleb(row.file);
      line_.u8(DW_LNS_set_column);
      line_.uleb(row.column);
      line_.u8(DW_LNS_advance_line);
      line_.sleb(static_cast<std::int64_t>(row.line) - line);
      line_.u8(DW_LNS_copy);
      line = row.line;
    }
    put_extended(DW_LNE_set_address, unit.end);
    line_.u8(0);
    line_.uleb(1);
    line_.u8(DW_LNE_end_sequence);
  }

  void put_extended(unsigned code, std::uint64_t operand) {
    line_.u8(0);
    line_.uleb(1 + 8);
    line_.u8(code);
    line_.u64(operand);
  }

  ByteWriter info_, abbrev_, str_, line_, loclists_;
  std::uint64_t code_ = 0;
  std::size_t line_table_ = 0;
  bool has_lines_ = false;
  std::map<std::string, std::size_t> offsets_;                   // of labels
  std::vector<std::pair<std::size_t, std::string>> references_;  // position -> label
};

Expression expression(unsigned operation, std::int64_t operand) {
  ByteWriter bytes;
  bytes.u8(operation);
  bytes.sleb(operand);
  return {bytes.take()};
}

}  // namespace

DwarfSections write_dwarf(const std::vector<Unit>& units) { return DwarfWriter().write(units); }

Expression at_address(std::uint64_t file_address) {
  ByteWriter bytes;
  bytes.u8(DW_OP_addr);
  bytes.u64(file_address);
  return {bytes.take()};
}

Expression at_frame_offset(std::int64_t offset) { return expression(DW_OP_fbreg, offset); }

Expression at_register_offset(unsigned register_number, std::int64_t offset) {
  return expression(DW_OP_breg0 + register_number, offset);
}

Expression in_register(unsigned register_number) { return {{static_cast<std::uint8_t>(DW_OP_reg0 + register_number)}}; }

Expression in_thread_block(std::uint64_t offset) {
  ByteWriter bytes;
  bytes.u8(DW_OP_const8u);
  bytes.u64(offset);
  bytes.u8(DW_OP_GNU_push_tls_address);
  return {bytes.take()};
}

Expression operations(std::initializer_list<std::uint8_t> bytes) { return {bytes}; }

Die base_type(const std::string& label, const std::string& name, std::uint64_t bytes) {
  return {DW_TAG_base_type,
          {{DW_AT_name, name}, {DW_AT_byte_size, bytes}, {DW_AT_encoding, std::uint64_t{DW_ATE_signed}}},
          {},
          label};
}

Die pointer_to(const std::string& label, const std::string& target) {
  return {DW_TAG_pointer_type, {{DW_AT_type, Label{target}}}, {}, label};
}

Die array_of(const std::string& label, const std::string& element, std::uint64_t count) {
  return {DW_TAG_array_type, {{DW_AT_type, Label{element}}}, {{DW_TAG_subrange_type, {{DW_AT_count, count}}}}, label};
}

Die alias_of(const std::string& label, unsigned tag, const std::string& name, const std::string& target) {
  Die die{tag, {{DW_AT_type, Label{target}}}, {}, label};
  if (!name.empty()) die.attributes.push_back({DW_AT_name, name});
  return die;
}

Die class_type(const std::string& label, const std::string& name, std::uint64_t bytes, std::vector<Die> children,
               unsigned tag) {
  return {tag, {{DW_AT_name, name}, {DW_AT_byte_size, bytes}}, std::move(children), label};
}

Die declared_class(const std::string& label, const std::string& name) {
  return {DW_TAG_structure_type, {{DW_AT_name, name}, {DW_AT_declaration, Flag{}}}, {}, label};
}

Die member(const std::string& name, const std::string& type, std::uint64_t offset) {
  return {DW_TAG_member, {{DW_AT_name, name}, {DW_AT_type, Label{type}}, {DW_AT_data_member_location, offset}}};
}

Die bit_field(const std::string& name, const std::string& type, std::uint64_t first_bit, std::uint64_t bits) {
  return {DW_TAG_member,
          {{DW_AT_name, name}, {DW_AT_type, Label{type}}, {DW_AT_data_bit_offset, first_bit}, {DW_AT_bit_size, bits}}};
}

Die base_class(const std::string& type, std::uint64_t offset) {
  return {DW_TAG_inheritance, {{DW_AT_type, Label{type}}, {DW_AT_data_member_location, offset}}};
}

Die type_argument(const std::string& name, const std::string& type) {
  return {DW_TAG_template_type_parameter, {{DW_AT_name, name}, {DW_AT_type, Label{type}}}};
}

Die in_namespace(const std::string& name, std::vector<Die> children) {
  Die die{DW_TAG_namespace, {}, std::move(children)};
  if (!name.empty()) die.attributes.push_back({DW_AT_name, name});
  return die;
}

Die variable(const std::string& name, const std::string& type, Expression location) {
  return {DW_TAG_variable, {{DW_AT_name, name}, {DW_AT_type, Label{type}}, {DW_AT_location, std::move(location)}}};
}

Die variable(const std::string& name, const std::string& type, LocationList locations) {
  return {DW_TAG_variable, {{DW_AT_name, name}, {DW_AT_type, Label{type}}, {DW_AT_location, std::move(locations)}}};
}

Die function(const std::string& name, std::uint64_t begin, std::uint64_t end, std::vector<Die> children) {
  return {DW_TAG_subprogram,
          {{DW_AT_name, name},
           {DW_AT_low_pc, CodeAddress{begin}},
           {DW_AT_high_pc, end - begin},
           {DW_AT_frame_base, in_register(kRbp)}},
          std::move(children)};
}

Die inlined(const std::string& origin, std::uint64_t begin, std::uint64_t end, std::vector<Die> children) {
  return {DW_TAG_inlined_subroutine,
          {{DW_AT_abstract_origin, Label{origin}}, {DW_AT_low_pc, CodeAddress{begin}}, {DW_AT_high_pc, end - begin}},
          std::move(children)};
}

Die block(std::uint64_t begin, std::uint64_t end, std::vector<Die> children) {
  return {
      DW_TAG_lexical_block, {{DW_AT_low_pc, CodeAddress{begin}}, {DW_AT_high_pc, end - begin}}, std::move(children)};
}

}  // namespace heddle::test_support
