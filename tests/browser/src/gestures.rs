//! Gestures: keys, a mouse, a finger.

use serde_json::json;

use super::Page;

impl Page {
    /// Presses and releases a key, sent to the focused element.
    pub async fn key(&self, key: &str) {
        let text = if key.chars().count() == 1 {
            key
        } else if key == "Enter" {
            "\r"
        } else {
            ""
        };
        for kind in ["keyDown", "keyUp"] {
            let text = if kind == "keyDown" { text } else { "" };
            let code = match key {
                "ArrowLeft" => 37,
                "ArrowUp" => 38,
                "ArrowRight" => 39,
                "ArrowDown" => 40,
                "Enter" => 13,
                "Escape" => 27,
                "Delete" => 46,
                "Tab" => 9,
                " " => 32,
                _ => 0,
            };
            let event =
                json!({"type": kind, "key": key, "text": text, "windowsVirtualKeyCode": code});
            self.chromium("Input.dispatchKeyEvent", event).await;
        }
    }

    /// Returns the middle of an element, in the window.
    pub async fn middle(&self, selector: &str) -> (f64, f64) {
        let script = "(b => [b.x + b.width / 2, b.y + b.height / 2])";
        let selector = json!(selector);
        let at = self
            .value(&format!("{script}(document.querySelector({selector}).getBoundingClientRect())"))
            .await;
        (at[0].as_f64().expect("x"), at[1].as_f64().expect("y"))
    }

    /// Drags with the mouse from one place to another.
    pub async fn drag(&self, from: (f64, f64), to: (f64, f64)) {
        let way = [
            ("mouseMoved", from),
            ("mousePressed", from),
            ("mouseMoved", half(from, to)),
            ("mouseMoved", to),
            ("mouseReleased", to),
        ];
        for (kind, (x, y)) in way {
            let button = if kind == "mouseMoved" && (x, y) == from { "none" } else { "left" };
            let event = json!({"type": kind, "x": x, "y": y, "button": button, "buttons": 1, "clickCount": 1});
            self.chromium("Input.dispatchMouseEvent", event).await;
        }
    }

    /// Moves the mouse without pressing a button.
    pub async fn hover(&self, (x, y): (f64, f64)) {
        let event = json!({"type": "mouseMoved", "x": x, "y": y, "button": "none", "buttons": 0});
        self.chromium("Input.dispatchMouseEvent", event).await;
    }

    /// Presses the mouse button in one place and releases it in another, without moving
    /// between.
    pub async fn slip(&self, from: (f64, f64), to: (f64, f64)) {
        for (kind, (x, y)) in [("mousePressed", from), ("mouseMoved", to), ("mouseReleased", to)] {
            let event = json!({"type": kind, "x": x, "y": y, "button": "left", "buttons": 1, "clickCount": 1});
            self.chromium("Input.dispatchMouseEvent", event).await;
        }
    }

    /// Drags with a finger.
    pub async fn swipe(&self, from: (f64, f64), to: (f64, f64)) {
        let near = |part: f64| (from.0 + part * (to.0 - from.0), from.1 + part * (to.1 - from.1));
        let way = (0..=10).map(|step| near(f64::from(step) / 10.0));
        for (step, (x, y)) in way.enumerate() {
            let kind = if step == 0 { "touchStart" } else { "touchMove" };
            let event = json!({"type": kind, "touchPoints": [{"x": x, "y": y}]});
            self.chromium("Input.dispatchTouchEvent", event).await;
        }
        self.chromium("Input.dispatchTouchEvent", json!({"type": "touchEnd", "touchPoints": []}))
            .await;
    }
}

fn half(one: (f64, f64), two: (f64, f64)) -> (f64, f64) {
    (f64::midpoint(one.0, two.0), f64::midpoint(one.1, two.1))
}
