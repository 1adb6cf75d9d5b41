import { setImmediate as nextTurn } from 'node:timers/promises'

/**
 * Runs a piece of work when its turn comes, and resolves with its result. A caller that asks again waits behind all
 * callers that asked before.
 */
export type RoundRobin = <T>(work: () => T | Promise<T>) => Promise<T>

/**
 * Shares the event loop between many long tasks. In one turn of the event loop, pieces of work start for at most
 * `slice_ms`. A piece takes well under a millisecond. A piece that waits for another process, such as a database
 * server, does not hold up the others. `onTurnEnd` gets the number of pieces of each turn.
 */
export function createRoundRobin(slice_ms: number, onTurnEnd: (pieces: number) => void = () => {}): RoundRobin {
  const waiting: (() => Promise<unknown>)[] = []
  return <T>(work: () => T | Promise<T>) => {
    const { promise, resolve } = Promise.withResolvers<T>()
    waiting.push(() => {
      const result = Promise.try(work)
      resolve(result)
      return Promise.allSettled([result])
    })
    if (waiting.length === 1) setImmediate(() => void runTurn())
    return promise
  }

  async function runTurn(): Promise<void> {
    const until_ms = performance.now() + slice_ms
    let count = 0
    do await Promise.race([waiting[count++]!(), nextTurn()])
    while (count < waiting.length && performance.now() < until_ms)
    waiting.splice(0, count)
    onTurnEnd(count)
    if (waiting.length > 0) setImmediate(() => void runTurn())
  }
}
