import { abortable } from '../../async/deadline.ts'
import type { Budget, FeatureQuery } from '../../model/source.ts'
import type { OpenedSource } from '../driver.ts'
import { openPackedFeatures, type PackedFeatures } from './feature-index.ts'

const day_s = 86_400

/** Opens a list of features that is downloaded completely, once a day by default, and kept in memory. */
export function openWholeList(
  { host, refresh_seconds = day_s, now }: { host: string; refresh_seconds: number | undefined; now: () => Date },
  download: (budget: Budget) => Promise<PackedFeatures>,
): OpenedSource {
  const load = async (budget: Budget) => openPackedFeatures(await download(budget))
  const loadIndex = staleWhileRevalidate(load, refresh_seconds, now)
  const source = async (query: FeatureQuery, budget: Budget) => (await loadIndex(budget))(query)
  return { source, vintage: null, remote: { host, cachesItself: true } }
}

/** The time limit of a download. It continues for later callers if the first one runs out of time. */
const downloadTimeout_ms = 60_000

/**
 * Caches a complete download in memory. Concurrent callers share one download. After `refresh_seconds` the data is
 * downloaded again in the background; if that fails, the old data is served until it is twice that age.
 */
function staleWhileRevalidate<T>(
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
