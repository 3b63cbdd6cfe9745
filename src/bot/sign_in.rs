//! Who we are for the server, and whether we may play; asked once, before anything else.

use crate::lichess::{Account, Backoff, Client, Error};
use std::time::Duration;
use thiserror::Error;
use tokio::time::sleep;

/// Longest pause between two tries to ask the server for the account.
const LONGEST_PAUSE: Duration = Duration::from_secs(30);

/// Why the service ended by itself.
#[derive(Debug, Error)]
pub enum RunError {
    #[error("{0}")]
    Lichess(#[from] Error),
    #[error("the token lacks the scope bot:play (it has: {found}); make a new one with that scope")]
    MissingScope { found: String },
    #[error(
        "{username} is not a bot account yet. `tabiya upgrade` makes it one: that cannot be undone, \
         and it is impossible once the account has played a game"
    )]
    NotABot { username: String },
}

impl RunError {
    /// The exit code of the program: 3 for a refused token, 4 for an account that is no bot, else 1.
    pub fn exit_code(&self) -> u8 {
        match self {
            RunError::Lichess(Error::Unauthorized(..)) | RunError::MissingScope { .. } => 3,
            RunError::NotABot { .. } => 4,
            RunError::Lichess(_) => 1,
        }
    }
}

/// Asks who we are, for as long as it takes, and whether we may play.
pub async fn sign_in(client: &Client, url: &str) -> Result<Account, RunError> {
    let mut backoff = Backoff::new(Duration::from_millis(500), LONGEST_PAUSE);
    let account = loop {
        match client.account().await {
            Ok(account) => break account,
            Err(error @ Error::Unauthorized(..)) => return Err(error.into()),
            Err(error) => {
                let retry_in = backoff.next_delay();
                tracing::warn!(url, %error, ?retry_in, "cannot ask the server for the account; trying again");
                sleep(retry_in).await;
            }
        }
    };
    if !account.scopes.is_empty() && !account.scopes.iter().any(|scope| scope == "bot:play") {
        return Err(RunError::MissingScope { found: account.scopes.join(", ") });
    }
    if !account.is_bot() {
        return Err(RunError::NotABot { username: account.username });
    }
    Ok(account)
}
