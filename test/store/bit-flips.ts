import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { layOutLayer } from '../../scripts/embed/lay-out.ts'
import { checkPackFile } from '../../src/packs/check/pack-check.ts'
import { unpackOnce } from '../../src/packs/embedded/embedded-file.ts'
import {
  encodePacked,
  indexedBlocks,
  type EmbeddedLayout,
  type IndexedLayout,
} from '../../src/packs/embedded/embedded-layout.ts'
import { decodeLayout, joinBlocks } from '../../src/packs/embedded/layout-file.ts'
import { createRunArtifacts } from '../../src/runs/artifacts/artifact-files.ts'
import { etagOfHash } from '../../src/store/runs/artifacts.ts'
import { packLocations } from '../../src/store/runs/packed-locations.ts'
import { parseRunColumn } from '../../src/store/runs/run-request.ts'
import type { JsonGroup } from '../../src/store/runs/runs.ts'
import { openGeocodeCache } from '../../src/store/sqlite/geocode-cache.ts'
import { createSqliteStore } from '../../src/store/sqlite/sqlite-store.ts'
import { openState, requireUsableState } from '../../src/store/sqlite/state-database.ts'
import { openUpstreamCache } from '../../src/store/sqlite/upstream-cache.ts'
import { createGeopackage } from '../packs/create-geopackage.ts'
import { blob, boxRing, polygonWkb } from '../packs/encode-wkb.ts'
import { writePack } from '../packs/write-pack.ts'
import { newResult, newRun, now } from './contract-case.ts'

/**
 * A file whose bits are flipped. `read` returns what is read from it as texts, null for what is not found; it throws if
 * the file is rejected.
 */
type Subject = { file: string; create(folder: string): Promise<void>; read(folder: string): Promise<(string | null)[]> }

const results = 200
const longText = (i: number) => `${i} ${'a result of some length '.repeat(20)}`
const csv = new TextEncoder().encode(longText(0).repeat(200))

const state: Subject = {
  file: 'state.db',
  async create(folder) {
    const db = openState(folder)
    const { submissions, runQueue } = createSqliteStore(db)
    const inputs = Array.from({ length: results }, (_, i) => ({ input: `{"lat":${i % 90},"lng":0}` }))
    await submissions.submit(newRun('run_1'), packLocations(inputs), null)
    const writer = await runQueue.beginEpoch(now)
    const { number } = (await writer.adopt(now, 1, 3))!
    const entries = inputs.map((_, i) => ({ ...newResult(i), entry: JSON.stringify({ index: i, text: longText(i) }) }))
    await writer.saveProgress(number, entries, [])
    await writer.artifacts.addChunk(number, 'csv', 0, csv)
    const etag = etagOfHash(new Bun.CryptoHasher('sha256').update(csv))
    await writer.artifacts.finish(number, 'csv', { etag, bytes: csv.length })
    await writer.finish(number, 'done', now, null)
    db.run('PRAGMA wal_checkpoint(TRUNCATE)')
    db.close()
  },
  async read(folder) {
    requireUsableState(join(folder, 'state.db'))
    const db = openState(folder)
    try {
      const { runs, artifacts, artifactObjects } = createSqliteStore(db)
      const files = createRunArtifacts({ artifacts, objects: artifactObjects, storage: null, now: () => new Date(now) })
      const readFile = async () => {
        const found = await files.find(1, 'csv')
        if (found) await files.requireIntact(1, 'csv', found)
        return found && new TextDecoder().decode(await files.readBytes(1, 'csv', 0, csv.length))
      }
      const entries = Array.from({ length: results }, (_, i) => orNull(() => runs.findEntry(1, i)))
      const pages = [0, 100].map((from) =>
        orNull(async () => textOf(await runs.readResults(1, { from, limit: 100, ok: null }, ''))),
      )
      const run = { number: 1, kind: 'fetch_batch' }
      const inputs = [0, 100].map((from) =>
        orNull(async () => textOf(await runs.readInputs(run, { from, limit: 100 }, ''))),
      )
      const fields = orNull(async () => parseRunColumn((await runs.find('run_1', 'ada'))!, 'fields').join())
      return await Promise.all([...entries, ...pages, ...inputs, fields, orNull(readFile)])
    } finally {
      db.close()
    }
  },
}

const cached = { cached_at: 1000, fresh_until: 1e15 }

const caches: Subject = {
  file: 'cache.db',
  async create(folder) {
    const [upstream, geocodes] = [openUpstreamCache(folder), openGeocodeCache(folder)]
    for (let i = 0; i < results; i++) {
      upstream.put(`key ${i}`, JSON.stringify({ value: longText(i) }), cached.cached_at, cached.fresh_until)
      await geocodes.put(`key ${i}`, { outcome: JSON.stringify({ text: longText(i) }), providers: 'census' }, cached)
    }
    upstream.close()
    geocodes.close()
  },
  async read(folder) {
    const [upstream, geocodes] = [openUpstreamCache(folder), openGeocodeCache(folder)]
    try {
      const keys = Array.from({ length: results }, (_, i) => `key ${i}`)
      return await Promise.all([
        ...keys.map((key) => orNull(async () => JSON.stringify(upstream.find(key, 1500)))),
        ...keys.map((key) => orNull(async () => JSON.stringify(await geocodes.find(key, 1500)))),
      ])
    } finally {
      upstream.close()
      geocodes.close()
    }
  },
}

const areas = Array.from({ length: 60 }, (_, i) => ({
  geom: blob(polygonWkb(boxRing(-106 + i / 60, 39, -105 + i / 60, 40))),
  attributes: { NAME: longText(i) },
}))

/** A pack whose manifest has its checksum, as those of `pack build`, `fetch` and `install` have. */
const packs: Subject = {
  file: 'areas.gpkg',
  async create(folder) {
    writePack(join(folder, 'areas.gpkg')).layer('areas', areas).close()
    writeFileSync(join(folder, 'sha256'), sumOf(readFileSync(join(folder, 'areas.gpkg'))))
  },
  async read(folder) {
    const file = join(folder, 'areas.gpkg')
    await checkPackFile(file, readFileSync(join(folder, 'sha256'), 'utf8'))
    return [sumOf(readFileSync(file))]
  },
}

const layout: EmbeddedLayout = {
  manifest: [],
  layers: { areas: layOutLayer(createGeopackage({ areas }), 'areas') },
  grids: {},
  words: new Uint8Array(0),
}
const indexed = joinBlocks(indexedBlocks(layout))
const compressed = Bun.zstdCompressSync(encodePacked(decodeLayout<IndexedLayout>(indexed)))
const unpack = (folder: string) => unpackOnce(() => compressed, sumOf(indexed), folder) as string

/** The copy of the embedded data in the data folder. It is written again if it is damaged. */
const embedded: Subject = {
  file: `embedded-${sumOf(indexed).slice(0, 16)}.bin`,
  async create(folder) {
    unpack(folder)
  },
  read: async (folder) => [sumOf(readFileSync(unpack(folder)))],
}

/** What can lose a bit on the disk. */
export const flipSubjects = { 'results and files of runs': state, caches, packs, 'embedded data': embedded }

/** How many flips were noticed or changed nothing that was read, and lines about those that gave a wrong value. */
export type FlipCounts = { right: number; refused: number; wrong: string[] }

/** Flips one random bit at a time, and reads everything again. `random` returns numbers from 0 to 1. */
export async function flipBits(subject: Subject, flips: number, random: () => number): Promise<FlipCounts> {
  const root = mkdtempSync(join(tmpdir(), 'fieldstone-flips-'))
  const [origin, folder] = [join(root, 'origin'), join(root, 'flipped')]
  mkdirSync(origin)
  try {
    await subject.create(origin)
    const bytes = readFileSync(join(origin, subject.file))
    const right = await subject.read(origin)
    const counts: FlipCounts = { right: 0, refused: 0, wrong: [] }
    for (let i = 0; i < flips; i++) {
      const [position, bit] = [Math.floor(random() * bytes.length), Math.floor(random() * 8)]
      cpSync(origin, folder, { recursive: true })
      const flipped = Buffer.from(bytes)
      flipped[position]! ^= 1 << bit
      writeFileSync(join(folder, subject.file), flipped)
      const read = await subject.read(folder).catch(() => null)
      const wrong = read?.findIndex((text, index) => text !== null && text !== right[index]) ?? -1
      if (wrong >= 0) counts.wrong.push(`bit ${bit} of byte ${position} of ${subject.file}: value ${wrong}`)
      else if (read === null || read.includes(null)) counts.refused++
      else counts.right++
      rmSync(folder, { recursive: true })
    }
    return counts
  } finally {
    rmSync(root, { recursive: true, force: true })
  }
}

function sumOf(bytes: Uint8Array): string {
  return new Bun.CryptoHasher('sha256').update(bytes).digest('hex')
}

function textOf(group: JsonGroup | null): string | null {
  return group && new TextDecoder().decode(group.bytes)
}

/** Null for what is rejected or not found. */
async function orNull(read: () => Promise<string | null | undefined>): Promise<string | null> {
  const text = await read().catch(() => null)
  return text === 'null' ? null : (text ?? null)
}
