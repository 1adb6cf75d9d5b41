import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** The folder of recorded answers beside the repository. They are data of others, so they are not in the project. */
export const recordedFolder = join(import.meta.dir, '..', '..', '..', 'shared', 'recorded')
export const hasRecordings = existsSync(join(recordedFolder, 'a', 'cases.ts'))
/** The time at which recorded answers are replayed: editions newer than the recorded ones are not published yet. */
export const replayedAt = new Date('2026-11-15T12:00:00Z')
const halfAnHourBefore = new Date(replayedAt.getTime() - 1_800_000).toISOString()
/**
 * The folder of recorded answers that are public domain and kept in the project. Its manifest says where each is from.
 */
export const projectFolder = import.meta.dir

/** Names of before catalog 1.0.0, by which the sets call fields, and the present ones. */
const presentNames: Record<string, string> = {
  annual_mean_temperature_c: 'mean_annual_dry_bulb_temperature_degc',
  county_building_permits_single_family_units: 'county_building_permits_sf_annual',
  county_building_permits_total_units: 'county_building_permits_total_annual',
  county_home_price_yoy_pct: 'county_hpi_yoy_pct',
  county_population_growth_1y_pct: 'county_population_growth_1yr_pct',
  fema_flood_zone_subtype: 'flood_zone_subtype',
  is_cultivated_cropland: 'is_cultivated',
  nearest_natural_gas_pipeline_distance_m: 'nearest_gas_pipeline_distance_m',
  nearest_principal_port_name: 'nearest_port_name',
  nearest_principal_port_distance_m: 'nearest_port_distance_m',
  nearest_substation_distance_m: 'nearest_osm_substation_distance_m',
  parcel_number: 'parcel_apn',
  place_name: 'political_locality',
  pv_specific_yield_kwh_kw_year: 'pv_specific_yield_kwh_per_kw',
  soil_farmland_class: 'prime_farmland_classification',
  solar_dni_kwh_m2_day: 'dni_annual_kwh_m2_day',
  wetland_type: 'nwi_wetland_type',
  within_critical_habitat: 'intersects_critical_habitat',
}
/** Words of before catalog 1.0.0, in which the sets state values, and the present ones, by the present field. */
const presentValues: Record<string, Record<string, string>> = {
  critical_habitat_species: {
    'Northern spotted owl; Marbled Murrelet':
      'Northern spotted owl (Strix occidentalis caurina); Marbled Murrelet (Brachyramphus marmoratus)',
  },
  nearest_major_road_class: { primary: 'motorway' },
  wetland_subtype: { 'Unconsolidated Bottom': 'L1UBH' },
}
const m2PerAcre = 4046.8564224

/** The present name of a field that a set names. */
export function presentNameOf(name: string): string {
  return name === 'parcel_area_acres' ? 'parcel_area_m2' : (presentNames[name] ?? name)
}

function withPresentNames(expected: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(expected).map(([name, value]) => [
      presentNameOf(name),
      name === 'parcel_area_acres' && typeof value === 'number'
        ? value * m2PerAcre
        : (presentValues[name]?.[String(value)] ?? value),
    ]),
  )
}

/** A recorded answer, or null if none was recorded for the request. */
type Answer = (request: RecordedRequest) => Response | null
type RecordedRequest = { host: string; path: string; sent: string; range: string | null }

/** The recorded answers that belong together, and the values of a correct reading. */
export type RecordedCase = {
  id: string
  at: { lat: number; lng: number } | { address: string }
  answer: Answer
  /** Pack names and their files. */
  packs: [name: string, file: string][]
  expected: Record<string, unknown>
  isAsExpected: (value: number, expected: number, name: string) => boolean
}

/** The first set: ArcGIS, image services and OGC features. */
export async function loadFirstSet(): Promise<RecordedCase[]> {
  const folder = join(recordedFolder, 'a')
  const { cases } = (await import(join(folder, 'cases.ts'))) as { cases: FirstSetCase[] }
  return cases.map(({ id, lat, lng, routes, expect }) => ({
    id,
    at: { lat, lng },
    packs: [],
    expected: withPresentNames(expect),
    isAsExpected: (value, expected) => Math.abs(value - expected) <= Math.max(1e-6, Math.abs(expected) * 0.005),
    answer({ host, path, sent }) {
      const route = routes.find(({ at, q }) => at.test(host + path) && (!q || q.test(sent)))
      return route ? answerOfRoute(route, folder, sent) : null
    },
  }))
}

type FirstSetCase = { id: string; lat: number; lng: number; routes: Route[]; expect: Record<string, unknown> }
type Route = {
  at: RegExp
  q?: RegExp
  file?: string
  body?: string
  status?: number
  type?: string
  eachPoint?: boolean
  fresh?: boolean
}

function answerOfRoute(
  { file, body: inline, status = 200, type, eachPoint, fresh }: Route,
  folder: string,
  sent: string,
) {
  const recorded = inline ?? readFileSync(join(folder, 'recorded', file!), 'utf8')
  const located = eachPoint ? repeatSample(recorded, sent) : recorded
  const body = fresh ? located.replace(/"time":\s*"[^"]+"/g, `"time":"${halfAnHourBefore}"`) : located
  const isMarkup = body.trimStart().startsWith('<')
  return new Response(body, {
    status,
    headers: { 'content-type': type ?? (isMarkup ? 'text/xml' : 'application/json') },
  })
}

/** A recorded sample of one point, for every point of the request. */
function repeatSample(recorded: string, sent: string): string {
  const [sample] = (JSON.parse(recorded) as { samples: { location: object }[] }).samples
  const { points } = JSON.parse(new URLSearchParams(sent).get('geometry')!) as { points: [number, number][] }
  const samples = points.map(([x, y], locationId) => ({
    ...sample,
    locationId,
    location: { ...sample!.location, x, y },
  }))
  return JSON.stringify({ samples })
}

/** Distances of the sets are measured on a sphere. */
function toleranceOf(name: string): number {
  return name.endsWith('_distance_m') ? 3e-3 : 1e-4
}

/** A set with a manifest, such as the second set: one case for each row of the manifest that is replayed. */
export function loadManifestSet(folder: string): RecordedCase[] {
  const [head, ...lines] = readFileSync(join(folder, 'manifest.tsv'), 'utf8').trimEnd().split('\n')
  const names = head!.split('\t')
  const rows = lines
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => Object.fromEntries(names.map((name, i) => [name, line.split('\t')[i] ?? ''])) as ManifestRow)
  return rows
    .filter(({ fields }) => fields !== '')
    .map((replayed) => {
      const served = rows.filter((row) => row.case === replayed.case)
      return {
        id: `${replayed.case} ${replayed.lat}`,
        at: replayed.lat.startsWith('address:')
          ? { address: replayed.lat.slice('address:'.length) }
          : { lat: Number(replayed.lat), lng: Number(replayed.lng) },
        packs: served.filter(({ host }) => host === 'pack').map(({ path, file }) => [path, join(folder, file)]),
        expected: withPresentNames(JSON.parse(replayed.expected || '{}') as Record<string, unknown>),
        isAsExpected: (value, expected, name) =>
          Math.abs(value - expected) <= toleranceOf(name) * Math.max(1, Math.abs(expected)),
        answer({ host, path, sent, range }) {
          const row = served.find((it) => it.host === host && isPathOf(it.path, path) && sent.includes(it.match))
          return row ? answerOfRow(row, folder, range) : null
        },
      }
    })
}

type ManifestRow = Record<
  | 'case'
  | 'host'
  | 'path'
  | 'match'
  | 'lat'
  | 'lng'
  | 'fields'
  | 'file'
  | 'status'
  | 'content_type'
  | 'now'
  | 'expected',
  string
>

function isPathOf(pattern: string, path: string): boolean {
  return pattern.endsWith('*') ? path.startsWith(pattern.slice(0, -1)) : path === pattern
}

function answerOfRow({ file, now, status, content_type }: ManifestRow, folder: string, range: string | null) {
  const recorded = withoutTrimmedFields(readFileSync(join(folder, file)))
  const bytes = now === '' ? recorded : Buffer.from(recorded.toString().replaceAll(now, halfAnHourBefore))
  const headers = { 'content-type': content_type || 'application/json' }
  const part = /bytes=(\d+)-(\d*)/.exec(range ?? '')
  if (!part) return new Response(bytes, { status: Number(status || 200), headers })
  const [from, to] = [Number(part[1]), Math.min(part[2] ? Number(part[2]) : Infinity, bytes.length - 1)]
  return new Response(bytes.subarray(from, to + 1), {
    status: 206,
    headers: { ...headers, 'content-range': `bytes ${from}-${to}/${bytes.length}` },
  })
}

/** An empty list has the names of the attributes that its author asked for, which are not all of the layer. */
function withoutTrimmedFields(recorded: Buffer): Buffer {
  const text = recorded.subarray(0, 2_000).toString()
  return text.includes('"features":[]') ? Buffer.from(text.replace(/"fields":\[[^\]]*\],/, '')) : recorded
}
