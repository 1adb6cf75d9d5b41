/** Starts a worker of each kind. */
export type Workers = {
  raster: () => Worker
  import: () => Worker
  run: () => Worker
  backup: () => Worker
  packCheck: () => Worker
  download: () => Worker
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
}
