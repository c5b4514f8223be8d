;; The longest way down to 1 from below 1,000.
(module
  (func (export "run") (param $times i32) (result i32)
    (local $start i32) (local $n i32) (local $steps i32) (local $longest i32)
    (loop $again
      (local.set $start (i32.const 1))
      (loop $starts
        (local.set $n (local.get $start))
        (local.set $steps (i32.const 0))
        (block $down
          (loop $step
            (br_if $down (i32.le_u (local.get $n) (i32.const 1)))
            (if (i32.and (local.get $n) (i32.const 1))
              (then (local.set $n (i32.add (i32.mul (local.get $n) (i32.const 3)) (i32.const 1))))
              (else (local.set $n (i32.shr_u (local.get $n) (i32.const 1)))))
            (local.set $steps (i32.add (local.get $steps) (i32.const 1)))
            (br $step)))
        (if (i32.gt_u (local.get $steps) (local.get $longest))
          (then (local.set $longest (local.get $steps))))
        (br_if $starts (i32.lt_u (local.tee $start (i32.add (local.get $start) (i32.const 1))) (i32.const 1000))))
      (br_if $again (local.tee $times (i32.sub (local.get $times) (i32.const 1)))))
    (local.get $longest)))
