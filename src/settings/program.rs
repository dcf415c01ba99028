//! What programs call by names of their own, and what tells whose client they use.
//!
//! Sources: karafka/karafka, lib/karafka/setup/config.rb at 00c899ac5b; the reference of Spring for Apache Kafka.

/// What Karafka's setup and routing call by names of their own, and what that is here.
pub(super) const KARAFKA: [(&str, &str); 12] = [
    ("max_messages", POLL),
    ("pause_timeout", "kwp.retry.delay.ms"),
    ("pause_max_timeout", "karafka.pause_max_timeout"),
    ("pause_with_exponential_backoff", "karafka.pause_with_exponential_backoff"),
    ("concurrency", "karafka.concurrency"),
    ("max_wait_time", "karafka.max_wait_time"),
    ("shutdown_timeout", "karafka.shutdown_timeout"),
    ("client_id", "karafka.client_id"),
    ("group_id", "karafka.group_id"),
    ("initial_offset", "karafka.initial_offset"),
    ("consumer_persistence", "karafka.consumer_persistence"),
    ("worker_thread_priority", "karafka.worker_thread_priority"),
];

/// How many records are taken at a time, where a client has no property for it.
pub(super) const POLL: &str = "kwp.poll.records";

/// Calls that settle something and are not read, and what to say instead.
pub(super) const CALLS: [(&str, &str); 8] = [
    (
        "dead_letter_queue",
        "its retries are counted, and the engine's quarantine is a time: set kwp.quarantine.after.ms to what they take",
    ),
    ("virtual_partitions", "several keys of a batch at a time: set kwp.workers to how many"),
    ("setConcurrency", "is set in code: say spring.kafka.listener.concurrency"),
    ("setAckMode", "is set in code: say spring.kafka.listener.ack-mode"),
    ("setBatchListener", "is set in code: say spring.kafka.listener.type"),
    (
        ERROR_HANDLER,
        "what becomes of a failing record is set in code: say kwp.retry.delay.ms and kwp.quarantine.after.ms",
    ),
    ("setErrorHandler", "what becomes of a failing record is set in code"),
    (RETRYABLE, "failing records go to topics of their own"),
];

/// The call that gives a listener container another error handler than its default.
pub(super) const ERROR_HANDLER: &str = "setCommonErrorHandler";

/// The annotation that sends failing records to topics of their own.
pub(super) const RETRYABLE: &str = "@RetryableTopic";

/// What to make of a name that only code has.
pub(super) fn hint(name: &str) -> Option<&'static str> {
    match name {
        "karafka.pause_max_timeout" | "karafka.pause_with_exponential_backoff" => {
            Some("the engine waits as long before each attempt: the delay that kwp.retry.delay.ms says")
        }
        _ => CALLS.iter().find(|(call, _)| *call == name).map(|(_, hint)| *hint),
    }
}

/// Whether code is of an application of Spring's.
pub(super) fn is_spring(text: &str) -> bool {
    ["springframework", "KafkaListener", RETRYABLE, "ConcurrentKafkaListenerContainerFactory", ERROR_HANDLER]
        .iter()
        .any(|telling| text.contains(telling))
}

/// Whether code is of an application of Karafka's.
pub(super) fn is_karafka(text: &str) -> bool {
    text.contains("Karafka::") || text.contains("KarafkaApp")
}

/// Whether code uses aiokafka.
pub(super) fn is_aiokafka(text: &str) -> bool {
    text.contains("AIOKafka") || text.contains("aiokafka")
}
