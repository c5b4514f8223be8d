#include "cli/shell/line_editor.h"

#include <histedit.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <clocale>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <utility>

#include "base/text/escape.h"
#include "base/text/utf8.h"
#include "cli/shell/words.h"

namespace petri::cli {
namespace {

constexpr int kHistoryMax = 1'000;
constexpr std::size_t kCandidatesShownMax = 200;
// A key nobody has, which the editor receives when there is news to show.
constexpr wchar_t kNewsKey = 0x1f;
constexpr char kControlD = 0x04;
constexpr std::string_view kEraseLine = "\r\x1b[K";

struct EditLineEnd {
  void operator()(EditLine* editor) const { ::el_end(editor); }
};
struct HistoryEnd {
  void operator()(History* history) const { ::history_end(history); }
};

std::string common_prefix(const std::vector<std::string>& texts) {
  std::string prefix = texts.front();
  for (const std::string& text : texts) {
    const auto end = std::ranges::mismatch(prefix, text).in1;
    prefix.erase(end, prefix.end());
  }
  return std::string(utf8_prefix(prefix, prefix.size()));
}

// Candidates that end like this are only the start of a word.
bool is_incomplete(std::string_view word) { return word.ends_with('/') || word.ends_with('='); }

}  // namespace

struct LineEditor::Impl {
  Impl(Console& console_used, SessionSignals& signals_used, Options options_given)
      : console(console_used), signals(signals_used), options(std::move(options_given)) {
    std::setlocale(LC_CTYPE, "C.UTF-8");
    editor.reset(::el_init("petri", stdin, stdout, stderr));
    history.reset(::history_init());
    if (editor == nullptr || history == nullptr) return;
    configure();
    load_history();
  }

  void configure() {
    EditLine* el = editor.get();
    ::el_set(el, EL_CLIENTDATA, this);
    ::el_set(el, EL_PROMPT, &Impl::prompt_of);
    ::el_set(el, EL_EDITOR, "emacs");
    ::el_set(el, EL_GETCFN, &Impl::read_key);
    ::el_set(el, EL_ADDFN, "petri-complete", "Complete the word", &Impl::complete_word);
    ::el_set(el, EL_BIND, "^I", "petri-complete", nullptr);
    ::el_set(el, EL_ADDFN, "petri-news", "Show what happened", &Impl::show_news);
    ::el_set(el, EL_BIND, "^_", "petri-news", nullptr);
    ::el_set(el, EL_BIND, "^R", "em-inc-search-prev", nullptr);
    HistEvent event;
    ::history(history.get(), &event, H_SETSIZE, kHistoryMax);
    ::history(history.get(), &event, H_SETUNIQUE, 1);
    ::el_set(el, EL_HIST, ::history, history.get());
  }

  void load_history() {
    HistEvent event;
    if (options.history) ::history(history.get(), &event, H_LOAD, options.history->c_str());
  }

  // Written beside it and moved into its place, so that there is always a whole one.
  void save_history() {
    namespace fs = std::filesystem;
    if (!options.history || history == nullptr) return;
    std::error_code ignored;
    fs::create_directories(fs::path(*options.history).parent_path(), ignored);
    const std::string beside = *options.history + ".new";
    HistEvent event;
    if (::history(history.get(), &event, H_SAVE, beside.c_str()) < 0) return;
    fs::permissions(beside, fs::perms::owner_read | fs::perms::owner_write, ignored);
    fs::rename(beside, *options.history, ignored);
  }

  static Impl& of(EditLine* el) {
    void* data = nullptr;
    ::el_get(el, EL_CLIENTDATA, &data);
    return *static_cast<Impl*>(data);
  }
  static char* prompt_of(EditLine* el) { return of(el).prompt.data(); }

  // One character, or 0 at the end of the input, or -1 when a signal came.
  static int read_key(EditLine* el, wchar_t* key) {
    Impl& self = of(el);
    std::string bytes;
    while (true) {
      switch (wait_for_input(STDIN_FILENO, self.signals)) {
        case InputWait::signal:
          self.signal = self.signals.take();
          if (self.signal == 0) continue;
          errno = EINTR;
          return -1;
        case InputWait::idle:
          if (!bytes.empty() || !self.options.idle.is_due()) continue;
          *key = kNewsKey;
          return 1;
        case InputWait::ready: break;
      }
      char byte = 0;
      if (::read(STDIN_FILENO, &byte, 1) <= 0) return 0;
      if (byte == '\0') byte = kControlD;  // what becomes of one that was typed while a command ran
      bytes += byte;
      const Utf8Step step = decode_utf8(bytes);
      if (step.valid) {
        *key = static_cast<wchar_t>(step.code_point);
        return 1;
      }
      if (bytes.size() == 4) bytes.clear();  // no character starts like this
    }
  }

  static unsigned char show_news(EditLine* el, int) {
    Impl& self = of(el);
    std::fflush(stdout);
    self.console.out.write_control(kEraseLine);
    self.options.idle.act();
    return CC_REDISPLAY;
  }

  static unsigned char complete_word(EditLine* el, int) { return of(el).complete_now(); }

  unsigned char complete_now() {
    const LineInfo* info = ::el_line(editor.get());
    const std::string line(info->buffer, static_cast<std::size_t>(info->lastchar - info->buffer));
    const auto cursor = static_cast<std::size_t>(info->cursor - info->buffer);
    Completion completion = complete(line, cursor, options.known_names());
    if (completion.files) completion.candidates = complete_path(completion.prefix);
    if (completion.candidates.empty()) return CC_ERROR;
    const std::string common = common_prefix(completion.candidates);
    const bool only_one = completion.candidates.size() == 1;
    if (common.size() > completion.prefix.size() || only_one) {
      return replace(completion, line.substr(completion.begin, cursor - completion.begin), common, only_one);
    }
    show(completion.candidates);
    return CC_REDISPLAY;
  }

  // Replaces the part of the word that was typed by what is known of it.
  unsigned char replace(const Completion& completion, const std::string& typed, const std::string& word, bool whole) {
    std::string text = quote_word(word);
    const bool plain = text == word;
    if (plain && typed == completion.prefix) {
      text = word.substr(typed.size());
    } else {
      if (!whole || is_incomplete(word)) text.pop_back();  // the quote stays open
      std::size_t characters = 0;
      for (std::string_view rest = typed; !rest.empty(); ++characters) rest.remove_prefix(decode_utf8(rest).bytes);
      ::el_deletestr(editor.get(), static_cast<int>(characters));
      if (plain && (!whole || is_incomplete(word))) text = word;
    }
    if (whole && !is_incomplete(word)) text += ' ';
    if (::el_insertstr(editor.get(), text.c_str()) != 0) return CC_ERROR;
    return CC_REFRESH;
  }

  void show(const std::vector<std::string>& candidates) {
    std::string text = "\n";
    for (std::size_t i = 0; i < candidates.size() && i < kCandidatesShownMax; ++i)
      text += escape_text(candidates[i]) + "  ";
    if (candidates.size() > kCandidatesShownMax) text += "...";
    std::fflush(stdout);
    console.out.write(text + "\n");
  }

  Console& console;
  SessionSignals& signals;
  Options options;
  std::string prompt;
  int signal = 0;
  std::unique_ptr<History, HistoryEnd> history;
  std::unique_ptr<EditLine, EditLineEnd> editor;
};

LineEditor::LineEditor(Console& console, SessionSignals& signals, Options options)
    : impl_(std::make_unique<Impl>(console, signals, std::move(options))) {}

LineEditor::~LineEditor() { impl_->save_history(); }

ShellInput LineEditor::next(std::string_view prompt) {
  if (impl_->editor == nullptr || impl_->history == nullptr) return {};
  impl_->prompt = prompt;
  impl_->signal = 0;
  // A stopped editor would leave the terminal to others as it has it.
  const auto before = std::signal(SIGTSTP, SIG_IGN);
  ::el_resize(impl_->editor.get());
  // Before the prompt, which shows people that they may type: what comes sooner would be the terminal's to interpret.
  ::el_set(impl_->editor.get(), EL_PREP_TERM, 1);
  int bytes = 0;
  const char* typed = ::el_gets(impl_->editor.get(), &bytes);
  std::signal(SIGTSTP, before);
  std::fflush(stdout);
  if (typed == nullptr || bytes <= 0) {
    ::el_reset(impl_->editor.get());
    impl_->console.out.write(impl_->signal == 0 ? "\n" : "^C\n");
    if (impl_->signal == 0) return {};
    return {.kind = impl_->signal == SIGTERM ? ShellInput::Kind::terminated : ShellInput::Kind::interrupted,
            .text = ""};
  }
  std::string line(typed, static_cast<std::size_t>(bytes));
  while (line.ends_with('\n') || line.ends_with('\r')) line.pop_back();
  HistEvent event;
  const bool worth_keeping = line.find_first_not_of(" \t") != std::string::npos;
  if (worth_keeping) ::history(impl_->history.get(), &event, H_ENTER, line.c_str());
  if (line.size() > kShellLineBytesMax) return {.kind = ShellInput::Kind::too_long, .text = ""};
  return {.kind = ShellInput::Kind::line, .text = std::move(line)};
}

}  // namespace petri::cli
