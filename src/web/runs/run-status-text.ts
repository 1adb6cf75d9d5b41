import { pluralize } from '../../model/text.ts'
import type { RunKind, RunSummary } from '../../runs/report/run-summary.ts'
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
