(module
  (func $f (export "f") (return_call $f)))
