import type { NewLocation, NewRun, SubmissionKey, Submitted } from '../store/submissions.ts'
import type { RunStatus } from '../store/run-status.ts'
import type { Answered } from './entry.ts'
import type { Spell } from './spells.ts'

/** How far a run is. `seq` counts its changes. */
export type RunState = { run_id: string; status: RunStatus; total: number; done: number; ok: number; seq: number }

/** What the worker is asked to do; each is replied to. */
export type Order =
  | { do: 'submit'; run: NewRun; locations: NewLocation[]; key: SubmissionKey | null }
  | { do: 'retry'; run: NewRun; of: { number: number; id: string } }
  | { do: 'cancel'; number: number }
  | { do: 'sweep'; before: number; keysBefore: number; numbers: number[] }
  | { do: 'stop'; grace_ms: number }

/** What the orders come to. */
export type Outcomes = { submit: Submitted; retry: Submitted; cancel: boolean; sweep: number[]; stop: null }

/** A location whose answer the worker needs. */
export type RunQuestion = { run_id: string; kind: string; account_id: string; scopes: string; fields: string[]; idx: number; original_index: number | null; input: string }

/** From the main thread to the worker: where to work, an order, the answer about a location, or the question whether it lives. */
export type ToWorker = { open: { folder: string; isFirst: boolean } } | { order: number; what: Order } | { asked: number; answered: Answered | 'fault' } | { look: true }

/** From the worker to the main thread: what an order came to, a location to answer or no longer to answer, and a run that has changed. */
export type FromWorker =
  | { order: number; outcome: unknown }
  | { order: number; refused: { code: 'storage_full' | 'storage_read_only' } }
  | { ask: number; question: RunQuestion }
  | { drop: number }
  | { changed: RunState }
  | { trouble: string; message: string }
  | { relief: string; spell: Spell }
  | { alive: true }
