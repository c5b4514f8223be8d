;; Fibonacci numbers by their definition: nearly nothing but calls.
(module
  (func $fibonacci (param $n i32) (result i32)
    (if (result i32) (i32.lt_u (local.get $n) (i32.const 2))
      (then (local.get $n))
      (else (i32.add
        (call $fibonacci (i32.sub (local.get $n) (i32.const 1)))
        (call $fibonacci (i32.sub (local.get $n) (i32.const 2)))))))
  (func (export "run") (param $times i32) (result i32) (local $sum i32)
    (loop $again
      (local.set $sum (i32.add (local.get $sum) (call $fibonacci (i32.const 15))))
      (br_if $again (local.tee $times (i32.sub (local.get $times) (i32.const 1)))))
    (local.get $sum)))
