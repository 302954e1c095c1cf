//! Proof by search: who wins from a position that no table has.
//!
//! Two questions are asked of a position: do the attackers force a win, and do the defenders?
//! [`prove`] answers them by proof-number search, with endgame tables as leaves.
//! If neither can, the position is a draw by endless play (under some rules, undecided or endless).
//!
//! An answer need not be taken on trust. It comes with a [`Certificate`]: the winner's strategy,
//! or, if a side does not win, the strategy by which the other side avoids losing. [`check`]
//! verifies it with the plain rules and the tables alone, and shares no code with the search.
//!
//! ```
//! use taflbase::proof::{ProofOptions, ProvedValue, check, prove};
//! use taflbase::rules::Side;
//! use taflbase::{Position, Ruleset, Tablebase};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let rules = Ruleset::load("brandubh")?;
//! let tables = Tablebase::new(rules.clone());
//! let position = Position::parse("/3t3/3t3/7/t1T1T1t/3K3/3t3/3t3/ d", &rules)?;
//! let options = ProofOptions { tables: Some(&tables), certify: true, ..ProofOptions::default() };
//! let proof = prove(&rules, &position, &options, &mut |_| true)?;
//! assert_eq!(proof.value(), ProvedValue::Win(Side::Defenders));
//! let certificate = proof.certificate.as_ref().ok_or("no certificate")?;
//! assert_eq!(check(certificate, &rules, &tables)?.value, proof.value());
//! # Ok(())
//! # }
//! ```

mod answer;
mod book;
mod canonical;
mod certificate;
mod checkpoint;
mod estimates;
mod evaluation;
mod hashes;
mod lookahead;
mod prover;
mod questions;
mod search;
mod stack;
pub mod store;
mod table;
#[cfg(test)]
mod tests;
mod walk;

pub use answer::{Answer, ProvedValue};
pub use book::{BookCertificate, BookError, BookMove, BookProbe, ProofBook};
pub use certificate::{Certificate, CertificateError, CheckReport, check};
pub use checkpoint::{Checkpoint, CheckpointError, Effort};
#[doc(hidden)]
pub use prover::solved_positions;
pub use prover::{
    JobCounts, MAX_CLOSED_SET, Proof, ProofError, ProofOptions, ProofProgress, prove,
    prove_with_checkpoint,
};
#[doc(hidden)]
pub use search::SolvedPosition;
