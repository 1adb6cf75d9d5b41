import { describe, expect, test } from 'bun:test'
import { projectionOf } from '../../src/geo/projection.ts'

const oracle = Bun.which('gdaltransform')
if (oracle === null) console.warn('gdaltransform is not here: projections are not compared with those of PROJ.')

/** Each with its area of use: south, west, north, east. */
const systems: [crs: string, box: [number, number, number, number]][] = [
  ['EPSG:4326', [-15, -180, 72, 180]],
  ['EPSG:4269', [17, -180, 72, -60]],
  ['EPSG:4258', [17, -180, 72, -60]],
  ['EPSG:3857', [-15, -179, 72, 179]],
  ['EPSG:5070', [24, -125, 50, -66]],
  ['EPSG:6350', [24, -125, 50, -66]],
  ['EPSG:3338', [51, -179, 72, -130]],
  ['ESRI:102003', [24, -125, 50, -66]],
  ['ESRI:102007', [18, -161, 23, -154]],
  ['ESRI:102008', [17, -170, 72, -60]],
  ['ESRI:102039', [24, -125, 50, -66]],
  ['EPSG:32618', [0, -79, 60, -71]],
  ['EPSG:32655', [10, 143, 21, 147]],
  ['EPSG:32702', [-15, -173, -10, -167]],
  ['EPSG:26918', [25, -79, 50, -71]],
  ['EPSG:26904', [18, -161, 23, -156]],
  ['EPSG:6348', [40, -72, 48, -66]],
  ['EPSG:6339', [32, -126, 49, -120]],
  // State Plane in meters and feet, in oblique Mercator and on the islands, and systems of states and of the poles.
  ['EPSG:2232', [38.1, -109, 40, -102]],
  ['EPSG:2222', [31.3, -114, 37, -111]],
  ['EPSG:2264', [33.9, -84, 36.5, -75.5]],
  ['EPSG:2285', [47, -124, 49, -117]],
  ['EPSG:26931', [54.6, -136, 59, -130]],
  ['EPSG:3759', [20.5, -159, 22, -157]],
  ['EPSG:32161', [17.7, -67.9, 18.5, -65.2]],
  ['EPSG:6428', [38.1, -109, 40, -102]],
  ['EPSG:3078', [41.7, -90.4, 48.3, -82.1]],
  ['EPSG:3083', [26, -106, 36.5, -93.5]],
  ['EPSG:3310', [32.5, -124.4, 42, -114.1]],
  ['EPSG:3413', [60, -170, 72, -140]],
  ['+proj=lcc +lat_0=40 +lon_0=-96 +lat_1=20 +lat_2=60 +x_0=0 +y_0=0 +datum=NAD83 +units=m', [24, -125, 50, -66]],
  [
    '+proj=lcc +lat_0=36 +lon_0=-79 +lat_1=34.33 +lat_2=36.17 +x_0=609601.2192024384 +y_0=0 +ellps=GRS80 +units=us-ft',
    [33, -85, 37, -75],
  ],
  ['+proj=laea +lat_0=45 +lon_0=-100 +x_0=0 +y_0=0 +ellps=GRS80 +units=m', [24, -125, 50, -66]],
]

describe.skipIf(oracle === null)('coordinates agree with PROJ', () => {
  test.each(systems)('%s', async (crs, [south, west, north, east]) => {
    const { forward } = projectionOf(crs)
    const points = Array.from({ length: 50 }, (_, i) => ({
      lat: south + ((north - south) * ((i * 7) % 50)) / 49,
      lng: west + ((east - west) * ((i * 13) % 50)) / 49,
    }))
    // From NAD83, so that PROJ applies no datum shift.
    const from = /4326|3857|32[67]\d\d|4258/.test(crs) ? (crs === 'EPSG:4258' ? 'EPSG:4258' : 'EPSG:4326') : 'EPSG:4269'
    const child = Bun.spawn([oracle!, '-s_srs', from, '-t_srs', crs], {
      stdin: new Blob([points.map(({ lat, lng }) => `${lng} ${lat}`).join('\n')]),
      stderr: 'ignore',
    })
    const lines = (await new Response(child.stdout).text()).trim().split('\n')
    expect(lines).toHaveLength(points.length)
    const isDegrees = projectionOf(crs).isGeographic
    for (const [i, line] of lines.entries()) {
      const [x, y] = line.split(' ').map(Number) as [number, number]
      const ours = forward(points[i]!)
      expect(Math.hypot(ours.x - x, ours.y - y)).toBeLessThan(isDegrees ? 1e-9 : 0.01)
    }
  })
})

test.each(systems)('projecting forward and back returns the same point: %s', (crs, [south, west, north, east]) => {
  const { forward, inverse } = projectionOf(crs)
  for (let i = 0; i < 50; i++) {
    const at = { lat: south + ((north - south) * i) / 49, lng: west + ((east - west) * ((i * 13) % 50)) / 49 }
    const { x, y } = forward(at)
    const back = inverse(x, y)
    expect(back.lat).toBeCloseTo(at.lat, 7)
    expect(back.lng).toBeCloseTo(at.lng, 7)
  }
})

test('WKT is supported', () => {
  const wkt =
    'PROJCS["NAD_1983_Albers",GEOGCS["NAD83",DATUM["North_American_Datum_1983",SPHEROID["GRS 1980",6378137,298.257222101]],PRIMEM["Greenwich",0],UNIT["degree",0.0174532925199433]],PROJECTION["Albers_Conic_Equal_Area"],PARAMETER["standard_parallel_1",29.5],PARAMETER["standard_parallel_2",45.5],PARAMETER["latitude_of_center",23],PARAMETER["longitude_of_center",-96],PARAMETER["false_easting",0],PARAMETER["false_northing",0],UNIT["metre",1]]'
  const [ours, coded] = [wkt, 'EPSG:5070'].map((crs) => projectionOf(crs).forward({ lat: 39.3, lng: -77 }))
  expect(ours!.x).toBeCloseTo(coded!.x, 5)
  expect(ours!.y).toBeCloseTo(coded!.y, 5)
})

test('no point on earth throws', () => {
  for (const [crs] of systems) {
    const { forward, inverse } = projectionOf(crs)
    for (const lat of [-90, -45, 0, 45, 90]) {
      for (const lng of [-180, -96, 0, 90, 180]) {
        const { x, y } = forward({ lat, lng })
        expect([typeof x, typeof y]).toEqual(['number', 'number'])
      }
    }
    for (const far of [0, 1e5, -1e8, 1e15, Infinity, NaN]) expect(typeof inverse(far, -far).lat).toBe('number')
  }
})

// On Swiss, North American (1927), Old Hawaiian and WGS 72 datums, and on a sphere.
test.each([
  'EPSG:2056',
  'EPSG:4267',
  'EPSG:32054',
  'EPSG:4135',
  'EPSG:32213',
  'EPSG:32600',
  'EPSG:26999',
  'nonsense',
  '',
  '+proj=nonsense',
  'PROJCS["broken"',
])('the error for an unknown coordinate system names it: %p', (crs) => {
  expect(() => projectionOf(crs)).toThrow(`Unknown coordinate system ${JSON.stringify(crs)}.`)
})
