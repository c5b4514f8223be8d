#include <curl/curl.h>

#include <nlohmann/json.hpp>

#include "language_model/generator.h"

namespace language_model {
namespace {

using Json = nlohmann::json;
using petri::ErrorCode;
using petri::Result;

constexpr std::size_t kAnswerBytesMax = std::size_t{1} << 20;

// Returning less than it was given ends the transfer.
std::size_t append(const char* bytes, std::size_t size, std::size_t count, void* to) {
  auto& answer = *static_cast<std::string*>(to);
  if (answer.size() + size * count > kAnswerBytesMax) return 0;
  answer.append(bytes, size * count);
  return size * count;
}

// {"choices": [{"message": {"content": "..."}}]}
Result<std::string> content_of(const std::string& answer) {
  const Json json = Json::parse(answer, nullptr, false);
  const Json::json_pointer content("/choices/0/message/content");
  if (json.is_object() && json.contains(content) && json[content].is_string()) return json[content].get<std::string>();
  return petri::fail(ErrorCode::parse_failed, "the server's answer has no text at choices[0].message.content");
}

class ServerGenerator final : public Generator {
 public:
  explicit ServerGenerator(ModelServer server) : server_(std::move(server)), curl_(curl_easy_init()) {}

  Result<std::string> answer(const std::string& prompt) override {
    if (curl_ == nullptr) return petri::fail(ErrorCode::host_fault, "libcurl cannot be started");
    const Json request{{"model", server_.model}, {"messages", {{{"role", "user"}, {"content", prompt}}}}};
    PETRI_TRY(const std::string answer, post(server_.url + "/chat/completions", request.dump()));
    return content_of(answer);
  }

 private:
  struct FreeCurl {
    void operator()(CURL* curl) const { curl_easy_cleanup(curl); }
  };
  struct FreeList {
    void operator()(curl_slist* list) const { curl_slist_free_all(list); }
  };
  using Headers = std::unique_ptr<curl_slist, FreeList>;

  Headers headers() const {
    Headers headers(curl_slist_append(nullptr, "Content-Type: application/json"));
    if (!server_.key.empty()) {
      headers.reset(curl_slist_append(headers.release(), ("Authorization: Bearer " + server_.key).c_str()));
    }
    return headers;
  }

  Result<std::string> post(const std::string& url, const std::string& body) {
    std::string answer;
    const Headers header_list = headers();
    CURL* curl = curl_.get();
    curl_easy_reset(curl);
    curl_easy_setopt(curl, CURLOPT_URL, url.c_str());
    curl_easy_setopt(curl, CURLOPT_PROTOCOLS_STR, "http,https");
    curl_easy_setopt(curl, CURLOPT_HTTPHEADER, header_list.get());
    curl_easy_setopt(curl, CURLOPT_POSTFIELDS, body.c_str());
    curl_easy_setopt(curl, CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(body.size()));
    curl_easy_setopt(curl, CURLOPT_TIMEOUT, server_.seconds_max);
    curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, append);
    curl_easy_setopt(curl, CURLOPT_WRITEDATA, &answer);
    const CURLcode code = curl_easy_perform(curl);
    if (code != CURLE_OK) {
      return petri::fail(ErrorCode::io_error,
                         "the model server does not answer: " + std::string(curl_easy_strerror(code)));
    }
    long status = 0;
    curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &status);
    if (status == 200) return answer;
    return petri::fail(ErrorCode::io_error, "the model server answers with status " + std::to_string(status));
  }

  const ModelServer server_;
  const std::unique_ptr<CURL, FreeCurl> curl_;
};

}  // namespace

std::unique_ptr<Generator> ask_server(ModelServer server) {
  return std::make_unique<ServerGenerator>(std::move(server));
}

}  // namespace language_model
