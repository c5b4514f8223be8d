;; A version that should not have been: it crashes at the first visit.
(module
  (global $count (export "state.count") (mut i64) (i64.const 0))
  (global $paid (export "state.paid") (mut f64) (f64.const 0))
  (func (export "visit") (result i32) unreachable)
  (func (export "pay") (param f64) (result f64) (global.get $paid)))
