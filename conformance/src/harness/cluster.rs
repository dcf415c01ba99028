//! Where the members meet: librdkafka's own mock cluster in this process, or Tansu in one of its own.

use std::time::Duration;

use futures_executor::block_on;
use rdkafka::{
    ClientConfig, Offset as ListOffset, TopicPartitionList,
    admin::{AdminClient, AdminOptions, NewTopic, TopicReplication},
    bindings::{rd_kafka_handle_mock_cluster, rd_kafka_mock_group_initial_rebalance_delay_ms},
    client::DefaultClientContext,
    consumer::{BaseConsumer, CommitMode, Consumer as _},
    producer::{BaseRecord, DefaultProducerContext, Producer as _, ThreadedProducer},
    types::{RDKafkaApiKey, RDKafkaRespErr},
};

use super::{CAP, Trouble, tansu::Tansu, until};
use crate::consumer::Partition;

/// Which broker.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// librdkafka's mock cluster.
    Mock,
    /// Tansu, a Kafka-compatible broker. It is not Apache Kafka.
    Tansu,
}

/// A broker that runs until this is dropped.
pub struct Cluster {
    kind: Kind,
    servers: String,
    // Dropped in this order: the clients before the broker.
    reader: BaseConsumer,
    producer: ThreadedProducer<DefaultProducerContext>,
    _tansu: Option<Tansu>,
}

/// How long the mock waits for more members when a group begins, in milliseconds; it is 3 s otherwise.
const JOIN_DELAY_MS: i32 = 50;

impl Cluster {
    /// Starts one, for members of the group `group`. `None`: there is no Tansu here.
    ///
    /// # Errors
    /// If it does not start.
    pub fn start(kind: Kind, group: &str) -> Result<Option<Cluster>, Trouble> {
        let mut config = ClientConfig::new();
        let tansu = match kind {
            Kind::Mock => {
                config.set("test.mock.num.brokers", "1");
                None
            }
            Kind::Tansu => {
                let Some(tansu) = Tansu::start()? else { return Ok(None) };
                config.set("bootstrap.servers", tansu.address());
                Some(tansu)
            }
        };
        let producer: ThreadedProducer<_> = config.create()?;
        let servers = match &tansu {
            Some(tansu) => tansu.address().to_owned(),
            None => start_mock(&producer)?,
        };
        let reader: BaseConsumer =
            ClientConfig::new().set("bootstrap.servers", &servers).set("group.id", group).create()?;
        Ok(Some(Cluster { kind, servers, reader, producer, _tansu: tansu }))
    }

    /// Which broker it is.
    #[must_use]
    pub fn kind(&self) -> Kind {
        self.kind
    }

    /// Its address.
    #[must_use]
    pub fn servers(&self) -> &str {
        &self.servers
    }

    /// Makes a topic.
    ///
    /// # Errors
    /// If the broker does not.
    pub fn create_topic(&self, name: &str, partitions: i32) -> Result<(), Trouble> {
        if let Some(mock) = self.producer.client().mock_cluster() {
            return Ok(mock.create_topic(name, partitions, 1)?);
        }
        let admin: AdminClient<DefaultClientContext> =
            ClientConfig::new().set("bootstrap.servers", &self.servers).create()?;
        let topic = NewTopic::new(name, partitions, TopicReplication::Fixed(1));
        let options = AdminOptions::new().request_timeout(Some(CAP));
        for made in block_on(admin.create_topics([&topic], &options))? {
            made.map_err(|(topic, code)| format!("topic {topic}: {code}"))?;
        }
        Ok(())
    }

    /// Appends records, in this order, at some time before the next [`Cluster::flush`] is over.
    ///
    /// # Errors
    /// If the client does not take them.
    pub fn append<'a>(
        &self,
        partition: &Partition,
        records: impl Iterator<Item = (Option<&'a [u8]>, Vec<u8>)>,
    ) -> Result<(), Trouble> {
        for (key, value) in records {
            let mut record = BaseRecord::to(&partition.topic).partition(partition.number).payload(&value);
            if let Some(key) = key {
                record = record.key(key);
            }
            self.producer.send(record).map_err(|(error, _)| error)?;
        }
        Ok(())
    }

    /// Waits until the broker has all that was appended.
    ///
    /// # Errors
    /// If it does not take it.
    pub fn flush(&self) -> Result<(), Trouble> {
        Ok(self.producer.flush(CAP)?)
    }

    /// Lets the mock refuse the next requests of a kind.
    ///
    /// # Errors
    /// If this is no mock.
    pub fn refuse(&self, what: RDKafkaApiKey, errors: &[RDKafkaRespErr]) -> Result<(), Trouble> {
        let mock = self.producer.client().mock_cluster().ok_or("only the mock refuses what it is told to")?;
        mock.request_errors(what, errors);
        Ok(())
    }

    /// Commits for the group, which has no member.
    ///
    /// # Errors
    /// If the broker does not take it.
    pub fn commit(&self, partition: &Partition, to: i64) -> Result<(), Trouble> {
        let mut list = TopicPartitionList::new();
        list.add_partition_offset(&partition.topic, partition.number, ListOffset::Offset(to))?;
        Ok(self.reader.commit(&list, CommitMode::Sync)?)
    }

    /// What the group has committed, if anything.
    ///
    /// # Errors
    /// If the broker does not answer.
    pub fn committed(&self, partition: &Partition) -> Result<Option<i64>, Trouble> {
        let mut list = TopicPartitionList::new();
        list.add_partition(&partition.topic, partition.number);
        let list = until("the broker to say what is committed", || {
            Ok(self.reader.committed_offsets(list.clone(), Duration::from_secs(5)).ok())
        })?;
        Ok(match list.find_partition(&partition.topic, partition.number).map(|element| element.offset()) {
            Some(ListOffset::Offset(offset)) => Some(offset),
            _ => None,
        })
    }
}

/// Lowers the join delay; answers with the mock cluster's address.
fn start_mock(producer: &ThreadedProducer<DefaultProducerContext>) -> Result<String, Trouble> {
    let client = producer.client();
    // SAFETY: the handle is the producer's, which outlives the call; the mock cluster is the handle's own and
    // lives as long. There is no safe form of this call in rdkafka.
    #[allow(unsafe_code)]
    unsafe {
        let cluster = rd_kafka_handle_mock_cluster(client.native_ptr());
        rd_kafka_mock_group_initial_rebalance_delay_ms(cluster, JOIN_DELAY_MS);
    }
    Ok(client.mock_cluster().ok_or("the producer has no mock cluster")?.bootstrap_servers())
}
