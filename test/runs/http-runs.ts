/** The members of a run document that the tests read. */
export type RunDocumentView = {
  run_id: string
  status: string
  progress: { total: number; done: number; ok: number }
  result: { results: { index: number; ok: boolean }[] } | null
}

/** A killed server may leave a connection that hangs. */
const submission_ms = 5000
const finish_ms = 60_000

/** Submits a run with a key and returns its id. */
export async function submitTestRun(
  address: string,
  key: string,
  request: { locations: unknown[]; fields: string[] },
): Promise<string> {
  const body = { kind: 'fetch_batch', request }
  const response = await fetch(`${address}/v1/runs`, {
    signal: AbortSignal.timeout(submission_ms),
    method: 'POST',
    headers: { 'content-type': 'application/json', 'idempotency-key': key },
    body: JSON.stringify(body),
  })
  if (response.status !== 202) throw new Error(`${response.status}: ${await response.text()}`)
  return ((await response.json()) as { run_id: string }).run_id
}

/** The document of a finished run; null if its events end early or it does not exist. */
export async function waitForRun(address: string, run_id: string): Promise<RunDocumentView | null> {
  const events = await fetch(`${address}/v1/runs/${run_id}/events`, { signal: AbortSignal.timeout(finish_ms) })
  const final = /^event: final\nid: \d+\ndata: (.*)$/m.exec(await events.text())
  return final && (JSON.parse(final[1]!) as RunDocumentView)
}
