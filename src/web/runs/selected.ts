import { firstPreset } from '../explore/wanted.ts'
import type { Selected } from './wire-run.ts'

/** What is asked when nothing was chosen. */
export const firstSelected: Selected = { kind: 'fetch_batch', preset: firstPreset, fields: [] }

/** The selection as the service takes it beside a file. */
export function queryOf({ kind, preset, fields }: Selected): string {
  const query = new URLSearchParams({ kind })
  if (kind === 'fetch_batch' && preset !== null) query.set('preset', preset)
  if (kind === 'fetch_batch' && fields.length > 0) query.set('fields', fields.join(','))
  return query.toString()
}
