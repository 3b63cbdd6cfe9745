//! Who listens to the lobby: the event stream, the games' streams, and what they are told.

use super::game::Game;
use super::lobby::{Listener, Lobby};
use super::stream::{Cut, Feed};
use super::wire;
use serde_json::Value;
use tokio::time::Instant;

impl Lobby {
    /// Opens the event stream: running games, then open challenges, then whatever comes. The one
    /// that was open before ends.
    pub fn listen_to_account(&mut self, feed: Feed, now: Instant) {
        if let Some(earlier) = self.account_feed.replace(feed.clone()) {
            earlier.end(Cut::Clean);
        }
        for game in self.running_games() {
            feed.push(wire::event("gameStart", game, now));
        }
        for challenge in self.challenges.values().filter(|challenge| challenge.end.is_none()) {
            feed.push(self.challenge_event("challenge", challenge, false));
        }
    }

    /// Most urgent first: the bot's turn, then the least time.
    pub fn running_games(&self) -> Vec<&Game> {
        let games = self.tables.values().map(|table| &table.game);
        let mut games: Vec<&Game> = games.filter(|game| !game.is_over()).collect();
        let now = Instant::now();
        games.sort_by_key(|game| (!game.is_turn_of(game.setup.bot), game.clock.left(game.setup.bot, now)));
        games
    }

    /// Opens a game's stream; an earlier one of the same program ends.
    pub fn listen_to_game(&mut self, id: &str, user_agent: &str, feed: Feed, now: Instant) {
        let Some(table) = self.tables.get_mut(id) else { return };
        for earlier in table.listeners.extract_if(.., |listener| listener.user_agent == user_agent) {
            earlier.feed.end(Cut::Clean);
        }
        feed.push(wire::full(&table.game, now));
        if table.game.is_over() {
            return feed.end(Cut::Clean);
        }
        table.listeners.push(Listener { user_agent: user_agent.to_string(), feed });
    }

    pub fn account_is_heard(&self) -> bool {
        self.account_feed.as_ref().is_some_and(Feed::is_open)
    }

    pub fn game_is_heard(&self, id: &str) -> bool {
        self.tables.get(id).is_some_and(|table| table.listeners.iter().any(|one| one.feed.is_open()))
    }

    pub fn account_feed(&self) -> Option<&Feed> {
        self.account_feed.as_ref()
    }

    pub fn game_feeds(&self, id: &str) -> impl Iterator<Item = &Feed> {
        self.tables.get(id).into_iter().flat_map(|table| &table.listeners).map(|listener| &listener.feed)
    }

    pub fn end_all_streams(&mut self, how: Cut) {
        let games = self.tables.values().flat_map(|table| &table.listeners);
        games.map(|listener| &listener.feed).chain(&self.account_feed).for_each(|feed| feed.end(how));
    }

    pub(super) fn tell_account(&self, line: Value) {
        if let Some(feed) = &self.account_feed {
            feed.push(line);
        }
    }

    /// Empties a game's outbox into its streams; after its last line they end.
    pub(super) fn tell_of(&mut self, id: &str, now: Instant) {
        let Some(table) = self.tables.get_mut(id) else { return };
        table.listeners.retain(|listener| listener.feed.is_open());
        for line in table.game.take_lines() {
            table.listeners.iter().for_each(|listener| listener.feed.push(line.clone()));
        }
        if table.game.is_over() && !std::mem::replace(&mut table.end_is_told, true) {
            table.listeners.drain(..).for_each(|listener| listener.feed.end(Cut::Clean));
            let line = wire::event("gameFinish", &table.game, now);
            self.tell_account(line);
        }
    }
}
