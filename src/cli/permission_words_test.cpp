#include "cli/permission_words.h"

#include <gtest/gtest.h>

namespace petri::cli {
namespace {

using enum Permission;
const Permissions kBefore{log, clock};

TEST(PermissionWords, AreChangesOrTheWholeSet) {
  EXPECT_EQ(change_permissions(kBefore, {"-clock", "+random"}), (Permissions{log, random}));
  EXPECT_EQ(change_permissions(kBefore, {"+clock,random", "-random"}), (Permissions{log, clock}));
  EXPECT_EQ(change_permissions(kBefore, {"timers,spawn", "random"}), (Permissions{timers, spawn, random}));
  EXPECT_EQ(change_permissions(kBefore, {"none"}), Permissions());
}

TEST(PermissionWords, InAListAreChangesToo) {
  EXPECT_EQ(permissions_of_list(kBefore, "+random,-clock"), (Permissions{log, random}));
  EXPECT_EQ(permissions_of_list(kBefore, "random,timers"), (Permissions{random, timers}));
  EXPECT_EQ(permissions_of_list(kBefore, "none"), Permissions());
  EXPECT_EQ(permissions_of_list(kBefore, "+random,log").error().code, ErrorCode::validation_failed);
}

TEST(PermissionWords, ThatMakeNoSenseAreRefused) {
  EXPECT_EQ(change_permissions(kBefore, {"-clock", "log"}).error().code, ErrorCode::validation_failed);
  EXPECT_EQ(change_permissions(kBefore, {"-clocks"}).error().code, ErrorCode::validation_failed);
  EXPECT_EQ(change_permissions(kBefore, {"+"}).error().code, ErrorCode::validation_failed);
}

}  // namespace
}  // namespace petri::cli
