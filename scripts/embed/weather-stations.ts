import { gunzipSync } from 'node:zlib'
import { distanceBetween_m } from '../../src/geo/ecef.ts'
import type { Point } from '../../src/model/place.ts'
import { airportRecords, airportsByIcao } from './airports.ts'
import { read, type DataFile, type LayerRow, type LayerSource } from './layer.ts'

export const stationList: DataFile = {
  package: 'weather-util-data',
  file: 'stations.gz',
  sha256: 'df2ea261a8172bb61b2de1062eb26bb6868a3bc0b1ce9918153dec140bc31654',
}
const columns = { ID: 'TEXT', NAME: 'TEXT', STATE: 'TEXT' } as const

/** The airports of the US that report the weather (METAR). */
export const buildWeatherStations: LayerSource<keyof typeof columns> = {
  name: 'weather_stations',
  title: 'Airports with a METAR weather station (NOAA, FAA)',
  geometry: 'POINT',
  columns,
  files: [stationList, airportRecords],
  publisher: 'NOAA National Weather Service',
  source_url: 'https://tgftp.nws.noaa.gov/data/nsd_cccc.txt',
  license: 'public domain (US government work); packaged under ISC',
  attribution: 'NOAA National Weather Service; station list packaged by weather-util-data, Jeremy Stanley',
  vintage: '2023-02-18',
  derivation:
    'The METAR stations of the list whose ICAO code is that of an open facility of the FAA, with the name, state and position of the FAA; ' +
    'a station is left out if the positions of the two sources are more than 5 km apart, or if it is not at a facility of the FAA.',
  rows,
}

/** Farther apart, a code may stand for two different places. */
const maxDistance_m = 5_000

function* rows(): Generator<LayerRow<keyof typeof columns>> {
  const airports = airportsByIcao()
  for (const { id, at } of listedStations()) {
    const airport = airports.get(id)
    if (!airport) continue
    const [lng, lat] = airport.at
    if (distanceBetween_m(at, { lat, lng }) > maxDistance_m) continue
    yield {
      cells: { ID: id, NAME: airport.name, STATE: airport.state },
      geom: { type: 'Point', coordinates: airport.at },
    }
  }
}

/** The METAR stations of the list, of all countries, by their code. Their positions are in radians. */
export function* listedStations(): Generator<{ id: string; at: Point }> {
  const text = gunzipSync(read(stationList)).toString('utf8')
  for (const section of text.split('\n[').slice(1)) {
    const [, lat, lng] = /^location = \((-?[\d.]+), (-?[\d.]+)\)$/m.exec(section) ?? []
    if (lat === undefined || lng === undefined || !/^metar = /m.test(section)) continue
    const id = section.slice(0, section.indexOf(']')).toUpperCase()
    yield { id, at: { lat: degreesOf(Number(lat)), lng: degreesOf(Number(lng)) } }
  }
}

function degreesOf(radians: number): number {
  return (radians * 180) / Math.PI
}
