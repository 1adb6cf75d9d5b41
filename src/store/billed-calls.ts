import { abortable } from '../async/deadline.ts'
import { UpstreamError } from '../model/error.ts'
import { checkedText, withChecksum } from './checked-text.ts'
import { maxClockCorrection_ms } from './geocodes.ts'
import type { Sql, SqlPools, Statements, Step } from './sql.ts'
import { StorageError } from './storage-error.ts'

/** An answer to a billed call as JSON. Times are milliseconds since 1970. */
type BilledAnswer = { answer: string; cached_at: number; fresh_until: number }

/** The billed calls in progress and their answers, which all processes that use the state share. */
export type BilledCallStore = {
  /** Finds the answer to a call if it is fresh. Ignores damaged rows and rows from the future, like the geocode store. */
  find(key: string, now: number): Promise<BilledAnswer | null>
  /**
   * Claims a call for a time, or renews the claim of this claimant. Returns false while another one has a claim. The
   * clock of the database decides. If the time has passed, the claim ends when its process has ended, or
   * `stalledClaim_ms` later.
   */
  claim(key: string, claimant: string, duration_ms: number): Promise<boolean>
  /** Ends the claim of a claimant. */
  release(key: string, claimant: string): Promise<void>
  /** Stores the answer to a call. */
  put(key: string, answer: BilledAnswer): Promise<void>
  /** Deletes the calls whose answers and claims expired before a time. */
  sweep(before: number): Promise<void>
}

/** How long a claim lasts after its last renewal if its process has ended. Then another one makes the call. */
const claim_ms = 1500
/** How much longer a claim lasts if its process has not ended, such as one that is suspended. */
export const stalledClaim_ms = 60_000

const renewal_ms = 500
const poll_ms = 100

/** The answer of a call, and for how long it is stored. If `ttl_s` is 0, it is not stored. */
type CallAnswer<T> = { answer: T; ttl_s: number }

/** The answer of a call, and whether the call was made here. */
export type CallResult<T> = { answer: T; cached_at: number; fresh_until: number; isNew: boolean }

/**
 * Makes a billed call, or returns the answer of another process that has made it. If another process is making the
 * call, waits for its answer. If the storage fails before the call, rejects with `source_suspended` and does not call.
 */
export type CallOnce = <T>(
  key: string,
  signal: AbortSignal,
  call: () => Promise<CallAnswer<T>>,
) => Promise<CallResult<T>>

/** Creates `CallOnce` on the store. The caller joins equal calls of one process, such as with a single flight. */
export function createCallOnce(store: BilledCallStore, now: () => Date): CallOnce {
  return async <T>(key: string, signal: AbortSignal, call: () => Promise<CallAnswer<T>>) => {
    const claimant = crypto.randomUUID()
    for (;;) {
      const found = await find<T>(key)
      if (found) return found
      if (await claim(key, claimant)) break
      await abortable(Bun.sleep(poll_ms), signal)
    }
    let renewed: Promise<unknown> = Promise.resolve()
    const renewal = setInterval(() => {
      renewed = store.claim(key, claimant, claim_ms).catch(() => {})
    }, renewal_ms)
    try {
      // Another process may have stored its answer between the search and the claim.
      return (await find<T>(key)) ?? (await callAndStore(key, call))
    } finally {
      clearInterval(renewal)
      await renewed
      await release(key, claimant)
    }
  }

  async function claim(key: string, claimant: string): Promise<boolean> {
    try {
      return await translateStorageError(store.claim(key, claimant, claim_ms))
    } catch (error) {
      // The claim may be stored although its answer was lost.
      void release(key, claimant)
      throw error
    }
  }

  /** Ends a claim. While the storage fails, tries again later, because this process may live longer than the claim. */
  async function release(key: string, claimant: string, tries = stalledClaim_ms / renewal_ms): Promise<void> {
    try {
      await store.release(key, claimant)
    } catch {
      if (tries > 1) setTimeout(() => void release(key, claimant, tries - 1), renewal_ms).unref()
    }
  }

  async function find<T>(key: string) {
    const found = await translateStorageError(store.find(key, now().getTime()))
    return found && { ...found, answer: JSON.parse(found.answer) as T, isNew: false }
  }

  async function callAndStore<T>(key: string, call: () => Promise<CallAnswer<T>>): Promise<CallResult<T>> {
    const result = newCallResult(await call(), now())
    const { answer, cached_at, fresh_until } = result
    if (fresh_until > cached_at)
      await store
        .put(key, { answer: JSON.stringify(answer ?? null), cached_at, fresh_until })
        .catch((error: unknown) => {
          // The answer is paid for, so it is used even if it cannot be stored.
          if (!(error instanceof StorageError)) throw error
        })
    return result
  }
}

/** The result of a call that was made here at this time. */
export function newCallResult<T>({ answer, ttl_s }: CallAnswer<T>, time: Date): CallResult<T> {
  const cached_at = time.getTime()
  return { answer, cached_at, fresh_until: cached_at + 1000 * ttl_s, isNew: true }
}

async function translateStorageError<T>(work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (cause) {
    if (!(cause instanceof StorageError)) throw cause
    throw new UpstreamError('source_suspended', 'Cannot record a billed call, so it was not made. Try again later.', {
      cause,
    })
  }
}

/** The process that claims calls, and what it knows about the others that use the database. */
export type ClaimingProcess = {
  /** The name of this process. A lease begins with the name of its process. */
  readonly owner: string
  /** Shows the others that this process has not ended, even while it is suspended, until it releases the lease. */
  hold(lease: string): Promise<void>
  release(lease: string): void
  /** Returns whether the process with this name has ended. */
  hasEnded(sql: Statements, owner: string): Step<boolean>
}

/** Creates the store of billed calls. */
export function createBilledCalls({ quick, work }: SqlPools, claiming: ClaimingProcess): BilledCallStore {
  const leaseOf = (claimant: string) => `${claiming.owner} ${claimant}`
  return {
    async find(key, now) {
      const values = { key, now, latest: now + maxClockCorrection_ms }
      const found = await quick.get<BilledAnswer>(findAnswer, values)
      const answer = found && checkedText(found.answer, key, found.cached_at, found.fresh_until)
      return found && answer !== null ? { ...found, answer } : null
    },
    async claim(key, claimant, duration_ms) {
      const lease = leaseOf(claimant)
      let isClaimed = false
      try {
        await claiming.hold(lease)
        isClaimed = await quick.write((sql) => claimCall(sql, { key, lease, duration_ms }, claiming))
      } finally {
        if (!isClaimed) claiming.release(lease)
      }
      return isClaimed
    },
    async release(key, claimant) {
      const lease = leaseOf(claimant)
      claiming.release(lease)
      await quick.run('UPDATE billed_calls SET claimed_until = 0 WHERE key = $key AND lease = $lease', { key, lease })
    },
    async put(key, { answer, cached_at, fresh_until }) {
      const checked = withChecksum(answer, key, cached_at, fresh_until)
      await quick.run(putAnswer, { key, answer: checked, cached_at, fresh_until })
    },
    sweep: (before) => deleteExpiredCalls(work, before),
  }
}

const findAnswer = `SELECT answer, cached_at, fresh_until FROM billed_calls
  WHERE key = $key AND fresh_until > $now AND cached_at <= $latest`
const putAnswer = `INSERT INTO billed_calls (key, answer, cached_at, fresh_until)
  VALUES ($key, $answer, $cached_at, $fresh_until)
  ON CONFLICT (key) DO UPDATE SET answer = excluded.answer, cached_at = excluded.cached_at,
    fresh_until = excluded.fresh_until`

type Claim = { key: string; lease: string; duration_ms: number }

function* claimCall(sql: Statements, { key, lease, duration_ms }: Claim, { hasEnded }: ClaimingProcess) {
  const { clock_ms } = sql.dialect
  const expired = yield* sql.get<{ lease: string }>(
    `SELECT lease FROM billed_calls WHERE key = $key AND lease <> $lease AND claimed_until <= ${clock_ms}
     AND claimed_until > ${clock_ms} - ${stalledClaim_ms}`,
    { key, lease },
  )
  if (expired && !(yield* hasEnded(sql, expired.lease.split(' ')[0]!))) return false
  const claimed = yield* sql.run(
    `INSERT INTO billed_calls (key, lease, claimed_until)
     VALUES ($key, $lease, ${clock_ms} + CAST($duration_ms AS bigint))
     ON CONFLICT (key) DO UPDATE SET lease = excluded.lease, claimed_until = excluded.claimed_until
     WHERE billed_calls.lease = excluded.lease OR billed_calls.claimed_until <= ${clock_ms}`,
    { key, lease, duration_ms },
  )
  return claimed > 0
}

/** Rows that a sweep reads at a time. All of them together would block the thread of SQLite. */
const batch_rows = 200

async function deleteExpiredCalls(work: Sql, before: number): Promise<void> {
  const isExpired = 'fresh_until < $before AND claimed_until < $before'
  const listBatch = `SELECT key, ${isExpired} AS is_expired FROM billed_calls WHERE key > $after
    ORDER BY key LIMIT ${batch_rows}`
  const deleteBatch = `DELETE FROM billed_calls WHERE key > $after AND key <= $last AND ${isExpired}`
  for (let after = ''; ; await Bun.sleep(0)) {
    const keys = await work.all<{ key: string; is_expired: boolean | 0 | 1 }>(listBatch, { after, before })
    const last = keys.at(-1)?.key ?? after
    if (keys.some(({ is_expired }) => is_expired)) await work.run(deleteBatch, { after, last, before })
    if (keys.length < batch_rows) return
    after = last
  }
}
