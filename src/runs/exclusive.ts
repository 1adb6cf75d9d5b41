/**
 * Gives one run exclusive use of the worker. The last attempt of a location runs while nothing else is in progress, so
 * that nothing else can be the cause if the process dies.
 */
export type ExclusiveQueue<Run> = {
  /** Requests exclusive use: no other run may start work. Returns true once all other work has ended. */
  acquire(run: Run): boolean
  mayStart(run: Run): boolean
  isTaken(): boolean
  release(run: Run): void
}

/** Creates the queue. `isIdle` returns whether nothing is in progress. */
export function createExclusiveQueue<Run>(isIdle: () => boolean): ExclusiveQueue<Run> {
  let holder: Run | null = null
  return {
    acquire(run) {
      holder ??= run
      return holder === run && isIdle()
    },
    mayStart: (run) => holder === null || holder === run,
    isTaken: () => holder !== null,
    release(run) {
      if (holder === run) holder = null
    },
  }
}
