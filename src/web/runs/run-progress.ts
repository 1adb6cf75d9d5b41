import { pluralize } from '../../model/text.ts'
import type { RunEntry, RunKind, RunProgress, RunSummary } from '../../runs/report/run-summary.ts'
import type { ApiClient } from '../api-client.ts'
import { RequestError } from '../request.ts'
import { numberText } from '../value-text.ts'

type RunBadge = { kind: 'busy' | 'ok' | 'absent' | 'failed'; word: string }

/** Returns the status of a run as an icon and words. A run is only "Done" when all its values are there. */
export function runStatusBadge(run: Pick<RunSummary, 'status' | 'progress' | 'values'>): RunBadge {
  switch (run.status) {
    case 'queued':
      return { kind: 'busy', word: 'Queued' }
    case 'running':
      return { kind: 'busy', word: 'Running' }
    case 'done':
      return finishedBadge(run)
    case 'cancelled':
      return { kind: 'absent', word: 'Cancelled' }
    case 'failed':
      return { kind: 'failed', word: 'Failed' }
  }
}

function finishedBadge({ progress, values }: Pick<RunSummary, 'progress' | 'values'>): RunBadge {
  const { failed, total, noun } = values
    ? { ...values, noun: 'value' }
    : { failed: progress.failed, total: progress.total, noun: 'row' }
  if (failed === 0) return { kind: 'ok', word: 'Done' }
  return { kind: 'failed', word: `Finished: ${numberText(failed)} of ${pluralize(total, noun)} failed` }
}

export const runKindLabels: Record<RunKind, string> = {
  fetch_batch: 'Fields',
  area_batch: 'Areas',
  geocode_batch: 'Coordinates',
  lookup_batch: 'Lookups',
}

/** Whether the run is queued or running. */
export function isRunActive({ status }: Pick<RunSummary, 'status'>): boolean {
  return status === 'queued' || status === 'running'
}

/** Whether the run has a result to show. */
export function hasResult({ status }: Pick<RunSummary, 'status'>): boolean {
  return status === 'done' || status === 'cancelled'
}

const window_ms = 15_000

/** The number of finished rows at a point in time. */
export type ProgressSample = { at_ms: number; done: number }

/** Adds a sample and drops those older than the window. */
export function addSample(samples: readonly ProgressSample[], sample: ProgressSample): ProgressSample[] {
  const first = samples.findIndex(({ at_ms }) => sample.at_ms - at_ms <= window_ms)
  return [...(first < 0 ? [] : samples.slice(first)), sample]
}

/** Returns the current speed and the estimated remaining time; null while they are unknown. */
export function runPace(
  samples: readonly ProgressSample[],
  { total, done }: Pick<RunProgress, 'total' | 'done'>,
): { rows_per_second: number; left_seconds: number } | null {
  const [first, last] = [samples[0], samples.at(-1)]
  if (!first || !last || last.at_ms === first.at_ms || last.done === first.done) return null
  const rows_per_second = ((last.done - first.done) * 1000) / (last.at_ms - first.at_ms)
  return { rows_per_second, left_seconds: (total - done) / rows_per_second }
}

/** Reads a run without its request and its result. */
export function readSummary(api: Pick<ApiClient, 'get'>, run_id: string, signal: AbortSignal): Promise<RunSummary> {
  return api.get<RunSummary>(`/v1/runs/${run_id}?view=summary`, signal)
}

/** Reads one entry of the result, with the source of each value. Returns null when the run has no such entry. */
export async function readEntry(
  api: Pick<ApiClient, 'get'>,
  run_id: string,
  index: number,
  signal: AbortSignal,
): Promise<RunEntry | null> {
  try {
    return await api.get<RunEntry>(`/v1/runs/${run_id}/results/${index}`, signal)
  } catch (error) {
    if (error instanceof RequestError && error.code === 'not_found') return null
    throw error
  }
}
