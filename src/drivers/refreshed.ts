import { abortable } from '../async/abortable.ts'
import type { Budget } from '../model/source.ts'

/** How long a download may take: it goes on for those who ask next when the first who asked has no time left. */
const download_ms = 60_000

/**
 * What is downloaded whole and held. Who asks while a download is under way shares it. After `refresh_seconds` it is downloaded anew,
 * while the old answers; when that fails, the old answers until it is twice as old.
 */
export function refreshed<T>(load: (budget: Budget) => Promise<T>, refresh_seconds: number, now: () => Date): (budget: Budget) => Promise<T> {
  let held: { data: T; came: number } | null = null
  let underWay: Promise<T> | null = null
  return async ({ signal }) => {
    const age_s = held === null ? Infinity : (now().getTime() - held.came) / 1000
    if (age_s < refresh_seconds) return held!.data
    const download = (underWay ??= begun())
    if (age_s >= 2 * refresh_seconds) return abortable(download, signal)
    // Who has the old need not know that the new did not come; who has none is told.
    download.catch(() => {})
    return held!.data
  }

  function begun(): Promise<T> {
    return load({ signal: AbortSignal.timeout(download_ms) })
      .then((data) => {
        held = { data, came: now().getTime() }
        return data
      })
      .finally(() => {
        underWay = null
      })
  }
}
