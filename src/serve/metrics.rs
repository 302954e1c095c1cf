use std::collections::BTreeMap;
use std::fmt::{self, Write};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// Upper bounds of the histogram's buckets, in microseconds.
const BOUNDS: [u64; 12] =
    [100, 250, 500, 1_000, 2_500, 5_000, 10_000, 25_000, 100_000, 500_000, 2_000_000, 10_000_000];

/// Counters since the start of the server.
#[derive(Default)]
pub(super) struct Metrics {
    requests: Mutex<BTreeMap<(String, u16), u64>>,
    buckets: [AtomicU64; BOUNDS.len()],
    count: AtomicU64,
    microseconds: AtomicU64,
    in_flight: AtomicU64,
    shed: AtomicU64,
}

/// A snapshot of the numbers counted outside of [`Metrics`].
pub(super) struct Gauges {
    pub(super) log_lines_dropped: u64,
    pub(super) cache_hits: u64,
    pub(super) cache_misses: u64,
    pub(super) cache_bytes: u64,
    pub(super) tables_open: u64,
    pub(super) stores_open: u64,
}

/// A request in flight, until it is dropped.
pub(super) struct InFlight<'a>(&'a AtomicU64);

impl Drop for InFlight<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Metrics {
    /// Counts a request as in flight until the guard is dropped.
    pub(super) fn enter(&self) -> InFlight<'_> {
        self.in_flight.fetch_add(1, Ordering::Relaxed);
        InFlight(&self.in_flight)
    }

    /// Counts a response.
    pub(super) fn answered(&self, route: &str, status: u16, took: Duration) {
        let mut requests = self.requests.lock().unwrap_or_else(PoisonError::into_inner);
        *requests.entry((route.to_owned(), status)).or_default() += 1;
        drop(requests);
        let micros = u64::try_from(took.as_micros()).unwrap_or(u64::MAX);
        if let Some(bucket) = BOUNDS.iter().position(|&bound| micros <= bound) {
            self.buckets[bucket].fetch_add(1, Ordering::Relaxed);
        }
        self.count.fetch_add(1, Ordering::Relaxed);
        self.microseconds.fetch_add(micros, Ordering::Relaxed);
    }

    /// Counts a request or connection refused because of overload.
    pub(super) fn shed(&self) {
        self.shed.fetch_add(1, Ordering::Relaxed);
    }

    /// Writes all metrics in the Prometheus text format.
    pub(super) fn text(&self, gauges: &Gauges) -> String {
        let mut page = PrometheusText::default();
        let requests = self.requests.lock().unwrap_or_else(PoisonError::into_inner).clone();
        page.head("http_requests_total", "counter", "Requests by route and status.");
        for ((route, status), count) in requests {
            let labels = format!("{{route=\"{route}\",status=\"{status}\"}}");
            page.value("http_requests_total", &labels, count);
        }
        self.histogram(&mut page);
        let in_flight = self.in_flight.load(Ordering::Relaxed);
        let shed = self.shed.load(Ordering::Relaxed);
        let rest = [
            ("http_in_flight", "gauge", "Requests being answered.", in_flight),
            ("http_shed_total", "counter", "Requests and connections refused.", shed),
            (
                "log_lines_dropped_total",
                "counter",
                "Lines of the log dropped.",
                gauges.log_lines_dropped,
            ),
            ("cache_hits_total", "counter", "Blocks found in the cache.", gauges.cache_hits),
            ("cache_misses_total", "counter", "Blocks decoded.", gauges.cache_misses),
            ("cache_bytes", "gauge", "Memory of cached blocks.", gauges.cache_bytes),
            ("tables_open", "gauge", "Tables that are open.", gauges.tables_open),
            ("stores_open", "gauge", "Proof stores in memory.", gauges.stores_open),
        ];
        for (name, kind, help, value) in rest {
            page.head(name, kind, help);
            page.value(name, "", value);
        }
        page.head("build_info", "gauge", "The version of the program.");
        page.value("build_info", concat!("{version=\"", env!("CARGO_PKG_VERSION"), "\"}"), 1);
        page.0
    }

    fn histogram(&self, page: &mut PrometheusText) {
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
struct PrometheusText(String);

// Writing to a string cannot fail.
impl PrometheusText {
    fn head(&mut self, name: &str, kind: &str, help: &str) {
        let _ = write!(self.0, "# HELP taflbase_{name} {help}\n# TYPE taflbase_{name} {kind}\n");
    }

    fn value(&mut self, name: &str, labels: &str, value: impl fmt::Display) {
        let _ = writeln!(self.0, "taflbase_{name}{labels} {value}");
    }
}
