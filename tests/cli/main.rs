//! The program as users and scripts meet it: statuses, streams, messages, JSON.

mod damage;
mod manifest;
mod measures;
mod place;
mod tables;
mod usage;
