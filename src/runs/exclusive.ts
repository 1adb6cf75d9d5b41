/** All places for one run: what is tried for the last time is tried when nothing else is in work, so that nothing else can be what ends the process. */
export type ExclusiveQueue<Run> = {
  /** Asks for it, and says whether it is there. Nobody else may begin anything from then on; it is there when all others have ended what they had in work. */
  acquire(run: Run): boolean
  mayStart(run: Run): boolean
  isTaken(): boolean
  release(run: Run): void
}

/** `isQuiet`: whether nothing is in work. */
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
