;; The function has another name.
(module (func (export "greatest") (param i32 i32) (result i32) (local.get 0)))
