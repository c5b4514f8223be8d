#include "process/mailbox/mailbox.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace petri {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class MailboxTest : public ::testing::Test {
 protected:
  void put(Message message) {
    account_.hold_anyway(bytes_of(message));
    mailbox_.put(std::move(message));
  }
  static Message from(std::string sender, std::int64_t tag) {
    return {.kind = MessageKind::send, .sender = std::move(sender), .tag = tag};
  }
  // A call of a guest whose chain started then.
  static Message call(std::string sender, std::int64_t tag, std::uint64_t chain_ns) {
    Message message = from(std::move(sender), tag);
    message.kind = MessageKind::call;
    message.depth = 1;
    message.chain_ns = chain_ns;
    return message;
  }
  // The tags of all that may enter now, as they are taken.
  std::vector<std::int64_t> take_all_that_may() {
    std::vector<std::int64_t> tags;
    for (Message message; mailbox_.take_next(message);) tags.push_back(message.tag);
    return tags;
  }

  TreeAccount account_{std::make_shared<const SandboxLimits>(SandboxLimits::of(Profile::standard))};
  Mailbox mailbox_{account_};
};

TEST_F(MailboxTest, GivesMessagesInTheOrderTheyCame) {
  put(from("a", 1));
  put(from("b", 2));
  EXPECT_TRUE(mailbox_.has_next());
  EXPECT_EQ(account_.messages(), 2U);
  EXPECT_THAT(take_all_that_may(), ElementsAre(1, 2));
  EXPECT_EQ(account_.messages(), 0U);
  EXPECT_EQ(account_.taken(), 0U) << "what they took is given back";
}

TEST_F(MailboxTest, BehindAClosedGateAdmitsOldChainsAndWhatTheirSendersSentBefore) {
  put(from("stranger", 1));
  put(from("friend", 2));
  put(call("friend", 3, 10));
  put(call("late", 4, 30));
  mailbox_.close_gate(20);
  EXPECT_THAT(take_all_that_may(), ElementsAre(2, 3));
  EXPECT_FALSE(mailbox_.has_next());
  mailbox_.open_gate();
  EXPECT_THAT(take_all_that_may(), ElementsAre(1, 4));
}

TEST_F(MailboxTest, KnowsWhenAChainStartedThatWasAdmitted) {
  EXPECT_EQ(mailbox_.chain_start(50), 50U);
  mailbox_.close_gate(20);
  EXPECT_EQ(mailbox_.chain_start(50), 20U) << "it was admitted before the gate was closed";
  EXPECT_EQ(mailbox_.chain_start(10), 10U);
}

TEST_F(MailboxTest, FindsACallByItsNumber) {
  Message message = from("", 1);
  message.id = 7;
  put(std::move(message));
  EXPECT_FALSE(mailbox_.take_call(8).has_value());
  EXPECT_EQ(mailbox_.take_call(7)->tag, 1);
  EXPECT_TRUE(mailbox_.empty());
  EXPECT_EQ(account_.taken(), 0U);
}

TEST_F(MailboxTest, ReplacesWhatNobodyWaitsFor) {
  Message message = from("", 1);
  message.reply = std::make_shared<Reply>();
  put(std::move(message));
  put(from("a", 2));
  mailbox_.replace_saved({{.kind = MessageKind::timer, .tag = 3}}, {});
  EXPECT_THAT(mailbox_.rung_timers(1), ElementsAre(3));
  EXPECT_EQ(mailbox_.saved().size(), 1U) << "a call is never copied";
  EXPECT_THAT(take_all_that_may(), ElementsAre(3, 1)) << "it was there before";
  EXPECT_EQ(account_.taken(), 0U);
}

TEST_F(MailboxTest, TakesCallsApartFromTheRest) {
  Message message = from("", 1);
  message.reply = std::make_shared<Reply>();
  put(from("a", 2));
  put(std::move(message));
  EXPECT_EQ(mailbox_.take_calls().size(), 1U);
  EXPECT_EQ(mailbox_.size(), 1U);
  EXPECT_EQ(mailbox_.take_all().size(), 1U);
  EXPECT_EQ(account_.messages(), 0U);
  EXPECT_THAT(take_all_that_may(), IsEmpty());
}

TEST_F(MailboxTest, KnowsTheTimersOfAnInstance) {
  put({.kind = MessageKind::timer, .tag = 1, .incarnation = 4});
  put({.kind = MessageKind::timer, .tag = 2, .incarnation = 5});
  put({.kind = MessageKind::timer, .tag = 3});
  EXPECT_THAT(mailbox_.rung_timers(5), ElementsAre(2, 3));
}

}  // namespace
}  // namespace petri
