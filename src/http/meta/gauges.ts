import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { App } from '../../app.ts'
import { missingNamesOf } from '../../fetch/sources/source-registry.ts'
import { freeBytesIn } from '../../store/free-space.ts'
import type { StoredNode } from '../../store/nodes.ts'
import { type MetricFamily, type Labels, createGauge, createObservableCounter } from '../../telemetry/metrics.ts'

/** Returns the gauges of the service. Each reads its value when the metrics are requested. */
export function gaugesOf(app: App): MetricFamily[] {
  return [
    ...catalogGauges(app),
    ...admissionGauges(app),
    ...runGauges(app),
    ...nodeGauges(app),
    ...storageGauges(app),
    ...processGauges(app),
  ]
}

function catalogGauges(app: App): MetricFamily[] {
  const { packs, version } = app
  return [
    createGauge(
      'fieldstone_build_info',
      'Always 1. Labels: the versions of the service, the catalog and Bun.',
      () => [[{ version, catalog: app.catalog.version, bun: Bun.version }, 1]],
      ['version', 'catalog', 'bun'],
    ),
    createGauge(
      'fieldstone_catalog_fields',
      'Fields in the catalog, including added layers.',
      () => app.catalog.fields.size,
    ),
    createGauge(
      'fieldstone_catalog_files_rejected',
      'Invalid files of added layers that were ignored.',
      () => app.snapshot().overlayErrors.length,
    ),
    createGauge(
      'fieldstone_source_missing_names',
      'Attributes, columns, layers and paths that a field needs and that the publisher no longer provides, by dataset. Datasets with none are omitted.',
      () => missingNamesByDataset(app),
      ['dataset', 'missing'],
    ),
    createGauge(
      'fieldstone_preset_complete_areas',
      'Areas of installed packs in which local data answers all fields of the preset.',
      () => completeAreasByPreset(app),
      ['preset'],
    ),
    createGauge('fieldstone_packs', 'Files in the packs folder, by state.', () => packsByState(packs.list()), [
      'state',
    ]),
  ]
}

function completeAreasByPreset(app: App): [Labels, number][] {
  const counts = new Map<string, number>()
  for (const preset of app.presetsByArea().flatMap(({ presets }) => presets))
    counts.set(preset, (counts.get(preset) ?? 0) + 1)
  return [...counts].map(([preset, count]) => [{ preset }, count])
}

function missingNamesByDataset({ registry }: App): [Labels, number][] {
  return [...registry.datasets()].flatMap((handle): [Labels, number][] => {
    const missing = missingNamesOf(handle)
    return missing.length === 0 ? [] : [[{ dataset: handle.id, missing: missing.join(', ') }, missing.length]]
  })
}

function admissionGauges({ config, admission }: App): MetricFamily[] {
  return [
    createGauge(
      'fieldstone_admission_capacity',
      'Locations that can be processed at the same time.',
      () => config.concurrency,
    ),
    createGauge('fieldstone_admission_working', 'Locations being processed.', () => admission.occupancy().working),
    createGauge(
      'fieldstone_admission_waiting',
      'Locations in the queue, excluding those of runs.',
      () => admission.occupancy().waiting,
    ),
    createObservableCounter('fieldstone_admission_rejected_total', 'Locations rejected with fetch_busy.', () =>
      admission.rejectedCount(),
    ),
  ]
}

function runGauges({ runs, stuckWork }: App): MetricFamily[] {
  return [
    createGauge(
      'fieldstone_runs',
      'Unfinished runs, by status.',
      async () => (await runs.reader.countUnfinished()).map(({ status, runs: count }) => [{ status }, count]),
      ['status'],
    ),
    createGauge(
      'fieldstone_stuck',
      'Stalled work, by kind. runs: 1 if no location of the unfinished runs was answered for a minute. worker: number of workers restarted three times within ten minutes. job: number of overdue jobs.',
      async () => {
        const stuck = await stuckWork()
        return (['runs', 'worker', 'job'] as const).map((kind) => [
          { kind },
          stuck.filter((it) => it.kind === kind).length,
        ])
      },
      ['kind'],
    ),
    createGauge(
      'fieldstone_runs_failed',
      'Runs that failed in the last 24 hours.',
      async () => (await runs.health()).failed,
    ),
    createGauge('fieldstone_run_locations_pending', 'Unanswered locations of unfinished runs.', async () =>
      (await runs.reader.countUnfinished()).reduce((sum, { remaining }) => sum + remaining, 0),
    ),
    createGauge('fieldstone_shutting_down', '1 while the service is shutting down.', () =>
      Number(runs.stopping.aborted),
    ),
  ]
}

/** Gauges of the server processes that use the same state. Each of them reports the same values. */
function nodeGauges({ nodes }: App): MetricFamily[] {
  const gaugeOfNodes = (name: string, help: string, valueOf: (node: StoredNode) => number) =>
    createGauge(
      name,
      help,
      async () => (await nodes.list()).map((node) => [{ node: node.id, host: node.host }, valueOf(node)]),
      ['node', 'host'],
    )
  return [
    createGauge(
      'fieldstone_nodes',
      'Nodes (server processes) that use the same state, by version.',
      async () =>
        Map.groupBy(await nodes.list(), (it) => it.version)
          .entries()
          .map(([version, ofVersion]) => [{ version }, ofVersion.length]),
      ['version'],
    ),
    gaugeOfNodes(
      'fieldstone_node_last_seen_seconds',
      'Time since the last heartbeat of a node. After five minutes, it is omitted.',
      (it) => it.last_seen_s,
    ),
    gaugeOfNodes('fieldstone_node_runs', 'Unfinished runs that a node has taken.', (it) => it.runs),
    gaugeOfNodes('fieldstone_node_leases', 'Unfinished runs that only this node may write now.', (it) => it.leases),
    gaugeOfNodes(
      'fieldstone_node_revocations_behind',
      'Revocations of tokens since the last heartbeat of a node.',
      (it) => it.revocations_behind,
    ),
  ]
}

/** Gauges of the publishers' hosts and of the data folder. */
function storageGauges(app: App): MetricFamily[] {
  const { config } = app
  return [
    createGauge(
      'fieldstone_upstream_circuit_state',
      'Circuit breaker of a host: 0 closed, 1 half-open, 2 open.',
      () => circuitGauge(app),
      ['host'],
    ),
    createGauge(
      'fieldstone_upstream_last_success_timestamp_seconds',
      'Time of the last successful answer of a host, in seconds since 1970.',
      () => lastSuccessGauge(app),
      ['host'],
    ),
    createGauge('fieldstone_store_up', '1 when the database can be read.', async () =>
      Number(await app.storeAnswers()),
    ),
    createGauge(
      'fieldstone_sqlite_bytes',
      'Sizes of the databases in the data folder and of their journals.',
      () => databaseSizes(config.data),
      ['file'],
    ),
    createGauge('fieldstone_data_free_bytes', 'Free disk space of the data folder.', () => freeBytesIn(config.data)),
  ]
}

function processGauges({ startedAt }: App): MetricFamily[] {
  return [
    createGauge('process_resident_memory_bytes', 'Resident memory of the process.', () => process.memoryUsage.rss()),
    createGauge('fieldstone_heap_bytes', 'Used memory of the JavaScript heap.', () => process.memoryUsage().heapUsed),
    createObservableCounter('process_cpu_seconds_total', 'CPU time of the process, in seconds.', () => {
      const { user, system } = process.cpuUsage()
      return (user + system) / 1e6
    }),
    createGauge(
      'process_start_time_seconds',
      'Start time of the process, in seconds since 1970.',
      () => startedAt.getTime() / 1000,
    ),
    // Only Linux has /proc. Other systems omit this metric.
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
