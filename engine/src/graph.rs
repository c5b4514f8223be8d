//! The call graph: which functions weigh on the call depth, and how much native stack the rest can need.
//!
//! Nodes are the defined functions, then one node a type: `call_indirect` of a type may reach every function of that
//! type whose address is taken, so cycles through tables are cycles here too.

pub struct Graph {
    /// First edge of each node in `targets`; one more entry than there are nodes.
    first: Vec<u32>,
    targets: Vec<u32>,
}

/// A strongly connected part: callees' parts have smaller numbers.
pub struct Parts {
    pub part_of: Vec<u32>,
    pub cyclic: Vec<bool>,
}

/// The nodes in an order in which each comes behind those it calls, but for cycles.
pub fn callees_first(part_of: &[u32]) -> impl Iterator<Item = usize> + use<> {
    let mut order: Vec<u32> = (0..part_of.len() as u32).collect();
    order.sort_unstable_by_key(|node| part_of[*node as usize]);
    order.into_iter().map(|node| node as usize)
}

impl Graph {
    pub fn new(nodes: usize, edges: &[(u32, u32)]) -> Self {
        let mut first = vec![0u32; nodes + 1];
        for (from, _) in edges {
            first[*from as usize + 1] += 1;
        }
        for node in 0..nodes {
            first[node + 1] += first[node];
        }
        let mut next = first.clone();
        let mut targets = vec![0u32; edges.len()];
        for (from, to) in edges {
            targets[next[*from as usize] as usize] = *to;
            next[*from as usize] += 1;
        }
        Graph { first, targets }
    }

    pub fn callees(&self, node: usize) -> &[u32] {
        &self.targets[self.first[node] as usize..self.first[node + 1] as usize]
    }

    fn nodes(&self) -> usize {
        self.first.len() - 1
    }

    /// Tarjan's algorithm with a stack of its own, in time linear in nodes and edges.
    pub fn parts(&self) -> Parts {
        const NEW: u32 = u32::MAX;
        let nodes = self.nodes();
        let (mut order, mut low) = (vec![NEW; nodes], vec![0u32; nodes]);
        let mut parts = Parts { part_of: vec![NEW; nodes], cyclic: Vec::new() };
        let (mut open, mut path, mut count) = (Vec::new(), Vec::<(u32, u32)>::new(), 0u32);
        for root in 0..nodes {
            if order[root] == NEW {
                path.push((root as u32, 0));
            }
            while let Some((node, edge)) = path.pop() {
                let node = node as usize;
                if edge == 0 {
                    order[node] = count;
                    low[node] = count;
                    count += 1;
                    open.push(node as u32);
                } else {
                    let child = self.callees(node)[edge as usize - 1] as usize;
                    low[node] = low[node].min(low[child]);
                }
                let rest = &self.callees(node)[edge as usize..];
                let mut descend = None;
                for (step, callee) in rest.iter().enumerate() {
                    let callee = *callee as usize;
                    if order[callee] == NEW {
                        descend = Some((edge + step as u32 + 1, callee));
                        break;
                    }
                    if parts.part_of[callee] == NEW {
                        low[node] = low[node].min(order[callee]);
                    }
                }
                if let Some((resume, callee)) = descend {
                    path.push((node as u32, resume));
                    path.push((callee as u32, 0));
                } else if low[node] == order[node] {
                    self.close(node, &mut open, &mut parts);
                }
            }
        }
        parts
    }

    fn close(&self, root: usize, open: &mut Vec<u32>, parts: &mut Parts) {
        let part = parts.cyclic.len() as u32;
        let mut members = 0;
        loop {
            let member = open.pop().expect("the root is on the stack");
            parts.part_of[member as usize] = part;
            members += 1;
            if member as usize == root {
                break;
            }
        }
        let calls_itself = self.callees(root).contains(&(root as u32));
        parts.cyclic.push(members > 1 || calls_itself);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cyclic(nodes: usize, edges: &[(u32, u32)]) -> Vec<bool> {
        let parts = Graph::new(nodes, edges).parts();
        (0..nodes).map(|node| parts.cyclic[parts.part_of[node] as usize]).collect()
    }

    #[test]
    fn only_members_of_a_cycle_are_cyclic() {
        assert_eq!(cyclic(4, &[(0, 1), (1, 2), (2, 1), (2, 3)]), [false, true, true, false]);
    }

    #[test]
    fn a_function_that_calls_itself_is_a_cycle() {
        assert_eq!(cyclic(2, &[(0, 0), (0, 1), (0, 1)]), [true, false]);
    }

    #[test]
    fn callees_have_smaller_part_numbers() {
        let parts = Graph::new(3, &[(0, 1), (1, 2), (0, 2)]).parts();
        assert!(parts.part_of[2] < parts.part_of[1] && parts.part_of[1] < parts.part_of[0]);
    }

    #[test]
    fn a_chain_of_a_hundred_thousand_needs_no_native_stack() {
        let edges: Vec<_> = (0..99_999).map(|node| (node, node + 1)).collect();
        assert!(cyclic(100_000, &edges).iter().all(|cyclic| !cyclic));
    }
}
