use serde::Serialize;

use super::super::event_stream::EventSender;
use super::super::search_queue::SearchTicket;

/// Data of the event `waiting`.
#[derive(Serialize)]
struct WaitingEvent {
    /// The place in the queue, from 1.
    place: usize,
}

/// Waits until a search may start, and sends its place in the queue whenever that changes.
pub(super) async fn await_turn(ticket: &mut SearchTicket, events: Option<&EventSender>) {
    while let Some(place) = ticket.next_place().await {
        if let Some(sender) = events {
            sender.send_next("waiting", &WaitingEvent { place }).await;
        }
    }
}
