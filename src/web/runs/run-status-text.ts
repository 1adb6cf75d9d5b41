import type { RunKind, RunSummary } from '../../runs/run-summary.ts'
import type { StatusKind } from '../components/status-badge.tsx'

/** How a run stands, as a sign and a word. */
export function runStatusBadge({ status, progress: { failed } }: Pick<RunSummary, 'status' | 'progress'>): {
  kind: StatusKind
  word: string
} {
  switch (status) {
    case 'queued':
      return { kind: 'busy', word: 'Waiting' }
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

/** Whether it still goes on. */
export function isRunActive({ status }: Pick<RunSummary, 'status'>): boolean {
  return status === 'queued' || status === 'running'
}

/** Whether it has rows to show. */
export function hasResult({ status }: Pick<RunSummary, 'status'>): boolean {
  return status === 'succeeded' || status === 'cancelled'
}
