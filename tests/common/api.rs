//! A plain HTTP client for the practice server, with nothing of the program's own client in it.

use reqwest::{Client, Method, RequestBuilder, Response};
use serde_json::Value;
use tabiya::practice::PracticeServer;

/// One program that uses the API, with the server's own token.
#[derive(Clone)]
pub struct Api {
    client: Client,
    url: String,
    token: String,
}

impl Api {
    pub fn of(server: &PracticeServer) -> Api {
        Api::named(server, "api-test/1")
    }

    /// With a User-Agent of its own.
    pub fn named(server: &PracticeServer, user_agent: &str) -> Api {
        // Without a provider of cryptography the client cannot be built; a second call changes nothing.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let client = Client::builder().user_agent(user_agent).no_proxy().build().expect("a client");
        Api { client, url: server.url().to_string(), token: server.token().to_string() }
    }

    pub fn with_token(&self, token: &str) -> Api {
        Api { token: token.to_string(), ..self.clone() }
    }

    pub fn request(&self, method: Method, path: &str) -> RequestBuilder {
        let request = self.client.request(method, format!("{}{path}", self.url));
        if self.token.is_empty() { request } else { request.bearer_auth(&self.token) }
    }

    pub async fn get(&self, path: &str) -> (u16, Value) {
        answer(self.request(Method::GET, path)).await
    }

    pub async fn post(&self, path: &str) -> (u16, Value) {
        answer(self.request(Method::POST, path)).await
    }

    pub async fn post_form(&self, path: &str, fields: &[(&str, &str)]) -> (u16, Value) {
        answer(self.request(Method::POST, path).form(fields)).await
    }

    pub async fn post_json(&self, path: &str, body: Value) -> (u16, Value) {
        answer(self.request(Method::POST, path).json(&body)).await
    }

    /// A call that has to succeed.
    pub async fn done(&self, path: &str) {
        let (status, body) = self.post(path).await;
        assert_eq!((status, &body), (200, &serde_json::json!({"ok": true})), "{path}");
    }

    /// The text of an error.
    pub async fn refused(&self, path: &str) -> (u16, String) {
        let (status, body) = self.post(path).await;
        (status, body["error"].as_str().unwrap_or_default().to_string())
    }

    pub async fn play(&self, id: &str, uci: &str) {
        self.done(&format!("/api/bot/game/{id}/move/{uci}")).await;
    }

    pub async fn account_events(&self) -> Lines {
        self.lines("/api/stream/event").await
    }

    pub async fn game_events(&self, id: &str) -> Lines {
        self.lines(&format!("/api/bot/game/stream/{id}")).await
    }

    async fn lines(&self, path: &str) -> Lines {
        let response = self.request(Method::GET, path).send().await.expect("an answer");
        assert_eq!(response.status(), 200, "{path}");
        assert_eq!(response.headers()["content-type"], "application/x-ndjson", "{path}");
        Lines { response, rest: Vec::new() }
    }
}

async fn answer(request: RequestBuilder) -> (u16, Value) {
    let response = request.send().await.expect("an answer");
    let status = response.status().as_u16();
    (status, response.json().await.expect("JSON"))
}

/// The lines of a stream.
pub struct Lines {
    response: Response,
    rest: Vec<u8>,
}

impl Lines {
    /// The next line, keep-alives included; `Ok(None)` at the proper end, an error when it breaks.
    pub async fn next_raw(&mut self) -> reqwest::Result<Option<String>> {
        loop {
            if let Some(end) = self.rest.iter().position(|&byte| byte == b'\n') {
                let line: Vec<u8> = self.rest.drain(..=end).collect();
                return Ok(Some(String::from_utf8(line).expect("UTF-8").trim_end().to_string()));
            }
            match self.response.chunk().await? {
                Some(chunk) => self.rest.extend_from_slice(&chunk),
                None => {
                    assert!(self.rest.is_empty(), "the stream ended within a line");
                    return Ok(None);
                }
            }
        }
    }

    /// The next object; `None` at the proper end.
    pub async fn next_or_end(&mut self) -> Option<Value> {
        loop {
            match self.next_raw().await.expect("a whole stream") {
                Some(line) if line.is_empty() => (),
                Some(line) => return Some(serde_json::from_str(&line).expect("JSON")),
                None => return None,
            }
        }
    }

    pub async fn next(&mut self) -> Value {
        self.next_or_end().await.expect("another line")
    }

    /// The next object of this type; others are passed over.
    pub async fn next_of(&mut self, kind: &str) -> Value {
        loop {
            let line = self.next().await;
            if line["type"] == kind {
                return line;
            }
        }
    }

    /// The stream has to end properly, whatever still comes before.
    pub async fn ends(&mut self) {
        while self.next_or_end().await.is_some() {}
    }
}
