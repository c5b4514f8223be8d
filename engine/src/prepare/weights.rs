//! Facts about a module that are known once all its bodies were read: which functions weigh on the call depth, how its
//! calls are charged, and how much native stack they can need.

use super::Analysis;
use crate::graph::{Graph, callees_first};
use crate::plan::FunctionPlan;
use crate::{charging, costs, frames};

/// Decides which functions weigh on the call depth, and how much native stack a call can need.
pub fn weigh(analysis: &mut Analysis) {
    let Analysis { module, findings, plans, .. } = analysis;
    module.load_points = findings.load.points();
    module.elements = findings.load.elements;
    module.features = findings.features;
    module.not_movable = findings.not_movable;
    let defined = plans.len();
    let imported = module.imported_functions;
    let mut edges = std::mem::take(&mut findings.calls);
    findings.addressed.sort_unstable();
    findings.addressed.dedup();
    let addressed: Vec<u32> = findings.addressed.iter().filter(|f| **f >= imported).map(|f| f - imported).collect();
    for function in &addressed {
        edges.push((defined as u32 + module.functions[(function + imported) as usize], *function));
        plans[*function as usize].weight = costs::weight(plans[*function as usize].locals);
    }
    if edges.is_empty() {
        module.stack_bytes_fixed = plans.iter().map(frames::estimate).max().unwrap_or(0);
        module.charging = charging::of(module, plans, &findings.edits, None);
    } else {
        let graph = Graph::new(defined + module.types.len(), &edges);
        let parts = graph.parts();
        for (node, plan) in plans.iter_mut().enumerate() {
            if parts.cyclic[parts.part_of[node] as usize] {
                plan.weight = costs::weight(plan.locals);
            }
        }
        module.stack_bytes_fixed = longest_chain(&graph, &parts.part_of, parts.cyclic.len(), plans);
        module.charging = charging::of(module, plans, &findings.edits, Some((&graph, &parts.part_of)));
    }
    module.weighs = plans.iter().any(|plan| plan.weight > 0);
    module.grows = findings.grows_memory || findings.grows_tables;
    module.fills = plans.iter().any(|plan| plan.fills);
    let per_depth = |plan: &FunctionPlan| frames::estimate(plan).div_ceil(u64::from(plan.weight));
    module.stack_bytes_per_depth = plans.iter().filter(|plan| plan.weight > 0).map(per_depth).max().unwrap_or(0);
}

/// The most native stack that functions without weight can hold at once: each can be on it only once.
fn longest_chain(graph: &Graph, part_of: &[u32], parts: usize, plans: &[FunctionPlan]) -> u64 {
    let mut below = vec![0u64; parts];
    for node in callees_first(part_of) {
        let own = plans.get(node).filter(|plan| plan.weight == 0).map_or(0, frames::estimate);
        let part = part_of[node] as usize;
        let callees = graph.callees(node).iter().map(|callee| below[part_of[*callee as usize] as usize]);
        below[part] = below[part].max(own + callees.max().unwrap_or(0));
    }
    below.into_iter().max().unwrap_or(0)
}
