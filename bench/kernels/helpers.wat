;; Work done by small functions that call smaller ones, none of them in a circle.
(module
  (func $clamp (param $x i32) (result i32)
    (if (result i32) (i32.gt_u (local.get $x) (i32.const 0xffff)) (then (i32.const 0xffff)) (else (local.get $x))))
  (func $mix (param $x i32) (param $y i32) (result i32)
    (call $clamp (i32.shr_u (i32.mul (local.get $x) (i32.add (local.get $y) (i32.const 77))) (i32.const 3))))
  (func $shade (param $x i32) (param $y i32) (param $z i32) (result i32)
    (i32.add (call $mix (local.get $x) (local.get $y)) (call $mix (local.get $y) (local.get $z))))
  (func (export "run") (param $times i32) (result i32)
    (local $i i32) (local $sum i32)
    (loop $again
      (local.set $i (i32.const 1000))
      (loop $next
        (local.set $sum (i32.xor (local.get $sum) (call $shade (local.get $i) (local.get $sum) (i32.const 9))))
        (br_if $next (local.tee $i (i32.sub (local.get $i) (i32.const 1)))))
      (br_if $again (local.tee $times (i32.sub (local.get $times) (i32.const 1)))))
    (local.get $sum)))
