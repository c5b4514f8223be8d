;; Uses a proposal petri does not accept.
(module
  (func (export "f") (drop (v128.const i32x4 1 2 3 4))))
