;; Wants 64 MiB before it does anything.
(module
  (memory 1024)
  (func (export "f")))
