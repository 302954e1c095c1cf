//! Games on the smallest board with a history in which men mostly moved back and forth.

use std::sync::Arc;

use taflbase::moves::{Move, legal_moves};
use taflbase::random::SeededRng;
use taflbase::{Game, Position, Ruleset, Side};

/// Returns the smallest board's ruleset with other rules about the end of a game.
pub(crate) fn rules(top: &str, end: &str) -> Arc<Ruleset> {
    let text = include_str!("../../rulesets/mini-corner.toml");
    let text = text.replace("size = 5\n", &format!("size = 5\n{top}\n"));
    let (head, old) = text.split_once("repetition = \"draw\"\n").unwrap();
    assert!(old.contains("endless = \"draw\""));
    let endless = match end {
        end if end.contains("mover-loses") => "undecided",
        end if end.contains("defenders") => "attackers",
        _ => "draw",
    };
    let text = format!("{head}{end}\nendless = \"{endless}\"\n");
    Arc::new(Ruleset::from_toml(&text, "variant").unwrap())
}

/// Plays a game from a random position in which men mostly move back and forth.
pub(crate) fn game(rules: &Arc<Ruleset>, random: &mut SeededRng) -> Option<Game> {
    let mut squares: Vec<_> = rules.board.squares().collect();
    random.shuffle(&mut squares);
    let (defenders, attackers) = (random.below(3), 1 + random.below(4));
    let set = |range: std::ops::Range<usize>| squares[range].iter().copied().collect();
    let to_move = Side::ALL[random.below(2)];
    let (defending, attacking) =
        (set(1..1 + defenders), set(1 + defenders..1 + defenders + attackers));
    let start = Position::new(rules, squares[0], defending, attacking, to_move).ok()?;
    let mut game = Game::from_position(Arc::clone(rules), start).ok()?;
    for _ in 0..random.below(14) {
        let played = shuffle(&game, random)?;
        game.play(&played).unwrap();
        if game.outcome().is_some() {
            game.undo();
            break;
        }
    }
    game.outcome().is_none().then_some(game)
}

/// Returns a move that does not end the game: usually the one that takes back the side's last
/// move.
pub(crate) fn shuffle(game: &Game, random: &mut SeededRng) -> Option<Move> {
    let moves = legal_moves(game.rules(), game.position());
    let is_calm = |played: &&Move| played.ending.is_none() && !game.is_barred(played);
    let calm: Vec<&Move> = moves.iter().filter(is_calm).collect();
    let last = game.moves().len().checked_sub(2).map(|at| game.moves()[at]);
    let back = calm.iter().find(|mv| last.is_some_and(|l| (mv.from, mv.to) == (l.to, l.from)));
    let any = random.choose(&calm)?;
    Some(**back.filter(|_| random.below(4) > 0).unwrap_or(any))
}

/// Formats the rules, the first position and the moves, for messages.
pub(crate) fn context(game: &Game) -> String {
    let board = game.rules().board;
    let moves: Vec<_> = game.moves().iter().map(|mv| mv.display(board).to_string()).collect();
    let start = game.positions()[0].to_text(game.rules());
    format!("{:?} {start} {}", game.rules().repetition, moves.join(" "))
}
