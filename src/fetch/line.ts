import type { Budget } from '../model/source.ts'

/** Those who wait, in the order they came. */
export type Line = Waiting[]

type Waiting = {
  /** Lets this one in; who calls it has made room. */
  begin(): void
  /** Sends this one away. */
  refuse(reason: Error): void
}

/** Stands in the line until it is let in or sent away; who gives up, or has no time left (`late` says so), leaves it. */
export function standIn(line: Line, { signal, until_ms }: Budget, late: () => Error): Promise<void> {
  return new Promise((resolve, reject) => {
    const leave = () => {
      const place = line.indexOf(it)
      if (place >= 0) line.splice(place, 1)
      signal.removeEventListener('abort', giveUp)
      clearTimeout(timer)
    }
    const it: Waiting = {
      begin() {
        leave()
        resolve()
      },
      refuse(reason) {
        leave()
        reject(reason)
      },
    }
    const giveUp = () => it.refuse(signal.reason as Error)
    const timer = until_ms === undefined ? undefined : setTimeout(() => it.refuse(late()), until_ms - performance.now())
    line.push(it)
    signal.addEventListener('abort', giveUp, { once: true })
  })
}
