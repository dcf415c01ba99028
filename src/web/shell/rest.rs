//! What is said of a run that has come to rest with something left. It lies on the desk, because few runs do.

use crate::{deck::Deck, web::widgets::counted, world::Left};

/// A sentence that follows the tick's own, if the run in front gets nowhere.
pub(in crate::web) fn sentence(deck: &Deck) -> Option<String> {
    let player = deck.runs().get(deck.start().front()).filter(|player| player.is_over())?;
    let Left { never, waiting } = player.run().world().left_for_ever()?;
    let parts = [
        (never, "record on a worker never ends", "records on workers never end"),
        (waiting, "record waits for ever", "records wait for ever"),
    ];
    let left = parts.into_iter().filter(|&(number, ..)| number > 0);
    let left: Vec<_> = left.map(|(number, one, many)| counted(number, one, many)).collect();
    Some(format!(" Nothing more happens by itself: {}.", left.join(" and ")))
}
