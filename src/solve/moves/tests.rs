//! Compares each way of taking moves with the plain code of the game.

use std::collections::BTreeSet;

use crate::game::capture::Captures;
use crate::game::moves::{Ending, has_move, legal_moves};
use crate::game::position::Position;
use crate::game::rules::{Ruleset, Side};
use crate::game::slice::Slice;
use crate::game::unmoves::unmoves;
use crate::solve::captures::decided::bare_king_captures;
use crate::solve::frame::{Block, Frame};
use crate::solve::moves::Moves;
use crate::solve::moves::by_block::{BlockMoves, TargetSet};
use crate::solve::moves::by_row::{RankLanes, RowBuffers};
use crate::solve::rows::numbers::{BlockNumber, Rank};
use crate::solve::rows::row::Row;
use crate::solve::test_support::{canonical, is_in_set, lanes_with, load, positions, with_words};

/// The approximate number of tested blocks, and of rows in each.
const BLOCKS: usize = 25;
const ROWS: usize = 8;

/// Returns a table of all positions in the set of that number, with this side to move.
fn table<const N: usize>(frame: &Frame<N>, set: u64, to_move: Side) -> Vec<Row<N>> {
    let mut table = Vec::new();
    for number in frame.block_numbers() {
        let block = frame.block(number);
        table.extend(frame.defenders.ranks().map(|rank| {
            lanes_with(frame, &block, rank, to_move, |p| is_in_set(frame.rules, set, p))
        }));
    }
    table
}

/// Returns whether a quiet move leads to a position in the set or, with `complement`, to one
/// outside it.
fn leads_to(rules: &Ruleset, set: u64, complement: bool, position: &Position) -> bool {
    let moves = legal_moves(rules, position);
    let mut quiet = moves.iter().filter(|played| played.is_quiet());
    quiet.any(|played| is_in_set(rules, set, &position.after(played)) != complement)
}

/// Returns some blocks and, in each, some ranks.
fn some<const N: usize>(frame: &Frame<N>) -> impl Iterator<Item = (Block<N>, Vec<Rank>)> {
    let blocks = frame.block_numbers().step_by(1 + frame.blocks() / BLOCKS);
    let ranks = |first: BlockNumber| {
        let step = 1 + frame.block_rows() / ROWS;
        (first.index() % step..frame.block_rows()).step_by(step).map(Rank::new).collect()
    };
    blocks.map(move |number| (frame.block(number), ranks(number)))
}

/// Returns the rows of a block that have lanes in a table.
fn rows_of<const N: usize>(
    frame: &Frame<N>,
    block: &Block<N>,
    ranks: &[Rank],
    table: &[Row<N>],
) -> Vec<RankLanes<N>> {
    let first = frame.first_row(block.number);
    let rows = ranks.iter().map(|&rank| (rank, table[first + rank.index()]));
    rows.filter(|(_, lanes)| !lanes.is_empty()).collect()
}

fn stars<const N: usize>(frame: &Frame<N>, moves: &Moves<N>, table: &[Row<N>], set: u64) {
    let Some(stars) = &moves.stars else { return };
    let valid = || frame.block_numbers().flat_map(|number| frame.block(number).valid);
    for complement in [false, true] {
        let mut left: Vec<Row<N>> = valid().collect();
        if complement {
            let full = table.iter().zip(valid()).map(|(&lanes, valid)| lanes | !valid);
            stars.without_moves(&full.collect::<Vec<_>>(), complement, &mut left);
        } else {
            stars.without_moves(table, complement, &mut left);
        }
        for (block, _) in some(frame) {
            let row = &mut left[block.number.index()..][..1];
            moves.rows.keep_images(&mut frame.walker(), block.number, row);
            let expected = lanes_with(frame, &block, Rank::FIRST, Side::Attackers, |position| {
                !leads_to(frame.rules, set, complement, position)
            });
            assert_eq!(row[0], expected, "{} {:?}", frame.slice, block.attackers);
        }
    }
}

fn kings<const N: usize>(frame: &Frame<N>, moves: &Moves<N>, table: &[Row<N>], set: u64) {
    let Some(kings) = &moves.kings else { return };
    let rows = some(frame).map(|(block, _)| (block.number, table[block.number.index()]));
    let rows: Vec<_> = rows.collect();
    let mut expected = rows.iter().map(|&(number, _)| {
        let has = |position: &Position| leads_to(frame.rules, set, false, position);
        (number, lanes_with(frame, &frame.block(number), Rank::FIRST, Side::Defenders, has))
    });
    kings.origins(&mut frame.walker(), &rows, |number, lanes| {
        assert_eq!(Some((number, lanes)), expected.next());
    });
    assert_eq!(expected.next(), None);
}

fn blocks<const N: usize>(frame: &Frame<N>, side: Side, table: &[Row<N>], set: u64) {
    let mut block_moves = BlockMoves::new(frame);
    for complement in [false, true] {
        for (block, ranks) in some(frame) {
            let targets = TargetSet {
                rows: table,
                first_block: BlockNumber::FIRST,
                complement,
                blocks: None,
            };
            let mut left = block.valid.clone();
            block_moves.quiet_moves(side, &block, targets, &mut left);
            for rank in ranks {
                let expected = lanes_with(frame, &block, rank, side, |position| {
                    !leads_to(frame.rules, set, complement, position)
                });
                assert_eq!(left[rank.index()], expected, "{side:?} {:?}", block.attackers);
            }
        }
    }
}

/// Checks the lanes without a move that escapes from the table, row by row.
fn lanes_without_escape<const N: usize>(
    frame: &Frame<N>,
    moves: &Moves<N>,
    side: Side,
    table: &[Row<N>],
    set: u64,
) {
    for (block, ranks) in some(frame) {
        let mut rows: Vec<RankLanes<N>> =
            ranks.iter().map(|&rank| (rank, block.valid[rank.index()])).collect();
        match side {
            Side::Attackers => {
                let mut buffers = RowBuffers::default();
                moves.rows.remove_attacker_escapes(block.attackers, table, &mut rows, &mut buffers);
            }
            Side::Defenders => {
                let of_block = &table[frame.first_row(block.number)..][..frame.block_rows()];
                for (rank, lanes) in &mut rows {
                    let row = (*rank, *lanes);
                    *lanes = moves.rows.without_defender_escapes(block.attackers, of_block, row);
                }
                rows.retain(|(_, lanes)| !lanes.is_empty());
            }
        }
        let expected = ranks.iter().map(|&rank| {
            let has = |position: &Position| !leads_to(frame.rules, set, true, position);
            (rank, lanes_with(frame, &block, rank, side, has))
        });
        let expected: Vec<RankLanes<N>> = expected.filter(|(_, lanes)| !lanes.is_empty()).collect();
        assert_eq!(rows, expected, "{side:?} {:?}", block.attackers);
    }
}

/// Checks the positions to which the un-moves of rows lead.
fn un_moves<const N: usize>(frame: &Frame<N>, moves: &Moves<N>, side: Side, table: &[Row<N>]) {
    let rules = frame.rules;
    for (block, ranks) in some(frame) {
        let rows = rows_of(frame, &block, &ranks, table);
        let mut found = BTreeSet::new();
        let mut put = |block: &Block<N>, rank: Rank, lanes: Row<N>| {
            let all = positions(frame, block, rank, side);
            let some = all.filter(|&(lane, _)| !(lane & lanes).is_empty());
            found.extend(some.map(|(_, position)| canonical(rules, &position)));
        };
        match side {
            Side::Attackers => {
                let mut buffers = RowBuffers::default();
                let mut unmoves = Vec::new();
                moves.rows.attacker_unmoves(block.attackers, &rows, &mut buffers, &mut unmoves);
                moves.rows.resolve_unmoves(&unmoves, |number, rank, lanes| {
                    put(&frame.block(number), rank, lanes);
                });
            }
            Side::Defenders => {
                for &row in &rows {
                    moves.rows.defender_unmoves(block.attackers, row, |rank, lanes| {
                        put(&block, rank, lanes);
                    });
                }
            }
        }
        let mut expected = BTreeSet::new();
        for (rank, lanes) in rows {
            let all = positions(frame, &block, rank, side.other());
            for (_, position) in all.filter(|&(lane, _)| !(lane & lanes).is_empty()) {
                let back = unmoves(rules, &position);
                expected
                    .extend(back.iter().map(|unmove| canonical(rules, &position.before(unmove))));
            }
        }
        assert_eq!(found, expected, "{side:?} {:?}", block.attackers);
    }
}

/// Checks the functions on single rows that need no table.
fn single_rows<const N: usize>(frame: &Frame<N>, moves: &Moves<N>) {
    let rules = frame.rules;
    for (block, ranks) in some(frame) {
        for rank in ranks {
            let valid = block.valid[rank.index()];
            let quiet = |position: &Position, mover, to| {
                Captures::by_arrival(rules, position, mover, to).is_empty()
            };
            let expected = lanes_with(frame, &block, rank, Side::Defenders, |position| {
                quiet(position, Side::Defenders, position.king)
            });
            assert_eq!(moves.rows.quiet_king(block.attackers, rank) & valid, expected);
            if let Some(kings) = &moves.kings {
                assert_eq!(kings.quiet(block.attackers) & valid, expected);
            }
            for to in block.attackers {
                let expected = lanes_with(frame, &block, rank, Side::Attackers, |position| {
                    quiet(position, Side::Attackers, to)
                });
                assert_eq!(moves.rows.quiet(block.attackers, to, rank) & valid, expected);
            }
        }
        if frame.slice.defenders == 0 {
            let lanes = block.valid[0];
            let stalemates = moves.rows.stalemates(block.attackers, lanes);
            let attackers = [block.attackers; 8];
            let decisive = bare_king_captures(frame, &attackers, &mut Vec::new()).row(7) & lanes;
            let lanes_with = |has: &dyn Fn(&Position) -> bool| {
                lanes_with(frame, &block, Rank::FIRST, Side::Attackers, has)
            };
            assert_eq!(stalemates, lanes_with(&|position| !has_move(rules, position)));
            let captures = |position: &Position| {
                let mut moves = legal_moves(rules, position).into_iter();
                moves.any(|played| played.ending == Some(Ending::KingCaptured))
            };
            assert_eq!(decisive, lanes_with(&captures), "{:?}", block.attackers);
        }
    }
}

fn check<const N: usize>(rules: &Ruleset, slice: Slice) {
    let frame: Frame<N> = Frame::new(rules, slice).unwrap();
    let moves = Moves::new(&frame);
    assert_eq!(moves.stars.is_some(), slice.defenders == 0);
    single_rows(&frame, &moves);
    for side in Side::ALL {
        let set = side as u64;
        let targets = table(&frame, set, side.other());
        if side == Side::Attackers {
            stars(&frame, &moves, &targets, set);
        } else {
            kings(&frame, &moves, &targets, set);
        }
        blocks(&frame, side, &targets, set);
        lanes_without_escape(&frame, &moves, side, &targets, set);
        un_moves(&frame, &moves, side, &targets);
    }
}

#[test]
fn each_way_agrees_with_the_game() {
    for (rules, slices) in [
        ("brandubh", "K0v1 K0v2 K0v3 K1v2 K2v1"),
        ("strange", "K0v1 K0v2 K1v2 K2v1"),
        ("lopsided", "K0v2 K1v2"),
        ("sieges", "K0v3 K2v3"),
        ("mini-camps", "K0v2 K1v2"),
        ("berkeley", "K0v2 K1v1"),
        ("ashton", "K0v2 K1v1"),
        ("tablut", "K0v2 K1v1"),
        ("large-hnefatafl", "K0v1"),
        ("huge-edge", "K0v1"),
        ("huge-corner", "K0v1"),
        ("alea-evangelii", "K0v1"),
        ("walls", "K1v3 K2v3 K3v2 K2v4"),
        ("plain-walls", "K2v2 K3v3"),
        ("unarmed-walls", "K3v2"),
        ("unarmed", "K0v2 K2v2"),
        ("steps", "K0v2 K1v2 K2v1"),
    ] {
        let rules = &load(rules);
        for slice in slices.split(' ') {
            with_words!(check, rules, slice.parse().unwrap());
        }
    }
}
