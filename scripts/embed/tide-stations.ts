import { insideUs } from '../../src/geo/us.ts'
import type { Point } from '../../src/model/place.ts'
import { FlatTable } from './flatbuffer.ts'
import { read, type LayerCell, type DataFile, type LayerSource, type LayerRow } from './layer.ts'
import { territories } from './states.ts'

export const tideDatabase: DataFile = {
  package: '@neaps/tide-database',
  file: 'dist/generated/neaps.tcdb',
  sha256: 'aeba324c6d47ac0ffb9928631d010a6dd4cb190a9521c191fd901ac3959470bf',
}
const columns = {
  ID: 'TEXT',
  NAME: 'TEXT',
  STATE: 'TEXT',
  KIND: 'TEXT',
  MHHW_M: 'REAL',
  MHW_M: 'REAL',
  MSL_M: 'REAL',
  MTL_M: 'REAL',
  MLW_M: 'REAL',
  NAVD88_M: 'REAL',
  GT_M: 'REAL',
  EPOCH: 'TEXT',
} as const

/** NOAA's tide stations. Heights are above MLLW; subordinate stations have none. */
export const buildTideStations: LayerSource<keyof typeof columns> = {
  name: 'tide_stations',
  title: 'Tide stations and their datums (NOAA CO-OPS)',
  geometry: 'POINT',
  columns,
  files: [tideDatabase],
  publisher: 'National Oceanic and Atmospheric Administration, CO-OPS',
  source_url: 'https://tidesandcurrents.noaa.gov/stations.html?type=Datums',
  license: 'public domain (US government work); packaged under MIT',
  attribution: 'NOAA CO-OPS; packaged by the Neaps tide database (https://github.com/openwatersio/tide-database)',
  vintage: '2026-09-24',
  derivation:
    'The tide stations (not those of currents) of which NOAA is the source, in the US and its five territories; datums, there above ' +
    'station zero, are here above MLLW in whole millimetres; GT_M is the published great diurnal range; STATE is empty where the ' +
    'package has none.',
  rows,
}

const noaa = 'US National Oceanic and Atmospheric Administration'

/** Slots in schemas/database.fbs. */
const rootSlots = { stations: 6, datumNames: 10 }
const slots = {
  name: 6,
  kind: 8,
  type: 10,
  latitude: 12,
  longitude: 14,
  datums: 32,
  epoch: 42,
  source: 46,
  regionCode: 56,
  countryCode: 58,
}
const sourceSlots = { name: 4, id: 6 }
const epochSlots = { start: 4, end: 6 }
const tide = 0
const subordinate = 1

function* rows(): Generator<LayerRow<keyof typeof columns>> {
  const root = FlatTable.root(read(tideDatabase))
  const datumNames = root.texts(rootSlots.datumNames)
  for (const { station, country, at } of usStationsOf(root)) {
    yield {
      cells: {
        ID: station.table(slots.source)!.text(sourceSlots.id),
        NAME: station.text(slots.name),
        STATE: country === 'US' ? (station.text(slots.regionCode)?.slice('US-'.length) ?? null) : country,
        KIND: station.byte(slots.type) === subordinate ? 'subordinate' : 'reference',
        ...heightsOf(station, datumNames),
        EPOCH: epochOf(station),
      },
      geom: { type: 'Point', coordinates: [at.lng, at.lat] },
    }
  }
}

/** The positions of the stations of this layer. All are at tidal water; some are far up a tidal river. */
export function tideStationPositions(): Point[] {
  return [...usStationsOf(FlatTable.root(read(tideDatabase)))].map(({ at }) => at)
}

function* usStationsOf(root: FlatTable): Generator<{ station: FlatTable; country: string; at: Point }> {
  for (const station of root.tables(rootSlots.stations)) {
    const country = station.text(slots.countryCode) ?? ''
    const at = { lat: station.double(slots.latitude), lng: station.double(slots.longitude) }
    if (station.byte(slots.kind) !== tide || station.table(slots.source)?.text(sourceSlots.name) !== noaa) continue
    // The package assigns some stations of other countries to the US.
    if (['US', ...territories].includes(country) && insideUs(at)) yield { station, country, at }
  }
}

/** Returns heights above MLLW. Empty if the station has no MLLW of its own. */
function heightsOf(station: FlatTable, datumNames: string[]) {
  const zero = new Map(
    station.structs(slots.datums, 8).map((datum) => [datumNames[datum.readUInt16LE(0)], datum.readFloatLE(4)]),
  )
  const mllw = zero.get('MLLW')
  const above = (datum: string): LayerCell => {
    const height = zero.get(datum)
    return height === undefined || mllw === undefined ? null : millimetres(height - mllw)
  }
  const range = zero.get('GT')
  return {
    MHHW_M: above('MHHW'),
    MHW_M: above('MHW'),
    MSL_M: above('MSL'),
    MTL_M: above('MTL'),
    MLW_M: above('MLW'),
    NAVD88_M: above('NAVD88'),
    GT_M: range === undefined ? null : millimetres(range),
  }
}

const millimetres = (metres: number): number => Math.round(metres * 1000) / 1000

/** Returns the first and last year. Two stations have year 0, which is not an epoch. */
function epochOf(station: FlatTable): string | null {
  const epoch = station.table(slots.epoch)
  const years = [epoch?.text(epochSlots.start), epoch?.text(epochSlots.end)].map((date) => date?.slice(0, 4))
  return years.every((year) => year && year !== '0000') ? years.join('-') : null
}
