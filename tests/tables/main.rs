//! Table files: format, damage, probing, verification, searches.

mod compare;
mod consistency;
mod damage;
mod embedded;
mod find;
#[path = "../support/forge/mod.rs"]
mod forge;
#[path = "../support/inventions/mod.rs"]
mod inventions;
#[path = "../support/positions/mod.rs"]
mod positions;
mod prober;
mod table_format;
mod verify;
