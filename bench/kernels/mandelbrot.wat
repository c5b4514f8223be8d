;; How soon points of a 16 x 16 grid leave the circle.
(module
  (func $escape (param $cr f64) (param $ci f64) (result i32)
    (local $r f64) (local $i f64) (local $rr f64) (local $ii f64) (local $steps i32)
    (block $out
      (loop $step
        (local.set $rr (f64.mul (local.get $r) (local.get $r)))
        (local.set $ii (f64.mul (local.get $i) (local.get $i)))
        (br_if $out (f64.gt (f64.add (local.get $rr) (local.get $ii)) (f64.const 4)))
        (local.set $i (f64.add (f64.mul (f64.const 2) (f64.mul (local.get $r) (local.get $i))) (local.get $ci)))
        (local.set $r (f64.add (f64.sub (local.get $rr) (local.get $ii)) (local.get $cr)))
        (br_if $step (i32.lt_u (local.tee $steps (i32.add (local.get $steps) (i32.const 1))) (i32.const 100)))))
    (local.get $steps))
  (func (export "run") (param $times i32) (result i32)
    (local $x i32) (local $sum i32)
    (loop $again
      (local.set $x (i32.const 0))
      (loop $points
        (local.set $sum (i32.add (local.get $sum) (call $escape
          (f64.sub (f64.mul (f64.convert_i32_u (i32.and (local.get $x) (i32.const 15))) (f64.const 0.1875)) (f64.const 2))
          (f64.sub (f64.mul (f64.convert_i32_u (i32.shr_u (local.get $x) (i32.const 4))) (f64.const 0.125)) (f64.const 1)))))
        (br_if $points (i32.lt_u (local.tee $x (i32.add (local.get $x) (i32.const 1))) (i32.const 256))))
      (br_if $again (local.tee $times (i32.sub (local.get $times) (i32.const 1)))))
    (local.get $sum)))
