// Generators of source text: what a language model, or anything in its place, answers to a prompt.
#pragma once

#include <petri/result.h>

#include <memory>
#include <string>
#include <vector>

namespace language_model {

class Generator {
 public:
  virtual ~Generator() = default;
  // The answer to a prompt, as it came. An error costs the caller one attempt.
  virtual petri::Result<std::string> answer(const std::string& prompt) = 0;
};

// Answers with prepared texts, one after the other: for tests, and to try the loop without a model.
class PreparedGenerator final : public Generator {
 public:
  explicit PreparedGenerator(std::vector<std::string> answers) : answers_(std::move(answers)) {}
  // One answer a file of the folder, in the order of their names.
  static petri::Result<std::unique_ptr<Generator>> from_folder(const std::string& folder);
  petri::Result<std::string> answer(const std::string& prompt) override;

 private:
  std::vector<std::string> answers_;
  std::size_t next_ = 0;
};

// The address and the model of a server that speaks the OpenAI-compatible protocol.
struct ModelServer {
  std::string url;    // up to the version: "http://127.0.0.1:8080/v1"
  std::string model;  // as the server calls it
  std::string key;    // sent as a bearer token; empty: none
  long seconds_max = 120;
};

// Asks POST {url}/chat/completions. A server that cannot be reached, that answers another status than 200 or something
// else than a completion is an error that says so.
std::unique_ptr<Generator> ask_server(ModelServer server);

}  // namespace language_model
