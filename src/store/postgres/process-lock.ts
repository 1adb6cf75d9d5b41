import { noDeadline, runWithDeadline } from '../../async/deadline.ts'
import { StorageError } from '../storage-error.ts'
import type { Statements, Step } from '../sql.ts'
import type { PostgresPool, ProcessLock } from './postgres-pool.ts'

/** `FSTP` in ASCII: the advisory locks of processes. */
const lockClass = 0x46535450
const takeMax_ms = 2000
const ping_ms = 500
/** The lock is kept for a while after its last use, so that a run does not connect again for each location. */
const idle_ms = 5000
/** When a machine is lost, nobody closes its connections. The database then ends them after about this time. */
const lostMachine_ms = 5000

/**
 * Creates the lock of this process. It belongs to a transaction on a connection of its own, `pool`, which the operating
 * system closes when the process ends. It connects on first use.
 */
export function createProcessLock(pool: PostgresPool): ProcessLock {
  const owner = crypto.randomUUID()
  const holders = new Set<string>()
  let lastUse_ms = 0
  let held: Promise<void> | null = null
  return {
    owner,
    hold(holder) {
      holders.add(holder)
      lastUse_ms = performance.now()
      const lock = (held ??= take())
      return runWithDeadline(
        takeMax_ms,
        noDeadline.signal,
        () => lock,
        () => new StorageError('unavailable'),
      )
    },
    release: (holder) => void holders.delete(holder),
    hasEnded,
    close: () => pool.close(),
  }

  function take(): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const forget = () => {
      if (held === promise) held = null
    }
    const transaction = pool.transaction(async (query) => {
      await query(takeLock, owner, String(lostMachine_ms))
      resolve()
      while (holders.size > 0 || performance.now() < lastUse_ms + idle_ms) {
        await Bun.sleep(ping_ms)
        await query('SELECT 1')
      }
      forget()
    })
    transaction.catch((error: unknown) => {
      forget()
      reject(error)
    })
    return promise
  }
}

const takeLock = `SELECT pg_advisory_xact_lock(${lockClass}, hashtext($1)), set_config('tcp_user_timeout', $2, true),
  set_config('tcp_keepalives_idle', '2', true), set_config('tcp_keepalives_interval', '1', true)`

function* hasEnded(sql: Statements, owner: string): Step<boolean> {
  const ended = `SELECT pg_try_advisory_xact_lock_shared(${lockClass}, hashtext($owner)) AS has_ended`
  return (yield* sql.get<{ has_ended: boolean }>(ended, { owner }))!.has_ended
}
