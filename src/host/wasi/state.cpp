#include "host/wasi/state.h"

#include <algorithm>
#include <utility>

#include "base/heap_bytes.h"

namespace petri {

WasiState::WasiState(std::shared_ptr<Folder> folder) : folder_(std::move(folder)) {
  descriptors_.resize(3);
  descriptors_[0].emplace(WasiDescriptor{.kind = DescriptorKind::standard_input, .readable = true});
  descriptors_[1].emplace(WasiDescriptor{.kind = DescriptorKind::standard_output, .writable = true});
  descriptors_[2].emplace(WasiDescriptor{.kind = DescriptorKind::standard_error, .writable = true});
  if (folder_ == nullptr) return;
  descriptors_.emplace_back(WasiDescriptor{.kind = DescriptorKind::folder, .granted = true, .readable = true});
}

WasiState::~WasiState() {
  for (std::uint32_t number = 0; number < descriptors_.size(); ++number) close(number);
}

WasiDescriptor* WasiState::find(std::uint32_t number) {
  if (number >= descriptors_.size() || !descriptors_[number]) return nullptr;
  return &*descriptors_[number];
}

bool WasiState::is_full() const {
  const auto is_open = [](const auto& entry) { return entry.has_value(); };
  return descriptors_.size() >= kDescriptorsMax && std::all_of(descriptors_.begin() + 3, descriptors_.end(), is_open);
}

WasiResult<std::uint32_t> WasiState::open(WasiDescriptor descriptor) {
  const auto free =
      std::find_if(descriptors_.begin() + 3, descriptors_.end(), [](const auto& entry) { return !entry; });
  const auto number = static_cast<std::uint32_t>(free - descriptors_.begin());
  if (number >= kDescriptorsMax) return std::unexpected(WasiErrno::mfile);
  if (free == descriptors_.end()) descriptors_.emplace_back();
  descriptors_[number].emplace(std::move(descriptor));
  return number;
}

bool WasiState::close(std::uint32_t number) {
  WasiDescriptor* descriptor = find(number);
  if (descriptor == nullptr) return false;
  if (descriptor->file.descriptor) folder_->close_file(std::move(descriptor->file));
  descriptors_[number].reset();
  return true;
}

bool WasiState::renumber(std::uint32_t from, std::uint32_t to) {
  if (find(from) == nullptr || find(to) == nullptr) return false;
  if (from == to) return true;
  close(to);
  descriptors_[to] = std::exchange(descriptors_[from], std::nullopt);
  return true;
}

int WasiState::host_descriptor(FileCall&, const WasiDescriptor& descriptor) const {
  return descriptor.granted ? folder_->root() : descriptor.file.descriptor.get();
}

std::size_t WasiState::keep_error_line(HostContext& context) {
  const std::uint64_t wanted = heap_bytes(error_line_), has = error_line_bytes_.bytes();
  if (wanted <= has || error_line_bytes_.try_add(context, wanted - has)) return 0;
  error_line_bytes_.let_go();
  return std::exchange(error_line_, {}).size();
}

void WasiState::rewind_input() {
  if (descriptors_[0]) descriptors_[0]->position = 0;
}

}  // namespace petri
