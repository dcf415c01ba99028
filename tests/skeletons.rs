//! The consumers that `kwp settings --export` writes: whatever compiler is there accepts them.
#![cfg(not(target_arch = "wasm32"))]

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use keyed_worker_pool::settings::{KNOWN, Language, Library, Origin, Settings, Value, skeleton};

/// The parts of kafka-clients that the Java one uses, as they are declared there.
const KAFKA_CLIENTS: [(&str, &str); 7] = [
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
