//! The answers to single calls: `ok`, or an error in the server's words.

use super::game::{CallRefused, MoveRefusal};
use axum::Json;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use serde_json::{Value, json};

pub type Reply = Result<Json<Value>, Refusal>;

pub fn ok() -> Reply {
    Ok(Json(json!({"ok": true})))
}

/// Why a call was refused.
#[derive(Clone, Debug, PartialEq)]
pub struct Refusal {
    pub status: StatusCode,
    pub body: Value,
}

impl Refusal {
    pub fn new(status: StatusCode, text: impl Into<String>) -> Refusal {
        Refusal { status, body: json!({"error": text.into()}) }
    }

    pub fn bad_request(text: impl Into<String>) -> Refusal {
        Refusal::new(StatusCode::BAD_REQUEST, text)
    }

    pub fn not_found(text: &str) -> Refusal {
        Refusal::new(StatusCode::NOT_FOUND, text)
    }

    /// A form field that was not understood: here `error` is an object.
    pub fn field(name: &str, complaint: &str) -> Refusal {
        let body = json!({name: [complaint], "error": {name: [complaint]}});
        Refusal { status: StatusCode::BAD_REQUEST, body }
    }
}

impl From<MoveRefusal> for Refusal {
    fn from(refusal: MoveRefusal) -> Refusal {
        Refusal::bad_request(match refusal {
            MoveRefusal::InvalidUci(uci) => format!("Invalid UCI: {uci}"),
            MoveRefusal::NotYourTurn => "Not your turn, or game already over".to_string(),
            MoveRefusal::Illegal { from, to } => format!("Piece on {from} cannot move to {to}"),
        })
    }
}

impl From<CallRefused> for Refusal {
    fn from(refused: CallRefused) -> Refusal {
        Refusal::bad_request(refused.0)
    }
}

impl IntoResponse for Refusal {
    fn into_response(self) -> Response {
        (self.status, Json(self.body)).into_response()
    }
}
