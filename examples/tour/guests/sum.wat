;; Writes numbers through its memory and adds them up again.
(module
  (memory 16)
  (func (export "sum") (param $rounds i32) (result i64)
    (local $address i32) (local $total i64)
    (loop $round
      (local.set $address (i32.const 0))
      (loop $next
        (i64.store (local.get $address) (i64.extend_i32_u (i32.xor (local.get $address) (local.get $rounds))))
        (local.set $total (i64.add (local.get $total) (i64.load (local.get $address))))
        (br_if $next (i32.lt_u (local.tee $address (i32.add (local.get $address) (i32.const 8))) (i32.const 1000000))))
      (br_if $round (local.tee $rounds (i32.sub (local.get $rounds) (i32.const 1)))))
    (local.get $total)))
