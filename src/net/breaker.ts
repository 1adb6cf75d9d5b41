import { UpstreamError } from '../model/error.ts'
import type { HostHealth, HttpClientLog } from './call.ts'
import { formatTimeAfter, type Clock } from './clock.ts'
import { isHostError, isRejectedLocally } from './upstream-errors.ts'
import { createHostMap } from './host-map.ts'
import { createSlidingWindow, type SlidingWindow } from './sliding-window.ts'

const errorsToOpen = 5
const openDurations_s = [5, 10, 20, 30]
const jitter = 0.2

type CircuitState =
  { kind: 'closed' } | { kind: 'open'; probes: number; nextProbeAt_ms: number } | { kind: 'half_open'; probes: number }
/** `generation` counts how often the circuit opened. Results of calls from an earlier generation are ignored. */
type Circuit = { state: CircuitState; generation: number; window: SlidingWindow<'error' | 'success'> }

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
}

/** Creates a breaker that judges each host by its last minute. Logs when a circuit opens and when it closes. */
export function createBreaker(clock: Clock, random: () => number, log?: HttpClientLog): Breaker {
  const circuits = createHostMap((): Circuit => ({
    state: { kind: 'closed' },
    generation: 0,
    window: createSlidingWindow(clock.monotonic_ms),
  }))
  return {
    throwIfOpen: (host) => throwIfOpen(host, circuits.getOrCreate(host)),
    async run(host, work) {
      const circuit = circuits.getOrCreate(host)
      throwIfOpen(host, circuit)
      const probes = circuit.state.kind === 'open' ? circuit.state.probes + 1 : 0
      if (probes > 0) circuit.state = { kind: 'half_open', probes }
      const { generation } = circuit
      const recordResult = (result: CallResult) => {
        if (generation !== circuit.generation) return
        if (probes > 0) recordProbe(host, circuit, probes, result)
        else if (circuit.state.kind === 'closed') recordCall(host, circuit, result)
      }
      try {
        const answer = await work()
        recordResult('success')
        return answer
      } catch (error) {
        recordResult(callResultOf(error))
        throw error
      }
    },
    concurrencyLimit(host) {
      const circuit = circuits.find(host)
      if (circuit?.state.kind !== 'closed') return Infinity
      const errors = circuit.window.count('error')
      return errors > circuit.window.count('success') ? Math.max(1, errorsToOpen - errors) : Infinity
    },
    stateOf: (host) => circuits.find(host)?.state.kind ?? null,
  }

  function throwIfOpen(host: string, { state }: Circuit): void {
    if (state.kind === 'closed') return
    const remaining_ms = state.kind === 'open' ? state.nextProbeAt_ms - clock.monotonic_ms() : 0
    if (state.kind === 'open' && remaining_ms <= 0) return
    const retryHint =
      state.kind === 'half_open'
        ? 'A probe is in progress'
        : `The next attempt is at ${formatTimeAfter(remaining_ms, clock)}`
    throw new UpstreamError(
      'source_suspended',
      `${host} failed repeatedly, so calls to it are suspended. ${retryHint}.`,
    )
  }

  function recordCall(host: string, circuit: Circuit, result: CallResult): void {
    if (result === 'aborted') return
    circuit.window.add(result)
    const errors = circuit.window.count('error')
    if (result === 'success' || errors < errorsToOpen || errors <= circuit.window.count('success')) return
    circuit.generation++
    suspend(circuit, 0)
    log?.info('source_suspended', { host, errors })
  }

  function recordProbe(host: string, circuit: Circuit, probes: number, result: CallResult): void {
    if (result === 'error') return suspend(circuit, probes)
    if (result === 'aborted') {
      circuit.state = { kind: 'open', probes: probes - 1, nextProbeAt_ms: clock.monotonic_ms() }
      return
    }
    circuit.window.clear()
    circuit.state = { kind: 'closed' }
    log?.info('source_recovered', { host, probes })
  }

  function suspend(circuit: Circuit, probes: number): void {
    const openDuration_s = openDurations_s[Math.min(probes, openDurations_s.length - 1)]!
    circuit.state = {
      kind: 'open',
      probes,
      nextProbeAt_ms: clock.monotonic_ms() + 1000 * openDuration_s * (1 + jitter * random()),
    }
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
