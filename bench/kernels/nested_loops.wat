;; Three loops in each other that add up what they count.
(module
  (func (export "run") (param $times i32) (result i32)
    (local $i i32) (local $j i32) (local $k i32) (local $sum i32)
    (loop $again
      (local.set $i (i32.const 20))
      (loop $outer
        (local.set $j (i32.const 20))
        (loop $middle
          (local.set $k (i32.const 20))
          (loop $inner
            (local.set $sum (i32.add (local.get $sum) (i32.xor (local.get $i) (i32.mul (local.get $j) (local.get $k)))))
            (br_if $inner (local.tee $k (i32.sub (local.get $k) (i32.const 1)))))
          (br_if $middle (local.tee $j (i32.sub (local.get $j) (i32.const 1)))))
        (br_if $outer (local.tee $i (i32.sub (local.get $i) (i32.const 1)))))
      (br_if $again (local.tee $times (i32.sub (local.get $times) (i32.const 1)))))
    (local.get $sum)))
