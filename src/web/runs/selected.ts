import type { RunKind } from '../../runs/run-summary.ts'

/** What is to be found out of each row. */
export type RunSelection = { kind: RunKind; preset: string | null; fields: string[] }

/** The selection as the service takes it beside a file. */
export function runQuery({ kind, preset, fields }: RunSelection): string {
  const query = new URLSearchParams({ kind })
  if (kind === 'fetch_batch' && preset !== null) query.set('preset', preset)
  if (kind === 'fetch_batch' && fields.length > 0) query.set('fields', fields.join(','))
  return query.toString()
}
