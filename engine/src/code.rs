//! Loaded code, whichever engine runs it.

use std::sync::Arc;

use crate::account::Account;
use crate::artifact::Artifact;
use crate::failure::Result;
use crate::guest::{Budget, End, EndKind};
use crate::instance::AnyLive;
use crate::interpreted::Stay;
use crate::linked::Linked;
use crate::raw::{Context, Host, HostFunction};
use crate::{compiled, interpreted};

pub use crate::compiled::{Effort, precompile, start_helper};
pub use crate::instance::{Declared, Instance, Number, Series, Shape};
pub use crate::linked::START;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u32)]
pub enum Tier {
    Interpreted = 0,
    Compiled = 1,
}

pub struct Code {
    linked: Arc<Linked>,
    engine: EngineCode,
}

enum EngineCode {
    Interpreted(interpreted::Code),
    Compiled(compiled::Code),
}

impl Code {
    pub fn load(artifact: Arc<Artifact>, tier: Tier, functions: &[HostFunction]) -> Result<Code> {
        let linked = Linked::new(artifact, functions)?;
        let engine = match tier {
            Tier::Interpreted => EngineCode::Interpreted(interpreted::Code::load(&linked.artifact, Stay::Long)?),
            Tier::Compiled => EngineCode::Compiled(compiled::Code::load(&linked)?),
        };
        Ok(Code { linked, engine })
    }

    /// The interpreted tier, for code that is dropped soon.
    pub fn load_brief(artifact: Arc<Artifact>, functions: &[HostFunction]) -> Result<Code> {
        let linked = Linked::new(artifact, functions)?;
        let engine = EngineCode::Interpreted(interpreted::Code::load(&linked.artifact, Stay::Brief)?);
        Ok(Code { linked, engine })
    }

    /// The compiled tier, from what `precompile` made of the artifact's rewritten module; see there.
    pub fn load_precompiled(
        artifact: Arc<Artifact>,
        machine_code: &[u8],
        effort: Effort,
        functions: &[HostFunction],
    ) -> Result<Code> {
        let linked = Linked::new(artifact, functions)?;
        let engine = EngineCode::Compiled(compiled::Code::load_precompiled(&linked, machine_code, effort)?);
        Ok(Code { linked, engine })
    }

    /// An instance, however long it takes to make, or why its memory or segments did not fit.
    pub fn instantiate(&self, host: Host, memory_bytes_max: u64) -> Result<std::result::Result<Instance, End>> {
        self.instantiate_within(host, memory_bytes_max, None)
    }

    /// Instantiates on somebody's time: the budget's deadline and turns, and the host's flag, can end it.
    pub fn instantiate_within(
        &self,
        host: Host,
        memory_bytes_max: u64,
        time: Option<(&Budget, Context)>,
    ) -> Result<std::result::Result<Instance, End>> {
        let module = &self.linked.artifact.module;
        let mut account = Account::new(module, host, memory_bytes_max);
        time.into_iter().for_each(|(budget, context)| account.watch(budget, context));
        if account.memory_bytes > memory_bytes_max {
            return Ok(Err(End { kind: EndKind::MemoryLimit, code: 0, fuel_used: 0, memory_bytes: 0 }));
        }
        let live = match &self.engine {
            EngineCode::Interpreted(code) => {
                code.instantiate(&self.linked, account)?.map(Box::new).map(AnyLive::Interpreted)
            }
            EngineCode::Compiled(code) => code.instantiate(account)?.map(AnyLive::Compiled),
        };
        Ok(match live {
            Ok(live) => Ok(Instance::new(live, self.linked.clone())),
            Err((cause, mut account)) => Err(account.end(Err(cause), 0)),
        })
    }
}
