(module
  (func $down (export "down") (param i32) (result i32)
    (if (result i32) (local.get 0)
      (then (i32.add (i32.const 1) (call $down (i32.sub (local.get 0) (i32.const 1)))))
      (else (i32.const 0)))))
