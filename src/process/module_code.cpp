#include "process/module_code.h"

namespace petri {

ModuleCodePtr make_module_code(ArtifactPtr artifact, BoundImports imports, CodePtr code, std::shared_ptr<HotCode> hot) {
  auto made = std::make_shared<ModuleCode>();
  made->artifact = std::move(artifact);
  made->imports = std::move(imports);
  made->code = std::move(code);
  made->hot = std::move(hot);
  made->init = made->module().export_number("petri_init");
  made->handle = made->module().export_number("petri_handle");
  made->terminate = made->module().export_number("petri_terminate");
  made->save = made->module().export_number("petri_save");
  made->load = made->module().export_number("petri_load");
  made->migrate = made->module().export_number("petri_migrate");
  made->ready = made->module().export_number("petri_ready");
  return made;
}

}  // namespace petri
