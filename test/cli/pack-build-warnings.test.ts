import { describe, expect, test } from 'bun:test'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { buildGeotiff, type TiffSpec } from '../raster/build-geotiff.ts'
import { startFieldstone } from './fieldstone.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const folder = temporaryFolder()
const start = (words: string[]) => startFieldstone(words, {}, folder).end()
const build = (id: string, file: string) => start(['pack', 'build', id, file])

const dataset = (shape: string, file: string) => ({
  service: 'own',
  title: 'Own',
  publisher: 'Us',
  license: 'ours',
  source_url: 'https://example.com/own',
  coverage: { regions: ['conus'], note: null },
  vintage_note: null,
  ttl_seconds: 60,
  shape,
  serve: [{ driver: 'pack', file }],
  bulk: null,
  budget_ms: 1000,
  needs_key: null,
})
const field = (name: string, type: string, read: object) => ({
  name,
  description: `Value of ${name}.`,
  interpretation_hints: 'Our own.',
  layer: 'own',
  lifecycle: 'experimental',
  type,
  unit: 'm',
  ...(type === 'float' && { decimals: 1 }),
  null_meaning: 'Nothing here.',
  derivation: null,
  ttl_seconds: 60,
  read,
  evidence: 'our own',
})
mkdirSync(join(folder, 'data', 'catalog.d'), { recursive: true })
writeFileSync(
  join(folder, 'data', 'catalog.d', 'own.json'),
  JSON.stringify({
    datasets: { own_zones: dataset('features', 'own_zones.gpkg'), own_cells: dataset('raster', 'own_cells.tif') },
    fields: [
      field('own_height', 'float', { dataset: 'own_zones', op: 'attribute', attribute: 'height' }),
      field('own_cell', 'float', { dataset: 'own_cells', op: 'sample', resampling: 'nearest' }),
    ],
  }),
)

const square = (lng: number, lat: number, height: unknown) => ({
  type: 'Feature',
  properties: { height },
  geometry: {
    type: 'Polygon',
    coordinates: [
      [
        [lng, lat],
        [lng + 1, lat],
        [lng + 1, lat + 1],
        [lng, lat + 1],
        [lng, lat],
      ],
    ],
  },
})
let count = 0
function buildZones(features: object[]) {
  const name = `zones-${++count}.geojson`
  writeFileSync(join(folder, name), JSON.stringify({ type: 'FeatureCollection', features }))
  return build('own_zones', name)
}

describe('the build of a layer warns', () => {
  test('when no feature is in the US, also if the box around all of them meets it', async () => {
    const { code, err } = await buildZones([square(-100, 52, 1), square(-100, 10, 2)])
    expect([code, err]).toEqual([0, expect.stringContaining('None of the 2 features is in the United States.')])
  })

  test('when the column does not fit the type of its field, with the value', async () => {
    const { code, err } = await buildZones([square(-100, 40, '12.5'), square(-101, 40, '8 m')])
    expect(code).toBe(0)
    expect(err).toContain('The column height does not fit the field own_height, whose type is float: "12.5"')
  })

  test('not about features of which one is in the US and whose column fits', async () => {
    const { code, err } = await buildZones([square(-100, 40, 1), square(-100, 52, 2.5), square(-90, 40, null)])
    expect([code, err]).toEqual([0, expect.not.stringContaining('Warning')])
  })
})

function buildCells(form: Partial<TiffSpec>) {
  const name = `cells-${++count}.tif`
  writeFileSync(join(folder, name), buildGeotiff({ width: 40, height: 40, value: () => 7, ...form }))
  return build('own_cells', name)
}

describe('the build of a raster', () => {
  test('honors the mask of the file', async () => {
    expect((await buildCells({ mask: (x) => x >= 20 })).code).toBe(0)
    const cells = async (lng: number) =>
      JSON.parse((await start(['fetch', '--at', `39.9,${lng}`, '--fields', 'own_cell', '--json'])).out)
    expect(await cells(-99.7)).toMatchObject({ fields: { own_cell: { status: 'ok', value: 7 } } })
    expect(await cells(-99.9)).toMatchObject({ fields: { own_cell: { status: 'absent', absent_reason: 'no_data' } } })
  })

  test('rejects a raster whose mask is in a file beside it, and says how to join them', async () => {
    writeFileSync(join(folder, `cells-${count + 1}.tif.msk`), 'x')
    const { code, err } = await buildCells({})
    expect([code, err]).toEqual([1, expect.stringContaining('gdal_translate --config GDAL_TIFF_INTERNAL_MASK YES')])
  })

  test('warns about a raster outside of the US', async () => {
    const { code, err } = await buildCells({ origin: [10, 50] })
    expect([code, err]).toEqual([0, expect.stringContaining('No cell of the raster is in the United States.')])
  })

  const rotated = [0.01, 0.002, 0, -100, 0.002, -0.01, 0, 40, 0, 0, 0, 0, 0, 0, 0, 1]
  test.each<[string, Partial<TiffSpec>, RegExp]>([
    ['is rotated', { overriddenTags: { 34264: { type: 12, values: rotated } } }, /rotated.*gdalwarp -t_srs EPSG:4326/],
    ['is in an unknown system', { epsg: 2232 + 40_000 }, /Unknown coordinate system.*gdalwarp -t_srs EPSG:4326/],
    ['has no system', { epsg: 0 }, /no coordinate system.*gdal_translate -a_srs/],
    ['has no position', { epsg: null }, /gdal_translate -a_srs EPSG:<code>/],
    [
      'has other cells',
      { overriddenTags: { 258: { type: 3, values: [12] } } },
      /unsupported cells.*gdal_translate -ot/,
    ],
  ])('names a remedy that helps if it %s', async (_what, form, message) => {
    const { code, err } = await buildCells(form)
    expect([code, err]).toEqual([1, expect.stringMatching(message)])
  })
})
