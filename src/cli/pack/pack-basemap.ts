import { existsSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { boxesOfArea, type Area } from '../../pack-plans/area.ts'
import { createPoliteClient } from '../../build-packs/harvest/polite-client.ts'
import { UpstreamError } from '../../model/error.ts'
import { megabytes, pluralize } from '../../model/text.ts'
import type { HttpClient } from '../../net/http-client.ts'
import { FileError } from '../../files/file-error.ts'
import { openStorageClient } from '../../storage/open-storage.ts'
import { freeBytesIn, minFreeSpace_bytes } from '../../store/free-space.ts'
import { syncToDisk } from '../../store/sync-to-disk.ts'
import { attributionOf, basemapFile } from '../../tiles/basemap.ts'
import {
  copyExtract,
  openBasemapFile,
  openRemoteBasemap,
  verifyCopy,
  type BasemapSource,
} from '../../tiles/basemap-copy.ts'
import { PmtilesError } from '../../tiles/pmtiles-format.ts'
import { planExtract, type PmtilesExtract } from '../../tiles/pmtiles-extract.ts'
import { tileRangesOf, type TileRange } from '../../tiles/tile-ranges.ts'
import { areaFlags, areaOfFlags } from './pack-area.ts'
import type { PackCommandDeps, PackFlags } from './pack-deps.ts'
import { confirmSize } from './pack-fetch-area.ts'
import { makePackFolder } from './pack-install.ts'
import { createStderrProgress } from '../progress.ts'
import { onInterrupt } from '../server/stop-signals.ts'
import { UsageError } from '../usage-error.ts'

/** The flags of `pack fetch basemap` and `pack plan basemap`. */
export const basemapFlags = ['source', 'maxzoom', ...areaFlags] as const

/** `fieldstone pack plan basemap`: prints how large the base map of an area is. */
export async function planBasemap(flags: PackFlags, deps: PackCommandDeps): Promise<number> {
  const area = await areaOfFlags(flags, deps)
  await withSource(flags, deps, async (source, signal) => {
    const selected = await extractOf(source, area, flags, signal)
    const {
      maxzoom,
      extract: { tiles, bytes },
    } = selected
    const document = { area: area.name, source: flags.source, maxzoom, tiles, bytes }
    if (flags.json === true) deps.print(JSON.stringify(document))
    else deps.print(planText(selected, area, source))
  })
  return 0
}

/** `fieldstone pack fetch basemap`: copies the tiles of an area from a larger base map into the packs folder. */
export async function fetchBasemap(flags: PackFlags, deps: PackCommandDeps): Promise<number> {
  const area = await areaOfFlags(flags, deps)
  await withSource(flags, deps, async (source, signal) => {
    const selected = await extractOf(source, area, flags, signal)
    const { extract, ranges, maxzoom } = selected
    deps.print(planText(selected, area, source))
    confirmSize(extract.bytes, flags)
    makePackFolder(deps.folder)
    const path = join(deps.folder, partNameOf([flags.source, source.version, maxzoom, ranges]))
    requireSpace(extract, path, deps)
    const progress = createStderrProgress('basemap')
    const report = (bytes: number) => progress.update(bytes / extract.bytes, megabytes(bytes))
    await copyExtract(source, extract, { path, report }, signal).finally(() => progress.end())
    await verifyOrRemove(path, { extract, ranges }, signal)
    const out = join(deps.folder, basemapFile)
    renameSync(path, out)
    syncToDisk(deps.folder)
    for (const name of readdirSync(deps.folder)) if (partPattern.test(name)) rmSync(join(deps.folder, name))
    deps.print(`${out}: ${pluralize(extract.tiles, 'tile')}, ${megabytes(extract.bytes)}.`)
  })
  return 0
}

const partPattern = /^\.basemap\.pmtiles-\w+\.part$/

/** The name belongs to a version of the source and an area, so that an interrupted copy of these can continue. */
function partNameOf(key: readonly unknown[]): string {
  return `.${basemapFile}-${Bun.hash(JSON.stringify(key)).toString(36)}.part`
}

/** Opens the source of --source, and closes it at the end. @throws {FileError} if the source cannot be used. */
async function withSource(
  flags: PackFlags,
  deps: PackCommandDeps,
  work: (source: BasemapSource, signal: AbortSignal) => Promise<void>,
): Promise<void> {
  const address = addressOfFlag(flags, deps)
  const controller = new AbortController()
  const interruptHandler = onInterrupt(() => controller.abort())
  const net = isUrl(address) ? openSourceClient(address, deps) : null
  try {
    const { signal } = controller
    const source = net ? await openRemoteBasemap(address, net, signal) : await openBasemapFile(address, signal)
    try {
      await work(source, signal)
    } finally {
      source.close()
    }
  } catch (cause) {
    if (cause instanceof PmtilesError) throw new FileError(`${address} ${cause.message}`, { cause })
    if (cause instanceof UpstreamError)
      throw new FileError(`${cause.message} Run the same command again to continue.`, { cause })
    throw cause
  } finally {
    net?.close()
    interruptHandler.remove()
  }
}

function addressOfFlag({ source }: PackFlags, { config }: PackCommandDeps): string {
  if (typeof source !== 'string')
    throw new UsageError(
      'Name the base map to copy from: --source <URL or file of a PMTiles archive in the Protomaps schema>. See https://docs.protomaps.com/basemaps/downloads.',
    )
  if (isUrl(source)) {
    if (!URL.canParse(source) || !/^https?:/i.test(source))
      throw new UsageError(`--source ${JSON.stringify(source)} is not valid. Use an http or https URL, or a file.`)
    if (config.offline)
      throw new FileError('Downloads are disabled (FIELDSTONE_OFFLINE=1). Set --source to a file on this machine.')
    return source
  }
  if (!existsSync(source)) throw new UsageError(`--source: the file ${source} does not exist.`)
  return source
}

function isUrl(source: string): boolean {
  return /^[a-z][a-z\d+.-]+:\/\//i.test(source)
}

/** The operator names the source, so it may have a private address, and a mirror of publishers does not apply to it. */
function openSourceClient(url: string, deps: PackCommandDeps): HttpClient {
  const client = openStorageClient({ kind: 'web', url }, { ...deps, now: () => new Date() })
  const polite = createPoliteClient(client, { wait: (ms) => Bun.sleep(ms), onReply: () => {} })
  return { ...polite, close: () => client.close() }
}

type SelectedExtract = { extract: PmtilesExtract; ranges: TileRange[]; maxzoom: number }

async function extractOf(
  { archive }: BasemapSource,
  area: Area,
  flags: PackFlags,
  signal: AbortSignal,
): Promise<SelectedExtract> {
  const { minzoom, maxzoom: sourceMaxzoom } = archive.header
  const maxzoom = maxzoomOfFlag(flags, minzoom, sourceMaxzoom)
  const ranges = tileRangesOf(area.polygons, { minzoom, maxzoom })
  const extract = await planExtract(archive, { ranges, maxzoom, bounds: boundsOfArea(area) }, signal)
  if (extract.tiles === 0) throw new PmtilesError(`has no tiles in ${area.name}.`)
  return { extract, ranges, maxzoom }
}

function maxzoomOfFlag({ maxzoom }: PackFlags, min: number, max: number): number {
  const zoom = maxzoom === undefined ? max : Number(maxzoom)
  if (Number.isInteger(zoom) && zoom >= min && zoom <= max) return zoom
  throw new UsageError(`--maxzoom ${JSON.stringify(maxzoom)} is not valid. The source has the zooms ${min} to ${max}.`)
}

/** The box of an area. An area on both sides of the antimeridian has all longitudes. */
function boundsOfArea(area: Area): [west: number, south: number, east: number, north: number] {
  const boxes = boxesOfArea(area)
  const smallest = (member: 'w' | 's') => Math.min(...boxes.map((box) => box[member]))
  const largest = (member: 'e' | 'n') => Math.max(...boxes.map((box) => box[member]))
  return [smallest('w'), smallest('s'), largest('e'), largest('n')]
}

function planText(
  { extract, maxzoom }: SelectedExtract,
  area: Area,
  { archive: { header, metadata } }: BasemapSource,
): string {
  const attribution = attributionOf(metadata)
  return `Base map of ${area.name}, zooms ${header.minzoom} to ${maxzoom}: ${pluralize(extract.tiles, 'tile')}, ${megabytes(extract.bytes)}.${attribution === '' ? '' : ` Attribution: ${attribution}.`}`
}

function requireSpace({ bytes }: PmtilesExtract, path: string, { folder }: PackCommandDeps): void {
  const needed = bytes - (existsSync(path) ? statSync(path).size : 0) + minFreeSpace_bytes
  const free = freeBytesIn(folder)
  if (needed <= free) return
  throw new FileError(
    `The base map needs ${megabytes(needed)} on the disk of ${folder}, and ${megabytes(free)} are free. Free some space, or choose a lower --maxzoom.`,
  )
}

/** Verifies a copy. A copy that is wrong would fail again, so it is removed. */
async function verifyOrRemove(
  path: string,
  { extract, ranges }: Pick<SelectedExtract, 'extract' | 'ranges'>,
  signal: AbortSignal,
): Promise<void> {
  try {
    await verifyCopy(path, extract, ranges, signal)
  } catch (error) {
    rmSync(path)
    throw error
  }
}
