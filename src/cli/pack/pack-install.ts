import { chmodSync, closeSync, fsyncSync, mkdirSync, openSync, renameSync, writeFileSync } from 'node:fs'
import { basename, dirname, extname, join, relative, resolve } from 'node:path'
import { commitInstall, moveFile, type RegionFolders } from '../../backup/region-install.ts'
import { isRecord } from '../../model/record.ts'
import type { Dataset } from '../../catalog/records.ts'
import { createCheckedPacks } from '../../packs/check/checked-packs.ts'
import type { HarvestedPack } from '../../build-packs/harvest/harvest-dataset.ts'
import type { PackBuildResult } from '../../build-packs/build-pack.ts'
import { packPathPattern } from '../../packs/part-files.ts'
import { createWorkFolder } from '../../store/work-folder.ts'
import { syncToDisk } from '../../store/sync-to-disk.ts'
import { tryReadJson } from '../../files/small-files.ts'

/**
 * A finished pack that is not installed yet: its temporary path, its target path, its manifest, and the checksum in the
 * manifest if the server need not check the pack again.
 */
export type FinishedPack = { path: string; out: string; manifest: string; checked: { sha256: string } | null }

/**
 * Replaces a pack and its manifest. A pack of the packs folder is wholly replaced or not at all, even if the process is
 * killed: the next `pack` command or the server does the rest. The server cannot see one file without the other,
 * because it checks a changed file twice before it loads it.
 */
export function installPack(pack: FinishedPack, folders: RegionFolders): void {
  const { path, out, manifest, checked } = pack
  const file = openSync(path, 'r+')
  fsyncSync(file)
  closeSync(file)
  const name = relative(folders.packs, resolve(out))
  if (packPathPattern.test(name)) installInFolder(pack, name, folders)
  else {
    writeFileSync(`${path}.manifest`, manifest)
    renameSync(`${path}.manifest`, manifestPath(out))
    renameSync(path, out)
  }
  if (checked) createCheckedPacks(folders.data).add(out, checked.sha256)
}

/** `name`: the path of the pack in the packs folder. */
function installInFolder({ path, manifest }: FinishedPack, name: string, folders: RegionFolders): void {
  const work = createWorkFolder(folders.packs)
  try {
    const files = join(work.path, 'files')
    const staged = join(files, 'packs', name)
    mkdirSync(dirname(staged), { recursive: true })
    moveFile(path, staged)
    writeFileSync(manifestPath(staged), manifest)
    syncToDisk(manifestPath(staged))
    commitInstall(files, folders)
  } finally {
    work.remove()
  }
}

/** What made a pack: the dataset, and the version of Fieldstone. */
type PackOrigin = { id: string; dataset: Dataset; version: string; coverage: unknown }
type LayersOptions = PackOrigin & { vintage: string | null; existing: Record<string, unknown> | null }

/** Returns the manifest of a vector pack. `existing` is the old manifest if other layers stay in the file. */
export function layersManifest(
  builtLayers: { layer: string; built: PackBuildResult }[],
  { id, dataset, version, vintage, coverage, existing }: LayersOptions,
): string {
  const hasUndescribedLayers = existing !== null && !isRecord(existing.contents)
  const layers = builtLayers.map(({ layer, built }): [string, unknown] => [
    layer,
    {
      dataset: id,
      box: built.box,
      vintage: vintage ?? newestDate(built.sources),
      features: built.features,
      empty_geometries: built.empty,
      invalid_geometries: built.invalid + built.outOfRange.count,
      excluded: built.excluded,
      built_at: new Date().toISOString(),
      built_by: `fieldstone ${version}`,
      sources: built.sources,
    },
  ])
  const contents = { ...(isRecord(existing?.contents) ? existing.contents : {}), ...Object.fromEntries(layers) }
  const vintages = Object.values(contents)
    .map((it) => (isRecord(it) ? String(it.vintage) : ''))
    .toSorted()
  const effectiveCoverage =
    coverage ??
    (hasUndescribedLayers || isRecord(existing?.coverage)
      ? (existing?.coverage ?? null)
      : unionBox(Object.values(contents)))
  return manifestText(dataset, {
    vintage: vintage ?? vintages.at(-1),
    ...(effectiveCoverage !== null && { coverage: effectiveCoverage }),
    sha256: builtLayers.at(-1)!.built.sha256,
    contents,
  })
}

/** A part that is built, and what its manifest says about its data. */
export type PartContents = Omit<HarvestedPack, 'size' | 'host'>
/** How the data of a part was obtained, and a hash of what was asked for. */
export type ObtainedPart = { size: string; hash: string } & (
  { how: 'service'; host: string } | { how: 'file'; files: string[] }
)

/** Returns the manifest of a part that was made for an area. */
export function partManifest(
  { layers, sha256, vintage: edition, editions, startedAt, margin_m, key }: PartContents,
  { id, dataset, version, area, coverage, obtained }: PackOrigin & { area: string; obtained: ObtainedPart },
): string {
  const vintage = edition ?? dataset.vintage ?? startedAt.toISOString().slice(0, 10)
  return manifestText(dataset, {
    vintage,
    area,
    coverage,
    margin_m,
    ...(key !== null && { key }),
    ...(editions && { editions }),
    fetched_at: startedAt.toISOString(),
    obtained,
    sha256,
    contents: Object.fromEntries(
      layers.map(({ layer, built }) => [
        layer,
        { dataset: id, box: built.box, vintage, features: built.features, built_by: `fieldstone ${version}` },
      ]),
    ),
  })
}

/** Records in the manifest of a pack how its answers compare with those of its service. */
export function recordComparison(out: string, comparison: Record<string, unknown>): void {
  const { coverage, ...manifest } = readExistingManifest(out)
  if (manifest.sha256 === undefined) return
  const path = manifestPath(out)
  writeFileSync(`${path}.draft`, recordText({ ...manifest, comparison }, coverage))
  renameSync(`${path}.draft`, path)
}

/** Returns the manifest of a raster pack. */
export function rasterManifest(
  { id, dataset, version, coverage }: PackOrigin,
  { vintage, sha256, source }: { vintage: string; sha256: string; source: string },
): string {
  return manifestText(dataset, {
    vintage,
    ...(coverage !== null && { coverage }),
    sha256,
    contents: {
      raster: { dataset: id, vintage, built_at: new Date().toISOString(), built_by: `fieldstone ${version}`, source },
    },
  })
}

/** Reads the manifest of an existing pack. Returns an empty record if there is none or it is not valid JSON. */
export function readExistingManifest(out: string): Record<string, unknown> {
  // The server rejected a damaged one already. It is replaced.
  const value = tryReadJson(manifestPath(out))
  return isRecord(value) ? value : {}
}

function manifestPath(out: string): string {
  return join(dirname(out), `${basename(out, extname(out))}.json`)
}

function manifestText(
  { license, attribution }: Dataset,
  { vintage, coverage, ...rest }: Record<string, unknown>,
): string {
  return recordText({ vintage, license, ...(attribution !== undefined && { attribution }), ...rest }, coverage)
}

/** The text of a manifest. The coverage is one line, because it can have many vertices. */
function recordText(record: Record<string, unknown>, coverage: unknown): string {
  const text = JSON.stringify(record, null, 2)
  if (coverage === undefined) return `${text}\n`
  return `${text.slice(0, -'\n}'.length)},\n  "coverage": ${JSON.stringify(coverage)}\n}\n`
}

function newestDate(sources: PackBuildResult['sources']): string {
  return sources
    .map(({ modified }) => modified.slice(0, 10))
    .toSorted()
    .at(-1)!
}

/** The bounding box of all layers, the default coverage of a pack. Null if the pack has only tables. */
function unionBox(layers: unknown[]): number[] | null {
  const boxes = layers.flatMap((it) => (isRecord(it) && isBox(it.box) ? [it.box] : []))
  if (boxes.length === 0) return null
  return [0, 1, 2, 3].map((side) =>
    boxes.reduce((edge, box) => (side < 2 ? Math.min(edge, box[side]!) : Math.max(edge, box[side]!)), boxes[0]![side]!),
  )
}

function isBox(value: unknown): value is number[] {
  return Array.isArray(value) && value.length === 4 && value.every((it) => typeof it === 'number')
}

/**
 * Creates the folder of a pack if it does not exist. Other users may read the folder, because the server may run as
 * another user than the one who builds packs. Parent folders that are created are private to their owner.
 */
export function makePackFolder(folder: string): void {
  const isNew = mkdirSync(folder, { recursive: true, mode: 0o700 }) !== undefined
  if (isNew) chmodSync(folder, 0o755)
}
