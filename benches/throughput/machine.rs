//! What machine this is, in a line.

use std::io::Write;
use std::path::Path;
use std::time::Instant;

/// Processor, cores, memory, system, and how long its disk takes to keep 8 KiB for good.
pub(crate) fn describe(folder: &Path) -> String {
    let read = |path: &str| std::fs::read_to_string(path).unwrap_or_default();
    let field = |text: &str, name: &str| {
        text.lines()
            .find(|line| line.starts_with(name))
            .and_then(|line| line.split(':').nth(1))
            .map(|value| value.trim().to_owned())
            .unwrap_or_default()
    };
    let cores = std::thread::available_parallelism().map_or(0, std::num::NonZero::get);
    let memory = field(&read("/proc/meminfo"), "MemTotal");
    let kilobytes: f64 = memory.split(' ').next().and_then(|number| number.parse().ok()).unwrap_or(0.0);
    let release = read("/proc/sys/kernel/osrelease");
    let release: Vec<&str> = release.split('.').take(2).collect();
    format!(
        "{}, {cores} cores, {:.0} GiB, Linux {}, a write of 8 KiB with fdatasync {:.2} ms",
        field(&read("/proc/cpuinfo"), "model name"),
        kilobytes / 1024.0 / 1024.0,
        release.join("."),
        sync_ms(folder)
    )
}

/// The median of some writes to the disk that Postgres is on.
fn sync_ms(folder: &Path) -> f64 {
    let mut file = tempfile::tempfile_in(folder).expect("a file beside Postgres' data");
    let mut times: Vec<f64> = (0..201)
        .map(|_| {
            let begun = Instant::now();
            file.write_all(&[7; 8192]).and_then(|()| file.sync_data()).expect("a write");
            begun.elapsed().as_secs_f64() * 1000.0
        })
        .collect();
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}
