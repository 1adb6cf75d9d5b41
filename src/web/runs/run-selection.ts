import { runNameOfFile } from '../../runs/run-name.ts'
import type { RunKind } from '../../runs/report/run-summary.ts'
import type { ColumnMapping } from '../../files/table/upload-columns.ts'
import type { ApiClient } from '../api-client.ts'
import { defaultPreset } from '../catalog-store.ts'

/** What a run fetches for each row. */
export type RunSelection = { kind: RunKind; preset: string | null; fields: string[] }

/**
 * A run to submit: the file, its sheet if it is a workbook, the location columns that the user selected, and what to
 * fetch.
 */
export type RunDraft = { file: File; sheet: string | null; mapping: ColumnMapping; selection: RunSelection }

const workbookType = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'

/** Returns the query of `POST /v1/runs`. */
function runQuery({ file, sheet, mapping, selection: { kind, preset, fields } }: RunDraft): string {
  const name = runNameOfFile(file.name)
  const query = new URLSearchParams({
    kind,
    ...(name !== null && { name }),
    ...(sheet !== null && { sheet }),
    ...mapping,
  })
  if (kind === 'fetch_batch' && preset !== null) query.set('preset', preset)
  if (kind === 'fetch_batch' && fields.length > 0) query.set('fields', fields.join(','))
  return query.toString()
}

/** The selection of a new run. */
export const defaultSelection: RunSelection = { kind: 'fetch_batch', preset: defaultPreset, fields: [] }

/** Returns a random Idempotency-Key. Submissions with the same key create one run. */
export function createIdempotencyKey(): string {
  return [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, '0')).join('')
}

/** Submits a file as a run and returns the id of the run. */
export async function submitRun(api: ApiClient, draft: RunDraft, key: string): Promise<string> {
  const response = await api.send(`/v1/runs?${runQuery(draft)}`, {
    method: 'POST',
    headers: { 'content-type': draft.sheet === null ? 'text/csv' : workbookType, 'idempotency-key': key },
    body: draft.file,
  })
  return ((await response.json()) as { run_id: string }).run_id
}
