import { gunzipSync } from 'node:zlib'
import { read, type LngLat, type LayerCell, type DataFile, type LayerSource, type LayerRow } from './layer.ts'
import { embeddedStates } from './states.ts'

export const airportRecords: DataFile = {
  package: '@squawk/airport-data',
  file: 'data/airports.json.gz',
  sha256: '28f2625924fe36be44db1a7a9713d310fb61c81a011fad684b53bfc87813a490',
}
const columns = {
  SITE_NO: 'TEXT',
  ARPT_ID: 'TEXT',
  ICAO_ID: 'TEXT',
  ARPT_NAME: 'TEXT',
  CITY: 'TEXT',
  STATE_CODE: 'TEXT',
  COUNTY_NAME: 'TEXT',
  SITE_TYPE_CODE: 'TEXT',
  FACILITY_USE_CODE: 'TEXT',
  OWNERSHIP_TYPE_CODE: 'TEXT',
  ELEV: 'REAL',
  LONGEST_RWY_FT: 'INTEGER',
  LONGEST_RWY_SURFACE: 'TEXT',
  TOWERED: 'INTEGER',
  ARTCC: 'TEXT',
  TZ: 'TEXT',
  STATUS: 'TEXT',
} as const

/** Open airports, heliports, seaplane bases and other landing facilities, including private ones. */
export const buildAirports: LayerSource<keyof typeof columns> = {
  name: 'airports',
  title: 'Landing facilities (FAA NASR)',
  geometry: 'POINT',
  columns,
  files: [airportRecords],
  publisher: 'Federal Aviation Administration',
  source_url: 'https://www.faa.gov/air_traffic/flight_info/aeronav/aero_data/NASR_Subscription/',
  license: 'public domain (US government work); packaged under MIT',
  attribution: 'Federal Aviation Administration, National Airspace System Resources; packaged by @squawk/airport-data',
  vintage: '2026-09-03',
  derivation:
    'The NASR cycle as @squawk/airport-data packs it, which has open facilities only, without the foreign ones and Midway, Wake and ' +
    'Palmyra; it tells owners as public or not, so that OWNERSHIP_TYPE_CODE is PU or empty (private, military), and has no SITE_NO; ' +
    'the longest runway may be a helipad or a water lane.',
  rows,
}

type Facility = {
  faaId: string
  icao?: string
  name: string
  facilityType: string
  useType: string
  ownershipType: string
  status: string
  city: string
  county: string
  state?: string
  country: string
  lat: number
  lon: number
  timezone: string
  elevationFt?: number
  towerType?: string
  artccId?: string
  runways: Runway[]
}
type Runway = { lengthFt?: number; surfaceType?: string }

/** The open facilities of the US, by their ICAO code. Facilities without one have K and their FAA code. */
export function airportsByIcao(): Map<string, { name: string; state: string; at: LngLat }> {
  return new Map(
    [...openFacilities()].map(({ facility, state }) => [
      facility.icao ?? `K${facility.faaId}`,
      { name: facility.name, state, at: [facility.lon, facility.lat] },
    ]),
  )
}

function* rows(): Generator<LayerRow<keyof typeof columns>> {
  for (const { facility, state } of openFacilities())
    yield { cells: cellsOf(facility, state), geom: { type: 'Point', coordinates: [facility.lon, facility.lat] } }
}

function* openFacilities(): Generator<{ facility: Facility; state: string }> {
  const codes = new Set(embeddedStates.map(({ code }) => code))
  const file = JSON.parse(gunzipSync(read(airportRecords)).toString('utf8')) as { records: Facility[] }
  for (const facility of file.records) {
    // Three heliports in Puerto Rico have PR as their country.
    const state = facility.state ?? facility.country
    if (!codes.has(state) || !['US', 'PR'].includes(facility.country) || facility.status !== 'OPEN') continue
    yield { facility, state }
  }
}

function cellsOf(facility: Facility, state: string): Record<keyof typeof columns, LayerCell> {
  const longest = facility.runways.reduce<Runway>(
    (best, runway) => ((runway.lengthFt ?? 0) > (best.lengthFt ?? 0) ? runway : best),
    {},
  )
  return {
    SITE_NO: null,
    ARPT_ID: facility.faaId,
    ICAO_ID: facility.icao ?? null,
    ARPT_NAME: facility.name,
    CITY: facility.city,
    STATE_CODE: state,
    COUNTY_NAME: facility.county,
    SITE_TYPE_CODE: siteTypes[facility.facilityType] ?? null,
    FACILITY_USE_CODE: facility.useType === 'PUBLIC' ? 'PU' : 'PR',
    OWNERSHIP_TYPE_CODE: facility.ownershipType === 'PUBLIC' ? 'PU' : null,
    ELEV: facility.elevationFt ?? null,
    LONGEST_RWY_FT: longest.lengthFt ?? null,
    LONGEST_RWY_SURFACE: longest.surfaceType ?? null,
    TOWERED: facility.towerType ? Number(facility.towerType.startsWith('ATCT')) : null,
    ARTCC: facility.artccId ?? null,
    TZ: facility.timezone,
    STATUS: 'O',
  }
}

/** NASR codes. */
const siteTypes: Record<string, string> = {
  AIRPORT: 'A',
  HELIPORT: 'H',
  SEAPLANE_BASE: 'C',
  GLIDERPORT: 'G',
  BALLOONPORT: 'B',
  ULTRALIGHT: 'U',
}
