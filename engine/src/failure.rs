//! Why the crate could not do what it was asked.

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(i32)]
pub enum Status {
    Ok = 0,
    Rejected = 1,
    ParseFailed = 2,
    Misuse = 3,
    EngineFault = 4,
    NotMovable = 5,
    Unfit = 6,
    OverLimit = 7,
    FramesTooLarge = 8,
    Stopped = 9,
}

#[derive(Debug, Clone)]
pub struct Failure {
    pub status: Status,
    pub message: String,
    pub offset: Option<u64>,
    pub line_column: Option<(u32, u32)>,
}

impl Failure {
    pub fn new(status: Status, message: impl Into<String>) -> Self {
        Failure { status, message: message.into(), offset: None, line_column: None }
    }

    /// The host's flag was raised, or the time was over, while an instance was made what another is.
    pub fn stopped() -> Self {
        Failure::new(Status::Stopped, "the guest was ended while its memory was carried over")
    }

    pub fn rejected(message: impl Into<String>, offset: usize) -> Self {
        Failure { offset: Some(offset as u64), ..Failure::new(Status::Rejected, message) }
    }

    pub fn misuse(message: impl Into<String>) -> Self {
        Failure::new(Status::Misuse, message)
    }

    pub fn not_movable(message: impl Into<String>) -> Self {
        Failure::new(Status::NotMovable, message)
    }

    pub fn unfit(message: impl Into<String>) -> Self {
        Failure::new(Status::Unfit, message)
    }

    pub fn fault(message: impl Into<String>) -> Self {
        Failure::new(Status::EngineFault, message)
    }
}

impl From<wasmparser::BinaryReaderError> for Failure {
    fn from(error: wasmparser::BinaryReaderError) -> Self {
        Failure::rejected(error.message(), error.offset())
    }
}

pub type Result<T> = std::result::Result<T, Failure>;
