;; Names that would paint a careless terminal.
(module
  (import "a\1b[31m" "b\0ac" (func))
  (func (export "red\1b[31m") (unreachable))
  (func (export "\e2\80\ae") (unreachable)))
