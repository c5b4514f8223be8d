;; Does not return for large numbers.
(module (func (export "sum") (param $n i64) (result i64)
  (loop $again (br_if $again (i64.gt_s (local.get $n) (i64.const 100))))
  (i64.div_s (i64.mul (local.get $n) (i64.add (local.get $n) (i64.const 1))) (i64.const 2))))
