;; FNV-1a over 4,096 bytes.
(module
  (memory 1)
  (func (export "run") (param $times i32) (result i32)
    (local $at i32) (local $hash i32)
    (local.set $hash (i32.const 0x811c9dc5))
    (loop $again
      (local.set $at (i32.const 0))
      (loop $bytes
        (local.set $hash (i32.mul (i32.xor (local.get $hash) (i32.load8_u (local.get $at))) (i32.const 0x01000193)))
        (br_if $bytes (i32.lt_u (local.tee $at (i32.add (local.get $at) (i32.const 1))) (i32.const 4096))))
      (br_if $again (local.tee $times (i32.sub (local.get $times) (i32.const 1)))))
    (local.get $hash)))
