/** Starts a worker of each kind. */
export type Workers = {
  raster: () => Worker
  import: () => Worker
  run: () => Worker
  backup: () => Worker
  packCheck: () => Worker
  download: () => Worker
  workbook: () => Worker
  bulk: () => Worker
  overlay: () => Worker
}

/** How often each worker was restarted in the last ten minutes, for the workers that run as long as the service. */
export type RestartCounter = {
  /** Returns the function with its calls counted. The first is a start, the others are restarts. */
  watch(worker: string, start: () => Worker): () => Worker
  recentRestarts(): { worker: string; restarts: number }[]
}

const recent_ms = 600_000

/** Creates a restart counter. */
export function createRestartCounter(): RestartCounter {
  const restartTimes = new Map<string, number[]>()
  const recent = (times_ms: number[]) => times_ms.filter((at_ms) => at_ms > performance.now() - recent_ms)
  return {
    watch: (worker, start) => () => {
      const earlier = restartTimes.get(worker)
      restartTimes.set(worker, earlier ? [...recent(earlier), performance.now()] : [])
      return start()
    },
    recentRestarts: () =>
      [...restartTimes].map(([worker, times_ms]) => ({ worker, restarts: recent(times_ms).length })),
  }
}

/**
 * The workers of the service. The executable resolves their URLs relative to this folder, so they are started here
 * only.
 */
export const workers: Workers = {
  raster: () => new Worker(new URL('./workers/raster.ts', import.meta.url)),
  import: () => new Worker(new URL('./workers/import.ts', import.meta.url)),
  run: () => new Worker(new URL('./workers/run.ts', import.meta.url), { smol: true }),
  backup: () => new Worker(new URL('./workers/backup.ts', import.meta.url), { smol: true }),
  packCheck: () => new Worker(new URL('./workers/pack-check.ts', import.meta.url), { smol: true }),
  download: () => new Worker(new URL('./workers/download.ts', import.meta.url), { smol: true }),
  workbook: () => new Worker(new URL('./workers/workbook.ts', import.meta.url), { smol: true }),
  bulk: () => new Worker(new URL('./workers/bulk.ts', import.meta.url), { smol: true }),
  overlay: () => new Worker(new URL('./workers/overlay.ts', import.meta.url), { smol: true }),
}
