#include "petri/policy.h"

#include <gtest/gtest.h>

namespace petri {
namespace {

TEST(Permission, IsFoundByItsName) {
  EXPECT_EQ(all_permissions().size(), 8U);
  for (const Permission permission : all_permissions()) EXPECT_EQ(permission_named(name_of(permission)), permission);
  EXPECT_EQ(name_of(Permission::file_write), "file_write");
  EXPECT_EQ(permission_named("files"), std::nullopt);
}

TEST(Permissions, GrantNothingByThemselves) {
  for (const Permission permission : all_permissions()) EXPECT_FALSE(Permissions().has(permission));
}

TEST(Permissions, AreGivenAndTakenOneByOne) {
  const Permissions log{Permission::log};
  EXPECT_TRUE(log.with(Permission::clock).has(Permission::clock));
  EXPECT_TRUE(log.with(Permission::clock).has(Permission::log));
  EXPECT_EQ(log.without(Permission::log), Permissions());
  EXPECT_EQ(log.without(Permission::clock), log);
}

TEST(Permissions, AreReadFromNamesWithCommas) {
  EXPECT_EQ(Permissions::parse("log,clock"), (Permissions{Permission::log, Permission::clock}));
  EXPECT_EQ(Permissions::parse("log,log"), Permissions{Permission::log});
  EXPECT_EQ(Permissions::parse(""), Permissions());
}

TEST(Permissions, RefuseAnUnknownNameAndListTheKnownOnes) {
  for (const std::string_view text : {"log,", ",log", "log clock", "LOG", "log,net", "log\x1b"}) {
    EXPECT_EQ(Permissions::parse(text).error().code, ErrorCode::validation_failed) << text;
  }
  EXPECT_EQ(
      Permissions::parse("log,net").error().message,
      "there is no permission \"net\"; the permissions are messages, timers, spawn, log, clock, random, file_read, "
      "file_write");
}

}  // namespace
}  // namespace petri
