;; Adds one number after another: correct, and much fuel.
(module (func (export "sum") (param $n i64) (result i64) (local $sum i64)
  (loop $again
    (local.set $sum (i64.add (local.get $sum) (local.get $n)))
    (local.set $n (i64.sub (local.get $n) (i64.const 1)))
    (br_if $again (i64.gt_s (local.get $n) (i64.const 0))))
  (local.get $sum)))
