import { strToU8 } from 'fflate'
import { testPlaces, type PlaceName } from '../test-places.ts'
import { bulkFiles } from './bulk-file.ts'

// Synthetic: where the points lie and what they say. The names of the columns are those of the publishers.

/** The nearest supply point of onshore wind to Kansas. */
export const windSupply = { capacity_factor_ac: 0.47, dist_spur_km: 12.25 }
/** Degrees from a place to the well or supply point near it. */
export const near_degrees = 0.005

type Row = Record<string, string | number>

/** OpenEI: the supply curve of onshore wind. */
export const windSupplyCurve = bulkFiles(
  'data.openei.org',
  {
    '/files/8314/lbw_open_access_2035_moderate_115hh_170rd_supply_curve.csv': () =>
      csvOf(
        (['kansas', 'boulder', 'manhattan', 'miami_beach'] as const).map((place, i) => ({
          sc_point_gid: i + 1,
          ...northOf(place, 'latitude', 'longitude'),
          ...windSupply,
        })),
      ),
  },
  { type: 'text/csv' },
)

/** USGS: orphaned wells of the states that have lists. */
export const orphanedWells = bulkFiles(
  'www.sciencebase.gov',
  {
    '/catalog/file/get/62ebd67bd34eacf539724c56': () =>
      csvOf([
        { State: 'Kansas', Type: 'Oil', ...northOf('kansas', 'Latitude', 'Longitude') },
        { State: 'Alaska', Type: 'Gas', ...northOf('anchorage', 'Latitude', 'Longitude') },
      ]),
  },
  { type: 'text/csv' },
)

function northOf(place: PlaceName, lat: string, lng: string): Row {
  return { [lat]: testPlaces[place].lat + near_degrees, [lng]: testPlaces[place].lng }
}

function csvOf(rows: Row[]): Uint8Array {
  const lines = [Object.keys(rows[0]!), ...rows.map((row) => Object.values(row))]
  return strToU8(lines.map((cells) => `${cells.join(',')}\n`).join(''))
}
