#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "language_model/generator.h"

namespace language_model {

petri::Result<std::unique_ptr<Generator>> PreparedGenerator::from_folder(const std::string& folder) {
  std::vector<std::filesystem::path> files;
  std::error_code failed;
  for (const auto& file : std::filesystem::directory_iterator(folder, failed)) files.push_back(file);
  if (failed) return petri::fail(petri::ErrorCode::io_error, folder + " cannot be read: " + failed.message());
  std::ranges::sort(files);
  std::vector<std::string> answers;
  for (const auto& file : files) {
    std::ifstream in(file, std::ios::binary);
    answers.emplace_back(std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>());
  }
  return std::make_unique<PreparedGenerator>(std::move(answers));
}

petri::Result<std::string> PreparedGenerator::answer(const std::string& /*prompt*/) {
  if (next_ < answers_.size()) return answers_[next_++];
  return petri::fail(petri::ErrorCode::not_found, "there is no further prepared answer");
}

}  // namespace language_model
