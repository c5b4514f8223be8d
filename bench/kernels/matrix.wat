;; Product of two 24 x 24 matrices of f64.
(module
  (memory 1)
  (func $fill (local $i i32)
    (loop $next
      (f64.store (i32.shl (local.get $i) (i32.const 3)) (f64.convert_i32_s (i32.rem_s (local.get $i) (i32.const 7))))
      (br_if $next (i32.lt_u (local.tee $i (i32.add (local.get $i) (i32.const 1))) (i32.const 1152)))))
  (func $multiply (result f64)
    (local $row i32) (local $column i32) (local $k i32) (local $sum f64) (local $trace f64) (local $left i32) (local $right i32)
    (loop $rows
      (local.set $column (i32.const 0))
      (loop $columns
        (local.set $k (i32.const 24))
        (local.set $sum (f64.const 0))
        (local.set $left (i32.mul (local.get $row) (i32.const 192)))
        (local.set $right (i32.add (i32.const 4608) (i32.shl (local.get $column) (i32.const 3))))
        (loop $dot
          (local.set $sum (f64.add (local.get $sum) (f64.mul (f64.load (local.get $left)) (f64.load (local.get $right)))))
          (local.set $left (i32.add (local.get $left) (i32.const 8)))
          (local.set $right (i32.add (local.get $right) (i32.const 192)))
          (br_if $dot (local.tee $k (i32.sub (local.get $k) (i32.const 1)))))
        (local.set $trace (f64.add (local.get $trace) (local.get $sum)))
        (br_if $columns (i32.lt_u (local.tee $column (i32.add (local.get $column) (i32.const 1))) (i32.const 24))))
      (br_if $rows (i32.lt_u (local.tee $row (i32.add (local.get $row) (i32.const 1))) (i32.const 24))))
    (local.get $trace))
  (func (export "run") (param $times i32) (result f64) (local $sum f64)
    (call $fill)
    (loop $again
      (local.set $sum (f64.add (local.get $sum) (call $multiply)))
      (br_if $again (local.tee $times (i32.sub (local.get $times) (i32.const 1)))))
    (local.get $sum)))
