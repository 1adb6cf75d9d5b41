import type { NewLocation, NewRun, SubmissionKey, SubmissionResult } from '../store/submissions.ts'
import type { RunStatus } from '../store/run-status.ts'
import type { LocationAnswer } from './run-entry.ts'
import type { Incident } from './incidents.ts'

/** How far a run is. `seq` counts its changes. */
export type RunState = { run_id: string; status: RunStatus; total: number; done: number; ok: number; seq: number }

/** What the worker is asked to do; each is replied to. */
export type RunCommand =
  | { type: 'submit'; run: NewRun; locations: NewLocation[]; key: SubmissionKey | null }
  | { type: 'retry'; run: NewRun; original: { number: number; id: string } }
  | { type: 'cancel'; number: number }
  | { type: 'sweep'; before: number; keysBefore: number; numbers: number[] }
  | { type: 'stop'; grace_ms: number }

/** What the orders come to. */
export type RunCommandResults = {
  submit: SubmissionResult
  retry: SubmissionResult
  cancel: boolean
  sweep: number[]
  stop: null
}

/** A location whose answer the worker needs. */
export type LocationQuestion = {
  run_id: string
  kind: string
  account_id: string
  scopes: string
  fields: string[]
  idx: number
  original_index: number | null
  input: string
}

/** From the main thread to the worker: where to work, an order, the answer about a location, or the question whether it lives. */
export type RunWorkerInput =
  | { open: { folder: string; isFirstWorker: boolean } }
  | { commandId: number; command: RunCommand }
  | { questionId: number; answer: LocationAnswer | 'internal_error' }
  | { heartbeat: true }

/** From the worker to the main thread: what an order came to, a location to answer or no longer to answer, and a run that has changed. */
export type RunWorkerOutput =
  | { commandId: number; result: unknown }
  | { commandId: number; rejected: { code: 'storage_full' | 'storage_read_only' } }
  | { questionId: number; question: LocationQuestion }
  | { abortedQuestionId: number }
  | { changedRun: RunState }
  | { failing: string; message: string }
  | { recovered: string; incident: Incident }
  | { alive: true }
