// Memory and mutable globals of an instance that nobody runs, apart from it and from the tier it runs in: for
// snapshots, forks and reloads that carry memory as it is.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "engine/instance/instance.h"
#include "petri/result.h"

namespace petri {

// The memory that an image may take, and who may end its making.
struct ImageTerms {
  std::uint64_t bytes_max = std::numeric_limits<std::uint64_t>::max();  // state_bytes_max, where that holds
  std::function<bool()> is_ended;  // asked for each mebibyte that is looked through or copied; nullptr: nobody ends it
};

// The memory and globals of an instance; if it is linked with others they are all in it, by name. Keeps only pages of 4
// KiB that are not all zero, so that a large memory with little in it is small. A value: it can be copied, and restored
// from by several threads at once.
class InstanceImage {
 public:
  // Takes an image of an instance that is whole and of a movable artifact, else `validation_failed`. The instance stays
  // as it is. `limit_exceeded` before anything is copied, `cancelled` once the terms say that it is ended.
  static Result<InstanceImage> capture(Instance& from, const ImageTerms& terms = {});
  // Checks if capture() would succeed, without copying.
  static Result<void> check_fits(Instance& from, const ImageTerms& terms);

  // Into an instance of code with the same layout (check_same_layout in engine/module/module_layout.h); the
  // declarations of its memory and mutable globals are compared once more, `state_incompatible` if they differ.
  // Everything the instance held is overwritten, so it may have run its start function, but its memory must not be
  // larger than the image's. Memory becomes as large as it was, within the instance's memory_bytes_max
  // (`limit_exceeded`); HostHooks::grow is not asked. On failure the instance is to be dropped.
  Result<void> restore(Instance& into) const;

  // As Instance::command_has_run(). Not part of to_bytes(): the file around it keeps it.
  bool command_has_run() const { return command_has_run_; }
  void set_command_has_run(bool has_run) { command_has_run_ = has_run; }

  std::uint64_t memory_bytes() const;  // of guest memory, in all
  std::uint64_t bytes_kept() const;    // what the image itself takes

  // For files, without checksum or version: both belong to the file around it. from_bytes checks everything and takes
  // only what to_bytes makes, else `parse_failed`.
  std::vector<std::uint8_t> to_bytes() const;
  static Result<InstanceImage> from_bytes(std::span<const std::uint8_t> bytes);

  bool operator==(const InstanceImage&) const = default;

 private:
  // Shape and pieces of it and those it is linked with, and then what the pieces hold.
  static Result<InstanceImage> outline(Instance& from, const ImageTerms& terms);
  static Result<InstanceImage> outline_alone(Instance& from, const ImageTerms& terms);
  Result<void> restore_alone(Instance& into) const;
  static Result<InstanceImage> from_bytes_alone(std::span<const std::uint8_t> bytes);
  void append_to(std::vector<std::uint8_t>& bytes) const;
  std::uint64_t bytes_kept_alone() const;
  std::size_t contents_bytes() const;  // of the pieces, also before they are copied

  // Adjacent pages, in units of 4 KiB. They stand one after another in `contents_`.
  struct Piece {
    std::uint32_t page = 0;
    std::uint32_t pages = 0;
    bool operator==(const Piece&) const = default;
  };

  Result<void> find_pieces(std::span<const std::uint8_t> memory, const ImageTerms& terms);
  Result<void> copy_pieces(std::span<const std::uint8_t> memory, const ImageTerms& terms);
  Result<void> put(Instance& into, std::size_t used_bytes) const;
  Result<void> check_pieces() const;

  InstanceShape shape_;
  bool command_has_run_ = false;
  std::vector<Piece> pieces_;  // ascending, with a page of zeros at least between two
  std::vector<std::uint8_t> contents_;
  // The other members of a group, by name.
  std::vector<std::string> names_;
  std::vector<InstanceImage> others_;
};

}  // namespace petri
