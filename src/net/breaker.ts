import { UpstreamError } from '../model/error.ts'
import type { HostHealth, NetLog } from './call.ts'
import { timeIn, type Clock } from './clock.ts'
import { isOfHost, isUnasked } from './fault.ts'
import { perHost } from './per-host.ts'
import { openWindow, type Window } from './window.ts'

const faultsToOpen = 5
const waits_s = [5, 10, 20, 30]
const jitter = 0.2

type State = { is: 'closed' } | { is: 'open'; probes: number; next_ms: number } | { is: 'half_open'; probes: number }
/** `era` counts the openings, so that an answer to a question from before one is not taken for news. */
type Circuit = { state: State; era: number; window: Window<'fault' | 'success'> }

/** Leaves a host alone that fails, and tries it now and then with a single call. */
export type Breaker = {
  /** Throws `source_suspended` when the host is not to be asked now. */
  check(host: string): void
  /** Does the work, as a probe when one is due, and learns from how it ends. */
  through<T>(host: string, work: () => Promise<T>): Promise<T>
  /** How many calls may be under way: few while a host looks dead, no more than it takes to be sure. */
  roomFor(host: string): number
  circuit(host: string): HostHealth['circuit'] | null
}

/** Judges each host by its last minute; `log` is told when one is left alone and when it is back. */
export function openBreaker(clock: Clock, random: () => number, log?: NetLog): Breaker {
  const circuits = perHost((): Circuit => ({ state: { is: 'closed' }, era: 0, window: openWindow(clock.monotonic_ms) }))
  return {
    check: (host) => check(host, circuits.of(host)),
    async through(host, work) {
      const circuit = circuits.of(host)
      check(host, circuit)
      const probes = circuit.state.is === 'open' ? circuit.state.probes + 1 : 0
      if (probes > 0) circuit.state = { is: 'half_open', probes }
      const { era } = circuit
      const learn = (ended: Ended) => {
        if (era !== circuit.era) return
        if (probes > 0) probed(host, circuit, probes, ended)
        else if (circuit.state.is === 'closed') counted(host, circuit, ended)
      }
      try {
        const answer = await work()
        learn('success')
        return answer
      } catch (error) {
        learn(endedBy(error))
        throw error
      }
    },
    roomFor(host) {
      const circuit = circuits.known(host)
      if (circuit?.state.is !== 'closed') return Infinity
      const faults = circuit.window.count('fault')
      return faults > circuit.window.count('success') ? Math.max(1, faultsToOpen - faults) : Infinity
    },
    circuit: (host) => circuits.known(host)?.state.is ?? null,
  }

  function check(host: string, { state }: Circuit): void {
    if (state.is === 'closed') return
    const left_ms = state.is === 'open' ? state.next_ms - clock.monotonic_ms() : 0
    if (state.is === 'open' && left_ms <= 0) return
    const when = state.is === 'half_open' ? 'is being tried with one call just now' : `is tried again at ${timeIn(left_ms, clock)}`
    throw new UpstreamError('source_suspended', `${host} has failed again and again and is left alone: it ${when}.`)
  }

  function counted(host: string, circuit: Circuit, ended: Ended): void {
    if (ended === 'aborted') return
    circuit.window.add(ended)
    const faults = circuit.window.count('fault')
    if (ended === 'success' || faults < faultsToOpen || faults <= circuit.window.count('success')) return
    circuit.era++
    suspend(circuit, 0)
    log?.info('source_suspended', { host, faults })
  }

  function probed(host: string, circuit: Circuit, probes: number, ended: Ended): void {
    if (ended === 'fault') return suspend(circuit, probes)
    if (ended === 'aborted') {
      circuit.state = { is: 'open', probes: probes - 1, next_ms: clock.monotonic_ms() }
      return
    }
    circuit.window.clear()
    circuit.state = { is: 'closed' }
    log?.info('source_back', { host, probes })
  }

  function suspend(circuit: Circuit, probes: number): void {
    const wait_s = waits_s[Math.min(probes, waits_s.length - 1)]!
    circuit.state = { is: 'open', probes, next_ms: clock.monotonic_ms() + 1000 * wait_s * (1 + jitter * random()) }
  }
}

type Ended = 'success' | 'fault' | 'aborted'

/** A refusal for lasting reasons is an answer: the way there is sound. What is not the host's at all says nothing of it, such as a call that was not made since it could not be written down. */
function endedBy(error: unknown): Ended {
  if (isOfHost(error)) return 'fault'
  return error instanceof UpstreamError && !isUnasked(error) ? 'success' : 'aborted'
}
