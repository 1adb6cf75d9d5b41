import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import type { App } from '../../app.ts'
import { AreaPresets, SourceStatus } from '../../catalog/meta-documents.ts'
import { missingNamesOf } from '../../fetch/sources/source-registry.ts'
import { optionStateOf, sourceFailureOf } from '../../fetch/sources/source-statuses.ts'
import type { ErrorDetail } from '../../model/error.ts'
import { nullable } from '../../model/schema.ts'
import { freeBytesIn, minFreeSpace_bytes } from '../../store/free-space.ts'
import { isWritable } from '../../store/sqlite/read-only.ts'
import { defineOperations } from '../request/operation.ts'

const Health = Type.Object({ status: Type.Literal('ok'), version: Type.String(), uptime_s: Type.Number() })

const Check = Type.Object({ status: Type.Union([Type.Literal('pass'), Type.Literal('warn'), Type.Literal('fail')]) })
const Message = Type.Optional(Type.String({ description: 'What is wrong and what to do.' }))
const Ready = Type.Object({
  status: Type.Union([Type.Literal('pass'), Type.Literal('warn'), Type.Literal('fail')]),
  version: Type.String(),
  catalog_version: Type.String(),
  process: Type.Optional(
    Type.Integer({ description: 'The process that answers, if the server has several. Each checks itself.' }),
  ),
  checks: Type.Object({
    store: Type.Object({ ...Check.properties, message: Message }),
    backup: Type.Optional(Type.Object({ ...Check.properties, message: Message })),
    catalog: Type.Object({
      ...Check.properties,
      rejected: Type.Optional(Type.Array(Type.Object({ file: Type.String(), errors: Type.Array(Type.String()) }))),
    }),
    runs: Type.Object({
      ...Check.properties,
      message: Message,
      failing_runs: Type.Optional(
        Type.Array(
          Type.Object({
            run_id: Type.String(),
            status: Type.String(),
            worker_losses: Type.Integer(),
            reason: nullable('string'),
          }),
        ),
      ),
    }),
    progress: Type.Object({
      ...Check.properties,
      message: Message,
      stuck: Type.Optional(
        Type.Array(
          Type.Object({
            kind: Type.Union(['runs', 'worker', 'job'].map((kind) => Type.Literal(kind))),
            name: Type.String(),
            reason: Type.String(),
          }),
        ),
      ),
    }),
    packs: Type.Object({
      ...Check.properties,
      message: Message,
      rejected: Type.Optional(Type.Array(Type.Object({ file: Type.String(), reason: Type.String() }))),
      areas: Type.Optional(
        Type.Array(AreaPresets, {
          description: 'The areas of the installed packs, and the presets that local data answers completely there.',
        }),
      ),
    }),
    sources: Type.Record(
      Type.String(),
      Type.Object({
        state: Type.Union(['cold', 'warming', 'ready', 'degraded', 'off'].map((state) => Type.Literal(state))),
        missing: Type.Optional(
          Type.Array(Type.String(), {
            description: 'The parts of the data that fields read but the publisher no longer provides.',
          }),
        ),
        failing: Type.Optional(SourceStatus.properties.failing),
      }),
    ),
  }),
})

/** One lost worker is not a pattern. */
const lossesToWarn = 2

export const healthOperations = defineOperations('Health', {
  'GET /healthz': {
    scope: null,
    summary: 'Liveness',
    description: 'Answers while the process is alive. Reads no database and no source.',
    responses: { 200: Health },
  },
  'GET /readyz': {
    scope: null,
    summary: 'Readiness',
    description:
      'Checks the store, catalog, packs, runs, progress and sources. The check `progress` warns about unfinished runs without an answer for a minute, a worker restarted three times within ten minutes, or a job overdue by 15 minutes. The state of a source is cold, ready, degraded or off; `warming` is not used any more. Off means that this server cannot query it. A source is degraded while its host fails, or while its data lacks something that fields read; `missing` names it.',
    responses: { 200: Ready, 503: Ready },
  },
})

export const healthRoutes = (app: App) =>
  new Elysia()
    .get('/healthz', () => ({
      status: 'ok' as const,
      version: app.version,
      uptime_s: (app.now().getTime() - app.startedAt.getTime()) / 1000,
    }))
    .get('/readyz', async ({ set }) => {
      const sources = Object.fromEntries(
        [...app.registry.datasets()].map((handle) => {
          const [first] = handle.options
          const missing = missingNamesOf(handle)
          const failing = sourceFailureOf(first, app.net)
          const state = first?.remote && missing.length > 0 ? ('degraded' as const) : optionStateOf(first, app.net)
          return [handle.id, { state, ...(missing.length > 0 && { missing }), ...(failing && { failing }) }]
        }),
      )
      const store = await storeCheck(app)
      const backup = backupCheck(app)
      // Without the database, nothing is known of the runs, and each query would wait for its deadline.
      const isStored = store.status !== 'fail'
      const runs = isStored ? await runsCheck(app) : { status: 'pass' }
      const progress = isStored ? await progressCheck(app) : { status: 'pass' }
      const hasWarning =
        store.status === 'warn' ||
        backup?.status === 'warn' ||
        runs.status === 'warn' ||
        progress.status === 'warn' ||
        app.snapshot().overlayErrors.length > 0 ||
        packsCheck(app).status === 'warn' ||
        Object.values(sources).some(({ state }) => state === 'degraded')
      const hasFailure = app.runs.stopping.aborted || store.status === 'fail'
      const status = hasFailure ? 'fail' : hasWarning ? 'warn' : 'pass'
      set.status = status === 'fail' ? 503 : 200
      return {
        status,
        version: app.version,
        catalog_version: app.catalog.version,
        ...(app.serverProcess && { process: app.serverProcess.number }),
        checks: {
          store,
          ...(backup && { backup }),
          runs,
          progress,
          catalog: catalogCheck(app),
          packs: packsCheck(app),
          sources,
        },
      }
    })

/** A read-only data folder is a warning, because the service still answers. */
async function storeCheck(app: App): Promise<{ status: 'pass' | 'warn' | 'fail'; message?: string }> {
  if (!(await app.storeAnswers()))
    return { status: 'fail', message: 'The database does not answer. Run `fieldstone doctor` to find out why.' }
  if (!app.isReadOnly && isWritable(app.config.data)) return freeSpaceCheck(app.config.data)
  const message = 'The data folder is read-only. New runs, new tokens and new logins are rejected (storage_read_only).'
  return {
    status: 'warn',
    message: app.isReadOnly ? `${message} Make the folder writable and restart the service.` : message,
  }
}

function freeSpaceCheck(data: string): { status: 'pass' | 'warn'; message?: string } {
  const free_bytes = freeBytesIn(data)
  if (free_bytes >= minFreeSpace_bytes) return { status: 'pass' }
  return {
    status: 'warn',
    message: `Only ${Math.floor(free_bytes / 1e6)} MB are free on the disk of the data folder. Runs wait or are rejected (storage_full). Free some space; waiting runs then continue.`,
  }
}

/** Returns null when backups are not scheduled. */
function backupCheck({ backups }: App): { status: 'pass' | 'warn'; message?: string } | null {
  const last = backups?.last() ?? null
  if (!backups) return null
  return last?.error
    ? { status: 'warn', message: `The backup of ${last.at.toISOString()} failed: ${last.error}` }
    : { status: 'pass' }
}

/** Warns about repeatedly lost workers and about runs that failed in the last day. */
async function runsCheck({ runs }: App) {
  const { recent_losses, failing_runs } = await runs.health()
  if (recent_losses < lossesToWarn && failing_runs.length === 0) return { status: 'pass' }
  const message = `Some runs failed or crashed their worker process. Workers lost in the last 10 minutes: ${recent_losses}. Search the log for the events "run_worker_lost" and "runs". A run that crashes its worker 3 times fails; other runs continue. Failures are listed here for 24 hours.`
  return {
    status: 'warn',
    message,
    failing_runs: failing_runs.map(({ id, status, worker_losses, error }) => ({
      run_id: id,
      status,
      worker_losses,
      reason: error === null ? null : (JSON.parse(error) as ErrorDetail).message,
    })),
  }
}

/** Warns about work that makes no progress although it should. */
async function progressCheck({ stuckWork }: App) {
  const stuck = await stuckWork()
  if (stuck.length === 0) return { status: 'pass' }
  const message = `${stuck.map(({ reason }) => reason).join(' ')} Search the log for "run_worker_lost", "runs" and "job_failed". If the cause is not there, restart the server: runs continue and lose nothing.`
  return { status: 'warn', message, stuck }
}

/** Warns about rejected overlay files, with their errors. */
function catalogCheck(app: App) {
  const { overlayErrors } = app.snapshot()
  return overlayErrors.length === 0 ? { status: 'pass' } : { status: 'warn', rejected: overlayErrors }
}

function packsCheck(app: App) {
  const rejected = app.packs
    .list()
    .flatMap(({ file, state, reason }) => (state === 'rejected' ? [{ file, reason: reason ?? '' }] : []))
  const areas = app.presetsByArea()
  const shown = areas.length > 0 ? { areas } : {}
  const message = app.packs.folderError() ?? storageMessageOf(app)
  if (message !== null) return { status: 'warn', message, rejected, ...shown }
  return rejected.length === 0 ? { status: 'pass', ...shown } : { status: 'warn', rejected, ...shown }
}

/** Says that the local copies of packs may be out of date; null if they are not. */
function storageMessageOf({ packStorage }: App): string | null {
  const problem = packStorage?.problem() ?? null
  return problem === null ? null : `The packs may be out of date: ${problem} Earlier copies stay in use.`
}
