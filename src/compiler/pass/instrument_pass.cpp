#include <llvm/IR/AttributeMask.h>
#include <llvm/IR/DiagnosticInfo.h>
#include <llvm/IR/Module.h>
#include <llvm/Transforms/Utils/ModuleUtils.h>

#include "pass/hooks/armed_version.h"
#include "pass/hooks/hook_builder.h"
#include "pass/hooks/module_constructor.h"
#include "pass/hooks/site_table.h"
#include "pass/passes.h"
#include "pass/sites/site_collector.h"

using namespace llvm;

namespace heddle::instrument {
namespace {

bool wants_sites(const Function& function) {
  return !function.isDeclaration() && !function.hasAvailableExternallyLinkage() &&
         !function.hasFnAttribute(Attribute::Naked) &&
         !function.hasFnAttribute(Attribute::DisableSanitizerInstrumentation) &&
         !function.getName().starts_with("__llvm_");  // writes profiles
}

// Removes attributes that the optimiser deduced before the hooks were added. Passes at link time must not rely on them.
void forget_effects(Function& function) {
  AttributeMask effects;
  for (Attribute::AttrKind kind : {Attribute::Memory, Attribute::NoSync, Attribute::NoFree, Attribute::WillReturn,
                                   Attribute::NoRecurse, Attribute::NoCallback, Attribute::Speculatable})
    effects.addAttribute(kind);
  AttributeMask parameter_effects;
  for (Attribute::AttrKind kind :
       {Attribute::NoCapture, Attribute::ReadNone, Attribute::ReadOnly, Attribute::WriteOnly})
    parameter_effects.addAttribute(kind);

  function.removeFnAttrs(effects);
  for (Argument& argument : function.args()) argument.removeAttrs(parameter_effects);
  for (User* user : function.users()) {
    auto* call = dyn_cast<CallBase>(user);
    if (!call || call->getCalledOperand() != &function) continue;
    call->removeFnAttrs(effects);
    for (unsigned index = 0; index < call->arg_size(); ++index) call->removeParamAttrs(index, parameter_effects);
  }
}

void report_one_version(const Function& function, StringRef reason) {
  OptimizationRemarkMissed remark("heddle", "OneVersion", &function);
  remark << "every access tests its armed byte, because " << reason;
  function.getContext().diagnose(remark);
}

// Instruments the functions of one module. A function keeps its code and gets an armed version, a copy with hooks; the
// entry selects one of them by the function byte. A function that cannot be copied gets the hooks itself, and every
// access tests its armed byte; a remark reports why. Each function adds its rows and armed bytes to the module's
// sections, and the module gets one constructor that registers these sections with the runtime.
class ModuleInstrumenter {
 public:
  explicit ModuleInstrumenter(Module& module) : module_(module), hooks_(module), strings_(module) {}

  void instrument(Function& function) {
    SmallVector<Site, 32> sites = collect_sites(function);
    if (sites.empty()) return;
    const StringRef reason = reason_for_one_version(function);
    Function* armed_version = reason.empty() ? create_armed_version(function) : nullptr;
    if (armed_version)
      sites = collect_sites(*armed_version);
    else
      report_one_version(function, reason);

    const SiteTable table(function, sites, strings_);
    emit_hooks(sites, table);
    if (armed_version) choose_at_entry(function, *armed_version, table.function_byte());
    forget_effects(function);
    if (armed_version) forget_effects(*armed_version);
    // The function is retained too: a link-time optimiser that inlines every call must not remove it while !associated
    // refers to it.
    retained_.append({&function, table.rows(), table.armed()});
  }

  void finish() {
    if (retained_.empty()) return;
    appendToCompilerUsed(module_, retained_);
    add_module_constructor(module_);
  }

 private:
  // From the last instruction to the first, so that each split of a block moves few instructions. The sites of one
  // instruction keep their order.
  void emit_hooks(MutableArrayRef<Site> sites, const SiteTable& table) {
    for (std::size_t end = sites.size(); end > 0;) {
      std::size_t begin = end - 1;
      while (begin > 0 && sites[begin - 1].instruction == sites[begin].instruction) --begin;
      for (std::size_t index = begin; index < end; ++index)
        emit_hook(hooks_, sites[index], table.row(index), table.armed_byte(index));
      end = begin;
    }
  }

  Module& module_;
  Hooks hooks_;
  StringPool strings_;
  SmallVector<GlobalValue*, 64> retained_;
};

}  // namespace

PreservedAnalyses InstrumentPass::run(Module& module, ModuleAnalysisManager&) {
  SmallVector<Function*, 64> functions;
  for (Function& function : module)
    if (wants_sites(function)) functions.push_back(&function);
  if (functions.empty()) return PreservedAnalyses::all();

  ModuleInstrumenter instrumenter(module);
  for (Function* function : functions) instrumenter.instrument(*function);
  instrumenter.finish();
  return PreservedAnalyses::none();
}

}  // namespace heddle::instrument
