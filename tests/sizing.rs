//! Sizing: measured runs are the runs there are, answers are right where they can be worked out by hand, and
//! slices, threads and machines make no difference.

#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

use std::sync::Arc;

use keyed_worker_pool::{
    export::picture::{Kind, paint},
    ids::{ConsumerId, Offset, Tick},
    ledger::Keep,
    mechanism::Guard,
    player::{Course, Inputs},
    run::Run,
    sizing::{
        Answer, Base, Case, Combined, Commits, Condition, CrashMoment, Dial, Effort, From, Measure, Question,
        Report, Study, Subject, Survey, Sweep, Unit,
    },
    world::{
        Fails, Generated, Input, Knob, Knobs, Log, NewRecord, Setup, Work,
        config::{Intake, Quarantine, RetryAt, Routing, Then},
    },
};

/// Records of (key, work, since), offsets from 0.
fn log(records: impl IntoIterator<Item = (String, u64, u64)>) -> Arc<Log> {
    let record = |(offset, (key, work, since)): (i64, (String, u64, u64))| NewRecord {
        offset: Offset(offset),
        key: (key != "-").then(|| key.as_str().into()),
        work: Work::Ticks(work),
        fails: Fails::First(0),
        since: Tick(since),
    };
    Arc::new(Log::from_records(Offset(0), (0..).zip(records).map(record)).unwrap())
}

/// Some traffic with bursts, a hot key, records without a key, and quiet stretches.
fn traffic() -> Arc<Log> {
    log((0..400u64).map(|n| {
        let key = match n % 7 {
            0 | 1 => "hot".to_owned(),
            2 => "-".to_owned(),
            _ => format!("key {}", n * 31 % 40),
        };
        (key, 1 + n * 7919 % 13, n / 25 * 90 + n % 25)
    }))
}

/// The same with failures and a gap now and then.
fn troubled() -> Arc<Log> {
    let record = |n: i64| NewRecord {
        offset: Offset(n + n / 10),
        key: (n % 6 > 0).then(|| format!("key {}", n % 17).as_str().into()),
        work: Work::Ticks(1 + n as u64 * 7 % 9),
        fails: if n % 41 == 5 { Fails::Always } else { Fails::First(u32::from(n % 9 == 0)) },
        since: Tick(n as u64 / 8 * 11),
    };
    Arc::new(Log::from_records(Offset(0), (0..300).map(record)).unwrap())
}

fn setup(log: &Arc<Log>, knobs: Knobs) -> Setup {
    Setup::new(log.clone(), knobs, &[ConsumerId::A]).unwrap()
}

fn subject(log: &Arc<Log>, knobs: Knobs) -> Arc<Subject> {
    Arc::new(Subject::new("a test", setup(log, knobs), Unit::of_micros(1_000), 7).unwrap())
}

fn few() -> Effort {
    Effort { revokes: 40, crashes: 30, poisons: 2 }
}

fn based(log: &Arc<Log>, knobs: Knobs) -> (Arc<Subject>, Arc<Base>) {
    let subject = subject(log, knobs);
    let base = Arc::new(Survey::of(&subject).unwrap());
    (subject, base)
}

fn answer(question: Question, subject: &Arc<Subject>, base: &Arc<Base>) -> Answer {
    let mut study = Study::new(question, subject, base, few());
    while !study.advance(u64::MAX).is_complete() {}
    study.answer()
}

/// The run as any other is run: tick by tick, with the ledger's lists.
fn played(setup: &Setup, inputs: &Inputs, last: Tick) -> Run {
    let course = Course::new(setup.clone(), inputs.clone(), last);
    let mut run = Run::new(course.setup(), Keep::Outcome);
    while !course.is_over(&run) && course.step(&mut run) {}
    run
}

/// What a measured run says against what the ledger of an ordinary one says; times from the lists.
fn assert_same(case: &Case, told: &Measure) {
    let run = played(&case.setup, &case.inputs, case.last);
    let (counters, outcome) = (run.ledger().counters(), run.outcome());
    let own =
        (told.peak_in_flight, told.pauses, told.leaked, told.rows_back, told.rejected, told.redelivered);
    assert_eq!(
        own,
        (
            counters.peak_in_flight,
            counters.pauses,
            counters.leaked,
            counters.rows_back,
            counters.rejected,
            counters.redelivered
        )
    );
    let own = (told.duplicates, told.lost, told.order_breaks, told.overlaps, told.dead_letters, told.crashes);
    assert_eq!(
        own,
        (
            counters.duplicates,
            counters.lost,
            counters.order_breaks,
            counters.overlaps,
            counters.quarantined,
            counters.crashes
        )
    );
    assert_eq!((told.evictions, told.makespan), (counters.evictions, counters.makespan().unwrap_or(0)));
    if case.from == From::Arrival && told.dead_letters == 0 {
        let log = case.setup.log();
        let mut first = std::collections::BTreeMap::new();
        for stamp in &outcome.completions {
            first.entry(stamp.offset).or_insert(stamp.tick.since(log.find(stamp.offset).unwrap().since));
        }
        let mut times: Vec<u64> = first.into_values().collect();
        times.sort_unstable();
        let rank = |percent: usize| times[(times.len() * percent).div_ceil(100) - 1];
        assert_eq!((told.p50, told.p99, told.max), (rank(50), rank(99), rank(100)));
        assert_eq!(told.finished, times.len() as u64);
    }
}

#[test]
fn a_sweep_is_its_single_runs() {
    let revoke = |from, to| Input::Revoke { from, to };
    let (a, b) = (ConsumerId::A, ConsumerId::B);
    let inputs = Inputs::from([
        (Tick(70), vec![Input::Stall { consumer: a, ticks: 6 }, revoke(a, b)]),
        (Tick(160), vec![Input::Crash(b)]),
        (Tick(201), vec![Input::Restart(b)]),
        (Tick(260), vec![revoke(b, a), Input::Set(vec![Knob::Poll(7)])]),
    ]);
    let quarantine = Some(Quarantine { after: 20, then: Then::Park });
    let base = Knobs { quarantine, max_poll_interval: Some(40), commit_every: 3, ..Knobs::default() };
    for (log, knobs) in [(traffic(), base.clone()), (troubled(), base)] {
        let dials = ["workers=1,3,9", "drain=0..8*2,0", "routing=keyed,shared"];
        let dials =
            dials.iter().filter_map(|text| Dial::parse(&text.replace("0..8*2,0", "0,2,8")).ok()).collect();
        let mut sweep =
            Sweep::new(&setup(&log, knobs), inputs.clone(), Tick(3_000), dials, vec![], Unit::TICKS).unwrap();
        assert_eq!(sweep.len(), 18);
        while !sweep.advance(500).is_complete() {}
        for at in 0..sweep.len() {
            let (case, told) = (sweep.case(at).unwrap(), sweep.measure(at).unwrap());
            assert_eq!(*told, case.measure(), "{}", sweep.words(at));
            assert_same(case, told);
        }
    }
}

#[test]
fn seeds_draw_the_log_anew_and_need_one_that_is_drawn() {
    let recipe = Generated::new(3, 200, 9, 1, (1, 6)).unwrap();
    let drawn = Arc::new(Log::generated(Offset(0), recipe).unwrap());
    let dials = || vec![Dial::parse("workers=2,4").unwrap()];
    let sweep = |log: &Arc<Log>, seeds| {
        Sweep::new(&setup(log, Knobs::default()), Inputs::new(), Tick(10_000), dials(), seeds, Unit::TICKS)
    };
    let mut seeded = sweep(&drawn, vec![3, 4, 5]).unwrap();
    while !seeded.advance(u64::MAX).is_complete() {}
    let mut plain = sweep(&drawn, vec![]).unwrap();
    while !plain.advance(u64::MAX).is_complete() {}
    assert_eq!(seeded.measure(0), plain.measure(0));
    assert_ne!(seeded.measure(0), seeded.measure(1));
    assert_eq!(seeded.words(4), "workers=4 seed=4");
    assert!(sweep(&traffic(), vec![1]).unwrap_err().contains("not drawn from one"));
    let marks = Sweep::new(
        &setup(&drawn, Knobs::default()),
        Inputs::new(),
        Tick(9),
        vec![Dial::parse("high=4,64").unwrap()],
        vec![],
        Unit::TICKS,
    );
    assert!(marks.unwrap_err().contains("high=4: consumer.intake.pause.low is 8, but must be below"));
}

#[test]
fn one_hot_key_is_as_fast_with_any_number_of_workers() {
    let (subject, base) = based(&log((0..20).map(|_| ("hot".to_owned(), 5, 0))), Knobs::default());
    assert_eq!((base.measure.makespan, base.measure.finished, base.measure.p50), (100, 20, 50));
    let Answer::Workers(answer) = answer(Question::Workers, &subject, &base) else {
        panic!("workers were asked")
    };
    assert!(answer.rows.len() > 2);
    for row in &answer.rows {
        assert_eq!((row.catching_up.makespan, row.bound), (100, 100));
    }
    assert_eq!(answer.pays_up_to, Some(1));
    assert!(answer.sentences[0].starts_with("More workers pay up to 1: "), "{}", answer.sentences[0]);
    assert!(answer.sentences.iter().any(|told| told.contains("key hot alone has 100 ms of work, 100 %")));
}

#[test]
fn equal_keys_share_the_work_out() {
    // 24 keys, a record of 6 ticks each: w workers need ceil(24 / w) rounds.
    let knobs = Knobs { intake: Intake::Unbounded, ..Knobs::default() };
    let (subject, base) = based(&log((0..24).map(|n| (format!("k{n}"), 6, 0))), knobs);
    let Answer::Workers(answer) = answer(Question::Workers, &subject, &base) else {
        panic!("workers were asked")
    };
    for row in &answer.rows {
        assert_eq!(
            row.catching_up.makespan,
            24u64.div_ceil(row.workers.into()) * 6,
            "{} workers",
            row.workers
        );
    }
    assert_eq!(answer.pays_up_to, Some(24));
}

#[test]
fn slices_of_any_size_give_the_same_answers() {
    let (subject, base) = based(&traffic(), Knobs { drain: 3, ..Knobs::default() });
    for question in Question::ALL {
        let whole = answer(question, &subject, &base);
        for steps in [1, 37] {
            let mut study = Study::new(question, &subject, &base, few());
            let mut before = study.progress();
            assert!(study.answer().sentences()[0].contains("Nothing has been tried yet"), "{question}");
            loop {
                let progress = study.advance(steps);
                assert!(progress.done >= before.done && progress.permille >= before.permille, "{question}");
                before = progress;
                if progress.done == progress.jobs / 2 {
                    let _ = (study.answer().table().csv(), study.answer().plot());
                }
                if progress.is_complete() {
                    break;
                }
            }
            assert_eq!(study.answer(), whole, "{question} in slices of {steps}");
        }
    }
}

#[test]
#[cfg(not(target_arch = "wasm32"))]
fn any_number_of_threads_gives_the_same_bytes() {
    let (subject, base) = based(&troubled(), Knobs { guard: Guard::Off, ..Knobs::default() });
    let on = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let answers: Vec<Answer> = Question::ALL
            .iter()
            .map(|&question| {
                let mut study = Study::new(question, &subject, &base, few());
                pool.install(|| study.finish(&|_| {}));
                study.answer()
            })
            .collect();
        Report { subject: &subject, base: &base, answers: &answers, notes: &[], together: None }
            .html()
            .unwrap()
    };
    let one = on(1);
    assert_eq!(one, on(4));
    let sliced: Vec<Answer> =
        Question::ALL.iter().map(|&question| answer(question, &subject, &base)).collect();
    assert_eq!(
        one,
        Report { subject: &subject, base: &base, answers: &sliced, notes: &[], together: None }
            .html()
            .unwrap()
    );
}

/// Up to the first handover all runs are one; then a longer drain never leaks more.
#[test]
fn a_longer_drain_never_leaks_more() {
    let revoked = |log: &Arc<Log>, knobs: &Knobs, moment: u64, drain: u64| {
        let revoke = Input::Revoke { from: ConsumerId::A, to: ConsumerId::B };
        Case {
            setup: setup(log, Knobs { drain, ..knobs.clone() }),
            inputs: Arc::new(Inputs::from([(Tick(moment), vec![revoke])])),
            last: Tick(20_000),
            from: From::Arrival,
            commits: Commits::Engine,
        }
        .measure()
    };
    for (log, knobs) in [
        (traffic(), Knobs::default()),
        (troubled(), Knobs { retry_at: RetryAt::Tail, guard: Guard::Off, ..Knobs::default() }),
        (troubled(), Knobs { routing: Routing::Shared, workers: 9, ..Knobs::default() }),
    ] {
        let mut leaks = 0;
        for moment in (5..400).step_by(13) {
            let leaked: Vec<u64> = (0..14).map(|drain| revoked(&log, &knobs, moment, drain).leaked).collect();
            assert!(leaked.is_sorted_by(|shorter, longer| shorter >= longer), "at {moment}: {leaked:?}");
            assert_eq!(leaked[13], 0, "at {moment}: no work is longer than 13 ticks");
            leaks += leaked[0];
        }
        assert!(leaks > 10, "{leaks}");
    }
}

#[test]
fn a_revoke_in_a_copy_is_a_revoke_in_a_run_of_its_own() {
    let knobs = Knobs { guard: Guard::Off, drain: 5, ..Knobs::default() };
    let (subject, base) = based(&traffic(), knobs.clone());
    let Answer::Drain(told) = answer(Question::Drain, &subject, &base) else { panic!("the drain was asked") };
    assert!(told.rows.is_sorted_by_key(|row| row.window) && told.rows.len() > 8);
    assert!(told.rows.is_sorted_by(|shorter, longer| shorter.leaked >= longer.leaked));
    let (first, last) = (&told.rows[0], &told.rows[told.rows.len() - 1]);
    assert!(first.leaked > 0 && last.leaked == 0 && first.revokes == 40);
    // Each moment's own run: the sums are the same. The moments are drawn by the rule of DESIGN.md.
    let mut generator = rand_pcg::Pcg32::new(7, 21);
    let from = subject.setup().log().get(0).unwrap().since.0;
    let span = base.measure.makespan;
    let moments: Vec<u64> = (0..40)
        .map(|_| from + ((u128::from(rand::Rng::next_u32(&mut generator)) * u128::from(span)) >> 32) as u64)
        .collect();
    for row in [first, &told.rows[3], last] {
        let (mut leaked, mut leaking, mut redelivered, mut longest) = (0, 0, 0, 0);
        for &moment in &moments {
            let revoke = Input::Revoke { from: ConsumerId::A, to: ConsumerId::B };
            let inputs = Inputs::from([(Tick(moment), vec![revoke])]);
            let setup = setup(subject.setup().log(), Knobs { drain: row.window, ..knobs.clone() });
            let run = played(&setup, &inputs, Tick(20_000));
            let counters = run.ledger().counters();
            leaked += counters.leaked;
            leaking += u64::from(counters.leaked > 0);
            redelivered += counters.redelivered;
            let case = Case {
                setup,
                inputs: Arc::new(inputs),
                last: Tick(20_000),
                from: From::Arrival,
                commits: Commits::Engine,
            };
            longest = longest.max(case.measure().handover);
        }
        assert_eq!((row.leaked, row.leaking, row.handover.2), (leaked, leaking, longest), "{}", row.window);
        assert_eq!(row.redelivered_hundredths, redelivered * 100 / 40);
    }
    // The longest that ran on after a revoke: with this window nothing leaks.
    let needed = told.longest_needed.unwrap();
    assert!(needed <= told.smallest.unwrap() || told.smallest.unwrap() == 0);
    assert!(
        told.sentences[0].contains("at most 7.2") && !told.sentences.concat().contains("safe"),
        "{:?}",
        told.sentences
    );
}

#[test]
fn a_crash_that_is_looked_at_costs_what_a_crash_costs() {
    for (log, knobs) in [
        (traffic(), Knobs { commit_every: 7, ..Knobs::default() }),
        (troubled(), Knobs { ack_map_limit: 12, workers: 9, ..Knobs::default() }),
    ] {
        let (subject, base) = based(&log, knobs.clone());
        let Answer::Crash(told) = answer(Question::Crash, &subject, &base) else {
            panic!("a crash was asked")
        };
        assert_eq!((told.without.len(), told.with.len()), (30, 30));
        assert!(told.without.iter().any(|moment| moment.duplicates > 0));
        for (ack_map, moments) in [(false, &told.without), (true, &told.with)] {
            for moment in moments {
                let crash = Inputs::from([(moment.tick.after(1), vec![Input::Crash(ConsumerId::A)])]);
                let run =
                    played(&setup(&log, Knobs { ack_map, ..knobs.clone() }), &crash, moment.tick.after(1));
                let counters = run.ledger().counters();
                assert_eq!(
                    (moment.redelivered, moment.duplicates),
                    (counters.redelivered, counters.duplicates)
                );
            }
        }
        let worst = |moments: &[CrashMoment]| moments.iter().map(|moment| moment.redelivered).max();
        assert!(worst(&told.with) <= worst(&told.without));
    }
}

/// What a crash costs at the end of every tick of a run with such commits.
fn crashes(log: &Arc<Log>, knobs: Knobs, commits: Commits) -> (Vec<CrashMoment>, Vec<String>) {
    let subject = Subject::new("a test", setup(log, knobs), Unit::of_micros(1_000), 7).unwrap();
    let subject = Arc::new(subject.committing(commits));
    let base = Arc::new(Survey::of(&subject).unwrap());
    let effort = Effort { crashes: 100_000, ..few() };
    let mut study = Study::new(Question::Crash, &subject, &base, effort);
    while !study.advance(u64::MAX).is_complete() {}
    let Answer::Crash(told) = study.answer() else { panic!("a crash was asked") };
    assert!(told.with.is_empty(), "no map travels with such commits");
    (told.without, told.sentences)
}

/// 1,000 records of one key, all there from the beginning, 50 ticks each: a client that handles 500 between two polls.
#[test]
fn a_client_that_commits_at_its_polls_redoes_a_batch() {
    let log = log((0..1_000).map(|_| ("k".to_owned(), 50, 0)));
    let knobs = Knobs { routing: Routing::Serial, intake: Intake::Block, poll: 500, ..Knobs::default() };
    let (moments, told) = crashes(&log, knobs.clone(), Commits::AtPolls { every: 0 });
    let at = |tick: u64| {
        let moment = moments.iter().find(|moment| moment.tick == Tick(tick)).unwrap();
        (moment.redelivered, moment.duplicates, moment.redone, moment.lost)
    };
    // The first poll is at 0, the second when the 500th record is done, at 25,000; it commits 500.
    assert_eq!(at(0), (500, 0, 0, 0));
    assert_eq!(at(50), (500, 1, 50, 0));
    assert_eq!(at(24_999), (500, 499, 24_950, 0));
    assert_eq!(at(25_000), (500, 0, 0, 0));
    assert_eq!(at(49_999), (500, 499, 24_950, 0));
    assert_eq!(at(50_000), (0, 0, 0, 0));
    assert!(
        told[0].contains("500 in the worst") && told[0].contains("up to 499 of them were done already"),
        "{}",
        told[0]
    );
    // At most every 30 s: the poll at 25,000 comes too early for a commit, and the run ends before the next.
    let (moments, _) = crashes(&log, knobs.clone(), Commits::AtPolls { every: 30_000 });
    let worst = moments.iter().max_by_key(|moment| moment.duplicates).unwrap();
    assert_eq!((worst.redelivered, worst.duplicates), (1_000, 999));
    // Beside the polls, every 10 s, a batch that is done: what 25,000 finished is committed at 30,000.
    let (moments, _) = crashes(&log, knobs, Commits::Batches { every: 10_000 });
    let of =
        |tick: u64| moments.iter().find(|moment| moment.tick == Tick(tick)).map(|moment| moment.redelivered);
    assert_eq!([24_999, 25_000, 29_999, 30_000].map(of), [500, 1_000, 1_000, 500].map(Some));
}

#[test]
fn a_client_that_commits_what_it_handed_out_loses_what_it_works_on() {
    // A record a tick from 1 on, 10 ticks each; one at a time, committed every 25 ticks.
    let one = log((0..20u64).map(|n| ("k".to_owned(), 10, n + 1)));
    let knobs = Knobs { routing: Routing::Serial, intake: Intake::Block, poll: 1, ..Knobs::default() };
    let (moments, told) = crashes(&one, knobs, Commits::HandedOut { every: 25 });
    // Assigned at 0, first handed out at 1, then at 11, 21, ...: at 25 the third is in hand, and committed.
    let at = |tick: u64| {
        let moment = moments.iter().find(|moment| moment.tick == Tick(tick)).unwrap();
        (moment.redelivered, moment.duplicates, moment.lost)
    };
    assert_eq!([at(24), at(25), at(30), at(31)], [(3, 2, 0), (0, 0, 1), (0, 0, 1), (1, 0, 0)]);
    assert_eq!(at(49), (2, 1, 0));
    assert!(told[0].contains("it loses up to 1 record:"), "{}", told[0]);
    // Four workers, and a poll in every tick that commits what the one before returned.
    let four = log((0..8u64).map(|n| (format!("k{n}"), 10, 1 + n / 4)));
    let (moments, told) = crashes(&four, Knobs::default(), Commits::AtPolls { every: 0 });
    let most = moments.iter().map(|moment| moment.lost).max();
    assert_eq!(most, Some(8), "{told:?}");
    assert!(told[0].contains("loses up to 8 records"), "{}", told[0]);
}

#[test]
fn a_poisoned_record_pins_the_commit_until_its_timer() {
    // A record a tick, of two keys in turn, two ticks of work each; 4 workers are more than enough.
    let log = log((0..200).map(|n| (format!("k{}", n % 4), 2, n)));
    let (subject, base) = based(&log, Knobs { intake: Intake::Unbounded, ..Knobs::default() });
    let Answer::Quarantine(told) = answer(Question::Quarantine, &subject, &base) else {
        panic!("it was asked")
    };
    let timed: Vec<_> = told.rows.iter().filter(|row| row.after.is_some()).collect();
    assert!(timed.len() > 4 && told.rows.last().unwrap().after.is_none());
    assert!(timed.is_sorted_by(|short, long| short.peak_lag <= long.peak_lag));
    for row in &timed {
        assert_eq!((row.dead_letters, row.unfinished), (1, 0));
        let after = row.after.unwrap();
        // A record arrives each tick and the commit stands still for the timer and an attempt or two.
        assert!(row.peak_lag >= after && row.peak_lag <= after + 12, "{row:?}");
    }
    let never = told.rows.last().unwrap();
    assert!(never.key_waits.is_none() && never.unfinished > 10 && never.dead_letters == 0, "{never:?}");
}

#[test]
fn marks_bound_what_is_in_flight() {
    let (subject, base) = based(&traffic(), Knobs { poll: 5, ..Knobs::default() });
    let Answer::Marks(told) = answer(Question::Marks, &subject, &base) else {
        panic!("the marks were asked")
    };
    for row in &told.rows {
        let most = row.high - 1 + row.poll;
        assert!(row.measure.peak_in_flight <= most && row.arriving.peak_in_flight <= most, "{row:?}");
        assert!(
            row.measure.unfinished == 0 && (row.poll == 5 || row.poll == (row.high / 4).max(1)),
            "{row:?}"
        );
    }
    assert!(told.table().marked.is_some() && told.enough.is_some());
}

/// Marks that are named can be followed: alone, and with the workers that are named.
#[test]
fn what_is_named_is_as_good_when_it_is_followed() {
    let knobs = Knobs { poll: 500, ..Knobs::default() };
    let (subject, base) = based(&traffic(), knobs.clone());
    let Answer::Marks(told) = answer(Question::Marks, &subject, &base) else {
        panic!("the marks were asked")
    };
    let (high, low, poll) = told.enough.unwrap();
    assert!(poll <= high && poll < 500, "polls of {poll} pass a mark of {high}");
    assert!(told.sentences[0].starts_with("With your 4 workers a high mark of "), "{}", told.sentences[0]);
    assert!(told.sentences[0].contains("yours of 500 would pass that mark"), "{}", told.sentences[0]);
    let (_, followed) =
        based(&traffic(), Knobs { intake: Intake::Pause { high, low }, poll, ..knobs.clone() });
    let quickest = told.rows.iter().map(|row| row.arriving.p99).min().unwrap();
    let fastest = told.rows.iter().map(|row| row.measure.makespan).min().unwrap();
    assert!(followed.measure.p99 * 20 <= quickest * 21, "{} for {quickest}", followed.measure.p99);
    assert!(followed.catching_up.makespan * 19 <= fastest * 20);
    // All together is a run like any other.
    let workers = answer(Question::Workers, &subject, &base);
    let answers = [workers, Answer::Marks(told)];
    let mut combined = Combined::new(&subject, &base, &answers).unwrap();
    while !combined.advance(100) {}
    let (_, again) = based(&traffic(), combined.knobs().clone());
    let measures = combined.measures().unwrap();
    assert_eq!((&measures.0, &measures.1), (&again.measure, &again.catching_up));
    assert!(combined.sentence().unwrap().contains("not committed"));
    assert!(Combined::new(&subject, &base, &answers[..1]).is_none());
}

/// 200 records of one key at once, and 1,830 strangers, one every 54.6 ms; 100 ms each.
fn hot_and_strangers(every_tenths: u64, strangers: u64) -> Arc<Log> {
    let hot = (0..200).map(|_| ("A".to_owned(), 100, 0));
    let others = (0..strangers).map(|n| (format!("d{n}"), 100, (n * every_tenths + 5) / 10));
    log(hot.chain(others))
}

/// Of the records of the hottest key something stands behind the one that is poisoned, unless it is the only one.
#[test]
fn behind_a_poisoned_record_its_key_waits() {
    let two = log((0..60u64).map(|n| {
        let key = if n % 30 == 10 { "hot".to_owned() } else { format!("k{n}") };
        (key, if n % 30 == 10 { 50 } else { 2 }, n * 4)
    }));
    let (subject, base) = based(&two, Knobs::default());
    let told = answer(Question::Quarantine, &subject, &base);
    let Answer::Quarantine(answer) = &told else { panic!("quarantine was asked") };
    assert!(answer.rows.iter().all(|row| row.key_waits != Some(0)), "{:?}", answer.rows);
    assert!(
        told.sentences()
            .iter()
            .any(|sentence| sentence.contains("offset 10, the first of the two of key hot"))
    );
}

#[test]
fn workers_that_do_not_keep_up_are_never_enough() {
    let knobs = Knobs { intake: Intake::Pause { high: 5_000, low: 1_000 }, poll: 500, ..Knobs::default() };
    let named = |log: &Arc<Log>| {
        let (subject, base) = based(log, knobs.clone());
        let Answer::Workers(told) = answer(Question::Workers, &subject, &base) else {
            panic!("workers were asked")
        };
        assert!(!told.sentences.concat().contains("holds them back"), "{:?}", told.sentences);
        told
    };
    // 203 s of work in 99.9 s: 2 workers fall behind, whatever the p99, which is the hot key's own queue.
    let told = named(&hot_and_strangers(546, 1_830));
    let of = |workers: u32| told.rows.iter().find(|row| row.workers == workers).expect("a row");
    assert!(of(2).arriving.p99 * 20 <= of(3).arriving.p99 * 21, "by the p99 alone, 2 would do");
    assert_eq!((of(3).arriving.p50, told.enough), (100, Some(3)));
    assert!(
        told.sentences[0].contains("3 workers are enough with 500 records at a poll and a high mark of 5,000: p50 in the system is 100 ms then"),
        "{:?}",
        told.sentences
    );
    assert!(told.sentences[0].contains("with 2, which do not keep up"), "{:?}", told.sentences);
    // The pace that is told is that of the workers that are named: 10 work through 203 s in 20.3.
    assert_eq!(of(10).catching_up.makespan, 20_300);
    assert!(told.sentences[0].contains("more pay up to 10: 100 records/s"), "{:?}", told.sentences);
    // 180 s in 100 s: 2 keep up, and half of the records wait ten times as long as with 3.
    let told = named(&hot_and_strangers(625, 1_600));
    assert_eq!(told.enough, Some(3));
    // Two records, one after the other: 15 ms of work every 10 ms, which one worker does not keep up with.
    let two = log([("a".to_owned(), 10, 0), ("b".to_owned(), 20, 10)]);
    assert_eq!(named(&two).enough, Some(2));
}

/// Marks that let in too few records: measured, by a run with reading that nothing holds back.
#[test]
fn what_holds_workers_back_is_measured() {
    // 8 keys in turn, 40 ticks each, one every 5: 8 workers keep up. But with 2 in flight at most no more than 2 work.
    let eight = log((0..400u64).map(|n| (format!("k{}", n % 8), 40, n * 5)));
    let knobs = Knobs { intake: Intake::Pause { high: 2, low: 1 }, poll: 1, workers: 2, ..Knobs::default() };
    let (subject, base) = based(&eight, knobs);
    let Answer::Workers(told) = answer(Question::Workers, &subject, &base) else {
        panic!("workers were asked")
    };
    assert!(
        told.sentences[0].starts_with("None of up to 2 workers keeps up with these records"),
        "{:?}",
        told.sentences
    );
    assert!(!told.sentences[0].contains("What holds them back"), "2 workers would be held back by nothing");
    let knobs = Knobs { intake: Intake::Pause { high: 8, low: 1 }, poll: 1, workers: 8, ..Knobs::default() };
    let (subject, base) = based(&eight, knobs);
    let Answer::Workers(told) = answer(Question::Workers, &subject, &base) else {
        panic!("workers were asked")
    };
    assert!(told.sentences[0].starts_with("None of up to 8 workers keeps up"), "{:?}", told.sentences);
    assert!(
        told.sentences[0].contains(
            "What holds them back is how records are taken, 1 record at a poll and a high mark of 8"
        ),
        "{:?}",
        told.sentences
    );
    // 8 records every 40 ticks.
    assert!(
        told.sentences[0]
            .contains("with reading that nothing holds back 8 workers get through at 200 records/s")
    );
}

/// Workers that are counted with marks that starve them are more than it takes with the marks that go with them.
#[test]
fn workers_are_counted_with_their_marks() {
    // A key with more than half of the work, one record behind the other, fills 24 places and lets hardly another in.
    let hot = log((0..1_500u64).map(|n| {
        let key = if n % 5 < 3 { "hot".to_owned() } else { format!("k{}", n * 31 % 400) };
        (key, 40 + n * 7919 % 80, n / 60 * 3_000 + n % 60 * 5)
    }));
    let (subject, base) = based(&hot, Knobs { workers: 1, ..Knobs::default() });
    let answers = [Question::Workers, Question::Marks].map(|question| answer(question, &subject, &base));
    let Answer::Workers(before) = &answers[0] else { panic!("workers were asked") };
    let mut combined = Combined::new(&subject, &base, &answers).expect("workers and marks");
    while !combined.advance(u64::MAX) {}
    let (knobs, told) = (combined.knobs().clone(), combined.sentence().expect("a sentence"));
    assert!(Some(knobs.workers) < before.named, "{told} {:?}", before.sentences);
    assert!(told.contains("With these marks that many are enough; above it was "), "{told}");
    // No fewer are enough with them.
    let (subject, base) = based(&hot, knobs.clone());
    let Answer::Workers(with) = answer(Question::Workers, &subject, &base) else {
        panic!("workers were asked")
    };
    assert_eq!(with.enough, Some(knobs.workers), "{:?}", with.sentences);
}

/// What is told of all together is what was run, marks and all, whatever the number of workers.
#[test]
fn all_together_is_what_it_says() {
    // A record every 50 ms, 30 ms of work: one worker is enough.
    let calm = log((0..200u64).map(|n| (format!("k{}", n % 5), 30, n * 50)));
    let (subject, base) = based(&calm, Knobs::default());
    let answers = [Question::Workers, Question::Marks].map(|question| answer(question, &subject, &base));
    let mut combined = Combined::new(&subject, &base, &answers).expect("workers and marks");
    while !combined.advance(1_000) {}
    let knobs = combined.knobs().clone();
    let Intake::Pause { high, low } = knobs.intake else { panic!("{:?}", knobs.intake) };
    assert_eq!(knobs.workers, 1);
    assert!(knobs.poll <= high && knobs.poll < 500, "a poll of {} passes a mark of {high}", knobs.poll);
    let told = combined.sentence().expect("a sentence");
    let expected =
        format!("1 worker, a high mark of {high}, a low one of {low}, polls of {}: p50 30 ms", knobs.poll);
    assert!(told.starts_with(&expected), "{told}");
    assert!(told.contains("As it is now: p50 30 ms, p99 30 ms, 133 records/s"), "{told}");
    assert!(told.contains(
        "A backlog then takes 4.0 times as long as now. Where that matters, more than these pay up to 5"
    ));
    let (_, again) = based(&calm, knobs);
    assert_eq!(combined.measures(), Some((again.measure.clone(), again.catching_up.clone())));
}

/// Whoever takes over what is recommended is told that it is fine.
#[test]
fn what_is_recommended_is_a_rest() {
    let bursts = log((0..1_200u64).map(|n| {
        let (burst, at) = (n / 60, n % 60);
        (format!("k{}", n * 7919 % 97), 40, burst * 1_500 + at * 3)
    }));
    for log in [bursts, traffic(), hot_and_strangers(546, 1_830), hot_and_strangers(625, 1_600)] {
        let mut knobs = Knobs::default();
        for round in 0..3 {
            let (subject, base) = based(&log, knobs.clone());
            let answers =
                [Question::Workers, Question::Marks].map(|question| answer(question, &subject, &base));
            let mut combined = Combined::new(&subject, &base, &answers).expect("workers and marks");
            while !combined.advance(u64::MAX) {}
            let told = combined.sentence().expect("a sentence");
            if round > 0 {
                assert_eq!((combined.knobs(), round), (&knobs, round), "{told}");
                assert!(
                    told.starts_with("What you have: ") && told.ends_with("Nothing to change."),
                    "{told}"
                );
                let Answer::Workers(workers) = &answers[0] else { panic!("workers were asked") };
                assert_eq!(workers.named, Some(knobs.workers), "{:?}", workers.sentences);
            }
            knobs = combined.knobs().clone();
        }
    }
}

#[test]
fn workers_that_are_named_are_the_fewest() {
    // Equal keys, a record each: w workers need ceil(keys / w) rounds, and only as many as there are keys need but one.
    let knobs = Knobs { intake: Intake::Unbounded, ..Knobs::default() };
    let keys = |count: u64| log((0..count).map(|n| (format!("k{n}"), 6, 0)));
    let named = |count: u64| {
        let (subject, base) = based(&keys(count), knobs.clone());
        let Answer::Workers(told) = answer(Question::Workers, &subject, &base) else {
            panic!("workers were asked")
        };
        let tried: Vec<u32> = told.rows.iter().map(|row| row.workers).collect();
        assert!(tried.is_sorted() && u64::from(*tried.last().unwrap()) <= count, "{tried:?}");
        let named = told.pays_up_to.unwrap();
        assert!(tried.contains(&(named - 1)), "{named} in {tried:?}");
        (named, told.sentences[0].clone())
    };
    let (few, sentence) = named(11);
    assert_eq!(few, 11);
    assert!(sentence.contains(" with 10)"), "{sentence}");
    assert_eq!(named(60).0, 60);
}

/// A client that handles a batch between two polls: a rebalance waits for the batch.
#[test]
fn a_rebalance_waits_for_the_next_poll_where_polls_wait_for_the_batch() {
    let log = log((0..100).map(|_| ("k".to_owned(), 10, 0)));
    let knobs = Knobs {
        routing: Routing::Serial,
        intake: Intake::Block,
        poll: 50,
        drain: 600,
        max_poll_interval: Some(601),
        ..Knobs::default()
    };
    let (subject, base) = based(&log, knobs.clone());
    let Answer::Drain(told) = answer(Question::Drain, &subject, &base) else { panic!("the drain was asked") };
    assert_eq!(told.rows.iter().map(|row| row.poll).collect::<Vec<_>>(), [50, 25, 10, 5, 1].map(Some));
    for row in &told.rows {
        let batch = row.poll.unwrap() * 10;
        assert!(row.handover.2 <= batch && row.handover.2 > batch / 2, "{row:?}");
        assert_eq!((row.revokes, row.leaked, row.too_long), (40, 0, 0));
    }
    assert!(
        told.sentences[0].contains("polls of 50, a rebalance waits for the next poll"),
        "{}",
        told.sentences[0]
    );
    assert_eq!((told.smallest, told.table().marked), (None, Some(0)));
    // Batches that are longer than a rebalance may take.
    let (subject, base) = based(&log, Knobs { drain: 99, max_poll_interval: Some(100), ..knobs });
    let Answer::Drain(told) = answer(Question::Drain, &subject, &base) else { panic!("the drain was asked") };
    assert!(told.rows[0].too_long > 0 && told.sentences[1].contains("thrown out"), "{:?}", told.sentences);
    assert_eq!(told.rows[3].too_long, 0);
}

#[test]
fn traffic_in_which_every_key_differs_is_warned_of() {
    let flattering = subject(&log((0..50).map(|n| (format!("id {n}"), 3, n))), Knobs::default());
    assert!(flattering.flattery().unwrap().contains("50 keys for 50 records"));
    assert_eq!(subject(&traffic(), Knobs::default()).flattery(), None);
}

#[test]
fn a_condition_reads_a_measured_run() {
    let base = Survey::of(&subject(&log([("a".to_owned(), 40, 0)]), Knobs::default())).unwrap();
    let holds = |text| Condition::parse(text, Unit::of_micros(500)).unwrap().holds(&base.measure);
    assert!(holds("p99 >= 20ms") && holds("max == 40") && !holds("max > 40") && holds("throughput == 0.025"));
}

/// FNV-1a.
fn fingerprint(bytes: impl IntoIterator<Item = u8>) -> u64 {
    let step = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    bytes.into_iter().fold(0xcbf2_9ce4_8422_2325, step)
}

/// The page's numbers are the command line's: this runs on both.
#[test]
fn every_byte_is_the_same_on_every_machine() {
    let (subject, base) = based(&traffic(), Knobs { drain: 4, ack_map_limit: 24, ..Knobs::default() });
    let answers: Vec<Answer> =
        Question::ALL.iter().map(|&question| answer(question, &subject, &base)).collect();
    let tables: String = answers.iter().map(|answer| answer.table().csv() + &answer.table().json()).collect();
    let sentences: String = answers.iter().flat_map(|answer| answer.sentences().to_vec()).collect();
    let svg = answers.iter().flat_map(|answer| paint(Kind::Svg, &answer.plot().unwrap().into()).unwrap());
    let pngs = answers.iter().flat_map(|answer| paint(Kind::Png, &answer.plot().unwrap().into()).unwrap());
    let html = Report { subject: &subject, base: &base, answers: &answers, notes: &[], together: None }
        .html()
        .unwrap();
    let told = [
        fingerprint(tables.bytes()),
        fingerprint(sentences.bytes()),
        fingerprint(svg),
        fingerprint(pngs),
        fingerprint(html.bytes()),
    ];
    assert_eq!(
        told,
        [
            6079349484584269424,
            14000130358758276896,
            13931937558304857762,
            3683481926766755680,
            10037589386471381134
        ]
    );
}
