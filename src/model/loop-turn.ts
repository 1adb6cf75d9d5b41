/** Null while work may go on in this turn of the event loop; else the end of the turn, after which to ask again. */
export type LoopTurn = () => Promise<void> | null

/**
 * Work that waits for nothing would be done to its end before the next request is even read: nobody could be refused, and /healthz would
 * wait behind all of it. So no more than this is begun in one turn of the loop. `ended` is called when such a turn is over.
 */
export function openLoopTurn(slice_ms: number, ended: () => void = () => {}): LoopTurn {
  let turn: { began_ms: number; over: Promise<void> } | null = null
  return () => {
    const now_ms = performance.now()
    turn ??= begun(now_ms)
    return now_ms - turn.began_ms < slice_ms ? null : turn.over
  }

  function begun(began_ms: number) {
    const { promise: over, resolve } = Promise.withResolvers<void>()
    setImmediate(() => {
      turn = null
      ended()
      resolve()
    })
    return { began_ms, over }
  }
}
