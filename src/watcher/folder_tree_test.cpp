#include "watcher/folder_tree.h"

#include <gmock/gmock.h>
#include <sys/stat.h>
#include <sys/un.h>

#include "host/files/temporary_folder.h"
#include "watcher/inotify_notices.h"

namespace petri {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// Notices of the kernel, of which a test may lose all that wait; or a kernel that watches no more than a few folders.
class TestNotices final : public FileNotices {
 public:
  explicit TestNotices(int watches_max) : inner_(*InotifyNotices::create()), left_(watches_max) {}
  Result<int> add(const std::string& path) override {
    if (left_ == 0) return fail(ErrorCode::limit_exceeded, "no more");
    --left_;
    return inner_->add(path);
  }
  void remove(int watch) override { inner_->remove(watch); }
  int descriptor() const override { return inner_->descriptor(); }
  void read(std::vector<FileNotice>& notices) override { inner_->read(notices); }
  bool waiting() const override { return inner_->waiting(); }

 private:
  std::unique_ptr<FileNotices> inner_;
  int left_;
};

class FolderTreeTest : public ::testing::Test {
 protected:
  void open(std::vector<std::string> names = {}, std::vector<std::string> patterns = {"*.c"}, int watches_max = 1'000) {
    notices_ = std::make_unique<TestNotices>(watches_max);
    table_ = std::make_unique<NoticeTable>(*notices_);
    tree_ = std::make_unique<FolderTree>(
        WatchRequest{
            .folder = root(), .names = std::move(names), .patterns = *Globs::create(patterns), .folders_max = 50},
        *table_, 1);
    const auto opened = tree_->open();
    EXPECT_TRUE(opened) << opened.error().message;
  }
  // Handles all notices there are; none is missing, because the kernel sends them before the file operation returns.
  FolderChange change() {
    while (notices_->waiting()) {
      std::vector<FileNotice> some;
      notices_->read(some);
      for (const FileNotice& notice : some) {
        if (notice.kind == NoticeKind::lost) {
          tree_->lost();
          ++lost_;
        }
        const auto places = table_->places_of(notice.watch);
        if (notice.kind == NoticeKind::watch_ended) table_->end(notice.watch);
        for (const auto& place : places) tree_->handle(place, notice);
      }
    }
    return tree_->take();
  }
  std::string root() const { return (outer_.path() / "root").string(); }
  void write(std::string_view name, std::string_view text = "x") const {
    outer_.write("root/" + std::string(name), text);
  }
  std::filesystem::path at(std::string_view name) const { return outer_.path() / "root" / name; }

  TemporaryFolder outer_;
  bool made_ = std::filesystem::create_directory(root());
  std::unique_ptr<FileNotices> notices_;
  std::unique_ptr<NoticeTable> table_;
  std::unique_ptr<FolderTree> tree_;
  int lost_ = 0;
};

TEST_F(FolderTreeTest, SeesFilesThatAreWrittenRenamedLinkedAndRemoved) {
  write("a.c");
  write("old.c");
  write("gone.c");
  open();
  write("a.c", "y");
  write("new.c");
  std::filesystem::rename(at("old.c"), at("moved.c"));
  std::filesystem::remove(at("gone.c"));
  std::filesystem::create_hard_link(at("a.c"), at("linked.c"));
  write("notes.txt");
  write(".hidden.c");
  EXPECT_THAT(change().files, ElementsAre("a.c", "gone.c", "linked.c", "moved.c", "new.c", "old.c"));
  EXPECT_FALSE(change().has_change());
}

TEST_F(FolderTreeTest, SeesAnEditorThatRenamesOverTheFile) {
  write("a.c");
  open({"a.c"});
  write("a.c.swp", "new text");
  std::filesystem::rename(at("a.c.swp"), at("a.c"));
  EXPECT_THAT(change().files, ElementsAre("a.c"));
}

TEST_F(FolderTreeTest, WatchesNewFoldersWithAllThatIsInThem) {
  open();
  std::filesystem::create_directories(at("src/deep"));
  write("src/deep/a.c");
  EXPECT_TRUE(change().everything);
  write("src/deep/a.c", "y");
  EXPECT_THAT(change().files, ElementsAre("src/deep/a.c"));
  std::filesystem::rename(at("src/deep"), at("src/other"));
  EXPECT_TRUE(change().everything);
  write("src/other/a.c", "z");
  EXPECT_THAT(change().files, ElementsAre("src/other/a.c"));
  std::filesystem::remove_all(at("src"));
  EXPECT_TRUE(change().everything);
  EXPECT_EQ(tree_->folders(), 1U);
  EXPECT_EQ(table_->size(), 1U);
}

TEST_F(FolderTreeTest, LeavesOutFoldersWhoseNamesStartWithADot) {
  std::filesystem::create_directory(at(".git"));
  open();
  std::filesystem::create_directory(at(".cache"));
  write(".git/a.c");
  write(".cache/a.c");
  EXPECT_FALSE(change().has_change());
}

TEST_F(FolderTreeTest, FollowsNoLinks) {  // H02
  std::filesystem::create_directory(outer_ / "outside");
  outer_.write("outside/a.c", "x");
  open();
  std::filesystem::create_directory_symlink(outer_ / "outside", at("folder"));
  std::filesystem::create_symlink(outer_ / "outside/a.c", at("linked.c"));
  std::filesystem::create_symlink("loop.c", at("loop.c"));
  const FolderChange linked = change();
  EXPECT_FALSE(linked.has_change());
  EXPECT_THAT(linked.problems, Contains("linked.c is a symbolic link; only regular files are read"));
  outer_.write("outside/a.c", "y");
  EXPECT_FALSE(change().has_change());
  EXPECT_EQ(tree_->folders(), 1U);
}

TEST_F(FolderTreeTest, ReportsWhatIsNoRegularFile) {  // H03
  write("a.c");
  open({"a.c", "b.c"});
  std::filesystem::remove(at("a.c"));
  ASSERT_EQ(::mkfifo(at("a.c").c_str(), 0600), 0);
  std::filesystem::create_directory(at("b.c"));
  const FolderChange now = change();
  EXPECT_FALSE(now.has_change());
  EXPECT_THAT(now.problems, ElementsAre("a.c is a FIFO; only regular files are read",
                                        "b.c is a folder; only regular files are read"));
}

TEST_F(FolderTreeTest, LooksAtEverythingOnceWhenNoticesWereLost) {  // H05
  open();
  std::filesystem::create_directory(at("src"));
  std::vector<FileNotice> dropped;
  notices_->read(dropped);
  tree_->lost();
  tree_->lost();
  EXPECT_TRUE(change().everything);
  EXPECT_EQ(tree_->folders(), 2U);
  write("src/a.c");
  EXPECT_THAT(change().files, ElementsAre("src/a.c"));
}

TEST_F(FolderTreeTest, IsReadAnewWhenTheKernelLostNotices) {  // H05
  write("a.c");
  write("b.c");
  open();
  // Two files in turn, because the kernel merges equal notices that follow one another.
  for (int round = 0; round < 20'000; ++round) {
    for (const char* name : {"a.c", "b.c"}) std::filesystem::permissions(at(name), std::filesystem::perms(0600));
  }
  std::filesystem::create_directory(at("src"));
  EXPECT_TRUE(change().everything);
  EXPECT_EQ(lost_, 1);
  EXPECT_EQ(tree_->folders(), 2U);
  EXPECT_FALSE(change().has_change());
}

TEST_F(FolderTreeTest, ResumesWhenTheFolderIsBack) {  // H06
  open();
  std::filesystem::remove_all(root());
  const FolderChange gone = change();
  EXPECT_FALSE(gone.has_change());
  EXPECT_THAT(gone.problems, Contains(HasSubstr("is gone; it is watched again once it is back")));
  EXPECT_FALSE(tree_->is_there());
  outer_.write("unrelated", "x");
  EXPECT_FALSE(change().has_change());
  std::filesystem::create_directory(root());
  write("a.c");
  const FolderChange back = change();
  EXPECT_TRUE(back.everything);
  EXPECT_THAT(back.problems, Contains(HasSubstr("is back, and watched again")));
  write("a.c", "y");
  EXPECT_THAT(change().files, ElementsAre("a.c"));
}

TEST_F(FolderTreeTest, ResumesWhenFoldersAboveWereGoneToo) {  // H06
  std::filesystem::remove_all(root());
  std::filesystem::create_directories(at("a/b"));
  const std::string deep = at("a/b").string();
  notices_ = std::make_unique<TestNotices>(100);
  table_ = std::make_unique<NoticeTable>(*notices_);
  tree_ = std::make_unique<FolderTree>(WatchRequest{.folder = deep, .names = {}, .patterns = {}}, *table_, 1);
  ASSERT_TRUE(tree_->open());
  std::filesystem::remove_all(at("a"));
  EXPECT_FALSE(change().has_change());
  std::filesystem::create_directory(at("a"));
  EXPECT_FALSE(change().has_change());
  std::filesystem::create_directory(at("a/b"));
  EXPECT_TRUE(change().everything);
  write("a/b/c");
  EXPECT_THAT(change().files, ElementsAre("c"));
}

TEST_F(FolderTreeTest, NoticesAFolderAboveThatWasMoved) {
  std::filesystem::remove_all(root());
  std::filesystem::create_directories(at("a/b"));
  notices_ = std::make_unique<TestNotices>(100);
  table_ = std::make_unique<NoticeTable>(*notices_);
  tree_ =
      std::make_unique<FolderTree>(WatchRequest{.folder = at("a/b").string(), .names = {}, .patterns = {}}, *table_, 1);
  ASSERT_TRUE(tree_->open());
  std::filesystem::rename(at("a"), at("other"));
  write("other/b/c");
  const FolderChange moved = change();
  EXPECT_FALSE(moved.has_change());
  EXPECT_THAT(moved.problems, Contains(HasSubstr("is gone")));
}

TEST_F(FolderTreeTest, IsNotWatchedThroughALinkThatTookItsPlace) {  // H02
  std::filesystem::create_directory(outer_ / "outside");
  open();
  std::filesystem::remove_all(root());
  std::filesystem::create_directory_symlink(outer_ / "outside", root());
  change();
  EXPECT_FALSE(tree_->is_there());
  outer_.write("outside/a.c", "x");
  EXPECT_FALSE(change().has_change());
}

TEST_F(FolderTreeTest, WatchesAsManyFoldersAsItMay) {
  open();
  for (int number = 0; number < 60; ++number) std::filesystem::create_directory(at("f" + std::to_string(number)));
  const FolderChange many = change();
  EXPECT_THAT(many.problems, ElementsAre(HasSubstr("has more than 50 folders, and those beyond are not watched")));
  EXPECT_EQ(tree_->folders(), 50U);
}

TEST_F(FolderTreeTest, NamesTheBoundOfTheMachineThatIsMet) {
  for (int number = 0; number < 5; ++number) std::filesystem::create_directory(at("f" + std::to_string(number)));
  notices_ = std::make_unique<TestNotices>(3);
  table_ = std::make_unique<NoticeTable>(*notices_);
  tree_ = std::make_unique<FolderTree>(WatchRequest{.folder = root(), .names = {}, .patterns = {}}, *table_, 1);
  const auto opened = tree_->open();
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().code, ErrorCode::limit_exceeded);
  EXPECT_EQ(table_->size(), 0U);
}

TEST_F(FolderTreeTest, KeepsAThousandNamesAndThenSaysEverything) {
  open();
  for (int number = 0; number < 1'500; ++number) write(std::to_string(number) + ".c");
  const FolderChange many = change();
  EXPECT_EQ(many.files.size(), FolderTree::kFilesMax);
  EXPECT_TRUE(many.everything);
}

TEST_F(FolderTreeTest, RefusesWhatIsNoFolder) {
  write("a.c");
  NoticeTable table(*(notices_ = std::make_unique<TestNotices>(3)));
  for (const std::string& path : {at("a.c").string(), at("missing").string()}) {
    FolderTree tree({.folder = path, .names = {}, .patterns = {}}, table, 1);
    const auto opened = tree.open();
    ASSERT_FALSE(opened);
    EXPECT_EQ(opened.error().code, ErrorCode::io_error);
  }
}

TEST_F(FolderTreeTest, TakesNamesForNames) {  // H07
  open();
  for (const char* name : {"-rf.c", "$(touch x).c", "a b\"'.c", "line\nend.c"}) write(name);
  EXPECT_THAT(change().files, ElementsAre("$(touch x).c", "-rf.c", "a b\"'.c", "line\nend.c"));
}

}  // namespace
}  // namespace petri
