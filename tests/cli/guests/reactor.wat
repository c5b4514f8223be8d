;; _initialize runs by itself and is not what a run calls.
(module
  (global $ready (mut i32) (i32.const 0))
  (func (export "_initialize") (global.set $ready (i32.const 7)))
  (func (export "ready") (result i32) (global.get $ready)))
