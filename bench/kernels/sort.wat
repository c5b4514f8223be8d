;; Insertion sort of 256 numbers made anew each time.
(module
  (memory 1)
  (func (export "run") (param $times i32) (result i32)
    (local $seed i32) (local $i i32) (local $j i32) (local $value i32) (local $before i32)
    (local.set $seed (i32.const 12345))
    (loop $again
      (local.set $i (i32.const 0))
      (loop $make
        (local.set $seed (i32.add (i32.mul (local.get $seed) (i32.const 1664525)) (i32.const 1013904223)))
        (i32.store (local.get $i) (i32.shr_u (local.get $seed) (i32.const 8)))
        (br_if $make (i32.lt_u (local.tee $i (i32.add (local.get $i) (i32.const 4))) (i32.const 1024))))
      (local.set $i (i32.const 4))
      (loop $insert
        (local.set $value (i32.load (local.get $i)))
        (local.set $j (local.get $i))
        (block $found
          (loop $shift
            (br_if $found (i32.eqz (local.get $j)))
            (local.set $before (i32.load (i32.sub (local.get $j) (i32.const 4))))
            (br_if $found (i32.le_u (local.get $before) (local.get $value)))
            (i32.store (local.get $j) (local.get $before))
            (local.set $j (i32.sub (local.get $j) (i32.const 4)))
            (br $shift)))
        (i32.store (local.get $j) (local.get $value))
        (br_if $insert (i32.lt_u (local.tee $i (i32.add (local.get $i) (i32.const 4))) (i32.const 1024))))
      (br_if $again (local.tee $times (i32.sub (local.get $times) (i32.const 1)))))
    (i32.xor (i32.load (i32.const 512)) (local.get $seed))))
