use std::collections::BTreeMap;
use std::fmt::{self, Write};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use super::site::Site;

/// Upper bounds of the histogram's buckets, in microseconds.
const BOUNDS: [u64; 12] =
    [100, 250, 500, 1_000, 2_500, 5_000, 10_000, 25_000, 100_000, 500_000, 2_000_000, 10_000_000];

/// What has been counted since the start.
#[derive(Default)]
pub(super) struct Metrics {
    requests: Mutex<BTreeMap<(String, u16), u64>>,
    buckets: [AtomicU64; BOUNDS.len()],
    count: AtomicU64,
    microseconds: AtomicU64,
    in_flight: AtomicU64,
    shed: AtomicU64,
}

/// A request that is being answered; no more once it is dropped.
pub(super) struct InFlight<'a>(&'a AtomicU64);

impl Drop for InFlight<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Metrics {
    /// Counts a request as long as it is being answered.
    pub(super) fn enter(&self) -> InFlight<'_> {
        self.in_flight.fetch_add(1, Ordering::Relaxed);
        InFlight(&self.in_flight)
    }

    /// Counts an answer.
    pub(super) fn answered(&self, route: &str, status: u16, took: Duration) {
        let mut requests = self.requests.lock().unwrap_or_else(PoisonError::into_inner);
        match requests.get_mut(&(route.to_owned(), status)) {
            Some(count) => *count += 1,
            None => {
                requests.insert((route.to_owned(), status), 1);
            }
        }
        drop(requests);
        let micros = u64::try_from(took.as_micros()).unwrap_or(u64::MAX);
        if let Some(bucket) = BOUNDS.iter().position(|&bound| micros <= bound) {
            self.buckets[bucket].fetch_add(1, Ordering::Relaxed);
        }
        self.count.fetch_add(1, Ordering::Relaxed);
        self.microseconds.fetch_add(micros, Ordering::Relaxed);
    }

    /// Counts a request or a connection that was refused because there were too many.
    pub(super) fn shed(&self) {
        self.shed.fetch_add(1, Ordering::Relaxed);
    }

    /// Everything, as Prometheus reads it.
    pub(super) fn text(&self, site: &Site) -> String {
        let mut page = Page::default();
        let requests = self.requests.lock().unwrap_or_else(PoisonError::into_inner).clone();
        page.head("http_requests_total", "counter", "Requests by route and status.");
        for ((route, status), count) in requests {
            let labels = format!("{{route=\"{route}\",status=\"{status}\"}}");
            page.value("http_requests_total", &labels, count);
        }
        self.histogram(&mut page);
        let load = |count: &AtomicU64| count.load(Ordering::Relaxed);
        let cache = site.options.cache.statistics();
        let open: usize = site.rulesets().map(|served| served.base.tables_open()).sum();
        let rest = [
            ("http_in_flight", "gauge", "Requests being answered.", load(&self.in_flight)),
            ("http_shed_total", "counter", "Requests and connections refused.", load(&self.shed)),
            (
                "log_lines_dropped_total",
                "counter",
                "Lines of the log dropped.",
                site.options.log.dropped(),
            ),
            ("cache_hits_total", "counter", "Blocks found in the cache.", cache.hits),
            ("cache_misses_total", "counter", "Blocks decoded.", cache.misses),
            ("cache_bytes", "gauge", "Memory of cached blocks.", cache.bytes as u64),
            ("tables_open", "gauge", "Tables that are open.", open as u64),
        ];
        for (name, kind, help, value) in rest {
            page.head(name, kind, help);
            page.value(name, "", value);
        }
        page.head("build_info", "gauge", "The version of the program.");
        page.value("build_info", concat!("{version=\"", env!("CARGO_PKG_VERSION"), "\"}"), 1);
        page.0
    }

    fn histogram(&self, page: &mut Page) {
        const NAME: &str = "http_request_seconds";
        page.head(NAME, "histogram", "Time until an answer begins.");
        let mut sum = 0;
        for (bound, count) in BOUNDS.iter().zip(&self.buckets) {
            sum += count.load(Ordering::Relaxed);
            let labels = format!("{{le=\"{}\"}}", *bound as f64 / 1e6);
            page.value("http_request_seconds_bucket", &labels, sum);
        }
        let count = self.count.load(Ordering::Relaxed).max(sum);
        page.value("http_request_seconds_bucket", "{le=\"+Inf\"}", count);
        let seconds = self.microseconds.load(Ordering::Relaxed) as f64 / 1e6;
        page.value("http_request_seconds_sum", "", seconds);
        page.value("http_request_seconds_count", "", count);
    }
}

#[derive(Default)]
struct Page(String);

// A string takes whatever is written.
impl Page {
    fn head(&mut self, name: &str, kind: &str, help: &str) {
        let _ = write!(self.0, "# HELP taflbase_{name} {help}\n# TYPE taflbase_{name} {kind}\n");
    }

    fn value(&mut self, name: &str, labels: &str, value: impl fmt::Display) {
        let _ = writeln!(self.0, "taflbase_{name}{labels} {value}");
    }
}
