import { UpstreamError } from '../model/error.ts'
import { type HostFailure, type HostHealth, type HttpClientLog, formatTimeAfter, type Clock } from './call.ts'
import { isHostError, isRejectedLocally } from './upstream-errors.ts'
import { createHostMap } from './host-map.ts'
import { createSlidingWindow, type SlidingWindow } from './sliding-window.ts'

const errorsToOpen = 5
const openDurations_s = [5, 10, 20, 30]
const jitter = 0.2

/** A circuit breaker: blocks calls to a failing host, and probes the host from time to time with a single call. */
export type Breaker = {
  /** Throws `source_suspended` while calls to the host are blocked. */
  throwIfOpen(host: string): void
  /** Runs the work, as a probe if one is due, and records its result. Throws `source_suspended` like `throwIfOpen`. */
  run<T>(host: string, work: () => Promise<T>): Promise<T>
  /**
   * How many concurrent calls the host may have. After errors, only as many as are still needed to open the circuit.
   */
  concurrencyLimit(host: string): number
  stateOf(host: string): HostHealth['circuit'] | null
  /** What the last call to the host failed with; null after a success, and before the first call. */
  failureOf(host: string): HostFailure | null
}

/** Creates a breaker. A circuit opens and closes by the calls of the last minute to its host, and logs both. */
export function createBreaker(clock: Clock, random: () => number, log?: HttpClientLog): Breaker {
  const circuits = createHostMap((host) => new Circuit(host, { clock, random, log }))
  return {
    throwIfOpen: (host) => circuits.getOrCreate(host).throwIfOpen(),
    async run(host, work) {
      const circuit = circuits.getOrCreate(host)
      const recordResult = circuit.beginCall()
      try {
        const answer = await work()
        circuit.recordSuccess()
        recordResult('success')
        return answer
      } catch (error) {
        const result = callResultOf(error)
        if (result === 'error') circuit.recordError(error as UpstreamError)
        if (result === 'success') circuit.recordSuccess()
        recordResult(result)
        throw error
      }
    },
    concurrencyLimit: (host) => circuits.find(host)?.concurrencyLimit() ?? Infinity,
    stateOf: (host) => circuits.find(host)?.kind ?? null,
    failureOf: (host) => circuits.find(host)?.failure ?? null,
  }
}

type CircuitState =
  { kind: 'closed' } | { kind: 'open'; probes: number; nextProbeAt_ms: number } | { kind: 'half_open'; probes: number }
type CircuitDeps = { clock: Clock; random: () => number; log: HttpClientLog | undefined }

/** The circuit of one host. At most one probe is in progress, and only while the circuit is half open. */
class Circuit {
  readonly #host: string
  readonly #deps: CircuitDeps
  readonly #window: SlidingWindow<'error' | 'success'>
  #state: CircuitState = { kind: 'closed' }
  #lastError: { error: string; since: Date } | null = null
  /** How often the circuit opened. Results of calls from an earlier generation are ignored. */
  #generation = 0

  constructor(host: string, deps: CircuitDeps) {
    this.#host = host
    this.#deps = deps
    this.#window = createSlidingWindow(deps.clock.monotonic_ms)
  }

  get kind(): CircuitState['kind'] {
    return this.#state.kind
  }

  get failure(): HostFailure | null {
    const { now, monotonic_ms } = this.#deps.clock
    if (!this.#lastError) return null
    const wait_ms = this.#state.kind === 'open' ? this.#state.nextProbeAt_ms - monotonic_ms() : 0
    return { ...this.#lastError, next_try: wait_ms > 0 ? new Date(now().getTime() + wait_ms) : null }
  }

  recordSuccess(): void {
    this.#lastError = null
  }

  recordError({ code, message }: UpstreamError): void {
    this.#lastError = {
      error: `${code}: ${message}`,
      since: this.#lastError?.since ?? this.#deps.clock.now(),
    }
  }

  throwIfOpen(): void {
    const state = this.#state
    const { clock } = this.#deps
    if (state.kind === 'closed') return
    const remaining_ms = state.kind === 'open' ? state.nextProbeAt_ms - clock.monotonic_ms() : 0
    if (state.kind === 'open' && remaining_ms <= 0) return
    const retryHint =
      state.kind === 'half_open'
        ? 'A probe is in progress'
        : `The next attempt is at ${formatTimeAfter(remaining_ms, clock)}`
    throw new UpstreamError(
      'source_suspended',
      `${this.#host} failed repeatedly, so calls to it are suspended. ${retryHint}.`,
    )
  }

  /** Starts a call, as a probe if one is due. Returns the function that records its result. */
  beginCall(): (result: CallResult) => void {
    this.throwIfOpen()
    const probes = this.#state.kind === 'open' ? this.#state.probes + 1 : 0
    if (probes > 0) this.#state = { kind: 'half_open', probes }
    const generation = this.#generation
    return (result) => {
      if (generation !== this.#generation) return
      if (probes > 0) this.#recordProbe(probes, result)
      else if (this.#state.kind === 'closed') this.#recordCall(result)
    }
  }

  concurrencyLimit(): number {
    if (this.#state.kind !== 'closed') return Infinity
    const errors = this.#window.count('error')
    return errors > this.#window.count('success') ? Math.max(1, errorsToOpen - errors) : Infinity
  }

  #recordCall(result: CallResult): void {
    if (result === 'aborted') return
    this.#window.add(result)
    const errors = this.#window.count('error')
    if (result === 'success' || errors < errorsToOpen || errors <= this.#window.count('success')) return
    this.#generation++
    this.#suspend(0)
    this.#deps.log?.info('source_suspended', { host: this.#host, errors })
  }

  #recordProbe(probes: number, result: CallResult): void {
    if (result === 'error') return this.#suspend(probes)
    if (result === 'aborted') {
      this.#state = { kind: 'open', probes: probes - 1, nextProbeAt_ms: this.#deps.clock.monotonic_ms() }
      return
    }
    this.#window.clear()
    this.#state = { kind: 'closed' }
    this.#deps.log?.info('source_recovered', { host: this.#host, probes })
  }

  #suspend(probes: number): void {
    const { clock, random } = this.#deps
    const openDuration_s = openDurations_s[Math.min(probes, openDurations_s.length - 1)]!
    const nextProbeAt_ms = clock.monotonic_ms() + 1000 * openDuration_s * (1 + jitter * random())
    this.#state = { kind: 'open', probes, nextProbeAt_ms }
  }
}

type CallResult = 'success' | 'error' | 'aborted'

/**
 * A permanent rejection counts as a success, because the host responds. An error that does not come from the host says
 * nothing about it: for example, a billed call that was not sent because it could not be recorded. /
 */
function callResultOf(error: unknown): CallResult {
  if (isHostError(error)) return 'error'
  return error instanceof UpstreamError && !isRejectedLocally(error) ? 'success' : 'aborted'
}
