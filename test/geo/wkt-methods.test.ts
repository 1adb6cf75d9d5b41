import { describe, expect, test } from 'bun:test'
import { projectionOf } from '../../src/geo/projection.ts'
import { seededRandom } from '../areas/random-polygons.ts'

const hasGdal = Bun.which('gdalsrsinfo') !== null && Bun.which('gdaltransform') !== null
if (!hasGdal) console.warn('GDAL is not installed (gdal-bin): the text of systems is not compared with PROJ.')

/** Systems with a place of their use, and the forms of their text that are refused. */
const systems: [code: string, lat: number, lng: number, refused?: string[]][] = [
  ['EPSG:2231', 39.7, -105],
  ['EPSG:2248', 39, -77],
  ['EPSG:2784', 21.3, -157.9],
  ['EPSG:2953', 46, -66],
  ['EPSG:3035', 50, 10],
  ['EPSG:3078', 45, -85, ['wkt2']],
  ['EPSG:3347', 60, -100],
  ['EPSG:3395', 40, -100],
  ['EPSG:3413', 64, -150, ['wkt_esri']],
  ['EPSG:3448', 18, -77],
  ['EPSG:3571', 65, -170],
  ['EPSG:3857', 40, -100],
  ['EPSG:4087', 40, -100],
  ['EPSG:4326', 39, -77],
  ['EPSG:4807', 49, 2, ['wkt1', 'wkt_esri', 'wkt2']],
  ['EPSG:5041', 80, -100],
  ['EPSG:5072', 40, -100],
  ['EPSG:5880', -10, -50],
  ['EPSG:26918', 40, -75],
  ['EPSG:26931', 57, -134, ['wkt2']],
  ['ESRI:54002', 40, -100, ['wkt1', 'wkt_esri', 'wkt2']],
  ['ESRI:54003', 40, -100, ['wkt1', 'wkt_esri', 'wkt2']],
  ['ESRI:54008', 40, -100],
  ['ESRI:54009', 40, -100],
  ['ESRI:54030', 40, -100],
  ['ESRI:102005', 40, -100],
  ['ESRI:102016', 70, -100, ['wkt2']],
]
/** PROJ interpolates Robinson's table with other polynomials. */
const tolerance_m = 0.5

describe.skipIf(!hasGdal)('the text of a system is read as by PROJ, or refused', () => {
  test.each(systems)('%s', (code, lat, lng, refused = []) => {
    const random = seededRandom(lat)
    const points = Array.from({ length: 100 }, () => ({ lat: lat + random(), lng: lng + random() }))
    const input = points.map((at) => `${at.lng} ${at.lat}`).join('\n')
    const ellipsoid = '+proj=longlat +ellps=GRS80 +towgs84=0,0,0'
    const expected = outputOf(['gdaltransform', '-s_srs', ellipsoid, '-t_srs', code], input).split('\n')
    for (const form of ['wkt1', 'wkt_esri', 'wkt2']) {
      const wkt = outputOf(['gdalsrsinfo', '-o', form, '--single-line', code])
      if (refused.includes(form)) {
        expect(() => projectionOf(wkt)).toThrow('Unknown coordinate system')
        continue
      }
      const { forward } = projectionOf(wkt)
      for (const [i, line] of expected.entries()) {
        const [x = NaN, y = NaN] = line.split(' ').map(Number)
        const ours = forward(points[i]!)
        expect(Math.hypot(ours.x - x, ours.y - y)).toBeLessThan(tolerance_m)
      }
    }
  })
})

const geographic = (meridian: string) =>
  `GEOGCS["G",DATUM["D",SPHEROID["GRS 1980",6378137,298.257222101]],${meridian},UNIT["degree",0.0174532925199433]]`
const greenwich = 'PRIMEM["Greenwich",0.0]'
const projected = (method: string, ...parameters: [string, number][]) =>
  `PROJCS["P",${geographic(greenwich)},PROJECTION["${method}"],${parameters.map(([name, value]) => `PARAMETER["${name}",${value}],`).join('')}PARAMETER["false_easting",0],PARAMETER["false_northing",0],UNIT["metre",1]]`

test.each([
  ['a meridian of Paris', geographic('PRIMEM["Paris",2.33722917]')],
  ['a meridian of Paris in words of PROJ', '+proj=longlat +pm=paris +ellps=GRS80'],
  [
    'a plane without a latitude of origin',
    projected('Lambert_Azimuthal_Equal_Area', ['central_meridian', -96], ['standard_parallel_1', 33]),
  ],
  ['another ellipsoid', geographic(greenwich).replace('6378137', '6378206.4')],
  ['a cone without a meridian', projected('Albers', ['latitude_of_origin', 23], ['standard_parallel_1', 29.5])],
  [
    'a plane at the pole in words of Esri',
    projected('Stereographic_North_Pole', ['central_meridian', -45], ['standard_parallel_1', 70]),
  ],
  ['a cylinder that cuts the sphere', projected('Mercator', ['central_meridian', 51], ['standard_parallel_1', 42])],
  ['a method that was not compared', projected('Bonne', ['central_meridian', 0], ['latitude_of_origin', 45])],
])('%s is refused, because proj4 would guess', (_, text) => {
  expect(() => projectionOf(text)).toThrow('Unknown coordinate system')
})

test('a cone without a latitude of origin is read from the equator, as by PROJ', () => {
  const parallels: [string, number][] = [
    ['central_meridian', -96],
    ['standard_parallel_1', 33],
    ['standard_parallel_2', 45],
  ]
  const at = { lat: 40, lng: -100 }
  const method = 'Lambert_Conformal_Conic_2SP'
  expect(projectionOf(projected(method, ...parallels)).forward(at)).toEqual(
    projectionOf(projected(method, ['latitude_of_origin', 0], ...parallels)).forward(at),
  )
})

function outputOf(command: string[], input = ''): string {
  const { stdout } = Bun.spawnSync(command, { stdin: new TextEncoder().encode(input), stderr: 'ignore' })
  return new TextDecoder().decode(stdout).trim()
}
