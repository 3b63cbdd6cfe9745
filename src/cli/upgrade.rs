//! `tabiya upgrade`: makes the account a bot account, for good.

use super::{UpgradeArguments, exit, fail};
use crate::config::{Config, token_form};
use crate::lichess::{Account, Client, Error};
use std::io::{self, BufRead};
use std::process::ExitCode;

/// Asks who the account is, makes sure that it is meant, and upgrades it.
pub async fn upgrade(config: &Config, arguments: &UpgradeArguments) -> ExitCode {
    match try_upgrade(config, arguments.yes).await {
        Ok(line) => {
            println!("{line}");
            ExitCode::SUCCESS
        }
        Err((code, line)) => fail(code, line),
    }
}

/// The line that says how it ended, with an exit code if it did not end well.
async fn try_upgrade(config: &Config, yes: bool) -> Result<String, (u8, String)> {
    let explained = |error: Error| explain(error, &config.lichess.url);
    let client = Client::new(&config.lichess).map_err(explained)?;
    let account = client.account().await.map_err(explained)?;
    if account.is_bot() {
        return Ok(format!("{} is a bot account already. Nothing was changed.", account.username));
    }
    check_scope(&account, &config.lichess.url)?;
    if !yes && !confirms(&account.username, &mut io::stdin().lock()) {
        return Err((exit::FAILURE, "The name was not typed. Nothing was changed.".to_string()));
    }
    client.upgrade().await.map_err(explained)?;
    Ok(format!("{} is a bot account now. Start tabiya to play.", account.username))
}

fn check_scope(account: &Account, server: &str) -> Result<(), (u8, String)> {
    if account.may_play() {
        return Ok(());
    }
    let line = format!("The token lacks the scope bot:play. Create a new one: {}", token_form(server));
    Err((exit::TOKEN, line))
}

/// Says what is about to happen and waits for the account's name.
fn confirms(username: &str, input: &mut impl BufRead) -> bool {
    println!(
        "{username} is going to be a bot account. This cannot be undone: only programs will play with \
         it from then on.\nIt is possible only as long as the account has not played a single game.\n\
         Type the account's name to go on:"
    );
    let mut line = String::new();
    // An input that cannot be read is no confirmation.
    input.read_line(&mut line).is_ok() && line.trim().eq_ignore_ascii_case(username)
}

/// Why Lichess would not, as the user needs to hear it.
fn explain(error: Error, server: &str) -> (u8, String) {
    match error {
        Error::Rejected { ref text, .. } if text.contains("games played") => (
            exit::NOT_A_BOT,
            "The account has played games already, so it can never be a bot account. \
             Make a new account and do not play a game with it before the upgrade."
                .to_string(),
        ),
        Error::Unauthorized(..) => {
            (exit::TOKEN, format!("{error}. Create a new token: {}", token_form(server)))
        }
        other => (exit::FAILURE, format!("The account was not upgraded: {other}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_accounts_name_is_a_confirmation() {
        let cases = [
            ("MyBot\n", true),
            (" mybot \r\n", true),
            ("yes\n", false),
            ("MyBo\n", false),
            ("\n", false),
            ("", false),
        ];
        for (typed, expected) in cases {
            assert_eq!(confirms("MyBot", &mut typed.as_bytes()), expected, "{typed:?}");
        }
    }

    #[test]
    fn an_account_that_has_played_is_told_so() {
        let error = Error::Rejected {
            status: 400,
            text: "You already have games played. Make a new account.".to_string(),
        };
        let (code, line) = explain(error, "https://lichess.org");
        assert_eq!(code, exit::NOT_A_BOT);
        assert!(line.starts_with("The account has played games already"), "{line}");
    }
}
