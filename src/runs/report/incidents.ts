/** Tracks activities that fail repeatedly, by name. */
export type Incidents = {
  recordFailure(name: string, error: unknown): void
  /** Ends the incident with this name, if there is one. */
  recordRecovery(name: string): void
}

/** The number of failures in an incident and its duration. */
export type Incident = { failures: number; seconds: number }

type IncidentListeners = { onStart(name: string, error: unknown): void; onEnd(name: string, incident: Incident): void }

/** Creates an incident tracker. It reports the start and the end of each incident, not every failure. */
export function createIncidents({ onStart, onEnd }: IncidentListeners): Incidents {
  const ongoing = new Map<string, { failures: number; since_ms: number }>()
  return {
    recordFailure(name, error) {
      const known = ongoing.get(name)
      if (known) known.failures++
      else {
        ongoing.set(name, { failures: 1, since_ms: performance.now() })
        onStart(name, error)
      }
    },
    recordRecovery(name) {
      const known = ongoing.get(name)
      if (!known) return
      ongoing.delete(name)
      onEnd(name, { failures: known.failures, seconds: Math.round((performance.now() - known.since_ms) / 1000) })
    },
  }
}
