import { existsSync } from 'node:fs'
import { createJobWorker } from './async/job-worker.ts'
import {
  resolveEmbeddedFile,
  unpackedPath,
  type EmbeddedFile,
  type EmbeddedLocation,
} from './packs/embedded/embedded-file.ts'

/** Starts a worker of each kind. */
export type Workers = typeof workers

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
export const workers = {
  raster: () => new Worker(new URL('./workers/raster.ts', import.meta.url)),
  import: () => new Worker(new URL('./workers/import.ts', import.meta.url)),
  run: () => new Worker(new URL('./workers/run.ts', import.meta.url), { smol: true }),
  backup: () => new Worker(new URL('./workers/backup.ts', import.meta.url), { smol: true }),
  packCheck: () => new Worker(new URL('./workers/pack-check.ts', import.meta.url), { smol: true }),
  download: () => new Worker(new URL('./workers/download.ts', import.meta.url), { smol: true }),
  workbook: () => new Worker(new URL('./workers/workbook.ts', import.meta.url), { smol: true }),
  bulk: () => new Worker(new URL('./workers/bulk.ts', import.meta.url), { smol: true }),
  overlay: () => new Worker(new URL('./workers/overlay.ts', import.meta.url), { smol: true }),
  unpack: () => new Worker(new URL('./workers/unpack.ts', import.meta.url)),
}

const unpackTimeout_ms = 120_000

/** Resolves with the embedded data. If its file is not there, a worker unpacks it. */
export async function unpackInWorker(location: EmbeddedLocation, startWorker: () => Worker): Promise<EmbeddedFile> {
  const { dataFolder, sha256 } = location
  if (sha256 === null || existsSync(unpackedPath(dataFolder, sha256))) return resolveEmbeddedFile(location)
  return createJobWorker<EmbeddedLocation, EmbeddedFile>(startWorker).run(location, { timeout_ms: unpackTimeout_ms })
}
