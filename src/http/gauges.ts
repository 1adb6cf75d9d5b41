import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { App } from '../app.ts'
import { freeIn } from '../store/free-room.ts'
import type { Family, Labels } from '../watch/family.ts'
import { gauge, total } from '../watch/gauge.ts'

/** What is not counted but there: each is read when the metrics are asked for, and costs nothing in between. */
export function standing(app: App): Family[] {
  const { config, gate, runs, packs, version } = app
  return [
    gauge('fieldstone_build_info', 'Always 1; the version of the service, of its catalog, and of Bun.', () => [[{ version, catalog: app.catalog.version, bun: Bun.version }, 1]]),
    gauge('fieldstone_catalog_fields', 'Fields of the catalog, with those of added layers.', () => app.catalog.fields.size),
    gauge('fieldstone_catalog_files_refused', 'Files of added layers that were left out, since they do not hold together.', () => app.stock().faults.length),
    gauge('fieldstone_packs', 'Files of the packs folder, by state.', () => packsByState(packs.list())),
    gauge('fieldstone_gate_places', 'Locations that may be in work at once.', () => config.concurrency),
    gauge('fieldstone_gate_working', 'Locations in work.', () => gate.occupancy().working),
    gauge('fieldstone_gate_waiting', 'Locations that wait for a place; those of runs are not among them.', () => gate.occupancy().waiting),
    total('fieldstone_gate_refused_total', 'Locations that were turned away as fetch_busy.', () => gate.refused()),
    gauge('fieldstone_runs', 'Runs that are not finished, by status.', () => runs.reads.unfinished().map(({ status, runs: count }) => [{ status }, count])),
    gauge('fieldstone_runs_failed', 'Runs that failed within the last 24 hours.', () => runs.health().failed),
    gauge('fieldstone_run_locations_left', 'Locations of unfinished runs that are still to be answered.', () => runs.reads.unfinished().reduce((sum, { left }) => sum + left, 0)),
    gauge('fieldstone_stopping', '1 while the service is about to stop.', () => Number(runs.stopping.aborted)),
    gauge('fieldstone_upstream_circuit', 'Whether a host is left alone since it failed: 0 closed, 1 tried with one call, 2 open.', () => circuits(app)),
    gauge('fieldstone_upstream_last_success_seconds', 'When a host last answered, in seconds since 1970.', () => lastSuccesses(app)),
    gauge('fieldstone_store_answers', '1 when the database can be read.', () => Number(app.storeAnswers())),
    gauge('fieldstone_sqlite_bytes', 'Sizes of the databases in the data folder, with their journals.', () => sizesIn(config.data)),
    gauge('fieldstone_data_free_bytes', 'Free space where the data folder lies.', () => freeIn(config.data)),
    ...ofProcess(app),
  ]
}

function ofProcess({ started }: App): Family[] {
  return [
    gauge('process_resident_memory_bytes', 'Memory of the process.', () => process.memoryUsage.rss()),
    gauge('fieldstone_heap_bytes', 'Memory of the JavaScript heap.', () => process.memoryUsage().heapUsed),
    total('process_cpu_seconds_total', 'Time that the process has computed, in seconds.', () => {
      const { user, system } = process.cpuUsage()
      return (user + system) / 1e6
    }),
    gauge('process_start_time_seconds', 'When the process began, in seconds since 1970.', () => started.getTime() / 1000),
    // Only Linux tells; elsewhere there is no line.
    gauge('process_open_fds', 'Open files and sockets.', () => openFiles().map((count) => [{}, count])),
  ]
}

function packsByState(files: ReturnType<App['packs']['list']>): [Labels, number][] {
  return (['checking', 'live', 'refused'] as const).map((state) => [{ state }, files.filter((file) => file.state === state).length])
}

const circuitValues = { closed: 0, half_open: 1, open: 2 } as const

function circuits({ net, hosts }: App): [Labels, number][] {
  return [...hosts].flatMap((host): [Labels, number][] => {
    const health = net?.health(host)
    return health ? [[{ host }, circuitValues[health.circuit]]] : []
  })
}

function lastSuccesses({ net, hosts }: App): [Labels, number][] {
  return [...hosts].flatMap((host): [Labels, number][] => {
    const last = net?.health(host)?.last_success
    return last ? [[{ host }, last.getTime() / 1000]] : []
  })
}

function sizesIn(folder: string): [Labels, number][] {
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
