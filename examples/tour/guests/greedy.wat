;; Wants more memory, page by page, until it is told no; says how many pages it got.
(module
  (memory 1)
  (func (export "greedy") (result i32)
    (loop $more (br_if $more (i32.ne (memory.grow (i32.const 1)) (i32.const -1))))
    (memory.size)))
