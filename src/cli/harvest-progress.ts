import type { PlannedDataset } from '../harvest/harvest-plan.ts'
import { megabytes, pluralize } from '../model/text.ts'
import type { PackCommandDeps } from './pack-deps.ts'
import { durationText } from './pack-plan.ts'
import { createStderrProgress, type ProgressBar } from './progress.ts'

/** Receives the replies and the features of a copy. */
type HarvestProgress = {
  bar: ProgressBar
  onReply: (host: string, bytes: number) => void
  onFeatures: (features: number) => void
}

/** Shows requests, features, bytes and the remaining time, by the share of the planned features. */
export function createHarvestProgress(
  dataset: string,
  { features: expected, requests: planned }: Pick<PlannedDataset, 'features' | 'requests'>,
  { report }: PackCommandDeps,
): HarvestProgress {
  const bar = createStderrProgress(dataset)
  const startedAt = performance.now()
  let [requests, features, bytes] = [0, 0, 0]
  const update = () => {
    const done = expected ? features / expected : planned ? requests / planned : 0
    if (report) return report({ event: 'progress', dataset, done: Math.min(1, done), requests, features, bytes })
    const left_s = done > 0 ? ((performance.now() - startedAt) / 1000) * (1 / Math.min(1, done) - 1) : null
    bar.update(
      done,
      `${expected === null ? '' : `${pluralize(features, 'feature')}, `}${pluralize(requests, 'request')}, ${megabytes(bytes)}${left_s === null ? '' : `, ${durationText(left_s)} left`}`,
    )
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
  }
}
