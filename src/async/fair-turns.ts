/**
 * Runs a piece of work in its turn and resolves with its result. Callers take turns: who asks again waits behind all
 * who asked before.
 */
export type FairTurns = <T>(work: () => T) => Promise<T>

/**
 * Shares the event loop between many long tasks: in one turn of the event loop, pieces of work start for at most
 * `slice_ms`. A piece takes well under a millisecond. `onTurnEnd` gets the number of pieces of each turn.
 */
export function createFairTurns(slice_ms: number, onTurnEnd: (pieces: number) => void = () => {}): FairTurns {
  const waiting: (() => void)[] = []
  return (work) => {
    const { promise, resolve, reject } = Promise.withResolvers<ReturnType<typeof work>>()
    waiting.push(() => {
      try {
        resolve(work())
      } catch (error) {
        reject(error)
      }
    })
    if (waiting.length === 1) setImmediate(runTurn)
    return promise
  }

  function runTurn(): void {
    const until_ms = performance.now() + slice_ms
    let count = 0
    do waiting[count++]!()
    while (count < waiting.length && performance.now() < until_ms)
    waiting.splice(0, count)
    onTurnEnd(count)
    if (waiting.length > 0) setImmediate(runTurn)
  }
}
