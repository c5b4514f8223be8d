;; Writes control characters to everything that could be a terminal, whole and cut apart.
(module
  (import "wasi_snapshot_preview1" "fd_write" (func $w (param i32 i32 i32 i32) (result i32)))
  (import "petri" "output_write" (func $output (param i32 i32) (result i32)))
  (import "petri" "log" (func $log (param i32 i32 i32) (result i32)))
  (memory 1)
  ;; Two buffers: one byte, and all that follows it.
  (data (i32.const 0) "\20\00\00\00\01\00\00\00\21\00\00\00\20\00\00\00")
  (data (i32.const 32) "\c2\9b2J\c2\9b31mPWNED \e2\80\ae\9b\1b[0m\e2\80\8b\0d\ff end\0a")
  (func $write (param i32) (drop (call $w (local.get 0) (i32.const 0) (i32.const 2) (i32.const 200))))
  (func (export "stdout") (call $write (i32.const 1)))
  (func (export "stderr") (call $write (i32.const 2)))
  (func (export "output")
    (drop (call $output (i32.const 32) (i32.const 1)))
    (drop (call $output (i32.const 33) (i32.const 32))))
  (func (export "log") (drop (call $log (i32.const 2) (i32.const 32) (i32.const 32))))
  (func (export "half") (drop (call $output (i32.const 32) (i32.const 1))))
  (func (export "trap\c2\9b\e2\80\ae") unreachable))
