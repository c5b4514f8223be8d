;; Prices; how often it was asked is its state.
(module
  (global $asked (export "state.asked") (mut i32) (i32.const 0))
  (func (export "price") (param i32) (result i32)
    (global.set $asked (i32.add (global.get $asked) (i32.const 1)))
    (i32.mul (local.get 0) (i32.const 2))))
