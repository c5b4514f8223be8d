;; Never returns by itself.
(module
  (func (export "spin") (loop $again (br $again))))
