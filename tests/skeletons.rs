//! The consumers that `kwp settings --export` writes: whatever compiler is there accepts them.
#![cfg(not(target_arch = "wasm32"))]

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use keyed_worker_pool::settings::{KNOWN, Language, Library, Name, Origin, Settings, Value, skeleton};

/// The parts of kafka-clients that the Java one uses, as they are declared there.
const KAFKA_CLIENTS: [(&str, &str); 10] = [
    (
        "common/errors/RebalanceInProgressException",
        "public class RebalanceInProgressException extends RuntimeException { static final long serialVersionUID = 1; }",
    ),
    (
        "common/errors/TimeoutException",
        "public class TimeoutException extends RuntimeException { static final long serialVersionUID = 1; }",
    ),
    (
        "clients/consumer/CommitFailedException",
        "public class CommitFailedException extends RuntimeException { static final long serialVersionUID = 1; }",
    ),
    (
        "common/TopicPartition",
        "public final class TopicPartition { public TopicPartition(String topic, int partition) {} }",
    ),
    (
        "clients/consumer/OffsetAndMetadata",
        "public class OffsetAndMetadata { public OffsetAndMetadata(long offset) {} }",
    ),
    (
        "clients/consumer/ConsumerRecord",
        "public class ConsumerRecord<K, V> { public String topic() { return null; } public int partition() { return 0; } \
         public long offset() { return 0; } public K key() { return null; } public V value() { return null; } }",
    ),
    (
        "clients/consumer/ConsumerRecords",
        "public class ConsumerRecords<K, V> implements Iterable<ConsumerRecord<K, V>> { public \
         java.util.Iterator<ConsumerRecord<K, V>> iterator() { return null; } }",
    ),
    (
        "clients/consumer/ConsumerRebalanceListener",
        "import java.util.Collection; import org.apache.kafka.common.TopicPartition; public interface \
         ConsumerRebalanceListener { void onPartitionsRevoked(Collection<TopicPartition> p); void \
         onPartitionsAssigned(Collection<TopicPartition> p); default void onPartitionsLost(Collection<TopicPartition> p) \
         { onPartitionsRevoked(p); } }",
    ),
    (
        "clients/consumer/Consumer",
        "import java.util.*; import org.apache.kafka.common.TopicPartition; public interface Consumer<K, V> extends \
         java.io.Closeable { void subscribe(Collection<String> topics, ConsumerRebalanceListener listener); \
         ConsumerRecords<K, V> poll(java.time.Duration timeout); void commitSync(Map<TopicPartition, OffsetAndMetadata> \
         offsets); void pause(Collection<TopicPartition> p); void resume(Collection<TopicPartition> p); long \
         position(TopicPartition p); void close(); }",
    ),
    (
        "clients/consumer/KafkaConsumer",
        "public abstract class KafkaConsumer<K, V> implements Consumer<K, V> {}",
    ),
];

/// Settings to fill in: a library's, and the largest and the smallest there can be.
fn fillings() -> Vec<Settings> {
    let mut extremes = [Settings::default(), Settings::default()];
    for known in &KNOWN {
        for (settings, numbers) in
            extremes.iter_mut().zip([[i64::MAX.unsigned_abs(), 100_000, 2_147_483_647], [0, 1, 1]])
        {
            for number in numbers {
                if settings.get(known.name).is_none() {
                    settings.set(known.name, Value::Number(number), Origin::Found);
                }
            }
        }
    }
    let decaton = Library::named("decaton").expect("a library").settings();
    extremes.into_iter().chain([decaton]).collect()
}

fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).expect("a folder");
    folder
}

/// Runs a compiler; whether there is one.
fn accepted(command: &mut Command, text: &str) -> bool {
    let Ok(output) = command.output() else {
        eprintln!("{command:?} is not there: not checked");
        return false;
    };
    let told = String::from_utf8_lossy(&output.stderr) + String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{told}\n{text}");
    true
}

#[test]
fn java_compiles() {
    let folder = folder("skeleton-java");
    let mut files = Vec::new();
    for (path, text) in KAFKA_CLIENTS {
        let file = folder.join("org/apache/kafka").join(path).with_extension("java");
        let package = file.parent().expect("a package");
        fs::create_dir_all(package).expect("a folder");
        let name = Path::new(path).parent().expect("a package").display().to_string().replace('/', ".");
        fs::write(&file, format!("package org.apache.kafka.{name};\n{text}\n")).expect("a file");
        files.push(file);
    }
    for settings in fillings() {
        let text = skeleton(&settings, Language::Java);
        let file = folder.join("KeyedConsumer.java");
        fs::write(&file, &text).expect("a file");
        let mut command = Command::new("javac");
        command
            .args(["--release", "17", "-Xlint:all", "-Werror", "-d"])
            .arg(folder.join("out"))
            .arg(file)
            .args(&files);
        if !accepted(&mut command, &text) {
            return;
        }
    }
}

#[test]
fn go_compiles_and_is_formatted() {
    let folder = folder("skeleton-go");
    fs::write(folder.join("go.mod"), "module keyed\n\ngo 1.18\n").expect("a file");
    for settings in fillings() {
        let text = skeleton(&settings, Language::Go);
        fs::write(folder.join("keyed.go"), &text).expect("a file");
        let mut command = Command::new("gofmt");
        let Ok(formatted) = command.arg("-d").arg(folder.join("keyed.go")).output() else { return };
        let told = String::from_utf8_lossy(&formatted.stdout);
        // Comments beside numbers of other widths are the only thing that gofmt would align anew.
        let changes = told.lines().filter(|line| line.starts_with('+') && !line.starts_with("+++"));
        assert!(changes.clone().all(|line| line.contains("// ")), "{told}");
        let mut command = Command::new("go");
        command.args(["vet", "./..."]).current_dir(&folder).env("GOFLAGS", "-mod=mod").env("GOPROXY", "off");
        if !accepted(&mut command, &text) {
            return;
        }
    }
}

#[test]
fn rust_compiles() {
    let folder = folder("skeleton-rust");
    for settings in fillings() {
        let text = skeleton(&settings, Language::Rust);
        let file = folder.join("keyed.rs");
        fs::write(&file, &text).expect("a file");
        let mut command = Command::new(std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into()));
        command.args([
            "--edition",
            "2021",
            "--crate-type",
            "lib",
            "--emit",
            "metadata",
            "-D",
            "warnings",
            "--out-dir",
        ]);
        accepted(command.arg(&folder).arg(&file), &text);
    }
}

/// A handler that panics, and dead letters that cannot be written at first: the worker, the key and the watermark go on.
#[test]
fn a_rust_one_survives_its_handler() {
    const MAIN: &str = r#"
use std::sync::atomic::{AtomicU32, Ordering};

struct Mine(AtomicU32);

impl Handler for Mine {
    fn handle(&self, record: &Record) -> Result<(), String> {
        assert!(record.offset != 0, "the first record breaks");
        Ok(())
    }
    fn dead_letter(&self, record: &Record) -> Result<(), String> {
        assert_eq!(record.offset, 0);
        match self.0.fetch_add(1, Ordering::SeqCst) {
            0 => Err("not now".to_owned()),
            1 => panic!("nor now"),
            _ => Ok(()),
        }
    }
}

struct Fake(i64);

impl Client for Fake {
    type Error = ();
    fn poll(&mut self, _: u64) -> Result<Vec<Record>, ()> {
        let records = (self.0..3).map(|offset| Record { offset, key: Some(vec![1]), value: vec![] }).collect();
        self.0 = 3;
        Ok(records)
    }
    fn pause(&mut self) {}
    fn resume(&mut self) {}
    fn commit(&mut self, _: i64) -> Result<(), ()> {
        Ok(())
    }
}

fn main() {
    std::panic::set_hook(Box::new(|_| {}));
    let (mut client, mut pool) = (Fake(0), Pool::new(Mine(AtomicU32::new(0)), 0));
    let end = Instant::now() + Duration::from_secs(20);
    while pool.watermark() < 3 && Instant::now() < end {
        pool.turn(&mut client).unwrap();
        thread::sleep(Duration::from_millis(2));
    }
    let letters = pool.handler().0.load(Ordering::SeqCst);
    std::process::exit(if pool.watermark() == 3 && letters == 3 { 0 } else { 1 });
}
"#;
    let mut settings = Settings::default();
    for (name, number) in [(Name::Workers, 1), (Name::RetryDelay, 1), (Name::QuarantineAfter, 5)] {
        settings.set(name, Value::Number(number), Origin::Found);
    }
    let folder = folder("skeleton-rust-runs");
    let text = skeleton(&settings, Language::Rust) + MAIN;
    fs::write(folder.join("main.rs"), &text).expect("a file");
    let mut command = Command::new(std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into()));
    command.args(["--edition", "2021", "-A", "dead_code", "-o"]).arg(folder.join("main"));
    if accepted(command.arg(folder.join("main.rs")), &text) {
        accepted(&mut Command::new(folder.join("main")), &text);
    }
}

#[test]
fn what_is_filled_in_is_named() {
    let java = Library::named("java").expect("a library").settings();
    for language in [Language::Java, Language::Go, Language::Rust] {
        let text = skeleton(&java, language);
        assert!(text.contains("kwp.intake.high = 24, kwp.intake.low = 8, kwp.drain.ms = 5000"), "{text}");
        assert!(!text.contains("kwp.workers ="), "{text}");
    }
}
