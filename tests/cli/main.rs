//! The program as users and scripts meet it: statuses, streams, messages, JSON.

mod damage;
mod place;
mod tables;
mod usage;
