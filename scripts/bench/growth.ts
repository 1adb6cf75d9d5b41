import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Point } from '../../src/model/place.ts'
import { hilbertIndexOf } from '../../src/packs/import/hilbert.ts'
import { writePack } from '../../test/packs/write-pack.ts'
import { openLayer } from './layers.ts'
import { randomOf } from './random.ts'
import { reportFigure, quantile, printTable } from './report.ts'

const sizes = [1_000, 10_000, 100_000, 1_000_000]
const corners = 60
const points = 4_000
const rounds = 5
const bytesOfGiga = 1e9

/** Measures queries as a pack grows, and the opening of the largest pack (over 1 GB). The polygons are synthetic. */
export async function benchGrowth(seed: number): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'fieldstone-growth-'))
  try {
    const paths = sizes.map((size) => written(join(folder, `${size}.gpkg`), size, seed))
    await opened(paths.at(-1)!)
    // The sizes alternate, so that other load on the machine affects all of them equally.
    const turns = Array.from({ length: rounds }, () =>
      paths.map((path) => [request(path, seed), request(path, seed, 0)] as const),
    )
    const middle = (of: (turn: (typeof turns)[number]) => number) => quantile(turns.map(of), 0.5)
    const rows = paths.map((path, i) => [
      sizes[i]!,
      (statSync(path).size / 1e6).toFixed(0),
      ...([0, 1] as const).flatMap((cache) =>
        (['inside_us', 'nearest_us'] as const).map((what) => middle((turn) => turn[i]![cache][what]).toFixed(1)),
      ),
    ])
    printTable(
      `A pack of synthetic polygons with ${corners} corners: µs of processor time a query at random points, with the cache of the service and without`,
      ['polygons', 'MB', 'point in polygon', 'nearest', 'without a cache', 'nearest'],
      rows,
    )
    const [least, most] = [0, sizes.length - 1].map((i) => middle((turn) => turn[i]![1].inside_us)) as [number, number]
    const logs = Math.log(sizes.at(-1)!) / Math.log(sizes[0]!)
    // Without a cache, because it would hold all of a small pack but not of a large one, which hides the cost of the
    // search.
    reportFigure(
      'a point query from 1,000 to 1,000,000 polygons, nothing cached',
      `${(most / least).toFixed(1)} times the time`,
      most <= logs * least,
      `${logs.toFixed(1)} times: no faster than log n`,
    )
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/**
 * Writes round polygons scattered over the 48 states, in the order of `pack build`. They cover about half of the area
 * whatever their number.
 */
function written(path: string, size: number, seed: number): string {
  const random = randomOf(seed)
  const radius = Math.sqrt((0.5 * 24 * 57) / size / Math.PI)
  const features: Parameters<ReturnType<typeof writePack>['layer']>[1] = []
  const boxes: [number, number, number, number][] = []
  const writing = writePack(path).run('PRAGMA synchronous = OFF').run('PRAGMA journal_mode = OFF')
  const middles = Array.from({ length: size }, () => pointOf(random))
    .map((at) => ({ ...at, place: hilbertIndexOf(at.lng, at.lat) }))
    .toSorted((a, b) => a.place - b.place)
  for (const [i, { lat, lng }] of middles.entries()) {
    features.push({ geom: round(lng, lat, radius), attributes: { id: i } })
    boxes.push([lng - radius, lng + radius, lat - radius, lat + radius])
  }
  return writing.layer('round', features, { type: 'POLYGON', boxes }).close()
}

function round(lng: number, lat: number, radius: number): Uint8Array {
  const bytes = new Uint8Array(8 + 5 + 8 + 16 * (corners + 1))
  const view = new DataView(bytes.buffer)
  bytes.set([0x47, 0x50, 0, 1])
  view.setInt32(4, 4326, true)
  view.setUint8(8, 1)
  view.setUint32(9, 3, true)
  view.setUint32(13, 1, true)
  view.setUint32(17, corners + 1, true)
  for (let i = 0; i <= corners; i++) {
    const angle = (2 * Math.PI * (i % corners)) / corners
    view.setFloat64(21 + 16 * i, lng + radius * Math.cos(angle), true)
    view.setFloat64(29 + 16 * i, lat + radius * Math.sin(angle), true)
  }
  return bytes
}

function request(path: string, seed: number, cache_bytes?: number): { inside_us: number; nearest_us: number } {
  const layer = openLayer(path, 'round', cache_bytes)
  const random = randomOf(seed + 1)
  const some = Array.from({ length: points }, () => pointOf(random))
  const us = (ask: (at: Point) => unknown, all: Point[]) => {
    const before = process.cpuUsage()
    for (const at of all) ask(at)
    const { user, system } = process.cpuUsage(before)
    return (user + system) / all.length
  }
  const inside = (at: Point) => layer.query({ at, radius_m: 0 })
  const nearest = (at: Point) => layer.query({ at, radius_m: Infinity, limit: 1 })
  us(inside, some.slice(0, 1000))
  us(nearest, some.slice(0, 1000))
  const result = { inside_us: us(inside, some.slice(1000)), nearest_us: us(nearest, some.slice(1000)) }
  layer.close()
  return result
}

function pointOf(random: () => number): Point {
  return { lat: 25 + 24 * random(), lng: -124 + 57 * random() }
}

/** Opens the pack in a new process, so that nothing else adds to its memory. */
async function opened(path: string): Promise<void> {
  const child = Bun.spawn([process.execPath, '--no-env-file', join(import.meta.dir, 'opened.ts'), path, 'round'], {
    stdout: 'pipe',
  })
  const { took_ms, grown_mb, bytes } = JSON.parse(await child.stdout.text()) as {
    took_ms: number
    grown_mb: number
    bytes: number
  }
  reportFigure(
    `opening a pack of ${(bytes / bytesOfGiga).toFixed(2)} GB`,
    `${took_ms.toFixed(1)} ms, ${grown_mb.toFixed(1)} MB`,
    took_ms <= 100 && grown_mb <= 20 && bytes >= bytesOfGiga,
    '100 ms, 20 MB',
  )
}
