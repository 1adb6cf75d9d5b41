import type { ApiClient } from '../api-client.ts'
import { runQuery } from './selected.ts'
import type { RunSelection } from './selected.ts'

/** Returns a random Idempotency-Key. Submissions with the same key create one run. */
export function createIdempotencyKey(): string {
  return [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, '0')).join('')
}

/** Submits a file as a run and returns the id of the run. */
export async function submitRun(api: ApiClient, file: Blob, selection: RunSelection, key: string): Promise<string> {
  const response = await api.send(`/v1/runs?${runQuery(selection)}`, {
    method: 'POST',
    headers: { 'content-type': 'text/csv', 'idempotency-key': key },
    body: file,
  })
  return ((await response.json()) as { run_id: string }).run_id
}
