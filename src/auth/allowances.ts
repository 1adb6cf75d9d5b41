import type { MaybePromise } from '../async/maybe-promise.ts'
import type { LimitStore } from '../store/limits.ts'
import { StorageError } from '../store/storage-error.ts'

/** A window of a limit: its name in the database, and its end in milliseconds since 1970. */
export type LimitWindow = { name: string; until: number }

/** `isShared`: other servers use the same database. `limit`: the units of an account in a window. */
type Deps = {
  store: Pick<LimitStore, 'draw' | 'addQuota' | 'quotaOf'>
  isShared: boolean
  limit: number
  currentWindow: () => LimitWindow
  /** A clock that is never set back, in milliseconds. */
  monotonic_ms: () => number
}

/**
 * The units of an account in the current window. `stored`: the units that all servers have drawn, as far as this server
 * knows. `free`: the units that this server has drawn but not used; negative if it has used more than it has drawn.
 * `reserved`: the units of requests that are not admitted yet.
 */
type Allowance = {
  window: LimitWindow
  stored: number
  free: number
  reserved: number
  /** No other server uses the database, or it cannot be written: units are counted here, and written by `flush`. */
  isLocal: boolean
  nextDraw_ms: number
  drawing: Promise<number> | null
}

type DrawAmount = { least: number; most: number }

/** A server draws at most this share of the remaining units, and at most this many. */
const drawnShare = 1 / 10
const drawnMax = 1000
/** If no unit remains, the server tries again after this time, because other servers return what they do not use. */
const emptyPause_ms = 1000

/**
 * Counts the units of a limit, by account. If several servers share the database, each draws several units at a time,
 * so that most requests do not need the database. It regularly returns the units that it has not used. All servers
 * together never draw more than the limit. Units that a killed server has drawn are lost for the window. A single
 * server reads the stored count once, and counts in memory.
 */
export class Allowances {
  readonly #deps: Deps
  readonly #allowances = new Map<string, Allowance>()

  constructor(deps: Deps) {
    this.#deps = deps
  }

  /**
   * Reserves a unit for a request, if one remains. Waits only if the server has to draw units. Returns a function that
   * ends the reservation. Call it before the unit is used, or when it is not used.
   */
  reserve(account_id: string): MaybePromise<() => void> {
    const allowance = this.#current(account_id)
    let isReserved = true
    const release = () => {
      if (isReserved) allowance.reserved--
      isReserved = false
    }
    allowance.reserved++
    if (!this.#mustDraw(allowance)) return release
    return this.#fill(account_id, allowance).then(
      () => release,
      (error: unknown) => {
        release()
        throw error
      },
    )
  }

  /** Draws this many units, all or none. Returns whether it has them, and counts them as used. */
  async take(account_id: string, units: number): Promise<boolean> {
    const allowance = this.#current(account_id)
    // While this waits, other requests draw and use units.
    while (this.#deps.monotonic_ms() >= allowance.nextDraw_ms) {
      const most = units + allowance.reserved - allowance.free
      if (most <= 0) break
      if (allowance.drawing) await allowance.drawing
      else {
        const least = Math.max(1, units - allowance.free)
        if ((await this.#startDraw(account_id, allowance, { least, most })) === 0) break
      }
    }
    if (!this.has(account_id, units)) return false
    this.add(account_id, units)
    return true
  }

  /** Whether so many units can be used without drawing. */
  has(account_id: string, units: number): boolean {
    const { free, stored, isLocal } = this.#current(account_id)
    return free >= units || (isLocal && stored - free + units <= this.#deps.limit)
  }

  /** Counts units as used, even if none remains. A negative number takes them back. */
  add(account_id: string, units: number): void {
    this.#current(account_id).free -= units
  }

  /** Returns the window, and the units that remain for all servers as far as this one knows. */
  remaining(account_id: string): { units: number; window: LimitWindow } {
    const { window, stored, free } = this.#current(account_id)
    return { units: Math.max(0, this.#deps.limit - stored + free), window }
  }

  /** Returns the units that are not used, and adds those that were used without being drawn. */
  async flush(): Promise<void> {
    const { name } = this.#deps.currentWindow()
    const changed = [...this.#allowances].filter(([account_id, { window, free, reserved, drawing }]) => {
      if (window.name !== name) this.#allowances.delete(account_id)
      return window.name === name && drawing === null && (free < 0 || free > reserved)
    })
    const rows = changed.map(([account_id, it]) => ({ account_id, window: name, units: it.reserved - it.free, it }))
    if (rows.length === 0) return
    // Returned units must not be used, even if the reply of the database is lost.
    for (const { it, units } of rows) addDrawn(it, Math.min(0, units))
    await this.#deps.store.addQuota(rows.map(({ it: _it, ...row }) => row))
    for (const { it, units } of rows) addDrawn(it, Math.max(0, units))
  }

  #current(account_id: string): Allowance {
    const window = this.#deps.currentWindow()
    const current = this.#allowances.get(account_id)
    if (current?.window.name === window.name) return current
    const fresh = {
      window,
      stored: 0,
      free: 0,
      reserved: 0,
      isLocal: !this.#deps.isShared,
      nextDraw_ms: -Infinity,
      drawing: null,
    }
    this.#allowances.set(account_id, fresh)
    return fresh
  }

  #mustDraw({ free, reserved, nextDraw_ms }: Allowance): boolean {
    return free < reserved && this.#deps.monotonic_ms() >= nextDraw_ms
  }

  async #fill(account_id: string, allowance: Allowance): Promise<void> {
    while (this.#mustDraw(allowance)) {
      const part = Math.ceil((this.#deps.limit - allowance.stored) * drawnShare)
      const most = Math.max(allowance.reserved - allowance.free, Math.min(part, drawnMax))
      const granted = await (allowance.drawing ?? this.#startDraw(account_id, allowance, { least: 1, most }))
      if (granted === 0)
        allowance.nextDraw_ms = Math.max(allowance.nextDraw_ms, this.#deps.monotonic_ms() + emptyPause_ms)
    }
  }

  /** Starts a draw. Call it only if no other one is in progress. Resolves with the number of its units. */
  #startDraw(account_id: string, allowance: Allowance, amount: DrawAmount): Promise<number> {
    allowance.drawing = this.#draw(account_id, allowance, amount).finally(() => (allowance.drawing = null))
    return allowance.drawing
  }

  /** Draws units from the database, and returns how many. */
  async #draw(account_id: string, allowance: Allowance, amount: DrawAmount): Promise<number> {
    const { store, isShared, limit, monotonic_ms } = this.#deps
    const window = allowance.window.name
    if (!isShared) return this.#countLocally(account_id, allowance, Infinity)
    try {
      const { granted, units } = await store.draw({ account_id, window, ...amount, limit })
      Object.assign(allowance, { stored: units, free: allowance.free + granted, isLocal: false })
      return granted
    } catch (error) {
      if (!(error instanceof StorageError && (error.reason === 'full' || error.reason === 'read_only'))) throw error
      return this.#countLocally(account_id, allowance, monotonic_ms() + emptyPause_ms)
    }
  }

  /** Reads the stored count, and counts in memory until the next draw. */
  async #countLocally(account_id: string, allowance: Allowance, nextDraw_ms: number): Promise<0> {
    const stored = await this.#deps.store.quotaOf(account_id, allowance.window.name)
    Object.assign(allowance, { stored, isLocal: true, nextDraw_ms })
    return 0
  }
}

/** Counts units as stored and as free. A negative number does the reverse. */
function addDrawn(allowance: Allowance, units: number): void {
  allowance.stored += units
  allowance.free += units
}
