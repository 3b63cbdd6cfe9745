//! The ledger, word by word.

use super::*;
use crate::lichess::Player;

pub(super) fn challenge(id: &str, user: &str, is_bot: bool, rated: bool) -> Challenge {
    let player = Player {
        id: Some(user.parse().expect("a user id")),
        title: is_bot.then(|| "BOT".to_string()),
        ..Player::default()
    };
    Challenge {
        id: id.parse().expect("a game id"),
        challenger: Some(player),
        destination: None,
        variant: "standard".to_string(),
        rated,
        speed: "blitz".to_string(),
        time_control: TimeControl::Clock { initial: Duration::from_secs(60), increment: Duration::ZERO },
        challenger_side: None,
        initial_fen: None,
        rules: Vec::new(),
        rematch_of: None,
        bot_compatible: None,
        decline_reason: None,
    }
}

fn slots(concurrency: usize, reserved_for_humans: usize, queue: usize) -> Slots {
    let options = ChallengeOptions { concurrency, reserved_for_humans, queue, ..ChallengeOptions::default() };
    Slots::new(options)
}

#[tokio::test]
async fn places_are_given_by_number_user_kind_and_reserve() {
    use Admission::*;
    // Names begin with what they are: a bot, a human, or a human who plays slowly.
    type Row<'a> = (&'a str, (usize, usize, usize), &'a [(&'a str, Admission)]);
    let rows: [Row<'_>; 6] = [
        (
            "places, then the queue, then nothing",
            (1, 0, 1),
            &[("man1", Accept), ("man2", Queued), ("man3", Full)],
        ),
        (
            "queued games of a user count",
            (1, 0, 9),
            &[("man1", Accept), ("man1", Queued), ("man1", UserFull)],
        ),
        ("a reserved place", (2, 1, 0), &[("bot1", Accept), ("bot2", Full), ("man1", Accept)]),
        ("a human in it leaves the rest to bots", (2, 1, 0), &[("man1", Accept), ("bot1", Accept)]),
        (
            "slow games have their own places",
            (1, 0, 0),
            &[("slow1", Accept), ("man1", Accept), ("man2", Full)],
        ),
        (
            "a reserve is of games with a clock",
            (2, 1, 0),
            &[("bot1", Accept), ("slow1", Accept), ("bot2", Full)],
        ),
    ];
    for (name, (concurrency, reserved, queue), guests) in rows {
        let (mut slots, now) = (slots(concurrency, reserved, queue), Instant::now());
        for (number, (user, expected)) in guests.iter().enumerate() {
            let mut challenge = challenge(&format!("aaaaaaa{number}"), user, user.starts_with("bot"), false);
            if user.starts_with("slow") {
                challenge.time_control = TimeControl::Correspondence { days_per_turn: 3 };
            }
            assert_eq!(slots.admit(&challenge, now), *expected, "{name}: {user}");
            let is_in = matches!(expected, Accept | Queued);
            assert_eq!(slots.admit(&challenge, now) == Known, is_in, "{name}: {user} once more");
        }
    }
}

#[tokio::test]
async fn humans_come_first_then_rated_then_the_oldest() {
    let (mut slots, now) = (slots(1, 0, 9), Instant::now());
    slots.admit(&challenge("running1", "u0", false, false), now);
    for (id, user, is_bot, rated) in [
        ("botcasua", "b1", true, false),
        ("botrated", "b2", true, true),
        ("mancasu1", "u1", false, false),
        ("mancasu2", "u2", false, false),
        ("manrated", "u3", false, true),
    ] {
        assert_eq!(slots.admit(&challenge(id, user, is_bot, rated), now), Admission::Queued);
    }
    let mut previous = "running1".parse().expect("an id");
    for expected in ["manrated", "mancasu1", "mancasu2", "botrated", "botcasua"] {
        assert_eq!(slots.next_from_queue(now), None, "no place before one is free");
        slots.release(&previous);
        previous = slots.next_from_queue(now).expect("a place is free");
        assert_eq!(previous.as_str(), expected);
    }
}

#[tokio::test]
async fn an_accepted_game_that_never_starts_gives_its_place_back() {
    type Answer = fn(&mut Slots, &GameId, Instant);
    let rows: [(Answer, Duration); 2] =
        [(Slots::await_start, START_DEADLINE), (|_, _, _| (), ACCEPT_DEADLINE)];
    for (answer, deadline) in rows {
        let (mut slots, now) = (slots(1, 0, 0), Instant::now());
        let first = challenge("aaaaaaa1", "u1", false, false);
        slots.admit(&first, now);
        answer(&mut slots, &first.id, now);
        assert_eq!(slots.next_deadline(), Some(now + deadline));
        assert_eq!(slots.reconcile(&[], true), [], "a list from before its deadline proves nothing");
        assert_eq!(slots.expire(now + deadline).overdue, vec![first.id.clone()]);
        assert!(!slots.has_no_clock_running(), "it may run all the same");
        assert_eq!(slots.reconcile(std::slice::from_ref(&first.id), true), [], "it does");
        assert_eq!(slots.next_deadline(), Some(now + deadline + START_DEADLINE), "asked for again");
        let gone = Gone { guest: Guest::of(&first), id: first.id, is_ours: false };
        assert_eq!(slots.reconcile(&[], true), [gone]);
        assert!(slots.has_no_clock_running());
    }
}

#[tokio::test]
async fn while_the_server_takes_no_acceptance_all_wait_and_no_place_is_taken() {
    let (mut slots, now) = (slots(1, 0, 1), Instant::now());
    let until = now + Duration::from_secs(60);
    let bot = challenge("aaaaaaa1", "b1", true, true);
    slots.admit(&bot, now);
    slots.limited(&bot.id, until);
    assert!(slots.has_no_clock_running());
    assert_eq!(slots.next_deadline(), Some(until));
    let human = challenge("aaaaaaa2", "u1", false, false);
    assert_eq!(slots.admit(&human, now), Admission::Queued);
    assert_eq!(slots.admit(&challenge("aaaaaaa3", "u2", false, false), now), Admission::Full);
    assert_eq!(slots.next_from_queue(now), None);
    assert_eq!(slots.next_from_queue(until), Some(human.id.clone()), "humans first");
    assert!(slots.next_deadline() > Some(until), "nothing is due any more");
    slots.release(&human.id);
    assert_eq!(slots.next_from_queue(until), Some(bot.id));
}

#[tokio::test]
async fn meanwhile_each_kind_has_room_for_as_many_as_it_has_places() {
    let options = ChallengeOptions { concurrency: 1, slow_games: 2, queue: 0, ..ChallengeOptions::default() };
    let (mut slots, now) = (Slots::new(options), Instant::now());
    let slow = |id: &str, user: &str| Challenge {
        time_control: TimeControl::Unlimited,
        ..challenge(id, user, false, false)
    };
    let first = slow("aaaaaaa1", "u1");
    slots.admit(&first, now);
    slots.limited(&first.id, now + Duration::from_secs(60));
    for (challenge, expected) in [
        (slow("aaaaaaa2", "u2"), Admission::Queued),
        (slow("aaaaaaa3", "u3"), Admission::Full),
        (challenge("aaaaaaa4", "u4", false, false), Admission::Queued),
        (challenge("aaaaaaa5", "u5", false, false), Admission::Full),
    ] {
        assert_eq!(slots.admit(&challenge, now), expected, "{}", challenge.id);
    }
}

#[tokio::test]
async fn a_challenge_waits_its_time_in_all_however_often_it_is_limited() {
    let (mut slots, begun) = (slots(1, 0, 0), Instant::now());
    let bot = challenge("aaaaaaa1", "b1", true, true);
    slots.admit(&bot, begun);
    for minutes in 1..5 {
        let until = begun + Duration::from_secs(60 * minutes);
        slots.limited(&bot.id, until);
        assert_eq!(slots.expire(until), Expired::default());
        assert_eq!(slots.next_from_queue(until), Some(bot.id.clone()), "after {minutes} minutes");
    }
    slots.limited(&bot.id, begun + QUEUE_DEADLINE * 2);
    assert_eq!(slots.next_deadline(), Some(begun + QUEUE_DEADLINE));
    assert_eq!(slots.expire(begun + QUEUE_DEADLINE).waited_in_vain, [bot.id]);
}

#[tokio::test]
async fn a_running_game_survives_late_words_about_its_challenge() {
    let (mut slots, now) = (slots(1, 0, 0), Instant::now());
    let first = challenge("aaaaaaa1", "u1", false, false);
    slots.admit(&first, now);
    slots.started(&first.id, Guest::of(&first));
    slots.await_start(&first.id, now);
    slots.withdraw(&first.id);
    assert!(slots.is_running(&first.id));
    assert_eq!(slots.expire(now + ACCEPT_DEADLINE * 2), Expired::default());
    slots.release(&first.id);
    assert!(slots.has_no_clock_running());
}

#[tokio::test]
async fn a_cancelled_challenge_leaves_the_queue() {
    let (mut slots, now) = (slots(1, 0, 1), Instant::now());
    slots.admit(&challenge("aaaaaaa1", "u1", false, false), now);
    let waiting = challenge("aaaaaaa2", "u2", false, false);
    assert_eq!(slots.admit(&waiting, now), Admission::Queued);
    slots.withdraw(&waiting.id);
    slots.release(&"aaaaaaa1".parse().expect("an id"));
    assert_eq!(slots.next_from_queue(now), None);
}

#[tokio::test]
async fn waiting_ends_with_its_deadline() {
    let (mut slots, now) = (slots(1, 0, 1), Instant::now());
    slots.admit(&challenge("aaaaaaa1", "u1", false, false), now);
    let waiting = challenge("aaaaaaa2", "u2", false, false);
    slots.admit(&waiting, now);
    assert_eq!(slots.expire(now + QUEUE_DEADLINE).waited_in_vain, vec![waiting.id]);
}
