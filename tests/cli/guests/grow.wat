;; Grows page by page until refused and returns the number of pages.
(module
  (memory 1)
  (func (export "grow") (result i32)
    (loop $more (br_if $more (i32.ne (memory.grow (i32.const 1)) (i32.const -1))))
    (memory.size)))
