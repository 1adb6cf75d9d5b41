import { mapConcurrently } from '../../async/map-concurrently.ts'
import { noDeadline } from '../../async/deadline.ts'
import { openApp, type App, type AppOptions } from '../../app.ts'
import { askCanaries, type CanaryCheck, type CanaryStatus, askCanary } from './doctor-canaries.ts'
import type { Field } from '../../catalog/records.ts'
import type { FieldResult } from '../../fetch/fetch-answer.ts'
import { fetchFields } from '../../fetch/fetch.ts'
import type { DatasetHandle } from '../../fetch/sources/source-registry.ts'
import type { Point } from '../../model/place.ts'
import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { writeArchive } from '../../backup/tar.ts'
import { alignColumns } from '../question/answer-table.ts'
import { openRecordingMirror } from './recording-mirror.ts'

/**
 * The result of querying one dataset. `place` is the place with the most answered fields; `remark` explains any other
 * status than `ok`.
 */
export type SourceCheck = {
  dataset: string
  host: string
  status: 'ok' | 'absent' | 'failed' | 'off'
  latency_ms: number | null
  fields: number
  fields_answered: number
  place: string | null
  remark: string
  /** The answers of the dataset's canaries. Empty for a dataset that is off. */
  canaries: CanaryCheck[]
}

/** The places to query, in order, until every field has a value. */
const probePlaces: Record<string, Point> = {
  Boulder: { lat: 40.015, lng: -105.2705 },
  'Miami Beach': { lat: 25.7907, lng: -80.13 },
  'New Orleans': { lat: 29.9511, lng: -90.0715 },
  Kansas: { lat: 39.28, lng: -97.07 },
  Manhattan: { lat: 40.7484, lng: -73.9857 },
  Paradise: { lat: 39.7596, lng: -121.6219 },
}
const concurrency = 4

/**
 * Queries every dataset, or the given datasets, for their fields at known places and for their canaries. Uses a
 * temporary data folder, so that no answer comes from the cache. With `record`, writes the questions and answers of the
 * canaries to that folder. Returns exit code 0 if every dataset has a value at some place and every canary is right,
 * otherwise 1.
 */
export async function checkSources(
  options: AppOptions,
  { names, record }: { names: string[]; record: string | null },
  report: (checks: SourceCheck[]) => void,
): Promise<number> {
  const checks = await withTemporaryApp(options, async (app) => {
    const handles = [...app.registry.datasets()].filter(({ id }) => names.length === 0 || names.includes(id))
    const found = await mapConcurrently(handles, concurrency, (handle) => checkWithCanaries(handle, app))
    return found.toSorted((a, b) => a.dataset.localeCompare(b.dataset))
  })
  const withCanaries = checks.filter(({ canaries }) => canaries.length > 0)
  if (record !== null)
    await recordCanaries(
      options,
      withCanaries.map(({ dataset }) => dataset),
      record,
    )
  report(checks)
  return checks.every(hasPassed) ? 0 : 1
}

/**
 * Asks only the canaries of every dataset that is on, or of the given ones. With `record`, writes what they asked and
 * answered to that folder. Returns exit code 0 if every canary is right, otherwise 1.
 */
export async function checkCanaries(
  options: AppOptions,
  { names, record }: { names: string[]; record: string | null },
  report: (canaries: DatasetCanary[]) => void,
): Promise<number> {
  const datasets = await withTemporaryApp(options, async (app) => handlesOf(app, names).map(({ id }) => id))
  const checks =
    record === null
      ? await withTemporaryApp(options, (app) => askAllCanaries(app, datasets))
      : await recordCanaries(options, datasets, record)
  report(checks)
  return checks.every(isRight) ? 0 : 1
}

/** The datasets with these names that have a source; all of them without names. */
function handlesOf(app: App, names: readonly string[]): DatasetHandle[] {
  return [...app.registry.datasets()].filter(
    ({ id, options }) => options.length > 0 && (names.length === 0 || names.includes(id)),
  )
}

async function askAllCanaries(app: App, names: readonly string[]): Promise<DatasetCanary[]> {
  const checks: DatasetCanary[] = []
  for (const handle of handlesOf(app, names))
    for (const check of await askCanaries(handle, app)) checks.push({ dataset: handle.id, ...check })
  return checks
}

function hasPassed({ status, canaries }: SourceCheck): boolean {
  return (status === 'ok' || status === 'off') && canaries.every(isRight)
}

function isRight({ status }: CanaryCheck): boolean {
  return status === 'right' || status === 'slow'
}

async function checkWithCanaries(handle: DatasetHandle, app: App): Promise<SourceCheck> {
  const check = await checkSource(handle, app)
  return { ...check, canaries: handle.options.length === 0 ? [] : await askCanaries(handle, app) }
}

async function checkSource(handle: DatasetHandle, app: App): Promise<SourceCheck> {
  const fields = [...app.catalog.fields.values()].filter(({ read }) => read.dataset === handle.id)
  const host = handle.options.find(({ remote }) => remote)?.remote?.host ?? ''
  const unanswered = {
    dataset: handle.id,
    host,
    fields: fields.length,
    fields_answered: 0,
    latency_ms: null,
    place: null,
    canaries: [],
  }
  if (handle.options.length === 0) return { ...unanswered, status: 'off', remark: handle.unavailableError().message }
  if (fields.length === 0) return { ...unanswered, status: 'off', remark: 'Fields use it only as a fallback.' }
  let best: SourceCheck = { ...unanswered, status: 'absent', remark: '' }
  for (const [place, at] of Object.entries(probePlaces)) {
    const result = { ...unanswered, ...(await fetchFieldsAt(at, fields, app)), place }
    if (result.status === 'failed') return result
    if (best.place === null || result.fields_answered > best.fields_answered) best = result
    if (best.fields_answered === fields.length) break
  }
  return best
}

async function fetchFieldsAt(
  at: Point,
  fields: Field[],
  app: App,
): Promise<Pick<SourceCheck, 'status' | 'latency_ms' | 'fields_answered' | 'remark'>> {
  const started_ms = performance.now()
  const { fields: results } = await fetchFields(fields, await app.locate(at, noDeadline), noDeadline, app)
  const latency_ms = Math.round(performance.now() - started_ms)
  const all = Object.entries(results)
  const ok = all.filter(([, { status }]) => status === 'ok').length
  const failed = all.filter(([, { status }]) => status === 'failed')
  return {
    status: failed.length > 0 ? 'failed' : ok > 0 ? 'ok' : 'absent',
    latency_ms,
    fields_answered: ok,
    remark: failed.length > 0 ? failureRemark(failed) : ok > 0 ? '' : 'No field has a value at any test place.',
  }
}

function failureRemark(failed: [string, FieldResult][]): string {
  const [name, result] = failed[0]!
  const more = failed.length > 1 ? ` (and ${failed.length - 1} more)` : ''
  return result.status === 'failed' ? `${name}${more}: ${result.error}` : name
}

/** Formats checks as a text table with a summary line, and the canaries as a second one. */
export function formatSourceChecks(checks: SourceCheck[]): string[] {
  const count = (status: SourceCheck['status']) => checks.filter((it) => it.status === status).length
  return [
    ...alignColumns(
      [
        ['dataset', 'host', 'status', 'ms', 'fields', 'place', 'remark'],
        ...checks.map((it) => [
          it.dataset,
          it.host,
          it.status,
          String(it.latency_ms ?? ''),
          `${it.fields_answered}/${it.fields}`,
          it.place ?? '',
          it.remark,
        ]),
      ],
      Infinity,
    ),
    `${count('ok')} ok, ${count('absent')} absent everywhere, ${count('failed')} failed, ${count('off')} off`,
    '',
    ...formatCanaries(checks.flatMap(({ dataset, canaries }) => canaries.map((canary) => ({ dataset, ...canary })))),
  ]
}

/** Formats the results of canaries as a text table with a summary line. */
export function formatCanaries(all: DatasetCanary[]): string[] {
  const count = (status: CanaryStatus) => all.filter((it) => it.status === status).length
  return [
    ...alignColumns(
      [
        ['dataset', 'canary', 'place', 'result', 'ms', 'remark'],
        ...all.map((it) => [
          it.dataset,
          it.field,
          it.place,
          it.change === null ? it.status : `${it.status} (${it.change})`,
          String(it.latency_ms),
          it.remark,
        ]),
      ],
      Infinity,
    ),
    `Canaries: ${count('right')} right, ${count('slow')} slow, ${count('wrong')} wrong, ${count('changed')} changed, ${count('failed')} failed`,
  ]
}

/** The answer of a canary of a dataset. */
type DatasetCanary = CanaryCheck & { dataset: string }

/**
 * Asks the canaries of datasets, each in an app of its own without any cache, and writes what they asked and answered to
 * a folder: the requests and responses, `canaries.json` with every result, and all of it in one file, `<folder>.tar`.
 * Nothing in it names the operator.
 */
async function recordCanaries(
  options: AppOptions,
  datasets: readonly string[],
  folder: string,
): Promise<DatasetCanary[]> {
  const mirror = openRecordingMirror(folder, options.config.mirror)
  const throughMirror = { ...options, config: { ...options.config, mirror: mirror.url } }
  const checks: DatasetCanary[] = []
  try {
    for (const dataset of datasets)
      for (const canary of options.contents.canaries[dataset] ?? []) {
        const check = await withTemporaryApp(throughMirror, (app) =>
          askCanary(
            canary,
            [...app.registry.datasets()].find((handle) => handle.id === dataset)!,
            app,
          ),
        )
        checks.push({ dataset, ...check })
        mirror.write(dataset, canary, check)
      }
  } finally {
    await mirror.close()
  }
  const now = new Date()
  const summary = { version: options.version, recorded: now.toISOString().slice(0, 10), canaries: checks }
  writeFileSync(join(folder, 'canaries.json'), `${JSON.stringify(summary, null, 1)}\n`)
  writeArchive(`${folder.replace(/\/+$/, '')}.tar`, archivePartsOf(folder), now)
  return checks
}

function archivePartsOf(folder: string): { name: string; bytes: number; path: string }[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .toSorted()
    .map((path) => ({ name: path.slice(join(folder, '/').length), bytes: statSync(path).size, path }))
}

/** Uses an app with a temporary data folder, so that no answer comes from the cache, and with the network. */
async function withTemporaryApp<T>(options: AppOptions, use: (app: App) => Promise<T>): Promise<T> {
  const data = mkdtempSync(join(tmpdir(), 'fieldstone-doctor-'))
  const app = openApp({ ...options, config: { ...options.config, data, offline: false } })
  try {
    return await use(app)
  } finally {
    await app.close()
    rmSync(data, { recursive: true, force: true })
  }
}
