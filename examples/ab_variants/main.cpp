// Two variants of one live service: the new one is a fork that knows what the old one knows, some customers are routed
// to it, and if it earns more the service is given its code without being stopped.
#include <petri/runtime.h>

#include <array>
#include <iostream>

#include "shared/example.h"

namespace ab_variants {
namespace {

using petri::Result;
using petri::Sandbox;

struct Variant {
  Sandbox sandbox;
  std::uint64_t customers = 0;
  std::int64_t earned = 0;  // cents
  std::uint64_t failed = 0;
  std::uint64_t fuel = 0;

  double per_customer() const {
    return customers == 0 ? 0 : static_cast<double>(earned) / static_cast<double>(customers);
  }
};

// The same customer meets the same variant every time. One in `share` meets the new one.
std::size_t variant_of(std::uint32_t customer, std::uint32_t share) {
  const std::uint32_t mixed = (customer * 2'654'435'761U) >> 16;
  return mixed % share == 0 ? 1 : 0;
}

// The payment of a customer, which only the host sees: one with an even number waits for a better offer.
std::int64_t pay(std::uint32_t customer, std::int32_t percent) {
  const std::int32_t wants = customer % 2 == 0 ? 15 : 0;
  return percent >= wants ? 1'000 - 10 * percent : 0;
}

// An answer that does not come costs a sale and not the service.
void serve(Variant& variant, std::uint32_t customer) {
  ++variant.customers;
  const auto outcome = variant.sandbox.call("offer", {customer});
  if (!outcome || outcome->kind != petri::OutcomeKind::ok) {
    ++variant.failed;
    return;
  }
  variant.earned += pay(customer, outcome->values[0].i32());
  variant.fuel += outcome->fuel_used;
}

void print(const Variant& variant) {
  std::cout << variant.sandbox.id() << ": " << variant.customers << " customers, " << variant.per_customer()
            << " cents each, " << variant.failed << " failed, " << variant.fuel << " fuel\n";
}

Result<void> compare(const std::vector<std::string>& arguments) {
  PETRI_TRY(const std::string folder, example::folder_of(arguments));
  PETRI_TRY(const auto runtime, petri::Runtime::create({.workers = 2}));
  PETRI_TRY(
      Sandbox live,
      runtime->create_sandbox(
          {.id = "offer", .modules = {{"service", petri::Source::file(folder + "/offer_a.wat")}}, .labels = {"a"}}));
  for (std::uint32_t customer = 0; customer < 100; ++customer) PETRI_TRY(live.call("offer", {customer}));

  PETRI_TRY(Sandbox fork, runtime->fork("offer", "offer-b", {.labels = {"b"}}));
  const petri::Source code = petri::Source::file(folder + "/offer_b.wat");
  PETRI_TRY(fork.reload("service", code));
  std::array variants{Variant{.sandbox = live}, Variant{.sandbox = fork}};
  for (std::uint32_t customer = 0; customer < 2'000; ++customer) {
    serve(variants[variant_of(customer, 4)], customer);
  }
  for (const Variant& variant : variants) print(variant);

  if (variants[1].failed == 0 && variants[1].per_customer() > variants[0].per_customer()) {
    PETRI_TRY(const auto report, live.reload("service", code));
    std::cout << "the new variant is better: offer is now version " << report.to << '\n';
  } else {
    std::cout << "the old variant stays\n";
  }
  PETRI_TRY(runtime->destroy(fork.id()));
  PETRI_TRY(const auto state, live.state());
  std::cout << "offer knows " << to_json(state) << "; " << runtime->info().sandboxes << " sandbox is left\n";
  return {};
}

}  // namespace
}  // namespace ab_variants

int main(int count, char** words) { return example::run(count, words, ab_variants::compare); }
