#pragma once
// Global variables that hold data for the runtime and the host.
#include <llvm/IR/Constants.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/GlobalVariable.h>
#include <llvm/IR/Module.h>

namespace heddle::instrument {

// Without redzones, because the data of one section must be contiguous.
inline void forbid_redzones(llvm::GlobalVariable& data) {
  llvm::GlobalValue::SanitizerMetadata no_redzones;
  no_redzones.NoAddress = true;
  no_redzones.NoHWAddress = true;
  data.setSanitizerMetadata(no_redzones);
}

inline llvm::GlobalVariable* create_constant(llvm::Module& module, llvm::Constant* content, llvm::StringRef name) {
  return new llvm::GlobalVariable(module, content->getType(), /*isConstant=*/true, llvm::GlobalValue::PrivateLinkage,
                                  content, name);
}

// A NUL-terminated text.
inline llvm::GlobalVariable* create_text(llvm::Module& module, llvm::StringRef text, llvm::StringRef name) {
  llvm::GlobalVariable* data =
      create_constant(module, llvm::ConstantDataArray::getString(module.getContext(), text), name);
  data->setAlignment(llvm::Align(1));
  return data;
}

// Puts data into a section, where the linker keeps or drops it together with the function `owner`. The alignment must
// be that of one element, so that the linker leaves no gaps between the data of two functions.
inline void place_with(llvm::Function& owner, llvm::GlobalVariable& data, llvm::StringRef section,
                       llvm::Align alignment) {
  data.setSection(section);
  data.setAlignment(alignment);
  data.setComdat(owner.getComdat());
  data.setMetadata(llvm::LLVMContext::MD_associated,
                   llvm::MDNode::get(owner.getContext(), llvm::ValueAsMetadata::get(&owner)));
  forbid_redzones(data);
}

}  // namespace heddle::instrument
