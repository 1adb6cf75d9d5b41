/** All places for one run: what is tried for the last time is tried when nothing else is in work, so that nothing else can be what ends the process. */
export type Alone<Run> = {
  /** Asks for it, and says whether it is there. Nobody else may begin anything from then on; it is there when all others have ended what they had in work. */
  has(run: Run): boolean
  mayBegin(run: Run): boolean
  isTaken(): boolean
  leave(run: Run): void
}

/** `isQuiet`: whether nothing is in work. */
export function openAlone<Run>(isQuiet: () => boolean): Alone<Run> {
  let holder: Run | null = null
  return {
    has(run) {
      holder ??= run
      return holder === run && isQuiet()
    },
    mayBegin: (run) => holder === null || holder === run,
    isTaken: () => holder !== null,
    leave(run) {
      if (holder === run) holder = null
    },
  }
}
