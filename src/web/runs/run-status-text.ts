import type { RunKind, RunSummary } from '../../runs/run-summary.ts'
import type { StatusKind } from '../components/status-badge.tsx'

/** Returns the status of a run as an icon and a word. */
export function runStatusBadge({ status, progress: { failed } }: Pick<RunSummary, 'status' | 'progress'>): {
  kind: StatusKind
  word: string
} {
  switch (status) {
    case 'queued':
      return { kind: 'busy', word: 'Queued' }
    case 'running':
      return { kind: 'busy', word: 'Running' }
    case 'succeeded':
      return failed > 0 ? { kind: 'failed', word: 'Done, with failures' } : { kind: 'ok', word: 'Done' }
    case 'cancelled':
      return { kind: 'absent', word: 'Cancelled' }
    case 'failed':
      return { kind: 'failed', word: 'Failed' }
  }
}

export const runKindLabels: Record<RunKind, string> = {
  fetch_batch: 'Fields',
  geocode_batch: 'Coordinates',
  lookup_batch: 'Lookups',
}

/** Whether the run is queued or running. */
export function isRunActive({ status }: Pick<RunSummary, 'status'>): boolean {
  return status === 'queued' || status === 'running'
}

/** Whether the run has a result to show. */
export function hasResult({ status }: Pick<RunSummary, 'status'>): boolean {
  return status === 'succeeded' || status === 'cancelled'
}
