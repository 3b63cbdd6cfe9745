//! The ledger through random interleavings of everything that can happen between us and the server.

use super::tests::challenge;
use super::*;
use fastrand::Rng;
use std::collections::HashSet;

/// What the server knows of a challenge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fate {
    Open,
    /// A challenge of ours that can be accepted.
    Offered,
    Running,
    Gone,
}

/// A line of the event stream on its way to us.
enum Event {
    Challenge(GameId),
    Withdrawn(GameId),
    Started(GameId),
}

/// How many times a lost acceptance is sent again at most.
const RESENDS: usize = 3;

/// How long the server keeps a challenge of ours.
const OFFER_STANDS: Duration = Duration::from_secs(20);

/// Server, wires and service around one ledger.
struct World {
    rng: Rng,
    now: Instant,
    options: ChallengeOptions,
    slots: Slots,
    challenges: HashMap<GameId, (Challenge, Fate)>,
    is_connected: bool,
    events: Vec<Event>,
    /// Acceptances on their way to the server, with the tries that are left.
    requests: Vec<(GameId, usize)>,
    /// A challenge of ours on its way to the server.
    offer: Option<Challenge>,
    /// When the server made the challenges of ours.
    offered_at: HashMap<GameId, Instant>,
    /// The server's list of running games on its way to us.
    list: Option<Vec<GameId>>,
    /// Games whose task has ended.
    finished: HashSet<GameId>,
}

impl World {
    fn new(seed: u64) -> World {
        let mut rng = Rng::with_seed(seed);
        let concurrency = rng.usize(1..5);
        let options = ChallengeOptions {
            concurrency,
            slow_games: rng.usize(0..3),
            games_per_user: rng.usize(1..3),
            reserved_for_humans: rng.usize(0..concurrency),
            queue: rng.usize(0..4),
            ..ChallengeOptions::default()
        };
        World {
            now: Instant::now(),
            slots: Slots::new(options.clone()),
            options,
            rng,
            challenges: HashMap::new(),
            is_connected: true,
            events: Vec::new(),
            requests: Vec::new(),
            offer: None,
            offered_at: HashMap::new(),
            list: None,
            finished: HashSet::new(),
        }
    }

    fn step(&mut self) {
        match self.rng.u8(0..16) {
            0 | 1 => self.somebody_challenges(),
            2 => self.somebody_cancels(),
            3 | 4 => self.hear(),
            5 | 6 => self.server_answers(),
            7 => self.a_game_ends(),
            8 => self.is_connected = false,
            9 => self.reconnect(),
            10 => self.list_arrives(),
            11 => self.we_challenge(),
            12 => self.server_answers_our_challenge(),
            13 | 14 => self.somebody_answers_our_challenge(),
            _ => self.time_passes(),
        }
        while let Some(id) = self.slots.next_from_queue(self.now) {
            self.requests.push((id, RESENDS));
        }
    }

    fn somebody_challenges(&mut self) {
        let number = self.challenges.len();
        let (user, is_bot) = (self.rng.u8(0..6), self.rng.bool());
        let user = format!("{}{user}", if is_bot { "bot" } else { "man" });
        let mut challenge = challenge(&format!("a{number:07}"), &user, is_bot, self.rng.bool());
        if self.rng.u8(0..4) == 0 {
            challenge.time_control = TimeControl::Unlimited;
        }
        let id = challenge.id.clone();
        self.challenges.insert(id.clone(), (challenge, Fate::Open));
        self.tell(Event::Challenge(id));
    }

    fn we_challenge(&mut self) {
        let user = format!("bot{}", self.rng.u8(0..6));
        let room = self.slots.has_room_for(&user.parse().expect("a user id"));
        if self.offer.is_none() && self.slots.is_idle() && room {
            let number = self.challenges.len();
            let challenge = challenge(&format!("a{number:07}"), &user, true, true);
            self.slots.offer(Guest::of(&challenge), self.now);
            self.offer = Some(challenge);
        }
    }

    /// Our challenge reaches the server or not, is refused or made, and its answer reaches us or not.
    fn server_answers_our_challenge(&mut self) {
        let Some(challenge) = self.offer.take() else { return };
        let (reaches, is_made, is_heard) =
            (self.rng.u8(0..4) > 0, self.rng.u8(0..4) > 0, self.rng.u8(0..4) > 0);
        // Somebody else's challenge may have taken this name meanwhile.
        let id: GameId = format!("b{:07}", self.challenges.len()).parse().expect("a game id");
        if reaches && is_made {
            let challenge = Challenge { id: id.clone(), ..challenge };
            self.challenges.insert(id.clone(), (challenge, Fate::Offered));
            self.offered_at.insert(id.clone(), self.now);
            if self.rng.bool() {
                self.somebody_answers_our_challenge();
            }
        }
        match (reaches && is_heard, is_made) {
            (true, true) => self.slots.offered(&id, self.now),
            (true, false) => self.slots.offer_refused(),
            (false, _) => (),
        }
    }

    fn somebody_answers_our_challenge(&mut self) {
        let Some(id) = self.any(Fate::Offered) else { return };
        if self.rng.u8(0..4) == 0 {
            self.set(&id, Fate::Gone);
            return self.tell(Event::Withdrawn(id));
        }
        self.set(&id, Fate::Running);
        self.tell(Event::Started(id));
    }

    fn somebody_cancels(&mut self) {
        if let Some(id) = self.any(Fate::Open) {
            self.set(&id, Fate::Gone);
            self.tell(Event::Withdrawn(id));
        }
    }

    /// The next event arrives; now and then one stays on its way and is heard again.
    fn hear(&mut self) {
        if self.events.is_empty() {
            return;
        }
        let event = match self.rng.u8(0..5) {
            0 => match &self.events[0] {
                Event::Challenge(id) => Event::Challenge(id.clone()),
                Event::Withdrawn(id) => Event::Withdrawn(id.clone()),
                Event::Started(id) => Event::Started(id.clone()),
            },
            _ => self.events.remove(0),
        };
        match event {
            Event::Challenge(id) => {
                let challenge = self.challenges[&id].0.clone();
                if self.slots.admit(&challenge, self.now) == Admission::Accept {
                    self.requests.push((id, RESENDS));
                }
            }
            Event::Withdrawn(id) => {
                self.requests.retain(|(request, _)| *request != id);
                self.slots.withdraw(&id);
            }
            Event::Started(id) => self.start(id),
        }
    }

    fn start(&mut self, id: GameId) {
        if !self.finished.contains(&id) && !self.slots.is_running(&id) {
            let guest = Guest::of(&self.challenges[&id].0);
            self.slots.started(&id, guest);
        }
    }

    /// An acceptance reaches the server or not, and its answer us or not.
    fn server_answers(&mut self) {
        if self.requests.is_empty() {
            return;
        }
        let (id, tries) = self.requests.remove(self.rng.usize(0..self.requests.len()));
        let (reaches, is_heard) = (self.rng.u8(0..4) > 0, self.rng.u8(0..4) > 0);
        let is_first_try = tries == RESENDS;
        if reaches && is_heard && is_first_try && self.rng.u8(0..5) == 0 {
            let until = self.now + Duration::from_secs(self.rng.u64(1..90));
            return self.slots.limited(&id, until);
        }
        let before = self.challenges[&id].1;
        if reaches && before == Fate::Open {
            self.set(&id, Fate::Running);
            self.tell(Event::Started(id.clone()));
        }
        match (reaches && is_heard, before) {
            (false, _) if tries > 0 => self.requests.push((id, tries - 1)),
            (false, _) | (true, Fate::Open) => self.slots.await_start(&id, self.now),
            (true, _) if self.slots.is_running(&id) => (),
            // Nothing of ours was lost before: the challenge is gone.
            (true, _) if is_first_try => self.slots.withdraw(&id),
            (true, Fate::Running) => self.slots.await_start(&id, self.now),
            // Cancelled is a plain refusal, a game that is over is not found.
            (true, Fate::Gone) if self.rng.bool() => self.slots.withdraw(&id),
            (true, Fate::Gone) => self.slots.await_start(&id, self.now),
            (true, Fate::Offered) => unreachable!("nobody accepts our own challenge for us"),
        }
    }

    fn a_game_ends(&mut self) {
        if let Some(id) = self.any(Fate::Running) {
            self.set(&id, Fate::Gone);
        }
        self.tasks_end();
    }

    /// The task of a game hears of its end by the game's own stream.
    fn tasks_end(&mut self) {
        let ended = |(id, (_, fate)): (&GameId, &(Challenge, Fate))| {
            (*fate == Fate::Gone && self.slots.is_running(id)).then(|| id.clone())
        };
        let ended: Vec<GameId> = self.challenges.iter().filter_map(ended).collect();
        for id in ended {
            self.slots.release(&id);
            self.finished.insert(id);
        }
    }

    /// What was on the old stream is lost; the new one begins with all that is.
    fn reconnect(&mut self) {
        self.is_connected = true;
        self.events.clear();
        let mut challenges: Vec<(&GameId, Fate)> =
            self.challenges.iter().map(|(id, (_, fate))| (id, *fate)).collect();
        challenges.sort_unstable_by(|a, b| a.0.as_str().cmp(b.0.as_str()));
        for (id, fate) in challenges {
            match fate {
                Fate::Running => self.events.push(Event::Started(id.clone())),
                Fate::Open => self.events.push(Event::Challenge(id.clone())),
                Fate::Offered | Fate::Gone => (),
            }
        }
    }

    fn list_arrives(&mut self) {
        if let Some(running) = self.list.take() {
            running.iter().for_each(|id| self.start(id.clone()));
            self.slots.reconcile(&running, true);
        }
    }

    /// A list that was asked for before has come by then, or its request has timed out. So has every
    /// acceptance.
    fn time_passes(&mut self) {
        self.list = None;
        while !self.requests.is_empty() {
            self.server_answers();
        }
        self.server_answers_our_challenge();
        self.now += Duration::from_secs(self.rng.u64(1..60));
        for id in self.all(Fate::Offered) {
            if self.now >= self.offered_at[&id] + OFFER_STANDS {
                self.set(&id, Fate::Gone);
            }
        }
        let expired = self.slots.expire(self.now);
        if !expired.overdue.is_empty() || expired.offer_is_overdue {
            self.list = Some(self.all(Fate::Running));
        }
    }

    fn tell(&mut self, event: Event) {
        if self.is_connected {
            self.events.push(event);
        }
    }

    fn set(&mut self, id: &GameId, fate: Fate) {
        self.challenges.get_mut(id).expect("a challenge of this world").1 = fate;
    }

    fn all(&self, fate: Fate) -> Vec<GameId> {
        let mut ids: Vec<GameId> =
            self.challenges.iter().filter(|(_, (_, is))| *is == fate).map(|(id, _)| id.clone()).collect();
        ids.sort_unstable_by(|a, b| a.as_str().cmp(b.as_str()));
        ids
    }

    fn any(&mut self, fate: Fate) -> Option<GameId> {
        let ids = self.all(fate);
        self.rng.choice(ids)
    }

    fn check(&self, seed: u64) {
        let running: Vec<Guest> =
            self.all(Fate::Running).iter().map(|id| Guest::of(&self.challenges[id].0)).collect();
        for id in self.all(Fate::Running) {
            let user = &Guest::of(&self.challenges[&id].0).user;
            let is_unnamed =
                self.slots.offering.as_ref().is_some_and(|offering| offering.guest.user == *user);
            assert!(
                self.slots.places.contains_key(&id) || is_unnamed,
                "seed {seed}: {id} runs without a place"
            );
        }
        let count = |is_so: fn(&Guest) -> bool| running.iter().filter(|guest| is_so(guest)).count();
        let options = &self.options;
        assert!(count(|guest| !guest.is_slow) <= options.concurrency, "seed {seed}: too many games");
        assert!(count(|guest| guest.is_slow) <= options.slow_games, "seed {seed}: too many slow games");
        let for_bots = options.concurrency - options.reserved_for_humans;
        assert!(count(|guest| !guest.is_slow && guest.is_bot) <= for_bots, "seed {seed}: too many bots");
        for guest in &running {
            let games = running.iter().filter(|other| other.user == guest.user).count();
            assert!(games <= options.games_per_user, "seed {seed}: too many games of {guest:?}");
        }
        let waits = self.slots.places.values().filter(|place| place.stage != Stage::Running).count()
            + self.slots.queue.len()
            + usize::from(self.slots.offering.is_some());
        let deadline = self.slots.next_deadline();
        assert!(
            if waits > 0 {
                deadline <= Some(self.now + QUEUE_DEADLINE) && deadline.is_some()
            } else {
                deadline.is_none()
            },
            "seed {seed}: {waits} wait until {deadline:?}"
        );
    }

    /// Nobody challenges any more, everything ends, and the wires work.
    fn settle(&mut self) {
        self.server_answers_our_challenge();
        for fate in [Fate::Open, Fate::Offered, Fate::Running] {
            self.all(fate).iter().for_each(|id| self.set(id, Fate::Gone));
        }
        self.reconnect();
        for _ in 0..40 {
            self.tasks_end();
            self.time_passes();
            self.list_arrives();
            while let Some(id) = self.slots.next_from_queue(self.now) {
                self.requests.push((id, RESENDS));
            }
        }
    }
}

#[tokio::test(start_paused = true)]
async fn no_order_of_events_exceeds_a_limit_or_leaks_a_place() {
    let mut games = 0;
    for seed in 0..400 {
        let mut world = World::new(seed);
        for _ in 0..300 {
            world.step();
            world.check(seed);
        }
        games += world.finished.len();
        world.settle();
        assert!(
            world.slots.guests().next().is_none() && world.slots.queue.is_empty(),
            "seed {seed}: a place is lost"
        );
    }
    assert!(games > 1_000, "the worlds have to be lively: {games} games");
}
