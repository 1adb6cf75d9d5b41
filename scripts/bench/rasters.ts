import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Point } from '../../src/model/place.ts'
import type { Raster } from '../../src/raster/raster.ts'
import { openRasters } from '../../src/raster/rasters.ts'
import { workers } from '../../src/workers.ts'
import { runProgram } from './gdal.ts'
import { sampleFolder } from './layers.ts'
import { randomOf } from './random.ts'
import { answerOfPeer, reportFigure, quantile, reportSkipped, printTable } from './report.ts'

const files = ['cdl_2021_kansas.tif', 'dtm_alexandria_va.tif']
const compressions = ['DEFLATE', 'LZW', 'ZSTD']
const points = 5_000
const coldTries = 40
/** Time for the worker to start. A service starts its worker after it listens. */
const preparing_ms = 300
const processes = 100
const python = '/usr/bin/python3'
const noHurry = { signal: new AbortController().signal }

/** Measures reads of one raster cell: warm, cold, and compared with GDAL and rasterio. */
export async function benchRasters(seed: number): Promise<void> {
  if (!existsSync(join(sampleFolder, files[0]!)) || Bun.which('gdal_translate') === null)
    return reportSkipped('rasters', 'the sample rasters or the GDAL programs are not installed')
  const folder = mkdtempSync(join(tmpdir(), 'fieldstone-rasters-'))
  try {
    for (const file of files) await warm(join(sampleFolder, file), seed)
    await cold(folder, seed)
    for (const file of files) await beside(join(sampleFolder, file), seed)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

async function warm(path: string, seed: number): Promise<void> {
  const held = openRasters({ startWorker: workers.raster })
  const raster = await held.openFile(path)
  const some = pointsIn(raster, points, seed)
  for (let round = 0; round < 2; round++) for (const at of some) await valueAt(raster, at)
  const begin = performance.now()
  for (const at of some) await valueAt(raster, at)
  const us = (1000 * (performance.now() - begin)) / points
  reportFigure(
    `a point of a raster whose tile is cached (${path.split('/').at(-1)})`,
    `${us.toFixed(1)} µs`,
    us <= 20,
    '20 µs',
  )
  held.close()
}

/** Copies the file for each attempt, so that neither its header nor its tile is cached. */
async function cold(folder: string, seed: number): Promise<void> {
  const rows: (string | number)[][] = []
  for (const source of files) {
    for (const compression of compressions) {
      const path = join(folder, `${compression}-${source}`)
      await runProgram([
        'gdal_translate',
        '-q',
        '-co',
        'TILED=YES',
        '-co',
        `COMPRESS=${compression}`,
        join(sampleFolder, source),
        path,
      ])
      const running = openRasters({ startWorker: workers.raster })
      await once(running, join(sampleFolder, source), seed)
      const started: number[] = []
      const prepared: number[] = []
      const unstarted: number[] = []
      const copies = Array.from({ length: coldTries }, (_none, i) => `${path}.${i}.tif`)
      for (const [i, copy] of copies.entries()) {
        await Bun.write(copy, Bun.file(path))
        started.push(await once(running, copy, seed + i))
      }
      for (const [i, copy] of copies.slice(0, coldTries / 4).entries()) {
        prepared.push(await first(await copied(copy), seed + i, preparing_ms))
        unstarted.push(await first(await copied(copy), seed + i))
      }
      running.close()
      rows.push([
        source,
        compression,
        ...[started, prepared, unstarted].flatMap((ms) => [quantile(ms, 0.5).toFixed(2), Math.max(...ms).toFixed(2)]),
      ])
      reportFigure(
        `a point of a local raster never read before (${source}, ${compression})`,
        `${quantile(started, 0.5).toFixed(2)} ms`,
        quantile(started, 0.5) <= 10,
        '10 ms',
      )
      reportFigure(
        'the same when it is the first tile of a running service',
        `${quantile(prepared, 0.5).toFixed(2)} ms`,
        quantile(prepared, 0.5) <= 10,
        '10 ms',
      )
    }
  }
  printTable(
    'One point of a file never read before: ms',
    [
      'file',
      'compression',
      'p50',
      'max',
      'p50, first tile of the worker',
      'max',
      'p50, worker not started yet (command line)',
      'max',
    ],
    rows,
  )
}

/** Times the first tile of a new worker, after `preparing_ms` for its start. */
async function first(path: string, seed: number, preparing_ms = 0): Promise<number> {
  const fresh = openRasters({ startWorker: workers.raster })
  if (preparing_ms > 0) fresh.warmUp({ remote: true })
  await Bun.sleep(preparing_ms)
  const took_ms = await once(fresh, path, seed)
  fresh.close()
  return took_ms
}

async function copied(path: string): Promise<string> {
  const other = path.replace(/\.tif$/, '.fresh.tif')
  await Bun.write(other, Bun.file(path))
  return other
}

async function once(held: ReturnType<typeof openRasters>, path: string, seed: number): Promise<number> {
  const random = randomOf(seed)
  const begin = performance.now()
  const raster = await held.openFile(path)
  const { west, south, east, north } = raster.bounds
  await valueAt(raster, {
    lat: south + (north - south) * (0.2 + 0.6 * random()),
    lng: west + (east - west) * (0.2 + 0.6 * random()),
  })
  const took_ms = performance.now() - begin
  raster.close()
  return took_ms
}

/** Compares with gdallocationinfo, one process for each point and one for all, and with rasterio on an open file. */
async function beside(path: string, seed: number): Promise<void> {
  const name = path.split('/').at(-1)!
  const held = openRasters({ startWorker: workers.raster })
  const raster = await held.openFile(path)
  const some = pointsIn(raster, points, seed)
  const ours: (number | null)[] = []
  const begin = performance.now()
  for (const at of some) ours.push(await valueAt(raster, at))
  const us = (1000 * (performance.now() - begin)) / points
  held.close()

  const text = (all: Point[]) => `${all.map(({ lat, lng }) => `${lng} ${lat}`).join('\n')}\n`
  const wholeBegin = performance.now()
  const theirs = (await runProgram(['gdallocationinfo', '-valonly', '-wgs84', path], text(some)))
    .split('\n')
    .map((line) => line.trim())
  const whole_us = (1000 * (performance.now() - wholeBegin)) / points
  const eachBegin = performance.now()
  for (const { lat, lng } of some.slice(0, processes))
    await runProgram(['gdallocationinfo', '-valonly', '-wgs84', path, String(lng), String(lat)])
  const each_us = (1000 * (performance.now() - eachBegin)) / processes
  const unlike = ours.filter((value, i) => !isSame(value, theirs[i]!, raster.nodata)).length
  reportFigure(
    `${name}: values that differ from gdallocationinfo at ${points} points`,
    String(unlike),
    unlike === 0,
    'none beyond 1e-6',
  )
  reportFigure(
    `${name}: times as fast as gdallocationinfo, one process for each point`,
    (each_us / us).toFixed(0),
    each_us >= 10 * us,
    '10',
  )

  const rasterio_us = await answerOfPeer('rasterio', `${name} beside rasterio`, () => timeOfRasterio(path, some))
  if (rasterio_us !== null)
    reportFigure(
      `${name}: times as fast as rasterio in one process`,
      (rasterio_us / us).toFixed(1),
      rasterio_us >= us,
      '1',
    )
  printTable(
    `${name}: µs a point, including the first`,
    ['Fieldstone', 'gdallocationinfo, one process each', 'gdallocationinfo, one process', 'rasterio, one process'],
    [[us.toFixed(1), each_us.toFixed(0), whole_us.toFixed(1), rasterio_us === null ? '' : rasterio_us.toFixed(1)]],
  )
}

/**
 * The fastest way to read single points with rasterio: the file stays open, and the projection of the points is not
 * counted.
 */
async function timeOfRasterio(path: string, some: Point[]): Promise<number> {
  const script = `
import sys, time, rasterio, rasterio.warp
from rasterio.windows import Window
pts = [tuple(map(float, l.split())) for l in sys.stdin if l.strip()]
with rasterio.open(sys.argv[1]) as f:
    xs, ys = rasterio.warp.transform('EPSG:4326', f.crs, [p[0] for p in pts], [p[1] for p in pts])
    begin = time.perf_counter()
    for v in f.sample(zip(xs, ys), indexes=1): pass
    print(1e6 * (time.perf_counter() - begin) / len(pts))
`
  return Number(await runProgram([python, '-c', script, path], some.map(({ lat, lng }) => `${lng} ${lat}`).join('\n')))
}

async function valueAt(raster: Raster, at: Point): Promise<number | null> {
  const { cells, width, at_x, at_y } = await raster.window({ at, radius_cells: 0 }, {}, noHurry)
  return cells[Math.floor(at_y) * width + Math.floor(at_x)] ?? null
}

/** Returns points away from the edge, where rounding decides whether a point is outside. */
function pointsIn({ bounds: { west, south, east, north } }: Raster, count: number, seed: number): Point[] {
  const random = randomOf(seed)
  return Array.from({ length: count }, () => ({
    lat: south + (north - south) * (0.1 + 0.8 * random()),
    lng: west + (east - west) * (0.1 + 0.8 * random()),
  }))
}

/** Outside the raster, gdallocationinfo prints an empty line and we return null. */
function isSame(ours: number | null, theirs: string, nodata: number | null): boolean {
  if (theirs === '') return ours === null
  const value = Number(theirs)
  return ours === null ? value === nodata : Math.abs(ours - value) <= 1e-6 * Math.max(1, Math.abs(value))
}
