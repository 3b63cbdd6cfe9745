//! A UCI program for tests: a small shell script that does what one test needs.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use tabiya::engine::{EngineKind, EngineOptions};
use tempfile::TempDir;

/// What a sound program does at each command; `GO` is for the test to say.
const SCRIPT: &str = r#"#!/bin/sh
echo $$ >> pids
while read -r line; do
    echo "$line" >> log
    case "$line" in
        uci)
            GREETING
            ;;
        isready) echo readyok ;;
        position*) position="$line" ;;
        go*)
            set -- $position
            # Plies played: "position fen" and six fields come first, then "moves".
            plies=$(($# > 8 ? $# - 9 : 0))
            GO
            ;;
        stop) STOP ;;
        quit) exit 0 ;;
    esac
done
"#;

/// Options that a sound program has.
pub const GREETING: &str = r#"echo "id name Fake"
            echo "option name Hash type spin default 1 min 1 max 64"
            echo "option name UCI_Chess960 type check default false"
            echo "noise that nobody asked for"
            echo uciok"#;

/// A program in a folder of its own, where it runs and keeps its `log` of lines and its `pids`.
pub struct Fake {
    folder: TempDir,
}

impl Fake {
    /// Sound, but for what it does at `go`.
    pub fn at_go(go: &str) -> Fake {
        Fake::new(GREETING, go, ":")
    }

    pub fn new(greeting: &str, go: &str, stop: &str) -> Fake {
        let folder = tempfile::tempdir().expect("a folder for the test");
        let script = SCRIPT.replace("GREETING", greeting).replace("GO", go).replace("STOP", stop);
        let fake = Fake { folder };
        // A file that this process has open for writing could not be run by any of its threads.
        let mut writer = Command::new("/bin/sh")
            .args(["-c", "cat > \"$0\" && chmod +x \"$0\""])
            .arg(fake.path())
            .stdin(Stdio::piped())
            .spawn()
            .expect("a shell");
        writer.stdin.take().expect("its input").write_all(script.as_bytes()).expect("the script");
        assert!(writer.wait().expect("the shell ends").success());
        fake
    }

    pub fn path(&self) -> PathBuf {
        self.folder.path().join("fake")
    }

    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// The program as an engine, running in its folder.
    pub fn options(&self) -> EngineOptions {
        EngineOptions {
            kind: EngineKind::Uci,
            path: self.path().display().to_string(),
            working_directory: self.folder.path().display().to_string(),
            hash_mb: 1,
            ..EngineOptions::default()
        }
    }

    /// All that was said to it, in all its processes.
    pub fn log(&self) -> Vec<String> {
        self.lines("log")
    }

    /// Its processes, those that have ended among them.
    pub fn pids(&self) -> Vec<String> {
        self.lines("pids")
    }

    fn lines(&self, file: &str) -> Vec<String> {
        let text = std::fs::read_to_string(self.folder.path().join(file)).unwrap_or_default();
        text.lines().map(str::to_string).collect()
    }

    /// Its processes that still run; one that has ended and only waits to be noticed does not.
    pub fn running(&self) -> Vec<String> {
        let is_running = |pid: &String| {
            let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
            stat.rsplit_once(')').is_some_and(|(_, rest)| !rest.trim_start().starts_with('Z'))
        };
        self.pids().into_iter().filter(is_running).collect()
    }
}
