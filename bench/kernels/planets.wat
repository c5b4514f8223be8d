;; Two bodies that pull at each other, in small steps.
(module
  (func (export "run") (param $times i32) (result f64)
    (local $x f64) (local $y f64) (local $vx f64) (local $vy f64) (local $pull f64) (local $distance f64) (local $step i32)
    (local.set $x (f64.const 1))
    (local.set $vy (f64.const 1))
    (loop $again
      (local.set $step (i32.const 1000))
      (loop $move
        (local.set $distance (f64.add (f64.mul (local.get $x) (local.get $x)) (f64.mul (local.get $y) (local.get $y))))
        (local.set $pull (f64.div (f64.const -0.001) (f64.mul (local.get $distance) (f64.sqrt (local.get $distance)))))
        (local.set $vx (f64.add (local.get $vx) (f64.mul (local.get $pull) (local.get $x))))
        (local.set $vy (f64.add (local.get $vy) (f64.mul (local.get $pull) (local.get $y))))
        (local.set $x (f64.add (local.get $x) (f64.mul (local.get $vx) (f64.const 0.001))))
        (local.set $y (f64.add (local.get $y) (f64.mul (local.get $vy) (f64.const 0.001))))
        (br_if $move (local.tee $step (i32.sub (local.get $step) (i32.const 1)))))
      (br_if $again (local.tee $times (i32.sub (local.get $times) (i32.const 1)))))
    (f64.add (local.get $x) (local.get $y))))
