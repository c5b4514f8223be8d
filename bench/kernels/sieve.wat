;; Primes below 16,384 with a byte each.
(module
  (memory 1)
  (func (export "run") (param $times i32) (result i32)
    (local $i i32) (local $j i32) (local $primes i32)
    (loop $again
      (local.set $primes (i32.const 0))
      (local.set $i (i32.const 0))
      (loop $clear
        (i64.store (local.get $i) (i64.const 0))
        (br_if $clear (i32.lt_u (local.tee $i (i32.add (local.get $i) (i32.const 8))) (i32.const 16384))))
      (local.set $i (i32.const 2))
      (loop $next
        (if (i32.eqz (i32.load8_u (local.get $i)))
          (then
            (local.set $primes (i32.add (local.get $primes) (i32.const 1)))
            (local.set $j (i32.shl (local.get $i) (i32.const 1)))
            (block $done
              (loop $strike
                (br_if $done (i32.ge_u (local.get $j) (i32.const 16384)))
                (i32.store8 (local.get $j) (i32.const 1))
                (local.set $j (i32.add (local.get $j) (local.get $i)))
                (br $strike)))))
        (br_if $next (i32.lt_u (local.tee $i (i32.add (local.get $i) (i32.const 1))) (i32.const 16384))))
      (br_if $again (local.tee $times (i32.sub (local.get $times) (i32.const 1)))))
    (local.get $primes)))
