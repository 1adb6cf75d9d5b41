import type { PackedLocations } from '../store/runs/packed-locations.ts'
import type { RunStatus } from '../store/runs/runs.ts'
import type { NewRun, SubmissionKey, SubmissionResult } from '../store/runs/submissions.ts'
import type { StorageError } from '../store/storage-error.ts'
import type { ArtifactNames, ArtifactVariant, RequestedFormat } from './artifacts/artifact-writer.ts'
import type { FieldTypes } from './artifacts/row-file.ts'
import type { CatalogSubset } from '../fetch/catalog/catalog-subset.ts'
import type { SourceUsage } from '../fetch/answer-template.ts'
import type { EmbeddedFile } from '../packs/embedded/embedded-file.ts'
import type { LivePackFile } from '../packs/live-packs.ts'
import type { Answerable } from './report/missing-values.ts'
import type { LocationAnswer } from './report/run-entry.ts'
import type { Incident } from './report/incidents.ts'

/** The status and progress of a run. `seq` counts its changes. */
export type RunState = { run_id: string; status: RunStatus; total: number; done: number; ok: number; seq: number }

/** A result file in a format that is written on request. */
type RequestedFile = { format: RequestedFormat; fieldTypes: FieldTypes }

/** A command to the worker. Each gets a reply. `file`: the format to write instead of those that all runs have. */
export type RunCommand =
  | { type: 'submit'; run: NewRun; locations: PackedLocations; key: SubmissionKey | null }
  | {
      type: 'retry'
      run: NewRun
      original: { number: number; id: string }
      indexes: number[] | null
      inputs: ReadonlyMap<number, string>
    }
  | { type: 'findMissing'; id: string; account_id: string; answerable: Answerable }
  | { type: 'cancel'; number: number }
  | { type: 'sweep'; before: number; keysBefore: number }
  | { type: 'writeArtifacts'; id: string; account_id: string; variant: ArtifactVariant; file: RequestedFile | null }
  | { type: 'stop'; grace_ms: number }

/** The result of each command. */
export type RunCommandResults = {
  submit: SubmissionResult
  retry: SubmissionResult
  findMissing: number[]
  cancel: boolean
  sweep: null
  /** Null if the run is gone. */
  writeArtifacts: ArtifactNames | null
  stop: null
}

/** A location that the main thread answers for the worker. */
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

/** The answer for a location. `not_started`: the service stops, and nothing was requested for the location. */
export type QuestionResult = LocationAnswer | 'internal_error' | 'not_started'

/** The fields of a run that embedded data and vector packs answer, with all that they read. */
export type LocalFields = { names: string[]; subset: CatalogSubset; packs: LivePackFile[] }

/** What answers of the run worker add to the metrics, and to the usage of an account. */
export type LocalAnswerCounts = {
  account_id: string
  ok: number
  failed: number
  fields: { source: string; status: 'ok' | 'absent'; fields: number }[]
  usages: Required<SourceUsage>[]
}

/** Where the runs are: in a PostgreSQL database, or without one in the data folder. */
export type RunWorkerOptions = {
  folder: string
  database_url: string | null
  node: string | null
  isFirstWorker: boolean
}

/**
 * A message from the main thread to the worker: open the runs, a command, the answer for a location, a heartbeat, or
 * fields that the worker answers itself; null takes them back.
 */
export type RunWorkerInput =
  | { open: RunWorkerOptions }
  | { commandId: number; command: RunCommand }
  | { questionId: number; answer: QuestionResult }
  | { localFields: (LocalFields & { embedded: EmbeddedFile }) | null }
  | { heartbeat: true }

/**
 * A message from the worker to the main thread: the begin of a command, its reply, a question (with the number of
 * unanswered locations of its run) or its abort, a changed run, what its own answers count, an incident, or a heartbeat.
 */
export type RunWorkerOutput =
  | { begunCommandId: number }
  | { commandId: number; result: unknown }
  | { commandId: number; rejected: { reason: StorageError['reason'] } }
  | { questionId: number; question: LocationQuestion; unanswered: number }
  | { abortedQuestionId: number }
  | { changedRun: RunState }
  | { counted: LocalAnswerCounts[] }
  | { failing: string; message: string }
  | { recovered: string; incident: Incident }
  | { alive: true }
