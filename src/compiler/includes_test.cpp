#include "compiler/includes.h"

#include <gmock/gmock.h>

namespace petri {
namespace {

using testing::ElementsAre;

TEST(Includes, AreReadFromTheirLines) {
  const std::string text =
      "#include \"a.h\"\n  # include <math.h>\n// #include \"no.h\"\nint x; #include \"no2.h\"\n#include M\n";
  EXPECT_THAT(quoted_includes(text, ""), ElementsAre("a.h"));
  EXPECT_THAT(angled_includes(text), ElementsAre("math.h"));
}

TEST(Includes, StandBesideTheFileThatIncludesThem) {
  EXPECT_THAT(quoted_includes("#include \"../up.h\"\n#include \"./x/y.h\"\n", "lib/"),
              ElementsAre("up.h", "lib/x/y.h"));
}

TEST(Includes, ThatLeaveTheFolderAreLeftOut) {
  EXPECT_THAT(quoted_includes("#include \"../../etc/passwd\"\n#include \"/etc/passwd\"\n#include \"..\"\n", "lib/"),
              ElementsAre());
}

}  // namespace
}  // namespace petri
