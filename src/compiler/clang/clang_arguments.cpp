#include "compiler/clang/clang_arguments.h"

#include <fmt/format.h>

#include "compiler/clang/guest_headers.h"

namespace petri {
namespace {

// Diagnostics are read by us: one line each, with the category that tells syntax from the rest.
const std::vector<std::string>& fixed_flags() {
  static const std::vector<std::string> kFlags{"-Wno-deprecated",
                                               "-fno-exceptions",
                                               "-g1",
                                               "-gdwarf-4",
                                               "-gno-column-info",
                                               "-fdebug-compilation-dir=.",
                                               "-fno-crash-diagnostics",
                                               "-fno-color-diagnostics",
                                               "-fno-caret-diagnostics",
                                               "-fno-diagnostics-show-hotness",
                                               "-fdiagnostics-show-category=name",
                                               "-fmessage-length=0"};
  return kFlags;
}

void append_words(std::vector<std::string>& words, std::initializer_list<std::string> further) {
  words.insert(words.end(), further.begin(), further.end());
}

const char* input_language(const ClangJob& job) {
  const bool header = job.output == ClangOutput::precompiled_header;
  if (job.language == ClangLanguage::c) return header ? "c-header" : "c";
  return header ? "c++-header" : "c++";
}

}  // namespace

std::string path_argument(const std::string& path) { return path.starts_with('-') ? "./" + path : path; }

std::vector<std::string> clang_arguments(const ClangJob& job, const ClangToolchain& toolchain,
                                         const WasiPlatform& platform, const std::string& headers) {
  std::vector<std::string> words{toolchain.clang, "--target=" + platform.triple};
  words.insert(words.end(), fixed_flags().begin(), fixed_flags().end());
  words.insert(words.end(), job.flags.begin(), job.flags.end());
  append_words(words, {"-iquote", "."});
  for (const std::string& folder : job.include_folders) append_words(words, {"-I", path_argument(folder)});
  append_words(words, {"-isystem", kGuestHeaderFolder});
  if (!job.precompiled_header.empty()) {
    append_words(words, {"-Xclang", "-include-pch", "-Xclang", headers + "/" + job.precompiled_header});
  }
  if (job.output == ClangOutput::object) {
    words.emplace_back("-c");
    if (job.dependencies)
      append_words(words, {"-MMD", "-MF", std::string("../out/") + kDependenciesResult, "-MT", "x"});
  } else {
    // Independent of when and where the system's headers were unpacked; the toolchain's identity stands for them.
    append_words(words, {"-Xclang", "-fno-pch-timestamp"});
  }
  append_words(words, {"-x", input_language(job), "-o", std::string("../out/") + kArtifactResult});
  words.push_back(path_argument(job.source.path));
  return words;
}

std::vector<std::string> linker_arguments(const ClangJob& job, const ClangToolchain& toolchain,
                                          const WasiPlatform& platform) {
  static_cast<void>(toolchain);
  const char* const start = job.command ? "crt1-command.o" : "crt1-reactor.o";
  std::vector<std::string> words{"wasm-ld",
                                 "-m",
                                 "wasm32",
                                 "--threads=1",
                                 "--color-diagnostics=never",
                                 "--error-limit=20",
                                 "-L" + platform.libraries,
                                 platform.libraries + "/" + start};
  if (!job.command) append_words(words, {"--entry", "_initialize"});
  for (const std::string& name : job.exports) words.push_back("--export-if-defined=" + name);
  for (const JobFile& object : job.files) words.push_back(path_argument(object.path));
  if (job.has_cpp) append_words(words, {"-lc++", "-lc++abi"});
  append_words(words, {"-lc", platform.builtins, "-o", std::string("../out/") + kArtifactResult});
  return words;
}

std::vector<std::string> files_of_dependency_list(std::string_view list) {
  std::vector<std::string> files;
  std::string word;
  const auto end_word = [&] {
    if (!word.empty()) files.push_back(word.starts_with("./") ? word.substr(2) : word);
    word.clear();
  };
  const std::size_t colon = list.find(": ");
  for (std::size_t index = colon == std::string_view::npos ? list.size() : colon + 2; index < list.size(); ++index) {
    const char c = list[index];
    const char next = index + 1 < list.size() ? list[index + 1] : '\n';
    if (c == '\\' && next == '\n') {
      ++index;
    } else if ((c == '\\' && (next == ' ' || next == '#')) || (c == '$' && next == '$')) {
      word += next;
      ++index;
    } else if (c == ' ' || c == '\n') {
      end_word();
    } else {
      word += c;
    }
  }
  end_word();
  std::erase_if(files, [](const std::string& file) { return file.starts_with('/'); });
  return files;
}

}  // namespace petri
