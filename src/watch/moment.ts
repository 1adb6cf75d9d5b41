import { AsyncLocalStorage } from 'node:async_hooks'
import type { Span } from './span.ts'

/** What is under way just now: the request that it is done for, and the span of its trace, if it is traced. */
type Moment = { request_id: string; span: Span | null }

/** Knows, wherever the work has got to, what it is done for. Measured on Bun: 30 awaits take the same time with it and without. */
export type Moments = {
  now(): Moment | undefined
  run<T>(moment: Moment, work: () => T): T
}

export function openMoments(): Moments {
  const storage = new AsyncLocalStorage<Moment>()
  return { now: () => storage.getStore(), run: (moment, work) => storage.run(moment, work) }
}
