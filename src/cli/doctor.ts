import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openApp, type App, type AppOptions } from '../app.ts'
import type { Field } from '../catalog/records.ts'
import type { FieldResult } from '../fetch/fetch-answer.ts'
import { fetchFields } from '../fetch/fetch.ts'
import type { DatasetHandle } from '../fetch/source-registry.ts'
import type { Point } from '../model/place.ts'

/** What asking one dataset came to. `expected`: a value at one of the places; `remark` says what else it was. */
export type Examined = { dataset: string; host: string; status: 'ok' | 'absent' | 'failed' | 'off'; latency_ms: number | null; fields: number; answered: number; place: string | null; remark: string }

/** Where they are asked, one after the other, until every field has had a value; the place that gave most is told. */
const places: Record<string, Point> = {
  Boulder: { lat: 40.015, lng: -105.2705 },
  'Miami Beach': { lat: 25.7907, lng: -80.13 },
  'New Orleans': { lat: 29.9511, lng: -90.0715 },
  Kansas: { lat: 39.28, lng: -97.07 },
  Manhattan: { lat: 40.7484, lng: -73.9857 },
  Paradise: { lat: 39.7596, lng: -121.6219 },
}
const atOnce = 4
const noHurry = { signal: new AbortController().signal }

/**
 * Asks every dataset that has a source on another server (or those that are named) for its fields at known places, in a folder of its own, so that
 * nothing is answered from a cache. Gives exit code 0 when every one of them had a value somewhere, else 1.
 */
export async function doctorLive(options: AppOptions, names: string[], report: (examined: Examined[]) => void): Promise<number> {
  const data = mkdtempSync(join(tmpdir(), 'fieldstone-doctor-'))
  const app = openApp({ ...options, config: { ...options.config, data, offline: false } })
  try {
    const shelves = [...app.registry.datasets()].filter(({ id, options: ways }) => (names.length === 0 ? ways.length === 0 || ways.some(({ remote }) => remote) : names.includes(id)))
    const examined: Examined[] = []
    const lane = async () => {
      for (let shelf = shelves.shift(); shelf; shelf = shelves.shift()) examined.push(await examine(shelf, app))
    }
    await Promise.all(Array.from({ length: atOnce }, lane))
    report(examined.toSorted((a, b) => a.dataset.localeCompare(b.dataset)))
    return examined.every(({ status }) => status === 'ok' || status === 'off') ? 0 : 1
  } finally {
    app.close()
    rmSync(data, { recursive: true, force: true })
  }
}

async function examine(shelf: DatasetHandle, app: App): Promise<Examined> {
  const fields = [...app.catalog.fields.values()].filter(({ read }) => read.dataset === shelf.id)
  const host = shelf.options.find(({ remote }) => remote)?.remote?.host ?? ''
  const asked = { dataset: shelf.id, host, fields: fields.length, answered: 0, latency_ms: null, place: null }
  if (!host) return { ...asked, status: 'off', remark: shelf.unavailableError().message }
  if (fields.length === 0) return { ...asked, status: 'off', remark: 'No field reads it but as a fallback.' }
  let best: Examined = { ...asked, status: 'absent', remark: '' }
  for (const [place, at] of Object.entries(places)) {
    const seen = { ...asked, ...(await seenAt(at, fields, app)), place }
    if (seen.status === 'failed') return seen
    if (best.place === null || seen.answered > best.answered) best = seen
    if (best.answered === fields.length) break
  }
  return best
}

async function seenAt(at: Point, fields: Field[], app: App): Promise<Pick<Examined, 'status' | 'latency_ms' | 'answered' | 'remark'>> {
  const began = performance.now()
  const { fields: results } = await fetchFields(fields, await app.locate(at, noHurry), noHurry, app)
  const latency_ms = Math.round(performance.now() - began)
  const all = Object.entries(results)
  const ok = all.filter(([, { status }]) => status === 'ok').length
  const failed = all.filter(([, { status }]) => status === 'failed')
  return { status: failed.length > 0 ? 'failed' : ok > 0 ? 'ok' : 'absent', latency_ms, answered: ok, remark: failed.length > 0 ? remarkOn(failed) : ok > 0 ? '' : 'No value at any of the places.' }
}

function remarkOn(failed: [string, FieldResult][]): string {
  const [name, result] = failed[0]!
  const more = failed.length > 1 ? ` (and ${failed.length - 1} more)` : ''
  return result.status === 'failed' ? `${name}${more}: ${result.error}` : name
}

/** The table that a person reads. */
export function tableOf(examined: Examined[]): string[] {
  const rows = [['dataset', 'host', 'status', 'ms', 'fields', 'place', 'remark'], ...examined.map((it) => [it.dataset, it.host, it.status, String(it.latency_ms ?? ''), `${it.answered}/${it.fields}`, it.place ?? '', it.remark])]
  const widths = rows[0]!.map((_, column) => Math.max(...rows.map((row) => row[column]!.length)))
  const count = (status: Examined['status']) => examined.filter((it) => it.status === status).length
  return [...rows.map((row) => row.map((cell, i) => (i === row.length - 1 ? cell : cell.padEnd(widths[i]!))).join('  ').trimEnd()), `${count('ok')} ok, ${count('absent')} absent everywhere, ${count('failed')} failed, ${count('off')} off`]
}
