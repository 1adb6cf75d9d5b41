import type { Database } from 'bun:sqlite'
import { nodeTtl_ms, type NodeStore, type StoredNode, type RunningNode } from '../nodes.ts'
import type { SqliteTransactions } from './transactions.ts'

/** The clock of the machine in a statement, in milliseconds since 1970. */
export const machineClock_ms = "CAST(unixepoch('subsec') * 1000 AS INTEGER)"

/** Creates the node store. All statements are prepared once. */
export function createNodeStore({ db, read, write }: SqliteTransactions): NodeStore {
  const refresh = db.query<unknown, [RunningNode]>(
    `INSERT OR REPLACE INTO nodes (id, host, pid, version, started_at, seen_at, access_epoch)
     SELECT $id, $host, $pid, $version, $started_at, ${machineClock_ms}, epoch FROM access_epoch`,
  )
  const deleteLost = db.query(`DELETE FROM nodes WHERE seen_at < ${machineClock_ms} - ${nodeTtl_ms}`)
  const remove = db.query('DELETE FROM nodes WHERE id = ?')
  return {
    refresh: (node) =>
      write(() => {
        refresh.run(node)
        deleteLost.run()
      }),
    list: () => read(() => listSqliteNodes(db)),
    remove: (id) => write(() => void remove.run(id)),
  }
}

/** Lists the nodes of a `state.db`. */
export function listSqliteNodes(db: Database): StoredNode[] {
  return db
    .query<StoredNode, []>(
      `SELECT n.id, host, pid, version, n.started_at, max(0, ${machineClock_ms} - seen_at) / 1000.0 AS last_seen_s,
         count(r.number) AS runs, count(r.number) AS leases, a.epoch - access_epoch AS revocations_behind
       FROM nodes n CROSS JOIN access_epoch a LEFT JOIN run_epochs e ON e.node = n.id
         LEFT JOIN runs r ON r.epoch = e.epoch AND r.status IN ('queued', 'running')
       WHERE seen_at >= ${machineClock_ms} - ${nodeTtl_ms}
       GROUP BY n.id ORDER BY n.started_at, n.id`,
    )
    .all()
}
