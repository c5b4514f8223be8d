;; The formula, and two megabytes of memory that it does not need.
(module
  (memory 1 64)
  (func (export "sum") (param $n i64) (result i64)
    (if (i32.eq (memory.size) (i32.const 1)) (then (drop (memory.grow (i32.const 31)))))
    (i64.div_s (i64.mul (local.get $n) (i64.add (local.get $n) (i64.const 1))) (i64.const 2))))
