;; A small machine of eight instructions, run by br_table.
(module
  (memory 1)
  (func (export "run") (param $times i32) (result i32)
    (local $at i32) (local $a i32) (local $b i32)
    (loop $again
      (local.set $at (i32.const 0))
      (block $halt
        (loop $step
          (block $done
            (block $7 (block $6 (block $5 (block $4 (block $3 (block $2 (block $1 (block $0
              (br_table $0 $1 $2 $3 $4 $5 $6 $7 (i32.and (i32.load8_u (i32.and (local.get $at) (i32.const 15))) (i32.const 7))))
              ;; 0
              (local.set $a (i32.add (local.get $a) (i32.const 3))) (br $done))
              ;; 1
              (local.set $b (i32.xor (local.get $b) (local.get $a))) (br $done))
              ;; 2
              (local.set $a (i32.rotl (local.get $a) (i32.const 5))) (br $done))
              ;; 3
              (local.set $b (i32.add (local.get $b) (local.get $at))) (br $done))
              ;; 4
              (local.set $a (i32.sub (local.get $a) (local.get $b))) (br $done))
              ;; 5
              (if (i32.and (local.get $b) (i32.const 1)) (then (local.set $a (i32.const 7)))) (br $done))
              ;; 6
              (local.set $b (i32.shr_u (local.get $b) (i32.const 1))) (br $done))
            ;; 7
            (local.set $a (i32.mul (local.get $a) (i32.const 17))))
          (br_if $step (i32.lt_u (local.tee $at (i32.add (local.get $at) (i32.const 1))) (i32.const 1000)))))
      (br_if $again (local.tee $times (i32.sub (local.get $times) (i32.const 1)))))
    (i32.add (local.get $a) (local.get $b)))
  (data (i32.const 0) "\00\01\02\03\04\05\06\07\01\03\05\07\00\02\04\06"))
