import { existsSync, readFileSync } from 'node:fs'
import type { GeometryPart } from '../../geo/wkb-write.ts'
import { PackRefused } from '../pack-refused.ts'
import { openSequence, type ByteSequence } from './bytes.ts'
import { openDbf, type Dbf } from './dbf.ts'
import { batchSize, type Batch, type Incoming, type Input } from './input.ts'
import { polygonsOf } from './rings.ts'

const header_bytes = 100

/** A shapefile: the shapes of `.shp`, the attributes of the `.dbf` beside it, its coordinate system in the `.prj`. The `.shx` is not needed. */
export function openShapefile(path: string, name: string): Input {
  const stem = path.replace(/\.shp$/i, '')
  const table = beside(stem, 'dbf')
  const prj = beside(stem, 'prj')
  const cpg = beside(stem, 'cpg')
  const bytes = openSequence(path, name)
  try {
    bytes.skip(header_bytes)
    const dbf = table === null ? null : openDbf(table, `${name} (its .dbf)`, cpg === null ? null : readFileSync(cpg, 'latin1'))
    const close = () => {
      bytes.close()
      dbf?.close()
    }
    return { format: 'Shapefile', crs: prj === null ? null : readFileSync(prj, 'utf8').trim() || null, hasGeometry: true, columns: dbf?.columns ?? [], isText: false, batches: () => batchesOf(bytes, dbf, name), close }
  } catch (error) {
    bytes.close()
    throw error
  }
}

/** A dBASE table on its own. */
export function openTable(path: string, name: string): Input {
  const cpg = beside(path.replace(/\.dbf$/i, ''), 'cpg')
  const dbf = openDbf(path, name, cpg === null ? null : readFileSync(cpg, 'latin1'))
  return { format: 'dBASE', crs: null, hasGeometry: false, columns: dbf.columns, isText: false, batches: () => tableBatches(dbf), close: dbf.close }
}

function beside(stem: string, ending: string): string | null {
  return [`${stem}.${ending}`, `${stem}.${ending.toUpperCase()}`].find((path) => existsSync(path)) ?? null
}

function* tableBatches(dbf: Dbf): Generator<Batch> {
  for (let row = 0; row < dbf.rows;) {
    const features: Incoming[] = []
    for (; row < dbf.rows && features.length < batchSize; row++) {
      const properties = dbf.next()
      if (properties) features.push({ parts: [], properties })
    }
    yield { features, done: row / dbf.rows }
  }
}

function* batchesOf(bytes: ByteSequence, dbf: Dbf | null, name: string): Generator<Batch> {
  let features: Incoming[] = []
  let count = 0
  while (bytes.position() + 8 <= bytes.size) {
    const length = 2 * bytes.take(8).readUInt32BE(4)
    const record = bytes.take(length)
    const parts = partsOf(record, name)
    if (dbf && count >= dbf.rows) throw new PackRefused(`${name} has more shapes than its .dbf has rows (${dbf.rows}): they do not belong together.`)
    count++
    const properties = dbf ? dbf.next() : {}
    if (properties) features.push({ parts, properties })
    if (features.length < batchSize) continue
    yield { features, done: bytes.position() / bytes.size }
    features = []
  }
  if (dbf && count < dbf.rows) throw new PackRefused(`${name} has ${count} shapes and its .dbf ${dbf.rows} rows: it is cut off, or they do not belong together.`)
  yield { features, done: 1 }
}

/** A shape with Z or M begins as the same shape without. */
function partsOf(record: Buffer, name: string): GeometryPart[] | 'broken' {
  const type = record.length < 4 ? 0 : record.readUInt32LE(0)
  if (type === 31) throw new PackRefused(`${name} has multipatches (surfaces in space); points, lines or polygons were expected.`)
  try {
    switch (type % 10) {
      case 0: return []
      case 1: return [{ kind: 'point', paths: [coordinates(record, 4, 1)] }]
      case 3: return paths(record).map((path) => ({ kind: 'line', paths: [path] }))
      case 5: return polygonsOf(paths(record))
      case 8: return Array.from({ length: record.readUInt32LE(36) }, (_, i) => ({ kind: 'point', paths: [coordinates(record, 40 + 16 * i, 1)] }))
      default: return 'broken'
    }
  } catch (error) {
    if (error instanceof RangeError) return 'broken'
    throw error
  }
}

function paths(record: Buffer): number[][] {
  const parts = record.readUInt32LE(36)
  const points = record.readUInt32LE(40)
  if (44 + 4 * parts + 16 * points > record.length) throw new RangeError('The record is shorter than what it says to hold.')
  const starts = Array.from({ length: parts }, (_, i) => record.readUInt32LE(44 + 4 * i))
  const first = 44 + 4 * parts
  return starts.map((start, i) => coordinates(record, first + 16 * start, (starts[i + 1] ?? points) - start)).filter((path) => path.length > 0)
}

function coordinates(record: Buffer, at: number, points: number): number[] {
  if (points < 0) throw new RangeError('A part ends before it begins.')
  const path: number[] = Array.from({ length: 2 * points })
  for (let i = 0; i < path.length; i++) path[i] = record.readDoubleLE(at + 8 * i)
  return path
}
