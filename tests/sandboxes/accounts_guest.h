// A guest that makes the host hold memory for it, and what is on its account for that.
#pragma once

#include <malloc.h>
#include <sys/resource.h>

#include "engine/give_back_memory.h"
#include "host/wasi/errno.h"
#include "kernel_view.h"
#include "runtime_fixture.h"

namespace petri {

inline constexpr std::uint64_t kKiB = 1'024, kMiB = 1'024 * kKiB;

// Sends, spawns, sets timers, opens, lists and asks for long answers, as often as it is told to.
inline constexpr std::string_view kHoarder = R"((module
  (import "petri" "send" (func $send (param i32 i32 i32 i32) (result i32)))
  (import "petri" "call" (func $call (param i32 i32 i32 i32 i32) (result i32)))
  (import "petri" "spawn" (func $spawn (param i32 i32) (result i32)))
  (import "petri" "timer" (func $timer (param i32 i64) (result i32)))
  (import "petri" "output_write" (func $write (param i32 i32) (result i32)))
  (import "petri" "message_kind" (func $kind (result i32)))
  (import "wasi_snapshot_preview1" "path_open" (func $open (param i32 i32 i32 i32 i32 i64 i64 i32 i32) (result i32)))
  (import "wasi_snapshot_preview1" "fd_readdir" (func $list (param i32 i32 i32 i64 i32) (result i32)))
  (memory 1)
  (data (i32.const 0) "{\"id\":\"k00\",\"module\":\"m\",\"input\":\"")
  (data (i32.const 100) "sink") (data (i32.const 110) ".")
  (global $first (mut i32) (i32.const 0))
  (func $keep (param i32)
    (if (i32.eqz (global.get $first)) (then (global.set $first (local.get 0)))))
  (func (export "first failure") (result i32) (global.get $first))
  ;; A call is answered at length; a message keeps it busy for ever.
  (func (export "petri_handle") (result i32)
    (if (i32.ne (call $kind) (i32.const 1)) (then (loop $for_ever (br $for_ever))))
    (drop (call $write (i32.const 0) (i32.const 60000))) (i32.const 0))
  (func (export "send") (param $n i32) (param $length i32) (result i32) (local $sent i32) (local $r i32)
    (loop $again
      (local.set $r (call $send (i32.const 100) (i32.const 4) (i32.const 1000) (local.get $length)))
      (call $keep (local.get $r))
      (local.set $sent (i32.add (local.get $sent) (i32.eqz (local.get $r))))
      (br_if $again (local.tee $n (i32.sub (local.get $n) (i32.const 1)))))
    (local.get $sent))
  (func (export "timers") (param $n i32) (result i32) (local $set i32) (local $r i32)
    (loop $again
      (local.set $r (call $timer (i32.const 3600000) (i64.const 0)))
      (call $keep (local.get $r))
      (local.set $set (i32.add (local.get $set) (i32.eqz (local.get $r))))
      (br_if $again (local.tee $n (i32.sub (local.get $n) (i32.const 1)))))
    (local.get $set))
  (func (export "spawn") (param $n i32) (param $bytes i32) (result i32) (local $i i32) (local $made i32) (local $r i32)
    (drop (memory.grow (i32.add (i32.const 1) (i32.div_u (local.get $bytes) (i32.const 65536)))))
    (memory.fill (i32.const 34) (i32.const 97) (local.get $bytes))
    (i32.store16 (i32.add (i32.const 34) (local.get $bytes)) (i32.const 0x7d22))
    (loop $again
      (i32.store8 (i32.const 8) (i32.add (i32.const 48) (i32.div_u (local.get $i) (i32.const 10))))
      (i32.store8 (i32.const 9) (i32.add (i32.const 48) (i32.rem_u (local.get $i) (i32.const 10))))
      (local.set $r (call $spawn (i32.const 0) (i32.add (i32.const 36) (local.get $bytes))))
      (call $keep (local.get $r))
      (local.set $made (i32.add (local.get $made) (i32.eqz (local.get $r))))
      (br_if $again (i32.lt_u (local.tee $i (i32.add (local.get $i) (i32.const 1))) (local.get $n))))
    (local.get $made))
  (func (export "list") (param $n i32) (result i32) (local $listed i32) (local $r i32)
    (loop $again
      (local.set $r (call $open (i32.const 3) (i32.const 0) (i32.const 110) (i32.const 1) (i32.const 2)
        (i64.const 16386) (i64.const 0) (i32.const 0) (i32.const 200)))
      (call $keep (local.get $r))
      (if (i32.eqz (local.get $r)) (then
        (local.set $r (call $list (i32.load (i32.const 200)) (i32.const 1000) (i32.const 10) (i64.const 0)
          (i32.const 204)))
        (call $keep (local.get $r))
        (local.set $listed (i32.add (local.get $listed) (i32.eqz (local.get $r))))))
      (br_if $again (local.tee $n (i32.sub (local.get $n) (i32.const 1)))))
    (local.get $listed))
  (func (export "ask") (result i32)
    (call $call (i32.const 100) (i32.const 4) (i32.const 0) (i32.const 0) (i32.const 0)))))";

// Bytes that the C library has handed out. The crate has an allocator of its own.
inline std::int64_t heap_bytes_out() {
  const struct mallinfo2 info = ::mallinfo2();
  return static_cast<std::int64_t>(info.uordblks + info.hblkhd);
}

inline std::int64_t account(const Sandbox& sandbox) {
  const Usage usage = sandbox.usage();
  return static_cast<std::int64_t>(usage.memory_bytes + usage.host_bytes);
}

}  // namespace petri
