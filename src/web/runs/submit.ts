import type { ApiClient } from '../api-client.ts'
import { runQuery } from './selected.ts'
import type { RunSelection } from './selected.ts'

/** A name for a submission: the same name is the same run, however often it is sent. */
export function createIdempotencyKey(): string {
  return [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, '0')).join('')
}

/** Sends a file off to become a run, and gives its id. */
export async function submitRun(api: ApiClient, file: Blob, selection: RunSelection, key: string): Promise<string> {
  const response = await api.send(`/v1/runs?${runQuery(selection)}`, {
    method: 'POST',
    headers: { 'content-type': 'text/csv', 'idempotency-key': key },
    body: file,
  })
  return ((await response.json()) as { run_id: string }).run_id
}
