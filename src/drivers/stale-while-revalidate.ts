import { abortable } from '../async/abortable.ts'
import type { Budget } from '../model/source.ts'

/** How long a download may take: it goes on for those who ask next when the first who asked has no time left. */
const downloadTimeout_ms = 60_000

/**
 * What is downloaded whole and held. Who asks while a download is under way shares it. After `refresh_seconds` it is downloaded anew,
 * while the old answers; when that fails, the old answers until it is twice as old.
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
    // Who has the old need not know that the new did not come; who has none is told.
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
