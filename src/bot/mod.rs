//! The service: which challenges to take, which move to send, when to stop.

pub mod game;
pub mod policy;

use serde::Deserialize;

/// Section `[store]` of the configuration.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct StoreOptions {
    /// The state file; empty for the default place. Accepted now, used by a later version.
    pub path: String,
}
