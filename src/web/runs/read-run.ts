import type { RunEntry, RunSummary } from '../../runs/report/run-summary.ts'
import type { ApiClient } from '../api-client.ts'
import { RequestError } from '../request.ts'

/** Reads a run without its request and its result. */
export function readSummary(api: Pick<ApiClient, 'get'>, run_id: string, signal: AbortSignal): Promise<RunSummary> {
  return api.get<RunSummary>(`/v1/runs/${run_id}?view=summary`, signal)
}

/** Reads one entry of the result, with the source of each value. Returns null when the run has no such entry. */
export async function readEntry(
  api: Pick<ApiClient, 'get'>,
  run_id: string,
  index: number,
  signal: AbortSignal,
): Promise<RunEntry | null> {
  try {
    return await api.get<RunEntry>(`/v1/runs/${run_id}/results/${index}`, signal)
  } catch (error) {
    if (error instanceof RequestError && error.code === 'not_found') return null
    throw error
  }
}
