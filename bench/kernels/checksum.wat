;; CRC-32 over 1,024 bytes, bit by bit, with branches.
(module
  (memory 1)
  (func (export "run") (param $times i32) (result i32)
    (local $at i32) (local $bit i32) (local $crc i32)
    (local.set $crc (i32.const -1))
    (loop $again
      (local.set $at (i32.const 0))
      (loop $bytes
        (local.set $crc (i32.xor (local.get $crc) (i32.load8_u (local.get $at))))
        (local.set $bit (i32.const 8))
        (loop $bits
          (if (i32.and (local.get $crc) (i32.const 1))
            (then (local.set $crc (i32.xor (i32.shr_u (local.get $crc) (i32.const 1)) (i32.const 0xedb88320))))
            (else (local.set $crc (i32.shr_u (local.get $crc) (i32.const 1)))))
          (br_if $bits (local.tee $bit (i32.sub (local.get $bit) (i32.const 1)))))
        (br_if $bytes (i32.lt_u (local.tee $at (i32.add (local.get $at) (i32.const 1))) (i32.const 1024))))
      (br_if $again (local.tee $times (i32.sub (local.get $times) (i32.const 1)))))
    (local.get $crc)))
