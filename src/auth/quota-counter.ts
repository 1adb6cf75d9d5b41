import type { MaybePromise } from '../async/maybe-promise.ts'
import type { LimitStore } from '../store/accounts/limits.ts'
import { StorageError } from '../store/storage-error.ts'

/** A time window of a limit: its start as in `QuotaRow`, and its end in milliseconds since 1970. */
export type LimitWindow = { start: string; end_ms: number }

/** `isShared`: other servers use the same database. `limit`: the units that an account may use in a window. */
type Deps = {
  store: Pick<LimitStore, 'allocate' | 'addQuota' | 'quotaOf'>
  isShared: boolean
  limit: number
  currentWindow: () => LimitWindow
  /** A clock that is never set back, in milliseconds. */
  monotonic_ms: () => number
}

/**
 * The units of an account in the current window. `stored`: the units in the database, which all servers have allocated
 * to themselves, as far as this server knows. `unused`: the units that this server has allocated and not used; negative
 * if it has used more. `reserved`: the units of requests that are not admitted yet.
 */
type AccountUnits = {
  window: LimitWindow
  stored: number
  unused: number
  reserved: number
  /** No other server uses the database, or it cannot be written: units are counted here, and written by `flush`. */
  isLocal: boolean
  nextAllocation_ms: number
  allocation: Promise<number> | null
}

type UnitRange = { min: number; max: number }

/** A server allocates at most this share of the remaining units to itself, and at most this many. */
const allocatedShare = 1 / 10
const allocatedMax = 1000
/** If no unit remains, the server tries again after this time, because other servers return what they do not use. */
const emptyPause_ms = 1000

/**
 * Counts the units of a limit, by account. If several servers share the database, each allocates several units to itself
 * at a time, so that most requests do not need the database. It regularly returns the units that it has not used. All
 * servers together never allocate more than the limit. The units of a killed server are lost for the window. A single
 * server reads the stored count once, and counts in memory.
 */
export class QuotaCounter {
  readonly #deps: Deps
  readonly #accounts = new Map<string, AccountUnits>()

  constructor(deps: Deps) {
    this.#deps = deps
  }

  /**
   * Reserves a unit for a request, if one remains. Waits only if the server must allocate units. Returns a function that
   * ends the reservation. Call it before the unit is used, or when it is not used.
   */
  reserve(account_id: string): MaybePromise<() => void> {
    const account = this.#current(account_id)
    let isReserved = true
    const release = () => {
      if (isReserved) account.reserved--
      isReserved = false
    }
    account.reserved++
    if (!this.#mustAllocate(account)) return release
    return this.#fill(account_id, account).then(
      () => {
        if (this.#current(account_id) === account) return release
        // The next window has begun.
        release()
        return this.reserve(account_id)
      },
      (error: unknown) => {
        release()
        throw error
      },
    )
  }

  /** Uses this many units, all or none, and allocates what is missing. Returns whether they were available. */
  async take(account_id: string, units: number): Promise<boolean> {
    const account = this.#current(account_id)
    // While this waits, other requests allocate and use units.
    while (this.#deps.monotonic_ms() >= account.nextAllocation_ms) {
      const max = units + account.reserved - account.unused
      if (max <= 0) break
      if (account.allocation) await account.allocation
      else {
        const min = Math.max(1, units - account.unused)
        if ((await this.#startAllocation(account_id, account, { min, max })) === 0) break
      }
    }
    // The next window may have begun.
    if (this.#current(account_id) !== account) return this.take(account_id, units)
    if (!this.has(account_id, units)) return false
    this.add(account_id, units)
    return true
  }

  /** Whether this many units can be used without an allocation. */
  has(account_id: string, units: number): boolean {
    const { unused, stored, isLocal } = this.#current(account_id)
    return unused >= units || (isLocal && stored - unused + units <= this.#deps.limit)
  }

  /** Counts units as used, even if none remains. A negative number takes them back. */
  add(account_id: string, units: number): void {
    this.#current(account_id).unused -= units
  }

  /** Returns the window, and the units that remain for all servers as far as this one knows. */
  remaining(account_id: string): { units: number; window: LimitWindow } {
    const { window, stored, unused } = this.#current(account_id)
    return { units: Math.max(0, this.#deps.limit - stored + unused), window }
  }

  /** Returns unused units to the database, and adds those that were used without an allocation. */
  async flush(): Promise<void> {
    const { start } = this.#deps.currentWindow()
    const changed = [...this.#accounts].filter(([account_id, { window, unused, reserved, allocation }]) => {
      if (window.start !== start) this.#accounts.delete(account_id)
      return window.start === start && allocation === null && (unused < 0 || unused > reserved)
    })
    const rows = changed.map(([account_id, it]) => ({
      account_id,
      window_start: start,
      units: it.reserved - it.unused,
      it,
    }))
    if (rows.length === 0) return
    // Returned units must not be used, even if the reply of the database is lost.
    for (const { it, units } of rows) addAllocated(it, Math.min(0, units))
    await this.#deps.store.addQuota(rows.map(({ it: _it, ...row }) => row))
    for (const { it, units } of rows) addAllocated(it, Math.max(0, units))
  }

  #current(account_id: string): AccountUnits {
    const window = this.#deps.currentWindow()
    const current = this.#accounts.get(account_id)
    if (current?.window.start === window.start) return current
    const fresh = {
      window,
      stored: 0,
      unused: 0,
      reserved: 0,
      isLocal: !this.#deps.isShared,
      nextAllocation_ms: -Infinity,
      allocation: null,
    }
    this.#accounts.set(account_id, fresh)
    return fresh
  }

  #mustAllocate({ unused, reserved, nextAllocation_ms }: AccountUnits): boolean {
    return unused < reserved && this.#deps.monotonic_ms() >= nextAllocation_ms
  }

  async #fill(account_id: string, account: AccountUnits): Promise<void> {
    while (this.#mustAllocate(account)) {
      const part = Math.ceil((this.#deps.limit - account.stored) * allocatedShare)
      const max = Math.max(account.reserved - account.unused, Math.min(part, allocatedMax))
      const granted = await (account.allocation ?? this.#startAllocation(account_id, account, { min: 1, max }))
      if (granted === 0)
        account.nextAllocation_ms = Math.max(account.nextAllocation_ms, this.#deps.monotonic_ms() + emptyPause_ms)
    }
  }

  /** Starts an allocation. Call it only if no other one is in progress. Resolves with the number of its units. */
  #startAllocation(account_id: string, account: AccountUnits, range: UnitRange): Promise<number> {
    account.allocation = this.#allocate(account_id, account, range).finally(() => (account.allocation = null))
    return account.allocation
  }

  /** Allocates units of the database to this server, and returns how many. */
  async #allocate(account_id: string, account: AccountUnits, range: UnitRange): Promise<number> {
    const { store, isShared, limit, monotonic_ms } = this.#deps
    const window_start = account.window.start
    if (!isShared) return this.#countLocally(account_id, account, Infinity)
    try {
      const { granted, units } = await store.allocate({ account_id, window_start, ...range, limit })
      Object.assign(account, { stored: units, unused: account.unused + granted, isLocal: false })
      return granted
    } catch (error) {
      if (!(error instanceof StorageError && (error.reason === 'full' || error.reason === 'read_only'))) throw error
      return this.#countLocally(account_id, account, monotonic_ms() + emptyPause_ms)
    }
  }

  /** Reads the stored count, and counts in memory until the next allocation. */
  async #countLocally(account_id: string, account: AccountUnits, nextAllocation_ms: number): Promise<0> {
    const stored = await this.#deps.store.quotaOf(account_id, account.window.start)
    Object.assign(account, { stored, isLocal: true, nextAllocation_ms })
    return 0
  }
}

/** Counts units as stored and as unused. A negative number does the reverse. */
function addAllocated(account: AccountUnits, units: number): void {
  account.stored += units
  account.unused += units
}
