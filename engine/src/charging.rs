//! `Charging`: the rule for which modules need not look at their fuel while they run, or not even count it.

use crate::artifact::{CallCosts, Charging, Module};
use crate::costs::SLICE;
use crate::graph::{Graph, callees_first};
use crate::plan::{Edit, FunctionPlan, What};

/// `graph`: who calls whom, if anybody does. What weighs on the call depth is known by now.
pub fn of(module: &Module, plans: &[FunctionPlan], edits: &[Edit], graph: Option<(&Graph, &[u32])>) -> Charging {
    let recurses = plans.iter().any(|plan| plan.weight > 0);
    if !module.imports.is_empty() || recurses || (graph.is_some() && !keeps_nothing(module)) {
        return Charging::Inside;
    }
    let own: Option<Box<[CallCosts]>> = plans.iter().map(|plan| own_costs(&edits[plan.edits.clone()])).collect();
    let Some(mut costs) = own else { return Charging::Inside };
    match graph {
        None if costs.iter().all(|costs| costs.first == costs.most) => {
            return Charging::Known(costs.iter().map(|costs| costs.first).collect());
        }
        None => {}
        Some((graph, part_of)) => add_callees(&mut costs, graph, part_of),
    }
    let within_a_slice = costs.iter().all(|costs| costs.most <= SLICE as u64);
    if within_a_slice { Charging::CheckedUpFront(costs) } else { Charging::Inside }
}

/// Nothing that a function does outlives its call: what happens behind the place where fuel runs out is seen by nobody.
fn keeps_nothing(module: &Module) -> bool {
    module.memory.is_none() && module.tables.is_empty() && module.mutable_globals().next().is_none()
}

/// Without those it calls. None where something besides charges is done: a loop, a length that is charged, a growth.
fn own_costs(edits: &[Edit]) -> Option<CallCosts> {
    let (entry, rest) = edits.split_first()?;
    let What::ChargeAndCheck { cost: first, .. } = entry.what else { return None };
    let most = rest.iter().try_fold(first, |sum, edit| match edit.what {
        // Nothing is run twice, so that the way on which all of it is run costs the most.
        What::Charge { cost, .. } => Some(sum + cost),
        What::Dead | What::Return { .. } | What::GuardSelect | What::GuardParameters => Some(sum),
        What::Call { .. } | What::Reload => Some(sum),
        _ => None,
    })?;
    Some(CallCosts { first, most })
}

/// Each place that calls does it once at most.
fn add_callees(costs: &mut [CallCosts], graph: &Graph, part_of: &[u32]) {
    for function in callees_first(part_of) {
        let Some(own) = costs.get(function).copied() else { continue };
        let callees = graph.callees(function).iter().filter_map(|callee| costs.get(*callee as usize));
        let called = callees.fold(0u64, |sum, callee| sum.saturating_add(callee.most));
        costs[function].most = own.most.saturating_add(called);
    }
}
