#include "process/module_code.h"

namespace petri {

ModuleCodePtr make_module_code(std::string name, ArtifactPtr artifact, BoundImports imports, CodePtr code,
                               std::shared_ptr<HotCode> hot) {
  auto made = std::make_shared<ModuleCode>();
  made->name = std::move(name);
  made->artifact = std::move(artifact);
  made->imports = std::move(imports);
  made->code = std::move(code);
  made->hot = std::move(hot);
  made->init = made->module().export_number("petri_init");
  made->handle = made->module().export_number("petri_handle");
  made->terminate = made->module().export_number("petri_terminate");
  return made;
}

}  // namespace petri
