;; Answers with the same line over and over.
(module
  (import "petri" "output_write" (func $output_write (param i32 i32) (result i32)))
  (memory 1)
  (data (i32.const 0) "and another thing,\n")
  (func (export "chatter")
    (local $left i32)
    (local.set $left (i32.const 1000))
    (loop $again
      (drop (call $output_write (i32.const 0) (i32.const 19)))
      (br_if $again (local.tee $left (i32.sub (local.get $left) (i32.const 1)))))))
