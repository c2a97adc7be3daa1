#include "check_production/instructions.h"

#include <llvm/BinaryFormat/ELF.h>
#include <llvm/MC/MCAsmInfo.h>
#include <llvm/MC/MCContext.h>
#include <llvm/MC/MCDisassembler/MCDisassembler.h>
#include <llvm/MC/MCInst.h>
#include <llvm/MC/MCInstrInfo.h>
#include <llvm/MC/MCRegisterInfo.h>
#include <llvm/MC/MCSubtargetInfo.h>
#include <llvm/MC/MCTargetOptions.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Object/ELFObjectFile.h>
#include <llvm/Support/TargetSelect.h>

#include <algorithm>
#include <memory>
#include <optional>

namespace heddle::verify {
namespace {

constexpr char kTriple[] = "x86_64-pc-linux-gnu";

struct Range {
  std::uint64_t begin, end;
};

class Disassembler {
 public:
  // `constants`: memory that is mapped and never written.
  explicit Disassembler(std::vector<Range> constants) : constants_(std::move(constants)) {
    LLVMInitializeX86TargetInfo();
    LLVMInitializeX86TargetMC();
    LLVMInitializeX86Disassembler();
    std::string ignored;
    const llvm::Target* target = llvm::TargetRegistry::lookupTarget(kTriple, ignored);
    if (target == nullptr) return;
    registers_.reset(target->createMCRegInfo(kTriple));
    assembly_.reset(target->createMCAsmInfo(*registers_, kTriple, llvm::MCTargetOptions()));
    machine_.reset(target->createMCSubtargetInfo(kTriple, "", ""));
    instructions_.reset(target->createMCInstrInfo());
    context_ =
        std::make_unique<llvm::MCContext>(llvm::Triple(kTriple), assembly_.get(), registers_.get(), machine_.get());
    decoder_.reset(target->createMCDisassembler(*machine_, *context_));
  }

  bool works() const { return decoder_ != nullptr; }

  void add_all(llvm::ArrayRef<std::uint8_t> bytes, std::uint64_t address, std::vector<Instruction>& into) const {
    for (std::uint64_t at = 0; at < bytes.size();) {
      llvm::MCInst instruction;
      std::uint64_t size = 0;
      const auto status = decoder_->getInstruction(instruction, size, bytes.slice(at), address + at, llvm::nulls());
      if (status != llvm::MCDisassembler::Success) {
        ++at;  // data between functions
        continue;
      }
      if (const std::optional<Instruction::Kind> kind = kind_of(instruction, address + at + size))
        into.push_back({*kind, address + at, size});
      at += size;
    }
  }

 private:
  // `end`: the end of the instruction, to which rip-relative displacements are relative.
  std::optional<Instruction::Kind> kind_of(const llvm::MCInst& instruction, std::uint64_t end) const {
    const llvm::MCInstrDesc& description = instructions_->get(instruction.getOpcode());
    if (description.isCall()) return Instruction::Kind::Call;
    if (!description.mayLoad() && !description.mayStore()) return std::nullopt;
    for (unsigned i = 0; i < description.getNumOperands(); ++i)
      if (description.operands()[i].OperandType == llvm::MCOI::OPERAND_MEMORY)
        return is_own_slot(instruction, i) || is_constant(instruction, i, end)
                   ? std::nullopt
                   : std::optional(Instruction::Kind::MemoryAccess);
    return std::nullopt;
  }

  // True for a fixed slot of the function's own frame. `address`: index of the first of the operands that form an
  // address (base, scale, index, displacement, segment).
  bool is_own_slot(const llvm::MCInst& instruction, unsigned address) const {
    return is_fixed_distance(instruction, address, "RSP");
  }

  bool is_constant(const llvm::MCInst& instruction, unsigned address, std::uint64_t end) const {
    if (!is_fixed_distance(instruction, address, "RIP")) return false;
    const std::uint64_t target = end + static_cast<std::uint64_t>(instruction.getOperand(address + 3).getImm());
    return std::any_of(constants_.begin(), constants_.end(),
                       [&](const Range& range) { return target >= range.begin && target < range.end; });
  }

  bool is_fixed_distance(const llvm::MCInst& instruction, unsigned address, llvm::StringRef from) const {
    if (address + 3 >= instruction.getNumOperands()) return false;
    const llvm::MCOperand& base = instruction.getOperand(address);
    const llvm::MCOperand& index = instruction.getOperand(address + 2);
    return base.isReg() && registers_->getName(base.getReg()) == from && index.isReg() && index.getReg() == 0 &&
           instruction.getOperand(address + 3).isImm();
  }

  std::vector<Range> constants_;

  std::unique_ptr<llvm::MCRegisterInfo> registers_;
  std::unique_ptr<llvm::MCAsmInfo> assembly_;
  std::unique_ptr<llvm::MCSubtargetInfo> machine_;
  std::unique_ptr<llvm::MCInstrInfo> instructions_;
  std::unique_ptr<llvm::MCContext> context_;
  std::unique_ptr<llvm::MCDisassembler> decoder_;
};

}  // namespace

Result<std::vector<Instruction>> find_instructions(const std::string& program) {
  auto file = llvm::object::ObjectFile::createObjectFile(program);
  if (!file) return Error{program + " is not a program: " + llvm::toString(file.takeError())};
  if (!file->getBinary()->isELF()) return Error{program + " is not a program: it is not an ELF file"};
  std::vector<Range> constants;
  for (const llvm::object::SectionRef& section : file->getBinary()->sections()) {
    const std::uint64_t flags = llvm::object::ELFSectionRef(section).getFlags();
    if ((flags & llvm::ELF::SHF_ALLOC) != 0 && (flags & llvm::ELF::SHF_WRITE) == 0)
      constants.push_back({section.getAddress(), section.getAddress() + section.getSize()});
  }
  const Disassembler disassembler(std::move(constants));
  if (!disassembler.works()) return Error{"this LLVM cannot disassemble x86-64"};
  std::vector<Instruction> found;
  for (const llvm::object::SectionRef& section : file->getBinary()->sections()) {
    if (!section.isText()) continue;
    auto content = section.getContents();
    if (!content) {
      llvm::consumeError(content.takeError());
      continue;
    }
    disassembler.add_all({reinterpret_cast<const std::uint8_t*>(content->data()), content->size()},
                         section.getAddress(), found);
  }
  std::sort(found.begin(), found.end(),
            [](const Instruction& a, const Instruction& b) { return a.address < b.address; });
  return found;
}

}  // namespace heddle::verify
