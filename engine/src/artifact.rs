//! A checked module: its bytes as they were sent, and what is known of them.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::{Arc, Mutex, OnceLock};

use sha2::{Digest, Sha256};

use crate::bounds::Set;
use crate::failure::Result;
use crate::large_memory::LargeMemory;
use crate::{meter, prepare};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Kind {
    I32 = 0,
    I64 = 1,
    F32 = 2,
    F64 = 3,
    FuncRef = 4,
}

impl Kind {
    pub fn of(value: wasmparser::ValType) -> Kind {
        use wasmparser::ValType;
        match value {
            ValType::I32 => Kind::I32,
            ValType::I64 => Kind::I64,
            ValType::F32 => Kind::F32,
            ValType::F64 => Kind::F64,
            ValType::Ref(_) => Kind::FuncRef,
            ValType::V128 => unreachable!("the accepted features have no vectors"),
        }
    }

    /// As the binary format writes it.
    pub fn byte(self) -> u8 {
        [0x7f, 0x7e, 0x7d, 0x7c, 0x70][self as usize]
    }

    pub fn is_reference(self) -> bool {
        self == Kind::FuncRef
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u32)]
pub enum Extern {
    Function = 0,
    Table = 1,
    Memory = 2,
    Global = 3,
}

/// A piece of the module's bytes.
pub type Span = Range<usize>;

#[derive(Debug, Default, Clone)]
pub struct Signature {
    pub params: Vec<Kind>,
    pub results: Vec<Kind>,
}

impl Signature {
    pub fn values(&self) -> usize {
        self.params.len() + self.results.len()
    }
}

#[derive(Debug)]
pub struct Import {
    pub module: Span,
    pub name: Span,
    pub kind: Extern,
    /// The type of a function.
    pub type_index: u32,
}

#[derive(Debug)]
pub struct Export {
    pub name: Span,
    pub kind: Extern,
    pub index: u32,
}

#[derive(Debug)]
pub struct Global {
    pub kind: Kind,
    pub mutable: bool,
    /// The initial value's expression with its `end`; empty for an imported global.
    pub init: Span,
}

#[derive(Debug, Clone, Copy)]
pub struct Table {
    pub min: u64,
    pub max: u64,
}

#[derive(Debug, Clone, Copy)]
pub struct Memory {
    pub min: u64,
    pub max: Option<u64>,
}

/// The declarations of a module before its code, in its own index spaces.
#[derive(Debug, Default)]
pub struct Declarations {
    pub types: Vec<Signature>,
    pub imports: Vec<Import>,
    /// The type of every function, imported ones first.
    pub functions: Vec<u32>,
    pub imported_functions: u32,
    pub tables: Vec<Table>,
    pub memory: Option<Memory>,
    pub globals: Vec<Global>,
    pub imported_globals: u32,
    pub exports: Vec<Export>,
    pub start: Option<u32>,
    pub element_segments: u32,
}

/// A module as it is known once all of it was read: its declarations, which modules with the same ones share, and the rest.
#[derive(Debug, Default)]
pub struct Module {
    pub declared: Arc<Declarations>,
    pub data_segments: u32,
    /// Entries of all element segments.
    pub elements: u64,
    /// The memory that the host makes for its instances; `None` if the engine makes it as declared.
    pub large_memory: Option<LargeMemory>,
    pub code_bytes: u64,
    /// The cost of loading it, by the bound of that name.
    pub load_points: u64,
    pub features: u32,
    pub not_movable: u32,
    /// Some function weighs on the call depth.
    pub weighs: bool,
    /// Memory or tables can grow.
    pub grows: bool,
    /// Memory can be filled or copied.
    pub fills: bool,
    pub charging: Charging,
    pub stack_bytes_fixed: u64,
    pub stack_bytes_per_depth: u64,
    /// Content of the custom section `name`.
    pub names: Option<Span>,
}

impl std::ops::Deref for Module {
    type Target = Declarations;

    fn deref(&self) -> &Declarations {
        &self.declared
    }
}

impl Declarations {
    pub fn signature(&self, function: u32) -> &Signature {
        &self.types[self.functions[function as usize] as usize]
    }

    /// The mutable globals, with their numbers.
    pub fn mutable_globals(&self) -> impl Iterator<Item = (u32, &Global)> {
        self.globals
            .iter()
            .enumerate()
            .filter(|(_, global)| global.mutable)
            .map(|(index, global)| (index as u32, global))
    }

    /// Table slots at the start, over all tables.
    pub fn table_slots(&self) -> u64 {
        self.tables.iter().map(|table| table.min).sum()
    }

    /// Bytes an instance has at the start, as petri counts them.
    pub fn bytes_at_start(&self) -> u64 {
        self.memory.map_or(0, |memory| memory.min * PAGE) + 8 * self.table_slots()
    }
}

impl Module {
    /// The bytes an engine keeps for an instance beyond memory, table slots and what it keeps for the smallest one: by
    /// what is declared, and of the two engines the one that keeps more of it.
    pub fn instance_bytes(&self) -> u64 {
        let values = |import: &Import| match import.kind {
            Extern::Function => self.types[import.type_index as usize].values() as u64,
            _ => 0,
        };
        let imports: u64 = self.imports.iter().map(|import| 160 + 16 * values(import)).sum();
        let names: u64 = self.exports.iter().map(|export| export.name.len() as u64).sum();
        let functions = self.functions.len() as u64 - u64::from(self.imported_functions);
        // The host reaches those that can change by exports of its own.
        let globals = 24 * self.globals.len() as u64 + 56 * self.mutable_globals().count() as u64;
        let segments = 42 * u64::from(self.data_segments) + 66 * u64::from(self.element_segments) + 13 * self.elements;
        imports + names + 42 * functions + 64 * self.exports.len() as u64 + globals + segments
    }

    /// Its code counts fuel, because the costs of its calls are not known before.
    pub fn counts(&self) -> bool {
        !matches!(self.charging, Charging::Known(_))
    }

    /// Its code also looks whether there is any left.
    pub fn looks(&self) -> bool {
        matches!(self.charging, Charging::Inside)
    }
}

/// How a module's calls are charged, by function.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub enum Charging {
    /// The code counts, and looks at its counter on loop heads and on function entries that do not run straight into one.
    #[default]
    Inside,
    /// The code counts and the host looks, before each call: nothing is imported, loops, recurses or grows, a call costs a
    /// slice at most, and there is nothing a callee could do that anybody sees after fuel has run out.
    CheckedUpFront(Box<[CallCosts]>),
    /// The host charges each call up front, and the code carries no meter: as above, nothing calls, and no way through
    /// a function costs more than another.
    Known(Box<[u64]>),
}

/// The cost of a call as soon as it is entered, and at most.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CallCosts {
    pub first: u64,
    pub most: u64,
}

pub const PAGE: u64 = 65_536;

pub struct Artifact {
    pub wasm: Box<[u8]>,
    /// The bounds that the module keeps to.
    pub set: Set,
    pub sha256: [u8; 32],
    pub module: Module,
    pub metered_bytes: u64,
    /// The rewritten module, kept for the first load; later ones make it again.
    metered: Mutex<Option<Vec<u8>>>,
    names: OnceLock<HashMap<u32, Span>>,
}

impl Artifact {
    pub fn prepare(wasm: &[u8], set: Set) -> Result<Artifact> {
        Artifact::prepare_hashed(wasm, set, Sha256::digest(wasm).into())
    }

    /// Prepares bytes whose hash is known.
    pub fn prepare_hashed(wasm: &[u8], set: Set, sha256: [u8; 32]) -> Result<Artifact> {
        let analysis = prepare::analyse(wasm, set)?;
        let metered = meter::rewrite(wasm, &analysis, None);
        Ok(Artifact {
            wasm: wasm.into(),
            set,
            sha256,
            metered_bytes: metered.len() as u64,
            metered: Mutex::new(Some(metered)),
            names: OnceLock::new(),
            module: analysis.module,
        })
    }

    /// The module the engines see.
    pub fn metered(&self) -> Vec<u8> {
        let kept = self.metered.lock().ok().and_then(|mut metered| metered.take());
        kept.unwrap_or_else(|| meter::rewrite(&self.wasm, &self.analyse_again(), None))
    }

    pub fn analyse_again(&self) -> prepare::Analysis {
        prepare::analyse(&self.wasm, self.set).expect("the bytes were accepted before")
    }

    pub fn text(&self, span: &Span) -> &[u8] {
        &self.wasm[span.clone()]
    }

    /// The name of a function in the name section. Names are the guest's: they may be missing, long or nonsense.
    pub fn function_name(&self, function: u32) -> Option<&[u8]> {
        let names = self.names.get_or_init(|| self.read_names().unwrap_or_default());
        names.get(&function).map(|span| self.text(span))
    }

    fn read_names(&self) -> Option<HashMap<u32, Span>> {
        let span = self.module.names.clone()?;
        let reader = wasmparser::BinaryReader::new(&self.wasm[span.clone()], span.start);
        let mut names = HashMap::new();
        for part in wasmparser::NameSectionReader::new(reader) {
            let Ok(wasmparser::Name::Function(map)) = part else { continue };
            for naming in map {
                let Ok(naming) = naming else { break };
                names.insert(naming.index, span_of(&self.wasm, naming.name));
            }
        }
        Some(names)
    }
}

/// Where in the module a piece of it stands.
pub fn span_of(wasm: &[u8], part: &str) -> Span {
    let start = part.as_ptr() as usize - wasm.as_ptr() as usize;
    start..start + part.len()
}
