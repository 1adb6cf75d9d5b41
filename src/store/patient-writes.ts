import { isBusy } from './disk.ts'

/**
 * Writes that need not be done at once, in their order: one that finds the database held by another connection waits and is tried again, so
 * that nobody who answers a request stands still. What fails for another reason is reported and let go; what is still open at the end is tried once more, and reported when that is in vain.
 */
export type PatientWrites = { add(write: () => void): void; close(): void }

const again_ms = 50
const waitingMax = 10_000

/** `report` is told of what was let go. */
export function openPatientWrites(report: (error: unknown) => void): PatientWrites {
  const waiting: (() => void)[] = []
  let timer: ReturnType<typeof setTimeout> | null = null
  return {
    add(write) {
      if (waiting.length >= waitingMax) return report(new Error(`${waitingMax} writes wait for the database: it has been held for too long.`))
      waiting.push(write)
      work()
    },
    close() {
      if (timer) clearTimeout(timer)
      const lost = waiting.splice(0).filter((write) => !isDone(write)).length
      if (lost > 0) report(new Error(`${lost} writes were given up at the end: another connection holds the database.`))
    },
  }

  function work(): void {
    if (timer) return
    while (waiting.length > 0) {
      if (!isDone(waiting[0]!)) {
        timer = setTimeout(resume, again_ms)
        return
      }
      waiting.shift()
    }
  }

  function resume(): void {
    timer = null
    work()
  }

  /** Whether there is nothing more to do for a write; false when another connection holds the database. */
  function isDone(write: () => void): boolean {
    try {
      write()
    } catch (error) {
      if (isBusy(error)) return false
      report(error)
    }
    return true
  }
}
