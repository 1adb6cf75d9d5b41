import type { RunProgress } from '../../runs/report/run-summary.ts'

const window_ms = 15_000

/** The number of finished rows at a point in time. */
export type ProgressSample = { at_ms: number; done: number }

/** Adds a sample and drops those older than the window. */
export function addSample(samples: readonly ProgressSample[], sample: ProgressSample): ProgressSample[] {
  const first = samples.findIndex(({ at_ms }) => sample.at_ms - at_ms <= window_ms)
  return [...(first < 0 ? [] : samples.slice(first)), sample]
}

/** Returns the current speed and the estimated remaining time; null while they are unknown. */
export function runPace(
  samples: readonly ProgressSample[],
  { total, done }: Pick<RunProgress, 'total' | 'done'>,
): { rows_per_second: number; left_seconds: number } | null {
  const [first, last] = [samples[0], samples.at(-1)]
  if (!first || !last || last.at_ms === first.at_ms || last.done === first.done) return null
  const rows_per_second = ((last.done - first.done) * 1000) / (last.at_ms - first.at_ms)
  return { rows_per_second, left_seconds: (total - done) / rows_per_second }
}
