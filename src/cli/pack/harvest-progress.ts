import type { UpstreamError } from '../../model/error.ts'
import type { PlannedDataset } from '../../pack-plans/harvest-plan.ts'
import { formatDuration, megabytes, pluralize } from '../../model/text.ts'
import type { PackCommandDeps } from './pack-deps.ts'
import { createStderrProgress, type ProgressBar } from '../progress.ts'

/** Receives the replies, the features and the waits of a copy. */
type HarvestProgress = {
  bar: ProgressBar
  onReply: (host: string, bytes: number) => void
  onFeatures: (features: number) => void
  onWait: (error: UpstreamError, wait_ms: number) => void
  onPause: (until: Date) => void
}

/**
 * Shows requests, features, bytes and the remaining time, which it estimates from the share of the planned features.
 * Also says what the copy waits for.
 */
export function createHarvestProgress(
  dataset: string,
  { features: expected, requests: planned }: Pick<PlannedDataset, 'features' | 'requests'>,
  { report }: PackCommandDeps,
): HarvestProgress {
  const bar = createStderrProgress(dataset)
  const startedAt = performance.now()
  let [requests, features, bytes, paused_ms] = [0, 0, 0, 0]
  const update = () => {
    const done = expected ? features / expected : planned ? requests / planned : 0
    if (report) return report({ event: 'progress', dataset, done: Math.min(1, done), requests, features, bytes })
    const elapsed_s = (performance.now() - startedAt - paused_ms) / 1000
    const left_s = done > 0 ? elapsed_s * (1 / Math.min(1, done) - 1) : null
    bar.update(
      done,
      `${expected === null ? '' : `${pluralize(features, 'feature')}, `}${pluralize(requests, 'request')}, ${megabytes(bytes)}${left_s === null ? '' : `, ${formatDuration(left_s)} left`}`,
    )
  }
  const note = (message: string) => {
    if (report) report({ event: 'waiting', dataset, message })
    else bar.note(message)
  }
  return {
    bar,
    onReply(_host, reply_bytes) {
      requests++
      bytes += reply_bytes
      update()
    },
    onFeatures(count) {
      features += count
      update()
    },
    onWait: ({ message }, wait_ms) => note(`${message} Trying again in ${formatDuration(wait_ms / 1000)}.`),
    onPause(until) {
      const now = new Date()
      paused_ms += until.getTime() - now.getTime()
      note(pauseText(until, now))
    },
  }
}

/** Says that a copy pauses, and when it continues on the clock of this machine. */
export function pauseText(until: Date, now: Date): string {
  const time = `${String(until.getHours()).padStart(2, '0')}:${String(until.getMinutes()).padStart(2, '0')}`
  const { timeZone } = Intl.DateTimeFormat().resolvedOptions()
  const left_s = Math.max(0, until.getTime() - now.getTime()) / 1000
  return `Outside of the hours of --between. Paused until ${time} in the time zone ${timeZone}, in ${formatDuration(left_s)}.`
}
