import { beforeAll, describe, expect, test } from 'bun:test'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { zipSync } from 'fflate'
import { nad83, shapefileOf, squareAt } from '../upstreams/bulk/shapefile.ts'
import { createProcessGroup, waitForAddress } from './process-group.ts'

const { root, start } = createProcessGroup()
const denver = { lat: 39.7392, lng: -104.9903 }
const square = squareAt(denver, 0.01).map((at) => at.map((it) => Number(it.toFixed(4))) as [number, number])
const polygonOf = (ring: unknown[]) => ({ type: 'Polygon', coordinates: [ring] })
const featureOf = (geometry: object, properties: object) => ({ type: 'Feature', geometry, properties })
const features = [
  featureOf(polygonOf(square), { name: 'Civic, "Center"', zoning: 'R1', shape: 'square', attribute_shape: 'taken' }),
  featureOf({ type: 'Point', coordinates: [0, 0] }, { name: 'Point' }),
  featureOf(polygonOf([square[0], square[2], square[1], square[3], square[0]]), { name: 'Bow tie' }),
  featureOf({ type: 'LineString', coordinates: square.slice(0, 3) }, { name: 'Line', units: 12 }),
]
const fields = ['--fields', 'county,elevation']

const write = (name: string, content: string | Uint8Array) => writeFileSync(join(root, name), content)
const read = (name: string) => readFileSync(join(root, name), 'utf8')
const run = (file: string, ...words: string[]) => start(['run', file, '--data', 'data', ...words]).end()

describe('a run of the shapes of a file', () => {
  beforeAll(() => write('sites.geojson', JSON.stringify({ type: 'FeatureCollection', features })))

  test('has a row for each shape, with its attributes and the shares of each field', async () => {
    const { code, err } = await run('sites.geojson', ...fields, '--out', 'local.csv')
    // One row failed.
    expect(code).toBe(1)
    expect(err).toContain('Ignored 1 feature without a polygon or a line.')
    const [header, first, second, third] = read('local.csv').split('\r\n')
    expect(header).toBe(
      'name,zoning,shape,attribute_shape,units,geometry_shape,index,ok,lat,lng,source,error,county,elevation,failed_fields',
    )
    expect(first).toStartWith('"Civic, ""Center""",R1,square,taken,,"polygon:39.7292,-105.0003;')
    expect(first).toEndWith(',Denver County=1,,elevation')
    expect(second).toContain(',1,false,,,,row_invalid,')
    expect(third).toStartWith('Line,,,,12,"line:')
    expect(third).toEndWith(',Denver County=1,,elevation')
  })

  test('writes the same files on a server, and finds its earlier run there', async () => {
    const server = await waitForAddress(start(['serve', '--data', 'there'], { FIELDSTONE_AUTH: 'off' }))
    for (const out of ['local.csv', 'local.geojson'])
      expect((await run('sites.geojson', ...fields, '--out', out, '--force')).code).toBe(1)
    for (const out of ['server.csv', 'server.geojson', 'server.csv'])
      expect((await run('sites.geojson', ...fields, '--out', out, '--server', server)).code).toBe(1)
    expect(read('server.csv')).toBe(read('local.csv'))
    expect(read('server.geojson')).toBe(read('local.geojson'))
    const { items } = (await (await fetch(`${server}/v1/runs`)).json()) as { items: { kind: string }[] }
    expect(items.map(({ kind }) => kind)).toEqual(['area_batch'])
    const { features: results } = JSON.parse(read('local.geojson')) as { features: { geometry: object | null }[] }
    expect(results.map(({ geometry }) => geometry)).toEqual([features[0]!.geometry, null, features[3]!.geometry])
  })

  test('answers the largest shape, and rejects only the row of a larger one', async () => {
    const circle = (positions: number) => {
      const turn = (i: number) => (2 * Math.PI * (i % positions)) / positions
      const at = (i: number) => [denver.lng + 0.01 * Math.cos(turn(i)), denver.lat + 0.01 * Math.sin(turn(i))]
      return featureOf(polygonOf(Array.from({ length: positions + 1 }, (_, i) => at(i))), { name: `${positions}` })
    }
    const shapes = [circle(9_999), circle(10_001), circle(40_000), circle(8)]
    write('large.geojson', JSON.stringify({ type: 'FeatureCollection', features: shapes }))
    expect((await run('large.geojson', '--fields', 'county', '--out', 'large.csv')).code).toBe(1)
    const rows = read('large.csv').trimEnd().split('\r\n').slice(1)
    expect(rows).toEqual([
      expect.stringMatching(/^9999,.*,0,true,[^"]*,Denver County=1,$/),
      expect.stringMatching(/^10001,.*,1,false,,,,row_invalid,,county$/),
      expect.stringMatching(/^40000,.*,2,false,,,,row_invalid,,county$/),
      expect.stringMatching(/^8,.*,3,true,[^"]*,Denver County=1,$/),
    ])
    expect(rows[2]).toContain('polygon: 40,000 positions, more than 10,000')
  })

  test('continues after kill -9, and writes the same bytes as without it', async () => {
    const parcels = Array.from({ length: 1_500 }, (_, i) =>
      featureOf(polygonOf(squareAt({ lat: 38 + i / 1_000, lng: -105 }, 0.01)), { parcel: i }),
    )
    write('many.geojson', JSON.stringify({ type: 'FeatureCollection', features: parcels }))
    const words = ['run', 'many.geojson', '--data', 'data', '--fields', 'county', '--out']
    expect((await start([...words, 'whole.csv']).end()).code).toBe(0)
    const killed = start([...words, 'resumed.csv'])
    await killed.waitForOutput(/many\.geojson 20 %/)
    killed.signal('SIGKILL')
    await killed.end()
    expect((await start([...words, 'resumed.csv']).end()).code).toBe(0)
    expect(read('resumed.csv')).toBe(read('whole.csv'))
  })

  test('reads a zipped shapefile, and a table of counties and of shapes', async () => {
    const files = shapefileOf('site', [{ kind: 'polygon', points: square, row: { NAME: 'Site' } }], nad83)
    write('site.zip', zipSync(files))
    expect((await run('site.zip', '--fields', 'county', '--out', 'site.csv')).code).toBe(0)
    expect(read('site.csv')).toMatch(/^Site,"polygon:.*,Denver County=1,\r$/m)
    write('counties.csv', 'name,county_fips\nBoulder,08013\nNowhere,08\n')
    const kind = ['--kind', 'area_batch']
    expect((await run('counties.csv', ...kind, '--fields', 'county', '--out', 'counties.out.csv')).code).toBe(1)
    expect(read('counties.out.csv')).toContain(
      'Boulder,08013,0,true,40.0877799987793,-105.34495381644192,,,Boulder County=1,\r\n',
    )
    const geometry = JSON.stringify(features[0]!.geometry).replaceAll('"', '""')
    write('shapes.csv', `geometry\n"${geometry}"\n"circle:39.7392,-104.9903,500"\nparcel:39.7,-105\n`)
    expect((await run('shapes.csv', ...kind, '--fields', 'county', '--out', 'shapes.out.csv')).code).toBe(1)
    const rows = read('shapes.out.csv').split('\r\n')
    expect(rows.slice(1, 4).map((row) => row.includes('Denver County=1'))).toEqual([true, true, false])
  })

  test('is rejected for a file without shapes, for another kind, and for a table without a column of areas', async () => {
    write('broken.kml', '<html></html>')
    write('points.csv', 'lat,lng\n39.7,-105\n')
    const rejected: [words: string[], message: string][] = [
      [['broken.kml', '--fields', 'county'], 'broken.kml is XML or HTML, but not KML.'],
      [
        ['sites.geojson', '--kind', 'geocode_batch'],
        'sites.geojson has shapes, which --kind geocode_batch cannot answer.',
      ],
      [['points.csv', '--kind', 'area_batch', '--fields', 'county'], 'The file has no column of areas.'],
    ]
    for (const [[file, ...words], message] of rejected) {
      const { code, err } = await run(file!, ...words, '--out', 'none.csv')
      expect([code === 0, err]).toEqual([false, expect.stringContaining(message)])
    }
  })
})
