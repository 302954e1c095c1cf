//! The page applies a move as the library does.

use browser::Page;
use serde_json::json;

/// Games of random moves: in each position the page makes one of the moves, and the result is
/// compared with the position that the server gives for it.
const WALK: &str = r#"
const [wanted, seed, done] = arguments;
(async () => {
  const { apply, format, parse } = await import("/position.js");
  let state = seed;
  const random = (n) => { state = (state * 1103515245 + 12345) % 2147483648; return Math.floor(state / 65536) % n; };
  const { rulesets } = await (await fetch("/api/v1/rulesets")).json();
  let [positions, captures, ends] = [0, 0, 0];
  while (positions < wanted) {
    const rules = rulesets[random(rulesets.length)];
    let position = rules.start;
    for (let ply = 0; ply < 60 && positions < wanted; ply++) {
      const path = `/api/v1/rulesets/${rules.name}/probe?position=${encodeURIComponent(position)}`;
      const { moves } = await (await fetch(path)).json();
      positions += 1;
      for (const move of moves) {
        // A move that captures the king wins; its other captures are not shown.
        if (move.move.endsWith("++")) continue;
        const applied = format(apply(parse(position), move.move));
        if (applied !== move.position) return `${rules.name} ${position} ${move.move}: ${applied}, not ${move.position}`;
      }
      const taking = moves.filter((move) => move.move.includes("x"));
      const choice = taking.length ? taking : moves;
      if (!choice.length) break;
      const move = choice[random(choice.length)];
      captures += taking.length > 0;
      if (/(--|[+]{2})$/.test(move.move)) { ends += 1; break; }
      position = move.position;
    }
  }
  return [positions, captures, ends];
})().then(done, (error) => done(String(error)));
"#;

#[tokio::test]
async fn moves_of_a_thousand_random_positions_do_what_the_library_says() {
    let page = Page::open("").await;
    let walked = page.answer(WALK, vec![json!(1000), json!(17)]).await;
    assert_eq!(walked[0], json!(1000), "{walked}");
    assert!(walked[1].as_u64() > Some(50) && walked[2].as_u64() > Some(3), "too tame: {walked}");
    page.close().await;
}
