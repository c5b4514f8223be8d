;; Looks for four bytes that are not there among 8,192, then copies 1,024 of them byte by byte.
(module
  (memory 1)
  (func (export "run") (param $times i32) (result i32)
    (local $at i32) (local $found i32)
    (loop $again
      (local.set $at (i32.const 0))
      (block $seen
        (loop $search
          (if (i32.eq (i32.load8_u (local.get $at)) (i32.const 120))
            (then (br_if $seen (i32.eq (i32.load (local.get $at)) (i32.const 0x7a797a78)))
                  (local.set $found (i32.add (local.get $found) (i32.const 1)))))
          (br_if $search (i32.lt_u (local.tee $at (i32.add (local.get $at) (i32.const 1))) (i32.const 8192)))))
      (local.set $at (i32.const 0))
      (loop $copy
        (i32.store8 offset=16384 (local.get $at) (i32.load8_u offset=64 (local.get $at)))
        (br_if $copy (i32.lt_u (local.tee $at (i32.add (local.get $at) (i32.const 1))) (i32.const 1024))))
      (br_if $again (local.tee $times (i32.sub (local.get $times) (i32.const 1)))))
    (local.get $found))
  (data (i32.const 0) "four bytes of text: xyxy xyxx and so on, x marks what is nearly there"))
