//! Changes what the server sends: delays it, or replaces it.

use serde_json::{Value, json};

use super::Page;

/// Responses wait in `held` until they are released or aborted.
const HOLD: &str = r#"
const [part] = arguments;
const real = window.fetch;
window.held = [];
window.fetch = async (path, options) => {
  const response = await real(path, options);
  if (!path.includes(part)) return response;
  const body = await response.json();
  const signal = options?.signal;
  await new Promise((resolve, reject) => {
    held.push(resolve);
    signal?.throwIfAborted();
    signal?.addEventListener("abort", () => reject(signal.reason));
  });
  return { ok: true, status: 200, headers: new Headers(), json: async () => body };
};"#;

/// The page has finished its work when the next task begins.
const LET_GO: &str = "for (const resolve of held.splice(0)) resolve(); setTimeout(arguments[0]);";

/// An engine that plays these moves, and then thinks for ever.
const REPLIES: &str = r#"
const [replies] = arguments;
const real = window.fetch;
window.asked = [];
window.fetch = (path, options) => {
  asked.push(path);
  if (!path.endsWith("/reply")) return real(path, options);
  if (replies.length === 0) return new Promise(() => {});
  const body = replies.shift();
  return Promise.resolve({ ok: true, status: 200, headers: new Headers(), json: async () => body });
};"#;

impl Page {
    /// Holds back the responses to requests whose path contains this text.
    pub async fn hold(&self, part: &str) {
        self.run_with(HOLD, vec![json!(part)]).await;
    }

    /// Releases a response that is held back, once there is one.
    pub async fn let_go(&self) {
        self.until("held.length > 0").await;
        self.answer(LET_GO, vec![]).await;
    }

    /// Makes these the engine's replies; `asked` has the page's requests.
    pub async fn replies(&self, replies: Value) {
        self.run_with(REPLIES, vec![replies]).await;
    }
}
