//! Traffic of somebody's own: whatever the file, either a sentence that says what is wrong or rows that add up.

#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

use keyed_worker_pool::{
    ids::Offset,
    scenario::{BadInput, read_trace},
    traffic::{
        Arrivals, BadRow, Bursts, Columns, Digest, KEPT_ROWS, Latency, Options, Pick, Reader, Shape, Span,
        Traffic, Unit,
    },
};

fn read_in(text: &[u8], size: usize, options: Options) -> Result<Traffic, BadInput> {
    let mut reader = Reader::new("t.csv", options);
    for chunk in text.chunks(size) {
        reader.feed(chunk)?;
    }
    reader.finish()
}

fn read(text: impl AsRef<[u8]>, options: Options) -> Traffic {
    let text = text.as_ref();
    let whole = read_in(text, usize::MAX, options.clone()).unwrap_or_else(|error| panic!("{error}"));
    let pieces = read_in(text, 3, options).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(whole, pieces);
    whole
}

fn ticks(text: &str) -> Traffic {
    read(text, Options::default())
}

fn millis() -> Options {
    Options { time: Unit::Milliseconds, work: Unit::Milliseconds, ..Options::default() }
}

fn refused(text: impl AsRef<[u8]>) -> String {
    refused_with(text, millis())
}

fn refused_with(text: impl AsRef<[u8]>, options: Options) -> String {
    let whole = read_in(text.as_ref(), usize::MAX, options.clone()).expect_err("it is refused").to_string();
    let pieces = read_in(text.as_ref(), 2, options).expect_err("it is refused").to_string();
    assert_eq!(whole, pieces);
    whole
}

/// The trace of it, under titles that say nothing of ticks.
fn csv(traffic: &Traffic) -> String {
    let text: String = traffic.csv().collect();
    let (titles, rows) = text.split_once('\n').expect("a header");
    assert!(titles.starts_with("time_ticks") && titles.contains(",key,work_ticks"), "{titles}");
    format!("time,key,work\n{rows}")
}

fn bad(traffic: &Traffic) -> Vec<String> {
    traffic.report().bad.iter().map(BadRow::to_string).collect()
}

#[test]
fn a_trace_comes_back_as_it_was() {
    let text = "time,key,work\n0,A,1\n0,,2\n5,\"x,\"\"y\"\"\nz\",tap\n7, é ,never\n9,A,9223372036854775807\n";
    let traffic = ticks(text);
    assert_eq!(csv(&traffic), text);
    assert_eq!(traffic.tick(), None);
    let log = traffic.log(Offset(7)).expect("a log");
    assert_eq!(log, read_trace("t.csv", Offset(7), text.as_bytes()).expect("a trace"));
}

#[test]
fn milliseconds_become_ticks() {
    let options = Options { tick: Span::from_nanos(10_000_000), ..millis() };
    let traffic = read("time,key,work\n1000,A,4\n1009,A,15\n1010.5,A,0.5s\n1099.9,A,24\n", options);
    assert_eq!(csv(&traffic), "time,key,work\n0,A,1\n0,A,2\n1,A,50\n9,A,2\n");
    let finer = traffic.with_tick(Span::MILLISECOND);
    assert_eq!(csv(&finer), "time,key,work\n0,A,4\n9,A,15\n10,A,500\n99,A,24\n");
    assert_eq!(read("time,key,work\n5,A,1\n", millis()).tick(), Some(Span::MILLISECOND));
}

#[test]
fn columns_are_mapped_or_guessed_and_told() {
    let text =
        "Duration_ms;Zone;User ID;Created-At\n12;x;u1;2024-01-01T00:00:00Z\n3;y;;2024-01-01T00:00:01Z\n";
    let guessed = read(text, millis());
    assert_eq!(csv(&guessed), "time,key,work\n0,u1,12\n1000,,3\n");
    let told: Vec<String> = guessed.report().columns.iter().map(ToString::to_string).collect();
    assert_eq!(
        told,
        [
            "time is column 4, \"Created-At\", guessed from its name",
            "key is column 3, \"User ID\", guessed from its name",
            "work is column 1, \"Duration_ms\", guessed from its name"
        ]
    );
    let columns = Columns { key: Pick::Named("Zone".to_owned()), ..Columns::default() };
    assert_eq!(csv(&read(text, Options { columns, ..millis() })), "time,key,work\n0,x,12\n1000,y,3\n");
    let columns = Columns { key: Pick::Absent, ..Columns::default() };
    assert_eq!(csv(&read(text, Options { columns, ..millis() })), "time,key,work\n0,,12\n1000,,3\n");
}

#[test]
fn times_of_several_zones_are_sorted_on_one_line() {
    let text = "time,key,work\n2024-03-31T03:30:00+02:00,late,1\n2024-03-31T01:00:00+00:00,early,1\n\
                2024-03-30T22:00:00.250-03:00,between,1\n";
    let traffic = read(text, millis());
    assert_eq!(csv(&traffic), "time,key,work\n0,early,1\n250,between,1\n1800000,late,1\n");
    assert_eq!(traffic.report().out_of_order, 1);
    assert_eq!(traffic.report().notes, ["1 row came after a later one, by 30 min at most: sorted by time"]);
}

#[test]
fn local_times_around_a_change_of_clocks_are_told_of() {
    // Local times of a night in which an hour comes twice.
    let text = "time,key,work\n2024-10-27 02:59:00,A,1\n2024-10-27 02:01:00,B,1\n2024-10-27 03:10:00,C,1\n";
    let traffic = read(text, millis());
    let notes = traffic.report().notes.join("\n");
    assert!(notes.contains("1 row came after a later one, by 58 min at most"), "{notes}");
    assert!(
        notes.contains("3 rows had times without an offset from UTC: read as UTC; if they are local"),
        "{notes}"
    );
    assert_eq!(csv(&traffic).lines().nth(1), Some("0,B,1"));
}

#[test]
fn a_bad_row_costs_itself() {
    let text = "time,key,work\n0,A,5\n-1,A,5\n2,A,\n3,A,x\n4,A,-7\n5,A\n6,A,B,7\n99999999999999999999999,A,1\n\
                1e3,A,1\n,A,1\n9,A,0\n2024-01-01T00:00:00Z,A,1\n10,A,1\n\n 11 ,A, 1 \n";
    let traffic = read(text, millis());
    assert_eq!(csv(&traffic), "time,key,work\n0,A,5\n9,A,1\n10,A,1\n11,A,1\n");
    let report = traffic.report();
    assert_eq!((report.rows, report.skipped, report.read_as), (14, 10, 1));
    assert_eq!(
        bad(&traffic),
        [
            "line 3, column time: \"-1\", which is below zero; expected a number of milliseconds (skipped)",
            "line 4, column work: nothing in it; expected a number of milliseconds (skipped)",
            "line 5, column work: \"x\" is not a number of milliseconds (skipped)",
            "line 6, column work: \"-7\", which is below zero; expected a number of milliseconds (skipped)",
            "line 7: 2 fields, where the header has 3 (a field with the separator in it needs quotes) (skipped)",
            "line 8: 4 fields, where the header has 3 (a field with the separator in it needs quotes) (skipped)",
            "line 9, column time: \"99999999999999999999999\", which is too large; expected a number of \
             milliseconds (skipped)",
            "line 10, column time: \"1e3\" is not a number of milliseconds (skipped)",
            "line 11, column time: nothing in it; expected a number of milliseconds (skipped)",
            "line 12, column work: no work at all (read as one tick)",
            "line 13, column time: \"2024-01-01T00:00:00Z\" is not a number, as in the rows before it (skipped)",
        ]
    );
}

#[test]
fn a_quote_that_is_never_closed_costs_its_line() {
    let traffic = ticks("time,key,work\n0,A,1\n1,\"B,1\n2,C,1\n3,\"D\"x,1\n4,E,1");
    assert_eq!(csv(&traffic), "time,key,work\n0,A,1\n2,C,1\n4,E,1\n");
    assert_eq!(
        bad(&traffic),
        [
            "line 3: a quote closes in the middle of a field (within quotes, a quote is written twice) (skipped)",
            "line 5: a quote closes in the middle of a field (within quotes, a quote is written twice) (skipped)"
        ]
    );
    let traffic = ticks("time,key,work\n0,A,1\n1,\"B,1\n2,C,1");
    assert_eq!(csv(&traffic), "time,key,work\n0,A,1\n2,C,1\n");
    assert_eq!(bad(&traffic), ["line 3: a quote opens in line 3 and is never closed (skipped)"]);
}

#[test]
fn marks_and_line_ends_of_all_systems_are_read() {
    for text in [
        "\u{feff}time,key,work\r\n0,A,1\r\n1,B,2\r\n",
        "time,key,work\r0,A,1\r1,B,2",
        "time\tkey\twork\n0\tA\t1\n1\tB\t2\n",
    ] {
        assert_eq!(csv(&ticks(text)), "time,key,work\n0,A,1\n1,B,2\n", "{text:?}");
    }
}

#[test]
fn what_is_no_such_file_is_refused_with_a_reason() {
    let utf16: Vec<u8> = "\u{feff}time,key,work\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
    assert!(refused(utf16).contains("this is UTF-16"));
    let unmarked: Vec<u8> = "time,key,work\n".encode_utf16().flat_map(u16::to_be_bytes).collect();
    assert!(refused(unmarked).contains("no text"));
    assert!(refused([0x1f, 0x8b, 8, 0, 0]).contains("compressed"));
    assert!(refused(b"PK\x03\x04...").contains("ZIP"));
    assert!(refused(b"PAR1....").contains("Parquet"));
    assert!(refused(b"\x7fELF\x02\x01\x01\x00\x00").contains("no text: it has bytes that are 0"));
    assert!(refused(b"t\xffme,key,work\n1,2,3\n").contains("t.csv:1: the header is not UTF-8"));
    assert!(refused("").contains("the file is empty"));
    assert!(refused("\n\n").contains("the file is empty"));
    assert!(refused("time,key,work\n").contains("there is a header and nothing below it"));
    assert!(refused("x".repeat(200_000)).contains("t.csv:1: this line never ends"));
    assert!(refused("time,key,work\nx,A,1\ny,A,1\n").contains(
        "none of its 2 rows can be used; the first: line 2, column time: \"x\" is not a number of milliseconds"
    ));
    assert!(refused("\"time,key,work\n1,A,1\n").contains("t.csv:1: a quote"));
}

#[test]
fn a_header_that_will_not_do_is_refused() {
    let told = refused("time,key,cost\n").replace("cost", "charge");
    assert!(told.contains("nothing below"), "{told}");
    let told = refused("time,key,colour\n0,A,1\n");
    assert!(told.contains("no column for the work: the header is time, key, colour"), "{told}");
    assert!(
        told.contains("expected a column called work, or the name of the right one (work=NAME)"),
        "{told}"
    );
    let told = refused("0,A,1\n1,B,2\n");
    assert!(told.contains("the first line is data, so that columns go by their numbers"), "{told}");
    let told = refused("time,key,work,time\n0,A,1,2\n");
    assert!(told.contains("the header has two columns called \"time\""), "{told}");
    let named = |text: &str| Options { columns: Columns::parse(text).expect("columns"), ..millis() };
    let told = refused_with("when,key,work\n0,A,1\n", named("time=wen"));
    assert!(
        told.contains("the header has no column \"wen\" for the time; the nearest is \"when\""),
        "{told}"
    );
    let told = refused_with("time,key,work\n0,A,1\n", named("key=time"));
    assert!(told.contains("column \"time\" cannot be both time and key"), "{told}");
    let told = refused_with("time,key\n0,A\n", named("work="));
    assert!(told.contains("no column for the work") && told.contains("a latency"), "{told}");
}

#[test]
fn a_file_without_a_header_goes_by_the_numbers_of_its_columns() {
    let options = || Options { columns: Columns::parse("time=1,key=2,work=3").expect("columns"), ..millis() };
    let with_header = read("time,key,work\n10,A,1.5\n12,B,2\n", millis());
    for text in ["10,A,1.5\n12,B,2\n", "\u{feff}\"10\";\"A\";\"1,5\"\r\n12;B;2\r\n"] {
        let without = read(text, options());
        assert_eq!(csv(&without), csv(&with_header), "{text}");
        assert!(
            without
                .report()
                .taken
                .contains(&"the first line is data: columns go by their numbers".to_owned())
        );
    }
    // A column that is asked for by its title is one, whatever else the first line holds.
    let named =
        Options { columns: Columns::parse("time=when,key=who,work=2024").expect("columns"), ..millis() };
    assert_eq!(csv(&read("when,who,2024\n10,A,1.5\n12,B,2\n", named)), csv(&with_header));
}

/// Where a comma stands before the fraction, a semicolon separates the fields, and the other way round.
#[test]
fn a_comma_may_stand_before_a_fraction() {
    let seconds = || Options { time: Unit::Seconds, work: Unit::Seconds, ..Options::default() };
    let points = read("time,key,work\n0.5,A,0.45\n1,B,2\n", seconds());
    let commas = read("time;key;work\n0,5;A;\"0,45\"\n1;B;2\n", seconds());
    assert_eq!(csv(&commas), csv(&points));
    assert_eq!(commas.report().skipped, 0);
    let ambiguous = read("time,key,work\n0,A,\"0,45\"\n1,B,2\n", seconds());
    assert_eq!(
        ambiguous.report().bad[0].reason,
        "\"0,45\" is not a number of seconds: where commas separate the fields, a point stands before a fraction"
    );
}

#[test]
fn keys_can_be_hashed_and_stay_apart() {
    let text = "time,key,work\n0,alice,1\n1,bob,1\n2,alice,1\n3,,1\n";
    let with = |salt: &str| read(text, Options { digest: Some(Digest::new(salt)), ..Options::default() });
    let (one, other) = (csv(&with("s3cret")), csv(&with("another")));
    assert!(!one.contains("alice") && !one.contains("bob") && one != other && one == csv(&with("s3cret")));
    let keys: Vec<&str> = one.lines().skip(1).filter_map(|line| line.split(',').nth(1)).collect();
    assert!(
        keys[0] == keys[2] && keys[0] != keys[1] && keys[0].len() == 16 && keys[3].is_empty(),
        "{keys:?}"
    );
    assert!(with("s").report().notes.join("\n").contains("pseudonyms, not anonymous"));
}

#[test]
fn a_bad_key_is_not_told() {
    let options = Options { digest: Some(Digest::new("s")), ..Options::default() };
    let mut text = b"time,key,work\n0,fine,1\n1,secret\xff,1\n2,".to_vec();
    text.extend(b"secret".repeat(1000));
    text.extend(b",1\n");
    let traffic = read(&text, options);
    assert_eq!(traffic.report().skipped, 2);
    assert!(!format!("{:?}", traffic).contains("secret"));
}

#[test]
fn work_can_be_drawn_where_a_file_has_none() {
    let latency = Latency::long_tail(20, 400, 3_000).and_then(|latency| latency.of_unit(Unit::Milliseconds));
    let columns = Columns { work: Pick::Absent, ..Columns::default() };
    let options = Options { latency: latency.ok().map(|latency| (latency, 7)), columns, ..millis() };
    let text = (0..10_000).fold("time,key\n".to_owned(), |text, at| text + &format!("{at},k{}\n", at % 9));
    let summary = read_in(text.as_bytes(), 4096, options).expect("traffic").summary();
    assert!((19..=22).contains(&summary.work_p50), "{summary}");
    assert!((330..=600).contains(&summary.work_p99), "{summary}");
    assert!(summary.work_max <= 3_000 && summary.work_max > summary.work_p99, "{summary}");
}

#[test]
fn the_summary_adds_up() {
    let text = "time,key,work\n100,A,10\n101,B,20\n101,A,30\n102,,40\n139,C,100\n";
    let summary = ticks(text).summary();
    assert_eq!(
        summary.to_string(),
        "records        5, 1 without a key\n\
         keys           3, the hottest A with 2 records (50 %)\n\
         span           40 ticks, from tick 100\n\
         arrivals       0.125/tick on average, 2/tick in the busiest 1 tick\n\
         work           p50 30 ticks, p99 100 ticks, max 100 ticks\n\
         busy workers   5 on average; the keys keep 2 busy at most"
    );
    assert!(summary.warnings().is_empty() && !summary.is_flattering());
    let options = Options { tick: Span::from_nanos(100_000_000), ..millis() };
    let text = (0..200)
        .fold("time,key,work\n".to_owned(), |text, at| text + &format!("{},k{},250\n", at * 100, at % 7));
    assert_eq!(
        read(text, options).summary().to_string(),
        "records        200\n\
         keys           7, the hottest k0 with 29 records (14.5 %)\n\
         span           20 s\n\
         arrivals       10/s on average, 10/s in the busiest 1 s\n\
         work           p50 300 ms, p99 300 ms, max 300 ms\n\
         busy workers   3 on average; the keys keep 6.89 busy at most"
    );
}

#[test]
fn nearly_all_keys_different_is_warned_of_from_ninety_percent_on() {
    let rows = |single: usize| {
        let mut text = "time,key,work\n".to_owned();
        for at in 0..100 {
            let key = if at < single { format!("k{at}") } else { "same".to_owned() };
            text += &format!("{at},{key},1\n");
        }
        ticks(&text).summary()
    };
    assert!(!rows(89).is_flattering() && rows(90).is_flattering());
    let warnings = rows(95).warnings();
    assert!(
        warnings[0].starts_with("95 % of 100 records with a key have one that no other has"),
        "{warnings:?}"
    );
    assert!(warnings[0].contains("every measurement flatters"), "{warnings:?}");
}

#[test]
fn rows_beyond_the_most_are_left_out() {
    let text = (0..50).fold("time,key,work\n".to_owned(), |text, at| text + &format!("{at},A,1\n"));
    let traffic = read(&text, Options { most_rows: 20, ..Options::default() });
    assert_eq!((traffic.len(), traffic.report().left_out, traffic.report().rows), (20, 30, 50));
    assert!(
        traffic.report().notes[0].contains("only the first 20 rows that could be used were; 30 rows after")
    );
}

#[test]
fn only_the_first_bad_rows_are_kept() {
    let text = (0..100).fold("time,key,work\n0,A,1\n".to_owned(), |text, at| text + &format!("x{at},A,1\n"));
    let traffic = ticks(&text);
    assert_eq!((traffic.report().skipped, traffic.report().bad.len()), (100, KEPT_ROWS));
}

#[test]
fn shaped_traffic_is_the_same_everywhere() {
    let shape = Shape {
        records: 5_000,
        ticks: 40_000,
        arrivals: Arrivals::Random,
        bursts: Some(Bursts { every: 1_000, length: 50, times: 20 }),
        keys: 300,
        skew: 1,
        latency: Latency::long_tail(20, 400, 3_000).expect("a latency"),
        seed: 42,
    };
    let text = csv(&shape.traffic(None).expect("traffic"));
    // FNV-1a of every line, the same natively and on wasm32.
    let hash = text.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    assert_eq!(hash, 408_749_495_119_417_885, "{}", text.lines().take(5).collect::<Vec<_>>().join(" "));
}

#[test]
fn a_million_rows_are_read_in_pieces() {
    const ROWS: u64 = 1_000_000;
    let mut reader = Reader::new("long.csv", Options::default());
    reader.feed(b"time,key,work\n").expect("a header");
    let mut text = String::new();
    for thousand in 0..ROWS / 1_000 {
        text.clear();
        for row in thousand * 1_000..(thousand + 1) * 1_000 {
            text +=
                &format!("{},key-{},{}\n", row / 3, row.wrapping_mul(2_654_435_761) % 65_537, row % 50 + 1);
        }
        reader.feed(text.as_bytes()).expect("rows");
        assert_eq!(reader.progress().rows, (thousand + 1) * 1_000);
    }
    let traffic = reader.finish().expect("traffic");
    let summary = traffic.summary();
    assert_eq!((summary.rows, summary.keys, summary.work_p50, summary.work_max), (ROWS, 65_537, 25, 50));
    let log = traffic.log(Offset(0)).expect("a log");
    assert_eq!((log.len(), log.key_count()), (ROWS, 65_537));
}

#[test]
fn titles_say_what_numbers_count_where_nobody_does() {
    let hinted = Options { hinted: (true, true), ..Options::default() };
    // Work in milliseconds, and time then too; a tick is one.
    let traffic = read("ts,user,took_ms\n1000,a,5\n1500,b,7\n", hinted.clone());
    assert_eq!(
        (csv(&traffic).as_str(), traffic.tick()),
        ("time,key,work\n0,a,5\n500,b,7\n", Span::parse("1ms").ok())
    );
    assert_eq!(traffic.report().units, Some((Unit::Milliseconds, Unit::Milliseconds)));
    assert_eq!(
        traffic.report().taken,
        [
            "numbers of time are taken for milliseconds, by the title took_ms",
            "numbers of work are taken for milliseconds, by the title took_ms"
        ]
    );
    let columns = Columns::parse("time=At (s)").expect("columns");
    let seconds = read("At (s),key,work\n10,a,5\n11.5,b,7\n", Options { columns, ..hinted });
    assert_eq!(csv(&seconds), "time,key,work\n0,a,5\n1500,b,7\n");
    // What is said counts.
    let ticks = read("ts,user,took_ms\n1000,a,5\n", Options::default());
    assert_eq!((csv(&ticks).as_str(), ticks.tick()), ("time,key,work\n1000,a,5\n", None));
    for (title, unit) in [
        ("took_ms", Some(Unit::Milliseconds)),
        ("elapsedMillis", Some(Unit::Milliseconds)),
        ("ts.us", Some(Unit::Microseconds)),
        ("took [s]", Some(Unit::Seconds)),
        ("time_ticks", Some(Unit::Ticks)),
        ("work_ticks_10ms", Some(Unit::Ticks)),
        ("events", None),
        ("ticks", None),
        ("s", None),
        ("items", None),
    ] {
        assert_eq!(Unit::hinted(title), unit, "{title}");
    }
}

#[test]
fn what_nobody_says_is_milliseconds() {
    // 100 rows every 50, 30 of work each: 50 ms and 30 ms, and the report says that this was assumed.
    let text = (0..100).fold("time,key,work\n".to_owned(), |text, at| text + &format!("{},k,30\n", at * 50));
    let traffic = read(&text, Options::said(None, None));
    assert_eq!((traffic.tick(), traffic.summary().span), (Some(Span::MILLISECOND), 4_951));
    assert_eq!(
        traffic.report().assumed,
        [
            "numbers of time are taken for milliseconds: no title says what they count (time_s, time_ticks), and nobody \
             has (kwp: --unit)",
            "numbers of work are taken for milliseconds: no title says what they count (work_s, work_ticks), and nobody \
             has (kwp: --unit)"
        ]
    );
    assert!(traffic.report().taken.is_empty() && traffic.remarks().len() == 2);
    // Dates and works with units of their own leave nothing open.
    let told = read("timestamp,user,duration\n2024-03-31T01:00:00Z,a,12ms\n", Options::said(None, None));
    assert!(told.report().assumed.is_empty() && told.report().taken.is_empty());
    // What is said is told as such.
    let said = read("time,key,work\n0,a,1\n", Options::said(Some(Unit::Ticks), Some(Unit::Ticks)));
    assert_eq!(said.report().taken[0], "numbers of time are taken for ticks, as was said");
    assert_eq!(said.tick(), None);
}

#[test]
fn a_trace_says_how_long_its_ticks_are() {
    let tick = Span::parse("10ms").expect("a length");
    let text = "time_ms,key,work_ms\n70,a,25\n90,\"b,c\",40\n";
    let first = read(text, Options { tick: Some(tick), ..Options::said(None, None) });
    let trace: String = first.csv().collect();
    // From 0 on, cut to ticks of 10 ms; 25 ms are 3 of them.
    assert_eq!(trace, "time_ticks_10ms,key,work_ticks_10ms\n0,a,3\n2,\"b,c\",4\n");
    // Read again, and nobody says anything: the same ticks, and the same length.
    let again = read(&trace, Options::said(None, None));
    assert_eq!((again.tick(), again.csv().collect::<String>()), (Some(tick), trace.clone()));
    assert_eq!(again.log(Offset(0)), first.log(Offset(0)));
    assert!(again.remarks().is_empty(), "{:?}", again.remarks());
    // A scenario reads it too: there a tick is a tick.
    assert_eq!(
        read_trace("t.csv", Offset(0), trace.as_bytes()),
        first.log(Offset(0)).map_err(|_| unreachable!())
    );
}

#[test]
fn moments_in_the_wrong_unit_are_doubted() {
    let told = |time: Unit, first: &str| {
        let text = format!("time,key,work\n{first},a,5\n");
        let traffic = read(&text, Options { time, work: time, ..Options::default() });
        traffic.summary().warnings().into_iter().find(|warning| warning.contains("since 1970"))
    };
    let seconds = told(Unit::Milliseconds, "1772352000.004").expect("a warning");
    assert!(seconds.contains("looks like seconds since 1970, and is read as milliseconds"), "{seconds}");
    assert!(seconds.contains("--time-unit s"), "{seconds}");
    assert!(told(Unit::Ticks, "1772352000004").expect("a warning").contains("milliseconds since 1970"));
    assert_eq!(told(Unit::Milliseconds, "1772352000004"), None);
    assert_eq!(told(Unit::Seconds, "1772352000"), None);
    assert_eq!(told(Unit::Milliseconds, "5000"), None);
    assert_eq!(told(Unit::Ticks, "2026-03-01T09:00:00Z"), None);
}
