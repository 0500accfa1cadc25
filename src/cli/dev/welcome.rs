//! What `dev` says once it listens: where, and lines to paste.

use std::io::Write;
use std::net::SocketAddr;

use crate::embedded::Cluster;

/// Prints the address, where things are, and grpcurl lines.
pub(super) fn print(address: SocketAddr, cluster: &Cluster) -> std::io::Result<()> {
    let mut out = std::io::stdout().lock();
    writeln!(
        out,
        "memory-lifecycle is listening on {address}, with Postgres {version} in {folder}

Try it with grpcurl:

  grpcurl -plaintext -d '{{\"memory_id\": \"first\", \"content\": \"Likes oat milk in coffee\"}}' \\
    {address} memorylifecycle.v1.MemoryStore/Remember
  grpcurl -plaintext -d '{{\"selector\": {{\"memory_id\": \"first\"}}}}' \\
    {address} memorylifecycle.v1.MemoryLifecycle/Preview
  grpcurl -plaintext -d '{{\"selector\": {{\"memory_id\": \"first\"}}, \"reason\": \"a try\"}}' \\
    {address} memorylifecycle.v1.MemoryLifecycle/Forget
  grpcurl -plaintext -d '{{\"memory_ids\": [\"first\"]}}' \\
    {address} memorylifecycle.v1.MemoryLifecycle/Restore
  grpcurl -plaintext -d '{{\"memory_id\": \"first\"}}' \\
    {address} memorylifecycle.v1.AuditLog/ListAuditRecords

With a token, as for a real server; whoever sends none is believed what its metadata says:

  TOKEN=$(memory-lifecycle dev mint-token --data-dir {folder} --agent support-bot)
  grpcurl -plaintext -H \"authorization: Bearer $TOKEN\" -d '{{}}' \\
    {address} memorylifecycle.v1.MemoryStore/ListMemories

The database: psql -h {socket} -p {port} -U {superuser} memory_lifecycle
Stop with Ctrl-C.",
        version = cluster.server_version(),
        folder = cluster.data_dir().display(),
        socket = cluster.socket_dir().display(),
        port = cluster.port(),
        superuser = cluster.superuser(),
    )?;
    out.flush()
}
