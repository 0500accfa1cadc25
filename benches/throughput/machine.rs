//! What machine this is, in a line.

/// Processor, cores, memory and system.
pub(crate) fn describe() -> String {
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
    format!(
        "{}, {cores} cores, {:.0} GiB, Linux {}",
        field(&read("/proc/cpuinfo"), "model name"),
        kilobytes / 1024.0 / 1024.0,
        read("/proc/sys/kernel/osrelease").trim()
    )
}
