import type { Sql, SqlPools } from './sql.ts'

/** A node: a server process that uses the state. `started_at` is milliseconds since 1970 by its own clock. */
export type RunningNode = { id: string; host: string; pid: number; version: string; started_at: number }

/** A node as the database knows it. */
export type StoredNode = RunningNode & {
  /** Seconds since its last heartbeat, by the clock of the database. */
  last_seen_s: number
  /** Its unfinished runs: those that its worker has taken and that no other worker has taken over. */
  runs: number
  /** How many of these runs no other node may take over now. */
  leases: number
  /** How often tokens were revoked since its last heartbeat. */
  revocations_behind: number
}

/** The nodes of the state. A node without a heartbeat for five minutes is deleted. */
export type NodeStore = {
  /** Records a heartbeat of a node, and deletes the nodes without one. */
  refresh(node: RunningNode): Promise<void>
  /** Returns the nodes in the order of their start. */
  list(): Promise<StoredNode[]>
  /** Deletes a node that stops. */
  remove(id: string): Promise<void>
}

/** A node without a heartbeat for this long is deleted. */
const nodeTtl_ms = 5 * 60_000

/** Creates the node store. */
export function createNodeStore({ quick }: SqlPools): NodeStore {
  const { clock_ms } = quick.dialect
  const refresh = `INSERT INTO nodes (id, host, pid, version, started_at, seen_at, access_epoch)
    VALUES ($id, $host, $pid, $version, $started_at, ${clock_ms}, (SELECT epoch FROM access_epoch))
    ON CONFLICT (id) DO UPDATE SET host = excluded.host, pid = excluded.pid, version = excluded.version,
      started_at = excluded.started_at, seen_at = excluded.seen_at, access_epoch = excluded.access_epoch`
  return {
    refresh: (node) =>
      quick.write(function* (sql) {
        yield* sql.run(refresh, node)
        yield* sql.run(`DELETE FROM nodes WHERE seen_at < ${clock_ms} - ${nodeTtl_ms}`)
      }),
    list: () => listNodes(quick),
    async remove(id) {
      await quick.run('DELETE FROM nodes WHERE id = $id', { id })
    },
  }
}

/** Lists the nodes of a database. */
export function listNodes({ dialect, all }: Pick<Sql, 'dialect' | 'all'>): Promise<StoredNode[]> {
  const { clock_ms, leaseOfRun } = dialect
  const age_ms = `${clock_ms} - n.seen_at`
  return all(
    `SELECT n.id, n.host, n.pid, n.version, n.started_at,
       CAST(CASE WHEN ${age_ms} > 0 THEN ${age_ms} ELSE 0 END AS double precision) / 1000 AS last_seen_s,
       count(r.number) AS runs, count(${leaseOfRun}) AS leases,
       (SELECT epoch FROM access_epoch) - n.access_epoch AS revocations_behind
     FROM nodes n LEFT JOIN run_epochs e ON e.node = n.id
       LEFT JOIN runs r ON r.epoch = e.epoch AND r.status IN ('queued', 'running')
     WHERE n.seen_at >= ${clock_ms} - ${nodeTtl_ms}
     GROUP BY n.id ORDER BY n.started_at, n.id`,
  )
}
