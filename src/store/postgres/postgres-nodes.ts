import { nodeTtl_ms, type NodeStore, type StoredNode } from '../nodes.ts'
import { clock_ms, type PostgresPools, type PostgresQuery, withIntegers } from './postgres-pool.ts'

/** Creates the node store on PostgreSQL. */
export function createPostgresNodeStore({ quick: { query } }: PostgresPools): NodeStore {
  return {
    async refresh({ id, host, pid, version, started_at }) {
      await query(
        `INSERT INTO nodes (id, host, pid, version, started_at, seen_at, access_epoch)
         SELECT $1, $2, $3::int, $4, $5::bigint, ${clock_ms}, epoch FROM access_epoch
         ON CONFLICT (id) DO UPDATE SET host = excluded.host, pid = excluded.pid, version = excluded.version,
           started_at = excluded.started_at, seen_at = excluded.seen_at, access_epoch = excluded.access_epoch`,
        id,
        host,
        pid,
        version,
        started_at,
      )
      await query(`DELETE FROM nodes WHERE seen_at < ${clock_ms} - ${nodeTtl_ms}`)
    },
    list: () => listPostgresNodes(query),
    async remove(id) {
      await query('DELETE FROM nodes WHERE id = $1', id)
    },
  }
}

/** Lists the nodes of a database. */
export async function listPostgresNodes(query: PostgresQuery): Promise<StoredNode[]> {
  const rows = await query<StoredNode>(
    `SELECT n.id, host, pid, version, n.started_at, greatest(0, ${clock_ms} - seen_at)::float8 / 1000 AS last_seen_s,
       count(r.number) AS runs, count(l.run) AS leases, a.epoch - access_epoch AS revocations_behind
     FROM nodes n CROSS JOIN access_epoch a LEFT JOIN run_epochs e ON e.node = n.id
       LEFT JOIN runs r ON r.epoch = e.epoch AND r.status IN ('queued', 'running')
       LEFT JOIN run_leases l ON l.run = r.number AND l.epoch = r.epoch AND l.until > ${clock_ms}
     WHERE seen_at >= ${clock_ms} - ${nodeTtl_ms}
     GROUP BY n.id, a.epoch ORDER BY n.started_at, n.id`,
  )
  return rows.map((row) => withIntegers(row, 'started_at', 'runs', 'leases', 'revocations_behind'))
}
