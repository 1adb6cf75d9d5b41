/** Troubles that come again and again until they are over, each by its name. */
export type Incidents = {
  recordFailure(name: string, error: unknown): void
  /** It works: whatever trouble of that name there was is over. */
  recordRecovery(name: string): void
}

/** How often a trouble came, and for how long it lasted. */
export type Incident = { failures: number; seconds: number }

type IncidentListeners = { onStart(name: string, error: unknown): void; onEnd(name: string, incident: Incident): void }

/** Tells of a trouble when it begins, and how often it came when it is over; not every time. */
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
