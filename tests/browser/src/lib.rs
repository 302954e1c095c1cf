//! A page in a real browser, and the operations of the tests on it. `scripts/browser.sh` starts
//! the server and the driver, and passes their addresses in the environment.

use std::env;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::sync::{LazyLock, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use fantoccini::error::{CmdError, NewSessionError};
use fantoccini::wd::WebDriverCompatibleCommand;
use fantoccini::{Client, ClientBuilder};
use hyper_util::client::legacy::connect::HttpConnector;
use serde_json::{Map, Value, json};
use tokio::runtime::{self, Runtime};

mod gestures;
mod wire;

/// The time limit for what a test waits for.
const PATIENCE: Duration = Duration::from_secs(15);

/// Returns a variable of the environment that `scripts/browser.sh` sets.
///
/// # Panics
/// If it is not set.
pub fn environment(variable: &str) -> String {
    env::var(variable).unwrap_or_else(|_| panic!("{variable} is not set: run scripts/browser.sh"))
}

/// A page in a browser. Anything that it writes to the console is an error.
pub struct Page {
    browser: Browser,
}

/// A session of the driver with one window.
#[derive(Clone)]
struct Browser {
    client: Client,
    session: String,
}

/// The browsers of tests that have passed: to start one takes longer than most tests.
static IDLE: Mutex<Vec<Browser>> = Mutex::new(Vec::new());

/// Drives the browsers, which outlive the tests that start them.
static RUNTIME: LazyLock<Runtime> = LazyLock::new(|| {
    runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().expect("a runtime")
});

/// A request of Chromium's own protocol.
#[derive(Debug)]
struct Extension(&'static str, Value);

impl WebDriverCompatibleCommand for Extension {
    fn endpoint(
        &self,
        base: &url::Url,
        session: Option<&str>,
    ) -> Result<url::Url, url::ParseError> {
        base.join(&format!("session/{}/{}", session.unwrap_or_default(), self.0))
    }

    fn method_and_body(&self, _: &url::Url) -> (http::Method, Option<String>) {
        (http::Method::POST, Some(self.1.to_string()))
    }
}

impl Page {
    /// Opens a page at a fragment of the explorer's address.
    ///
    /// # Panics
    /// Like all of these functions, if the driver or the browser fails.
    pub async fn open(fragment: &str) -> Page {
        Page::at(&format!("{}{fragment}", environment("EXPLORER"))).await
    }

    /// Opens a page at an address.
    ///
    /// # Panics
    /// If the driver or the browser fails.
    pub async fn at(url: &str) -> Page {
        let idle = IDLE.lock().expect("no test fails here").pop();
        let browser = match idle {
            Some(browser) => browser,
            None => RUNTIME.spawn(Browser::start()).await.expect("a browser"),
        };
        let page = Page { browser };
        page.size(1000, 900).await;
        page.client().goto(url).await.expect(url);
        page
    }

    fn client(&self) -> &Client {
        &self.browser.client
    }

    /// Goes to another fragment of the explorer.
    pub async fn go(&self, fragment: &str) {
        // Going from one fragment to another loads nothing.
        self.leave().await;
        let url = format!("{}{fragment}", environment("EXPLORER"));
        self.client().goto(&url).await.expect(&url);
    }

    /// Leaves the page for an empty one.
    pub async fn leave(&self) {
        self.client().goto("about:blank").await.expect("about:blank");
    }

    /// Goes back one step in the browser's history.
    pub async fn back(&self) {
        self.client().back().await.expect("back");
    }

    /// Returns the value of an expression in the page.
    pub async fn value(&self, expression: &str) -> Value {
        let script = format!("return ({expression})");
        let value: Result<Value, CmdError> = self.client().execute(&script, vec![]).await;
        value.unwrap_or_else(|error| panic!("{expression}: {error}"))
    }

    /// Returns the result of a script, which passes it to its last argument.
    pub async fn answer(&self, script: &str, arguments: Vec<Value>) -> Value {
        let answer = self.client().execute_async(script, arguments).await;
        answer.unwrap_or_else(|error| panic!("{script}: {error}"))
    }

    /// Runs statements in the page.
    pub async fn run(&self, script: &str) {
        self.run_with(script, vec![]).await;
    }

    /// Runs statements in the page, with arguments.
    pub async fn run_with(&self, script: &str, arguments: Vec<Value>) {
        let done = self.client().execute(script, arguments).await;
        done.unwrap_or_else(|error| panic!("{script}: {error}"));
    }

    /// Waits until an expression is true.
    ///
    /// # Panics
    /// If it does not become true in time.
    pub async fn until(&self, expression: &str) {
        let end = Instant::now() + PATIENCE;
        while self.value(&format!("Boolean({expression})")).await != json!(true) {
            if Instant::now() > end {
                let (shown, log) = (self.value("document.body.innerText").await, self.log().await);
                panic!("never true: {expression}\nthe page shows: {shown}\nthe console: {log:?}");
            }
            tokio_sleep(20).await;
        }
    }

    /// Waits until an element's text contains this text.
    pub async fn reads(&self, selector: &str, text: &str) {
        let (selector, text) = (json!(selector), json!(text));
        self.until(&format!("document.querySelector({selector})?.textContent.includes({text})"))
            .await;
    }

    /// Clicks on the middle of the element that a selector finds, once it exists.
    pub async fn click(&self, selector: &str) {
        self.until(&format!("document.querySelector({})", json!(selector))).await;
        let found = self.client().find(fantoccini::Locator::Css(selector)).await.expect(selector);
        found.click().await.unwrap_or_else(|error| panic!("{selector}: {error}"));
    }

    /// Clicks on the button with this text.
    pub async fn press(&self, label: &str) {
        let label = json!(label);
        let button = format!(
            "[...document.querySelectorAll('button')].find(b => b.textContent === {label} && b.checkVisibility())"
        );
        self.until(&format!("{button} && !{button}.disabled")).await;
        self.run(&format!("{button}.click()")).await;
    }

    /// Selects one of a switch's options.
    pub async fn choose(&self, name: &str, value: &str) {
        self.click(&format!("label:has(input[name={name}][value='{value}'])")).await;
    }

    /// Sets the size of the window.
    pub async fn size(&self, width: u32, height: u32) {
        let size =
            json!({"width": width, "height": height, "deviceScaleFactor": 1, "mobile": false});
        self.chromium("Emulation.setDeviceMetricsOverride", size).await;
    }

    /// Sets a preference of the visitor, like `prefers-color-scheme` to `dark`.
    pub async fn prefer(&self, feature: &str, value: &str) {
        let features = json!({"features": [{"name": feature, "value": value}]});
        self.chromium("Emulation.setEmulatedMedia", features).await;
    }

    /// Sends a command of Chromium's own protocol.
    pub async fn chromium(&self, command: &str, parameters: Value) -> Value {
        let body = json!({"cmd": command, "params": parameters});
        let answer = self.client().issue_cmd(Extension("goog/cdp/execute", body)).await;
        answer.unwrap_or_else(|error| panic!("{command}: {error}"))
    }

    /// Returns the console's messages since the last call.
    pub async fn log(&self) -> Vec<String> {
        let log = self.client().issue_cmd(Extension("se/log", json!({"type": "browser"}))).await;
        let log = log.expect("the console");
        log.as_array().into_iter().flatten().map(|entry| entry["message"].to_string()).collect()
    }

    /// Closes the page.
    ///
    /// # Panics
    /// If it has written to the console.
    pub async fn close(self) {
        let log = self.log().await;
        assert!(log.is_empty(), "the console says: {log:#?}");
        self.reset().await;
        IDLE.lock().expect("no test fails here").push(self.browser.clone());
    }

    /// Makes the browser as it is when it has started. What is emulated ends with the window.
    async fn reset(&self) {
        let everything = json!({"origin": "*", "storageTypes": "all"});
        self.chromium("Storage.clearDataForOrigin", everything).await;
        self.chromium("Network.clearBrowserCache", json!({})).await;
        self.chromium("Browser.resetPermissions", json!({})).await;
        let window = self.client().new_window(false).await.expect("a window");
        self.client().close_window().await.expect("the end of the window");
        self.client().switch_to_window(window.handle).await.expect("the window");
        self.log().await;
    }
}

impl Drop for Page {
    /// Closes the browser of a failed test.
    fn drop(&mut self) {
        if !thread::panicking() {
            return;
        }
        let driver = environment("DRIVER");
        let address = driver.trim_start_matches("http://");
        let request = format!(
            "DELETE /session/{} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n",
            self.browser.session
        );
        // A session that cannot be closed now is closed with the driver.
        if let Ok(mut stream) = TcpStream::connect(address) {
            let _ = stream.write_all(request.as_bytes());
            let _ = stream.set_read_timeout(Some(Duration::from_secs(3)));
            let _ = stream.read(&mut [0]);
        }
    }
}

/// Attempts to start a browser, which may exit at once on a machine that does much else.
const STARTS: u32 = 3;

impl Browser {
    /// Starts a browser.
    async fn start() -> Browser {
        let wanted = wanted();
        let driver = environment("DRIVER");
        let mut attempt = 1;
        let client = loop {
            let mut builder = ClientBuilder::new(HttpConnector::new());
            let client = builder.capabilities(wanted.clone()).connect(&driver);
            let client = tokio::time::timeout(PATIENCE, client).await.expect("a browser in time");
            match client {
                Err(NewSessionError::SessionNotCreated(_)) if attempt < STARTS => attempt += 1,
                client => break client.expect("a session of the browser"),
            }
        };
        let session = client.session_id().await.expect("the session").unwrap_or_default();
        Browser { client, session }
    }
}

/// Returns the capabilities of a session.
fn wanted() -> Map<String, Value> {
    let mut arguments = vec![
        "--headless=new",
        "--disable-dev-shm-usage",
        "--window-size=1000,900",
        // What takes time when a browser starts.
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-extensions",
        "--disable-gpu",
        "--no-first-run",
    ];
    if env::var("USER").as_deref().unwrap_or("root") == "root" {
        arguments.push("--no-sandbox");
    }
    let wanted = json!({
        "goog:chromeOptions": {"args": arguments, "binary": environment("CHROMIUM")},
        "goog:loggingPrefs": {"browser": "ALL"},
        // The longest script takes half a minute while others compile.
        "timeouts": {"script": 120_000},
    });
    let Value::Object(wanted) = wanted else { unreachable!() };
    wanted
}

async fn tokio_sleep(millis: u64) {
    tokio::time::sleep(Duration::from_millis(millis)).await;
}
