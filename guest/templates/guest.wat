;; A guest of petri: its functions are called by name, and its state, the global that is exported as state.count, moves to
;; the next version.
(module
  (global $count (export "state.count") (mut i32) (i32.const 0))
  (func (export "add") (param $a i32) (param $b i32) (result i32)
    (i32.add (local.get $a) (local.get $b)))
  (func (export "next") (result i32)
    (global.set $count (i32.add (global.get $count) (i32.const 1)))
    (global.get $count)))
