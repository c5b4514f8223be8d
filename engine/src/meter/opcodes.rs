//! The bytes of the operators that the meter writes.

pub(super) const BLOCK: u8 = 0x02;
pub(super) const LOOP: u8 = 0x03;
pub(super) const IF: u8 = 0x04;
pub(super) const END: u8 = 0x0b;
pub(super) const BR: u8 = 0x0c;
pub(super) const RETURN: u8 = 0x0f;
pub(super) const CALL: u8 = 0x10;
pub(super) const LOCAL_GET: u8 = 0x20;
pub(super) const LOCAL_SET: u8 = 0x21;
pub(super) const LOCAL_TEE: u8 = 0x22;
pub(super) const GLOBAL_GET: u8 = 0x23;
pub(super) const GLOBAL_SET: u8 = 0x24;
pub(super) const I32_CONST: u8 = 0x41;
pub(super) const I64_CONST: u8 = 0x42;
pub(super) const I32_LT_S: u8 = 0x48;
pub(super) const I32_GT_U: u8 = 0x4b;
pub(super) const I64_LT_S: u8 = 0x53;
pub(super) const I64_GE_S: u8 = 0x59;
pub(super) const I32_ADD: u8 = 0x6a;
pub(super) const I32_SUB: u8 = 0x6b;
pub(super) const I64_SUB: u8 = 0x7d;
pub(super) const I64_SHL: u8 = 0x86;
pub(super) const I64_SHR_U: u8 = 0x88;
pub(super) const I32_WRAP_I64: u8 = 0xa7;
pub(super) const I64_EXTEND_I32_S: u8 = 0xac;
pub(super) const I64_EXTEND_I32_U: u8 = 0xad;
pub(super) const REF_FUNC: u8 = 0xd2;
/// Behind 0xfc.
pub(super) const MEMORY_INIT: u8 = 8;
pub(super) const TABLE_FILL: u8 = 17;
