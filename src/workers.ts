/** Starts a worker for each kind of work. They are started from this folder alone: in the executable it is where the bundles lie. */
export type Workers = { raster: () => Worker; import: () => Worker; run: () => Worker; backup: () => Worker }

export const workers: Workers = {
  raster: () => new Worker(new URL('./workers/raster.ts', import.meta.url)),
  import: () => new Worker(new URL('./workers/import.ts', import.meta.url)),
  run: () => new Worker(new URL('./workers/run.ts', import.meta.url), { smol: true }),
  backup: () => new Worker(new URL('./workers/backup.ts', import.meta.url), { smol: true }),
}
