import { abortable } from '../async/deadline.ts'
import type { Budget } from '../model/source.ts'

/** The time limit of a download. It continues for later callers if the first one runs out of time. */
const downloadTimeout_ms = 60_000

/**
 * Caches a complete download in memory. Concurrent callers share one download. After `refresh_seconds` the data is
 * downloaded again in the background; if that fails, the old data is served until it is twice that age.
 */
export function staleWhileRevalidate<T>(
  load: (budget: Budget) => Promise<T>,
  refresh_seconds: number,
  now: () => Date,
): (budget: Budget) => Promise<T> {
  let cached: { data: T; loaded_ms: number } | null = null
  let pending: Promise<T> | null = null
  return async ({ signal }) => {
    const age_s = cached === null ? Infinity : (now().getTime() - cached.loaded_ms) / 1000
    if (age_s < refresh_seconds) return cached!.data
    const download = (pending ??= startDownload())
    if (age_s >= 2 * refresh_seconds) return abortable(download, signal)
    // Callers that get the old data need not see the error of the download.
    download.catch(() => {})
    return cached!.data
  }

  function startDownload(): Promise<T> {
    return load({ signal: AbortSignal.timeout(downloadTimeout_ms) })
      .then((data) => {
        cached = { data, loaded_ms: now().getTime() }
        return data
      })
      .finally(() => {
        pending = null
      })
  }
}
