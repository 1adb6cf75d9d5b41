/** Null while work may go on in this turn of the event loop; else the end of the turn, after which to ask again. */
export type YieldToEventLoop = () => Promise<void> | null

/**
 * Work that waits for nothing would be done to its end before the next request is even read: nobody could be refused, and /healthz would
 * wait behind all of it. So no more than this is begun in one turn of the loop. `ended` is called when such a turn is over.
 */
export function createYieldToEventLoop(slice_ms: number, onTurnEnd: () => void = () => {}): YieldToEventLoop {
  let turn: { began_ms: number; finished: Promise<void> } | null = null
  return () => {
    const now_ms = performance.now()
    turn ??= startTurn(now_ms)
    return now_ms - turn.began_ms < slice_ms ? null : turn.finished
  }

  function startTurn(began_ms: number) {
    const { promise: finished, resolve } = Promise.withResolvers<void>()
    setImmediate(() => {
      turn = null
      onTurnEnd()
      resolve()
    })
    return { began_ms, finished }
  }
}
