import { isSqliteBusy } from './sqlite-errors.ts'

/**
 * Writes that need not be done at once, in their order: one that finds the database held by another connection waits and is tried again, so
 * that nobody who answers a request stands still. What fails for another reason is reported and let go; what is still open at the end is tried once more, and reported when that is in vain.
 */
export type DeferredWrites = { add(write: () => void): void; close(): void }

const retryPause_ms = 50
const maxQueued = 10_000

/** `report` is told of what was let go. */
export function openDeferredWrites(report: (error: unknown) => void): DeferredWrites {
  const queue: (() => void)[] = []
  let timer: ReturnType<typeof setTimeout> | null = null
  return {
    add(write) {
      if (queue.length >= maxQueued)
        return report(new Error(`${maxQueued} writes wait for the database: it has been held for too long.`))
      queue.push(write)
      drain()
    },
    close() {
      if (timer) clearTimeout(timer)
      const lost = queue.splice(0).filter((write) => !attemptWrite(write)).length
      if (lost > 0) report(new Error(`${lost} writes were given up at the end: another connection holds the database.`))
    },
  }

  function drain(): void {
    if (timer) return
    while (queue.length > 0) {
      if (!attemptWrite(queue[0]!)) {
        timer = setTimeout(resume, retryPause_ms)
        return
      }
      queue.shift()
    }
  }

  function resume(): void {
    timer = null
    drain()
  }

  /** Whether there is nothing more to do for a write; false when another connection holds the database. */
  function attemptWrite(write: () => void): boolean {
    try {
      write()
    } catch (error) {
      if (isSqliteBusy(error)) return false
      report(error)
    }
    return true
  }
}
