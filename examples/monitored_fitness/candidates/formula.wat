;; n(n+1)/2
(module (func (export "sum") (param $n i64) (result i64)
  (i64.div_s (i64.mul (local.get $n) (i64.add (local.get $n) (i64.const 1))) (i64.const 2))))
