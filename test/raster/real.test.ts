import { afterAll, describe, expect, test } from 'bun:test'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Point } from '../../src/model/place.ts'
import { hornAspect_degrees, hornSlope_degrees } from '../../src/operators/raster/terrain.ts'
import type { Raster } from '../../src/raster/raster.ts'
import { sampleOf } from '../support/sample-data.ts'
import { rasterBudget, openTestRasters } from './test-rasters.ts'
import { words } from '../support/words.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const [cdl, dtm] = [sampleOf('cdl_2021_kansas.tif'), sampleOf('dtm_alexandria_va.tif')]
const isHere =
  existsSync(cdl) &&
  existsSync(dtm) &&
  Bun.which('gdallocationinfo') !== null &&
  Bun.which('gdaldem') !== null &&
  Bun.which('gdalwarp') !== null
if (!isHere) console.warn('The real rasters or the programs of GDAL are not here: no raster is compared with GDAL.')

const rasters = openTestRasters()
const folder = temporaryFolder()
afterAll(() => rasters.close())

describe.skipIf(!isHere)('compared with GDAL', () => {
  test.each([cdl, dtm])('1,000 points have the same values: %s (seed 5)', async (file) => expectSame(file, 1000, 5))

  const warps: [string, string[]][] = [
    [
      'degrees of NAD83, DEFLATE with predictor',
      words`
        -t_srs EPSG:4269 -co TILED=YES -co COMPRESS=DEFLATE -co PREDICTOR=2 -co BLOCKXSIZE=128 -co BLOCKYSIZE=128
      `,
    ],
    ['Web Mercator, LZW in strips', ['-t_srs', 'EPSG:3857', '-co', 'COMPRESS=LZW', '-co', 'PREDICTOR=2']],
    [
      'Albers in words, as a COG in ZSTD',
      [
        '-t_srs',
        '+proj=aea +lat_0=37.5 +lon_0=-96 +lat_1=29.5 +lat_2=45.5 +x_0=0 +y_0=0 +ellps=GRS80 +units=m',
        '-of',
        'COG',
        '-co',
        'COMPRESS=ZSTD',
      ],
    ],
    [
      'Albers of the US Geological Survey on WGS 84, big-endian BigTIFF',
      [
        '-t_srs',
        '+proj=aea +lat_0=23 +lon_0=-96 +lat_1=29.5 +lat_2=45.5 +x_0=0 +y_0=0 +datum=WGS84 +units=m',
        '-co',
        'ENDIANNESS=BIG',
        '-co',
        'BIGTIFF=YES',
        '-co',
        'COMPRESS=DEFLATE',
      ],
    ],
    ['Alaska Albers', ['-t_srs', 'EPSG:3338', '-co', 'TILED=YES']],
    ['UTM', ['-t_srs', 'EPSG:32616', '-co', 'COMPRESS=LZW', '-co', 'TILED=YES']],
    [
      'a conic of feet',
      [
        '-t_srs',
        '+proj=lcc +lat_0=36 +lon_0=-79 +lat_1=34.33 +lat_2=36.17 +x_0=609601.22 +y_0=0 +ellps=GRS80 +units=us-ft',
        '-co',
        'COMPRESS=DEFLATE',
      ],
    ],
    [
      '32-bit numbers with the predictor for them',
      ['-t_srs', 'EPSG:4326', '-ot', 'Float32', '-co', 'COMPRESS=DEFLATE', '-co', 'PREDICTOR=3', '-co', 'TILED=YES'],
    ],
    [
      '64-bit numbers in big-endian order',
      ['-t_srs', 'EPSG:4326', '-ot', 'Float64', '-co', 'COMPRESS=LZW', '-co', 'PREDICTOR=3', '-co', 'ENDIANNESS=BIG'],
    ],
  ]
  test.each(warps)('300 points of a copy have the same values: %s', async (name, options) => {
    for (const [i, source] of [cdl, dtm].entries()) {
      const file = join(folder, `${name.replaceAll(/\W/g, '_')}_${i}.tif`)
      // Predictor 2 does not apply to the floats of the terrain.
      await ran([
        'gdalwarp',
        '-q',
        '-r',
        'near',
        ...(i === 1 ? options.map((it) => (it === 'PREDICTOR=2' ? 'PREDICTOR=1' : it)) : options),
        source,
        file,
      ])
      await expectSame(file, 300, 9 + i)
    }
  })

  test('slope and aspect by Horn agree with gdaldem within 0.1 degrees', async () => {
    const [slope, aspect] = [join(folder, 'slope.tif'), join(folder, 'aspect.tif')]
    await ran(['gdaldem', 'slope', dtm, slope, '-q'])
    await ran(['gdaldem', 'aspect', dtm, aspect, '-q'])
    const raster = await rasters.openFile(dtm)
    const points = pointsIn(raster, 500, 3)
    const [slopes, aspects] = [await located(slope, points), await located(aspect, points)]
    let compared = 0
    for (const [i, at] of points.entries()) {
      const grid = await raster.window({ at, radius_cells: 1 }, {}, rasterBudget)
      const ours = hornSlope_degrees(grid)
      if (ours === null || slopes[i] === -9999) continue
      compared++
      expect(Math.abs(ours - slopes[i]!)).toBeLessThan(0.1)
      if (aspects[i] === -9999 || ours < 0.05) continue
      // GDAL measures from grid north, which equals true north only at 75 W in zone 18.
      const turned = (Math.atan(Math.tan(radians(at.lng + 75)) * Math.sin(radians(at.lat))) * 180) / Math.PI
      const turn = Math.abs(hornAspect_degrees(grid, 0)! - aspects[i]! - turned) % 360
      expect(Math.min(turn, 360 - turn)).toBeLessThan(0.1)
    }
    expect(compared).toBeGreaterThan(300)
    raster.close()
  })
})

function radians(degrees: number): number {
  return (degrees * Math.PI) / 180
}

async function expectSame(file: string, count: number, seed: number): Promise<void> {
  const raster = await rasters.openFile(file)
  const points = pointsIn(raster, count, seed)
  const theirs = await located(file, points)
  for (const [i, at] of points.entries()) {
    const [ours] = (await raster.window({ at, radius_cells: 0 }, {}, rasterBudget)).cells
    if (!raster.covers(at)) expect(theirs[i]).toBeNull()
    else if (theirs[i] === raster.nodata) expect(ours).toBeNull()
    else expect(Math.abs(ours! - theirs[i]!)).toBeLessThan(1e-6)
  }
  raster.close()
}

/** Random points in the bounding box of the raster. */
function pointsIn({ bounds }: Raster, count: number, seed: number): Point[] {
  let state = seed
  const random = () => (state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0) / 2 ** 32
  return Array.from({ length: count }, () => ({
    lat: bounds.south + random() * (bounds.north - bounds.south),
    lng: bounds.west + random() * (bounds.east - bounds.west),
  }))
}

/** The values of GDAL in band 1. null outside. */
async function located(file: string, points: Point[]): Promise<(number | null)[]> {
  const text = await ran(
    ['gdallocationinfo', '-valonly', '-wgs84', file],
    points.map(({ lat, lng }) => `${lng} ${lat}`).join('\n'),
  )
  const lines = text.split('\n').slice(0, points.length)
  return lines.map((line) => (line.trim() === '' ? null : Number(line)))
}

async function ran(command: string[], input = ''): Promise<string> {
  const child = Bun.spawn(command, { stdin: new Blob([input]), stdout: 'pipe', stderr: 'pipe' })
  const [out, err] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()])
  // gdallocationinfo exits with an error if the last point lies outside.
  if ((await child.exited) !== 0 && command[0] !== 'gdallocationinfo') throw new Error(`${command.join(' ')}: ${err}`)
  return out
}
