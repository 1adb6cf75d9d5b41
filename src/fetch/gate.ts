import { ApiError } from '../model/error.ts'
import type { Budget } from '../model/source.ts'
import { standIn, type Line } from './line.ts'
import { openLoopTurn } from '../model/loop-turn.ts'

const retryAfter_s = 1

/** The patient (the runs) hold no more than this part of the places. */
const patientPart = 1 / 4

/** This part of the places is kept from each account while others are about, so that one whose sources hang does not hold them all. */
const keptPart = 1 / 4
/** So long after its last request an account is about. */
const about_ms = 10_000

/** So much work is begun before the loop turns: what has come meanwhile is read then. */
const slice_ms = 15

/** One account's way through the gate. */
export type Entrance = {
  /**
   * Runs the work inside the gate. Throws `fetch_busy` at once when the queue is full; a caller who goes away gives up the place.
   * The patient are never turned away: they wait behind everybody else, in a queue of their own that has no end.
   */
  through<T>(work: () => Promise<T>, budget: Budget, how?: { patient: true }): Promise<T>
}

/**
 * The admission gate: so many locations in work, so many waiting; whoever comes after that is turned away at once. An account that is alone
 * has all of it. Where several wait, the next place goes to the one that holds the fewest, and when the queue is full, the account with the
 * most in it gives up its newest to one that has fewer. The gate's own `through` is the entrance of the house itself.
 */
export type Gate = Entrance & {
  of(account: string): Entrance
  occupancy(): { working: number; waiting: number }
  /** How many were turned away, at once or when their time was up. */
  refused(): number
  /** For how long nobody but the patient has come. */
  quiet_ms(): number
}

/** `served`: which entry of all was its last; 0 before the first. */
type Guest = { working: number; waiting: Line; served: number; came_ms: number }

/** `passed` is told of each piece of work that is done. */
export function openGate(concurrency: number, queue: number, passed: () => void = () => {}): Gate {
  let working = 0
  let entered = 0
  let refused = 0
  let patientWorking = 0
  let came_ms = -Infinity
  const patientMax = Math.max(1, Math.floor(concurrency * patientPart))
  const shareMax = concurrency - Math.floor(concurrency * keptPart)
  const loopTurn = openLoopTurn(slice_ms)
  const patient: Line = []
  const guests = new Map<string, Guest>()
  return {
    ...entranceOf(''),
    of: entranceOf,
    occupancy: () => ({ working, waiting: waiting() }),
    refused: () => refused,
    quiet_ms: () => performance.now() - came_ms,
  }

  function entranceOf(account: string): Entrance {
    return {
      async through(work, budget, how) {
        const guest = how ? null : guestOf(account)
        const wait = guest ? turn(guest, budget) : patientTurn(budget)
        if (wait) await wait
        try {
          for (let over = loopTurn(); over; over = loopTurn()) await over
          budget.signal.throwIfAborted()
          return await work()
        } finally {
          working--
          if (guest) guest.working--
          else patientWorking--
          callNext()
          passed()
        }
      },
    }
  }

  function guestOf(account: string): Guest {
    came_ms = performance.now()
    const known = guests.get(account)
    if (known) {
      known.came_ms = came_ms
      return known
    }
    for (const [name, guest] of guests) if (guest.working === 0 && guest.waiting.length === 0 && !isAbout(guest)) guests.delete(name)
    const guest = { working: 0, waiting: [], served: 0, came_ms }
    guests.set(account, guest)
    return guest
  }

  /** Null when there is a place at once. */
  function turn(guest: Guest, budget: Budget): Promise<void> | null {
    if (guest.waiting.length === 0 && mayEnter(guest)) {
      enter(guest)
      return null
    }
    budget.signal.throwIfAborted()
    if (waiting() >= queue) makeRoomFor(guest)
    return standIn(guest.waiting, budget, late)
  }

  function patientTurn(budget: Budget): Promise<void> | null {
    budget.signal.throwIfAborted()
    if (!mayEnterPatiently()) return standIn(patient, budget, late)
    enterPatiently()
    return null
  }

  /** The newest of the account that has the most waiting goes, where one more of this guest's would still be fewer. */
  function makeRoomFor(guest: Guest): void {
    refused++
    const longest = guests.values().reduce((most, it) => (it.waiting.length > most.waiting.length ? it : most), guest)
    const full = busy('All places are taken and the queue is full: try again in a moment.')
    if (longest.waiting.length <= guest.waiting.length + 1) throw full
    longest.waiting.at(-1)!.refuse(full)
  }

  function callNext(): void {
    for (let next = mostEntitled(); next; next = mostEntitled()) {
      enter(next)
      next.waiting[0]!.begin()
    }
    if (patient.length === 0 || !mayEnterPatiently()) return
    enterPatiently()
    patient[0]!.begin()
  }

  /** Of those who may come in the one that holds the fewest places; of several the one that was not served for longest. */
  function mostEntitled(): Guest | null {
    let best: Guest | null = null
    for (const guest of guests.values()) {
      if (guest.waiting.length > 0 && mayEnter(guest) && (!best || goesBefore(guest, best))) best = guest
    }
    return best
  }

  function waiting(): number {
    return guests.values().reduce((sum, guest) => sum + guest.waiting.length, 0)
  }

  function mayEnter(guest: Guest): boolean {
    return working < concurrency && (guest.working < shareMax || !guests.values().some((other) => other !== guest && isAbout(other)))
  }

  function isAbout(guest: Guest): boolean {
    return performance.now() - guest.came_ms < about_ms
  }

  function enter(guest: Guest): void {
    working++
    guest.working++
    guest.served = ++entered
  }

  function late(): ApiError {
    refused++
    return busy('No place became free in time: try again in a moment.')
  }

  function mayEnterPatiently(): boolean {
    return waiting() === 0 && working < concurrency && patientWorking < patientMax
  }

  function enterPatiently(): void {
    working++
    patientWorking++
  }
}

function busy(message: string): ApiError {
  return new ApiError('fetch_busy', message, { retry_after_s: retryAfter_s })
}

function goesBefore(one: Guest, other: Guest): boolean {
  return one.working === other.working ? one.served < other.served : one.working < other.working
}
