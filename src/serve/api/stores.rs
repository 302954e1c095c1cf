use std::sync::Arc;

use axum::response::{IntoResponse, Response};
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::game::position::Position;
use crate::game::rules::{Ruleset, Side};
use crate::proof::store::{NodeStatus, StoreTree, TreeNode, TreeQuestion, TreeRoot};

use super::super::extract::{QueryParams, StorePath, parse_position, required_position};
use super::super::problem::Problem;
use super::super::response::{Caching, JsonReply, retry_later};
use super::super::served_ruleset::ServedRuleset;
use super::super::store_tree::ServedStore;

/// Maximum moves of a response.
const MAX_MOVES: usize = 100;

/// With a side, one of its positions is asked for; else what the store has come to.
#[derive(Deserialize)]
pub(super) struct Query {
    side: Option<String>,
    position: Option<String>,
    /// The number of the first move in the response.
    #[serde(default)]
    from: usize,
}

#[derive(Serialize)]
struct OverviewReply<'a> {
    rules: &'a str,
    store: &'a str,
    certificates: usize,
    /// Damaged parts of the store that were left out.
    skipped: usize,
    roots: Vec<RootReply>,
}

#[derive(Serialize)]
struct RootReply {
    position: String,
    attackers: QuestionReply,
    defenders: QuestionReply,
}

#[derive(Serialize)]
struct QuestionReply {
    #[serde(flatten)]
    status: NodeStatus,
    /// Positions that wait for a job and matter for the answer.
    open: u64,
    seconds: f64,
    /// The line to work on next.
    line: Vec<String>,
}

#[derive(Serialize)]
struct NodeReply<'a> {
    rules: &'a str,
    store: &'a str,
    side: &'static str,
    position: String,
    #[serde(flatten)]
    status: NodeStatus,
    /// Moves in all, and the number of the first one here.
    count: usize,
    from: usize,
    moves: Vec<MoveReply>,
}

#[derive(Serialize)]
struct MoveReply {
    #[serde(rename = "move")]
    played: String,
    #[serde(flatten)]
    status: NodeStatus,
}

/// A position of a store's tree that is asked for.
struct Wanted {
    side: Side,
    position: Position,
    from: usize,
}

impl Wanted {
    /// Returns `None` if the query asks for no position.
    fn new(query: Query, rules: &Ruleset) -> Result<Option<Wanted>, Problem> {
        let Some(name) = query.side else {
            return match query.position {
                Some(_) => Err(Problem::bad_parameter(
                    "a position is asked for without a question: add side=attackers or \
                     side=defenders",
                )),
                None => Ok(None),
            };
        };
        let Some(side) = Side::from_name(&name) else {
            let detail = format!("side is {name:?}: use attackers or defenders");
            return Err(Problem::bad_parameter(detail));
        };
        let position = parse_position(&required_position(query.position)?, rules)?;
        position.check(rules)?;
        Ok(Some(Wanted { side, position, from: query.from }))
    }

    fn reply(
        &self,
        served: &ServedRuleset,
        store: &ServedStore,
        tree: &mut dyn StoreTree,
    ) -> Result<JsonReply, Problem> {
        let &Wanted { side, position, from } = self;
        let moves = from..from.saturating_add(MAX_MOVES);
        let Some(TreeNode { status, count, moves }) = tree.node(side, &position, moves) else {
            let detail = format!("the store {} does not have this position", store.name);
            return Err(Problem::not_in_store(detail));
        };
        let moves = moves.iter().map(|known| MoveReply {
            played: known.played.display(served.rules.board).to_string(),
            status: known.status,
        });
        let reply = NodeReply {
            rules: served.name(),
            store: &store.name,
            side: side.name(),
            position: position.to_text(&served.rules),
            status,
            count,
            from,
            moves: moves.collect(),
        };
        JsonReply::new(&reply, Caching::Revalidate)
    }
}

/// Shows what a store has come to, or a position of its tree with its moves.
pub(super) async fn show(
    StorePath(served, store): StorePath,
    QueryParams(query): QueryParams<Query>,
) -> Result<Response, Problem> {
    let wanted = Wanted::new(query, &served.rules)?;
    let asked = Arc::clone(&store);
    let work = move |tree: &mut dyn StoreTree| {
        let reply = match wanted {
            Some(wanted) => wanted.reply(&served, &asked, tree),
            None => overview(&served, &asked, tree),
        };
        Ok(reply?.about(served.name(), None))
    };
    match store.run(work).await? {
        Some(reply) => Ok(reply.into_response()),
        None => retry_later(&json!({ "store": store.name, "status": "reading" })),
    }
}

fn overview(
    served: &ServedRuleset,
    store: &ServedStore,
    tree: &mut dyn StoreTree,
) -> Result<JsonReply, Problem> {
    let reply = OverviewReply {
        rules: served.name(),
        store: &store.name,
        certificates: tree.certificates(),
        skipped: tree.skipped(),
        roots: tree.roots().iter().map(|root| RootReply::new(root, &served.rules)).collect(),
    };
    JsonReply::new(&reply, Caching::Revalidate)
}

impl RootReply {
    fn new(root: &TreeRoot, rules: &Ruleset) -> RootReply {
        RootReply {
            position: root.position.to_text(rules),
            attackers: QuestionReply::new(&root.questions[Side::Attackers], rules),
            defenders: QuestionReply::new(&root.questions[Side::Defenders], rules),
        }
    }
}

impl QuestionReply {
    fn new(question: &TreeQuestion, rules: &Ruleset) -> QuestionReply {
        let line = question.line.iter().map(|played| played.display(rules.board).to_string());
        QuestionReply {
            status: question.status,
            open: question.open,
            seconds: question.time.as_secs_f64(),
            line: line.collect(),
        }
    }
}
