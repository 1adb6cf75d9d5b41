import {
  appendFileSync,
  createReadStream,
  createWriteStream,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import type { HarvestJournal, JsonValue } from '../../drivers/harvest.ts'
import type { GeoFeature } from '../../drivers/features/nearest-features.ts'
import type { Budget } from '../../model/source.ts'
import { type Call, type HttpClient, type Reply, clientWithSend } from '../../net/http-client.ts'
import { assemblePolygons } from '../../files/assemble-polygons.ts'
import { positionsOfPath } from '../../geo/overlay/drawing.ts'
import { syncToDisk } from '../../store/sync-to-disk.ts'
import { removeIfAbandoned } from '../../store/work-folder.ts'

/** A journal in a folder. */
export type FolderJournal = HarvestJournal & {
  /** When the first step was begun. */
  startedAt: Date
  /** Writes the features of pages into one file of GeoJSON features, in this order; with `unique`, equal ones once. */
  joinPages(pages: readonly string[], to: string, options: { unique: boolean }): Promise<void>
}

const pagesPerCollection = 20

/** Data that was copied at most this long apart is taken for one state of a dataset. */
const maxAge_ms = 7 * 86_400_000

/**
 * Opens the journal in a folder, or begins a new one if it is older than a week. `onPage` is called with the number of
 * features of each page, also of those that an earlier process saved. Files are complete when they get their name, so
 * the journal survives a kill at any moment.
 */
export function openFolderJournal(
  folder: string,
  { now, onPage }: { now: () => Date; onPage: (features: number) => void },
): FolderJournal {
  const startFile = startFileOf(folder)
  if (isExpired(folder, now())) rmSync(folder, { recursive: true })
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  if (!existsSync(startFile)) writeComplete(startFile, JSON.stringify(now().toISOString()))
  const startedAt = new Date(JSON.parse(readFileSync(startFile, 'utf8')) as string)
  const resultFile = (name: string) => join(folder, `${name}.json`)
  const featureFile = (name: string) => join(folder, `${name}.geojsonl`)
  const saved = <T>(name: string): { result: T; features: number } | null =>
    existsSync(resultFile(name)) ? (JSON.parse(readFileSync(resultFile(name), 'utf8')) as never) : null
  let writtenPages = 0
  return {
    startedAt,
    async step<T extends JsonValue>(name: string, work: () => Promise<T>) {
      const earlier = saved<T>(name)
      if (earlier) return earlier.result
      const result = await work()
      writeComplete(resultFile(name), JSON.stringify({ result, features: 0 }))
      return result
    },
    async page<T extends JsonValue>(name: string, work: () => Promise<{ features: GeoFeature[]; result: T }>) {
      const earlier = saved<T>(name)
      if (earlier) {
        onPage(earlier.features)
        return earlier.result
      }
      const { features, result } = await work()
      writeComplete(featureFile(name), features.map((feature) => `${JSON.stringify(toGeoJson(feature))}\n`).join(''))
      writeComplete(resultFile(name), JSON.stringify({ result, features: features.length }))
      onPage(features.length)
      // The replies of earlier pages are garbage now. They would stay until the heap is several times as large.
      if (++writtenPages % pagesPerCollection === 0) Bun.gc(true)
      return result
    },
    recordReplies: (net) => createRecordingClient(net, folder),
    async joinPages(pages, to, { unique }) {
      writeFileSync(to, '')
      const seen = new Set<bigint>()
      for (const page of pages) {
        if (unique) appendFileSync(to, linesNotIn(seen, readFileSync(featureFile(page), 'utf8')))
        else await pipeline(createReadStream(featureFile(page)), createWriteStream(to, { flags: 'a' }))
      }
    },
  }
}

/**
 * Removes the folders of copies that were not continued for a week, unless a command uses them. `journalName`: the
 * journal in each folder.
 */
export function removeExpiredCopies(workFolder: string, journalName: string, now: Date): void {
  const expired = readdirSync(workFolder)
    .map((name) => join(workFolder, name))
    .filter((folder) => isExpired(join(folder, journalName), now))
  for (const folder of expired) removeIfAbandoned(folder)
}

function startFileOf(folder: string): string {
  return join(folder, 'started.json')
}

function isExpired(folder: string, now: Date): boolean {
  const startFile = startFileOf(folder)
  return existsSync(startFile) && now.getTime() - statSync(startFile).mtimeMs > maxAge_ms
}

/** The lines of a text that are not known yet. */
function linesNotIn(seen: Set<bigint>, text: string): string {
  const lines = text.split('\n').filter((line) => {
    const hash = Bun.hash.xxHash64(line)
    if (line === '' || seen.has(hash)) return false
    seen.add(hash)
    return true
  })
  return lines.map((line) => `${line}\n`).join('')
}

/** Replies are saved by a hash of their request: first the bytes, then a file with the status and the headers. */
function createRecordingClient(net: HttpClient, folder: string): HttpClient {
  const send = async (call: Call, budget: Budget): Promise<Reply> => {
    const { url, method = 'GET', body = '', headers = {} } = call
    const name = join(folder, `reply-${Bun.hash(JSON.stringify([url, method, body, headers])).toString(36)}`)
    if (existsSync(`${name}.json`)) {
      const head = JSON.parse(readFileSync(`${name}.json`, 'utf8')) as Pick<Reply, 'status'> & {
        headers: [string, string][]
      }
      return { status: head.status, headers: new Headers(head.headers), bytes: readFileSync(`${name}.bin`) }
    }
    const reply = await net.send(call, budget)
    writeComplete(`${name}.bin`, reply.bytes)
    writeComplete(`${name}.json`, JSON.stringify({ status: reply.status, headers: [...reply.headers] }))
    return reply
  }
  return clientWithSend(net, send)
}

/** Writes a file that has its name only when it is complete on disk. */
function writeComplete(path: string, text: string | Uint8Array): void {
  const draft = `${path}.part`
  writeFileSync(draft, text)
  syncToDisk(draft)
  renameSync(draft, path)
}

/** A feature as GeoJSON. The rings of services have no order, so they are sorted into polygons. */
function toGeoJson({ geometry, properties }: GeoFeature): unknown {
  const { points, lines, polygons } = geometry
  const geometries = [
    ...(points.length === 1 ? [{ type: 'Point', coordinates: points[0] }] : []),
    ...(points.length > 1 ? [{ type: 'MultiPoint', coordinates: points }] : []),
    ...(lines.length > 0 ? [{ type: 'MultiLineString', coordinates: lines }] : []),
    ...(polygons.length > 0
      ? [
          {
            type: 'MultiPolygon',
            coordinates: polygons.flatMap((rings) =>
              assemblePolygons(rings.map((ring) => ring.flat())).map(({ paths }) => paths.map(positionsOfPath)),
            ),
          },
        ]
      : []),
  ]
  return {
    type: 'Feature',
    properties,
    geometry: geometries.length > 1 ? { type: 'GeometryCollection', geometries } : (geometries[0] ?? null),
  }
}
