import { isSqliteBusy } from './sqlite-errors.ts'

/**
 * Executes writes that may happen later, in order. A write that finds the database locked is tried again later, so that
 * no request waits for it. A write that fails for another reason is reported and dropped. `close` tries the remaining
 * writes once more, and reports how many were lost.
 */
export type DeferredWrites = { add(write: () => void): void; close(): void }

const retryPause_ms = 50
const maxQueued = 10_000

/** Opens a queue of deferred writes. `report` receives the error of each dropped write. */
export function openDeferredWrites(report: (error: unknown) => void): DeferredWrites {
  const queue: (() => void)[] = []
  let timer: ReturnType<typeof setTimeout> | null = null
  return {
    add(write) {
      if (queue.length >= maxQueued)
        return report(
          new Error(`${maxQueued} writes are waiting: another connection has locked the database for too long.`),
        )
      queue.push(write)
      drain()
    },
    close() {
      if (timer) clearTimeout(timer)
      const lost = queue.splice(0).filter((write) => !attemptWrite(write)).length
      if (lost > 0)
        report(new Error(`${lost} writes were lost at shutdown: another connection has locked the database.`))
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

  /** Returns false if the write must be tried again, because another connection has locked the database. */
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
