;; The second version: more visits than before can be counted, and what was paid.
(module
  (global $count (export "state.count") (mut i64) (i64.const 0))
  (global $paid (export "state.paid") (mut f64) (f64.const 0.5))
  (func (export "visit") (result i32)
    (global.set $count (i64.add (global.get $count) (i64.const 1)))
    (i32.wrap_i64 (global.get $count)))
  (func (export "pay") (param f64) (result f64)
    (global.set $paid (f64.add (global.get $paid) (local.get 0)))
    (global.get $paid)))
