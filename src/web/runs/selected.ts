import type { RunKind } from '../../runs/run-summary.ts'

/** What a run fetches for each row. */
export type RunSelection = { kind: RunKind; preset: string | null; fields: string[] }

/** Returns the selection as the query of `POST /v1/runs`. */
export function runQuery({ kind, preset, fields }: RunSelection): string {
  const query = new URLSearchParams({ kind })
  if (kind === 'fetch_batch' && preset !== null) query.set('preset', preset)
  if (kind === 'fetch_batch' && fields.length > 0) query.set('fields', fields.join(','))
  return query.toString()
}
