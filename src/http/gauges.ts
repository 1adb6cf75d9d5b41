import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { App } from '../app.ts'
import { freeBytesIn } from '../store/free-space.ts'
import type { MetricFamily, Labels } from '../telemetry/metric-family.ts'
import { createGauge, createObservableCounter } from '../telemetry/gauge.ts'

/** What is not counted but there: each is read when the metrics are asked for, and costs nothing in between. */
export function gaugesOf(app: App): MetricFamily[] {
  const { config, admission, runs, packs, version } = app
  return [
    createGauge('fieldstone_build_info', 'Always 1; the version of the service, of its catalog, and of Bun.', () => [
      [{ version, catalog: app.catalog.version, bun: Bun.version }, 1],
    ]),
    createGauge(
      'fieldstone_catalog_fields',
      'Fields of the catalog, with those of added layers.',
      () => app.catalog.fields.size,
    ),
    createGauge(
      'fieldstone_catalog_files_rejected',
      'Files of added layers that were left out, since they do not hold together.',
      () => app.snapshot().overlayErrors.length,
    ),
    createGauge('fieldstone_packs', 'Files of the packs folder, by state.', () => packsByState(packs.list())),
    createGauge('fieldstone_admission_capacity', 'Locations that may be in work at once.', () => config.concurrency),
    createGauge('fieldstone_admission_working', 'Locations in work.', () => admission.occupancy().working),
    createGauge(
      'fieldstone_admission_waiting',
      'Locations that wait for a place; those of runs are not among them.',
      () => admission.occupancy().waiting,
    ),
    createObservableCounter(
      'fieldstone_admission_rejected_total',
      'Locations that were turned away as fetch_busy.',
      () => admission.rejectedCount(),
    ),
    createGauge('fieldstone_runs', 'Runs that are not finished, by status.', () =>
      runs.reader.countUnfinished().map(({ status, runs: count }) => [{ status }, count]),
    ),
    createGauge('fieldstone_runs_failed', 'Runs that failed within the last 24 hours.', () => runs.health().failed),
    createGauge('fieldstone_run_locations_pending', 'Locations of unfinished runs that are still to be answered.', () =>
      runs.reader.countUnfinished().reduce((sum, { remaining }) => sum + remaining, 0),
    ),
    createGauge('fieldstone_shutting_down', '1 while the service is about to stop.', () =>
      Number(runs.stopping.aborted),
    ),
    createGauge(
      'fieldstone_upstream_circuit_state',
      'Whether a host is left alone since it failed: 0 closed, 1 tried with one call, 2 open.',
      () => circuitGauge(app),
    ),
    createGauge(
      'fieldstone_upstream_last_success_timestamp_seconds',
      'When a host last answered, in seconds since 1970.',
      () => lastSuccessGauge(app),
    ),
    createGauge('fieldstone_store_up', '1 when the database can be read.', () => Number(app.storeAnswers())),
    createGauge('fieldstone_sqlite_bytes', 'Sizes of the databases in the data folder, with their journals.', () =>
      databaseSizes(config.data),
    ),
    createGauge('fieldstone_data_free_bytes', 'Free space where the data folder lies.', () => freeBytesIn(config.data)),
    ...processGauges(app),
  ]
}

function processGauges({ startedAt }: App): MetricFamily[] {
  return [
    createGauge('process_resident_memory_bytes', 'Memory of the process.', () => process.memoryUsage.rss()),
    createGauge('fieldstone_heap_bytes', 'Memory of the JavaScript heap.', () => process.memoryUsage().heapUsed),
    createObservableCounter('process_cpu_seconds_total', 'Time that the process has computed, in seconds.', () => {
      const { user, system } = process.cpuUsage()
      return (user + system) / 1e6
    }),
    createGauge(
      'process_start_time_seconds',
      'When the process began, in seconds since 1970.',
      () => startedAt.getTime() / 1000,
    ),
    // Only Linux tells; elsewhere there is no line.
    createGauge('process_open_fds', 'Open files and sockets.', () => openFiles().map((count) => [{}, count])),
  ]
}

function packsByState(files: ReturnType<App['packs']['list']>): [Labels, number][] {
  return (['checking', 'live', 'rejected'] as const).map((state) => [
    { state },
    files.filter((file) => file.state === state).length,
  ])
}

const circuitValues = { closed: 0, half_open: 1, open: 2 } as const

function circuitGauge({ net, hosts }: App): [Labels, number][] {
  return [...hosts].flatMap((host): [Labels, number][] => {
    const health = net?.health(host)
    return health ? [[{ host }, circuitValues[health.circuit]]] : []
  })
}

function lastSuccessGauge({ net, hosts }: App): [Labels, number][] {
  return [...hosts].flatMap((host): [Labels, number][] => {
    const last = net?.health(host)?.last_success
    return last ? [[{ host }, last.getTime() / 1000]] : []
  })
}

function databaseSizes(folder: string): [Labels, number][] {
  const files = ['state.db', 'state.db-wal', 'cache.db', 'cache.db-wal']
  return files.map((file) => [{ file }, statSync(join(folder, file), { throwIfNoEntry: false })?.size ?? 0])
}

function openFiles(): number[] {
  try {
    return [readdirSync('/proc/self/fd').length]
  } catch {
    return []
  }
}
