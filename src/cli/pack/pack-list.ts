import { statSync } from 'node:fs'
import { join } from 'node:path'
import { isPublishedByPlace } from '../../catalog/copy-rules.ts'
import type { AreaPresets } from '../../catalog/meta-documents.ts'
import { presetsByArea } from '../../fetch/catalog/area-presets.ts'
import { listAddressPackFiles } from '../../packs/addresses/address-pack-folder.ts'
import { openAddressPack } from '../../packs/addresses/address-pack.ts'
import { createByteCache } from '../../packs/layer/byte-cache.ts'
import { countFeatures, formatNames, openGeopackage } from '../../files/geopackage/geopackage.ts'
import { installedDataOf, type InstalledData } from '../../packs/pack-entry.ts'
import type { PackManifest } from '../../packs/pack-manifest.ts'
import { openGeopackagePack, openRasterPack, type Pack } from '../../packs/pack.ts'
import { packNameOf } from '../../packs/part-files.ts'
import { openRasters } from '../../raster/rasters.ts'
import { alignColumns } from '../question/answer-table.ts'
import { addressPackKinds } from './pack-build-addresses.ts'
import type { PackFlags, PackCommandDeps } from './pack-deps.ts'
import { packBackedDatasets, findPackTarget, listServedPacks } from './pack-target.ts'
import { readPackManifest } from './pack-verify.ts'

type PackRow = {
  file: string
  datasets: string[]
  layers: string[]
  features: number | null
  vintage: string | null
  /** The name of the area, if the manifest has one. */
  area: string | null
  /** When the data was read from the publisher, or else when the file was written. */
  obtained_at: string
  bytes: number
  fields: string[]
  /** The presets that local data answers completely in the area. */
  presets: string[]
  state: 'ok' | 'rejected'
  reason: string | null
}

/** A row, and what the file provides. */
type ListedPack = { row: PackRow; installed: InstalledData[] }

/** The command that builds a pack from the publisher's files. Empty if there is none. */
function commandNote(id: string, { catalog }: PackCommandDeps): string {
  const dataset = catalog.datasets.get(id)!
  if (!dataset.recipe) return ''
  return ` (pack fetch ${id}${isPublishedByPlace(dataset) ? ' --area <area>' : ''})`
}

/** `fieldstone pack list`: lists the packs in the folder; with --all, the pack file of every dataset. */
export async function listPacks(deps: PackCommandDeps, { json, all }: PackFlags): Promise<number> {
  if (all) {
    for (const id of packBackedDatasets(deps))
      deps.print(
        `${id.padEnd(44)} ${join(deps.folder, findPackTarget(id, anyLayer(id, deps), deps).file)}${commandNote(id, deps)}`,
      )
    for (const kind of addressPackKinds) deps.print(`${kind.padEnd(44)} ${join(deps.folder, `${kind}.sqlite`)}`)
    return 0
  }
  const listed: ListedPack[] = []
  for (const { file, datasets } of listServedPacks(deps)) listed.push(await readDatasetPack(file, datasets, deps))
  const areas = presetsByArea(
    deps.catalog,
    listed.flatMap(({ installed }) => installed),
  )
  const presetsOf = new Map(areas.map(({ area, presets }) => [area, presets]))
  const rows = [
    ...listed.map(({ row }) => ({ ...row, presets: presetsOf.get(row.area ?? '') ?? [] })),
    ...listAddressPackFiles(deps.folder).map((file) => addressPackRow(file, deps.folder)),
  ]
  if (json) deps.print(JSON.stringify(rows))
  else if (rows.length === 0) deps.print(`No packs in ${deps.folder}.`)
  else for (const line of [...formatRows(rows, new Date()), ...formatAreas(areas)]) deps.print(line)
  return 0
}

/** Any layer of the dataset's pack: all layers of a pack are in the same file. */
function anyLayer(id: string, { catalog, expected }: PackCommandDeps): string | null {
  const settings = catalog.datasets.get(id)?.serve.find((serving) => serving.driver === 'pack')
  const expectedPack = settings ? expected(settings.file).find(({ dataset }) => dataset === id) : undefined
  return expectedPack?.layers[0] ?? expectedPack?.tables[0]?.name ?? null
}

/** Reads what `pack list` shows of a file. A file that cannot be used has the reason in its row. */
async function readDatasetPack(file: string, datasets: string[], deps: PackCommandDeps): Promise<ListedPack> {
  const path = join(deps.folder, file)
  const { size, mtime } = statSync(path)
  const row: PackRow = {
    ...emptyRow(file, size, mtime),
    datasets,
    fields: [...deps.catalog.fields.values()]
      .filter(({ read }) => datasets.includes(read.dataset))
      .map(({ name }) => name),
  }
  try {
    const manifest = readPackManifest(path)
    const { area, vintage, fetchedAt } = manifest
    const described = { ...row, area, vintage, obtained_at: fetchedAt ?? row.obtained_at }
    const pack = file.endsWith('.tif')
      ? await openRasterFile(path, file, { manifest, deps })
      : openGeopackagePack(path, { manifest, name: packNameOf(file) }, deps.expected(file), createByteCache(0))
    const installed = installedDataOf(pack, area)
    const served = { ...described, vintage: pack.datasets.values().next().value?.vintage ?? vintage }
    pack.close()
    return {
      row: file.endsWith('.tif') ? served : { ...served, datasets: [...pack.datasets.keys()], ...contentsOf(path) },
      installed,
    }
  } catch (error) {
    return { row: { ...row, state: 'rejected', reason: (error as Error).message }, installed: [] }
  }
}

async function openRasterFile(
  path: string,
  file: string,
  { manifest, deps }: { manifest: PackManifest; deps: PackCommandDeps },
): Promise<Pack> {
  const rasters = openRasters({ startWorker: deps.workers.raster })
  try {
    return openRasterPack(await rasters.openFile(path), manifest, deps.expected(file))
  } finally {
    rasters.close()
  }
}

/** The layers of a GeoPackage and the number of their features. */
function contentsOf(path: string): Pick<PackRow, 'layers' | 'features'> {
  const geopackage = openGeopackage(path)
  try {
    const { db, tables } = geopackage
    return {
      layers: tables.map(({ name }) => name),
      features: tables.reduce((sum, table) => sum + countFeatures(db, table), 0),
    }
  } finally {
    geopackage.close()
  }
}

function emptyRow(file: string, bytes: number, modified: Date): PackRow {
  return {
    file,
    datasets: [],
    layers: [],
    features: null,
    vintage: null,
    area: null,
    obtained_at: modified.toISOString(),
    bytes,
    fields: [],
    presets: [],
    state: 'ok',
    reason: null,
  }
}

/** The row of an address pack, which has no fields: the geocoder reads it. */
function addressPackRow(file: string, folder: string): PackRow {
  const path = join(folder, file)
  const kind = addressPackKinds.findLast((it) => file.startsWith(it))
  const { size, mtime } = statSync(path)
  const row: PackRow = { ...emptyRow(file, size, mtime), datasets: kind === undefined ? [] : [kind] }
  try {
    const pack = openAddressPack(path)
    pack.close()
    const { points = '0', ranges = '0', vintage = null } = pack.metadata
    return {
      ...row,
      layers: [...(points === '0' ? [] : ['points']), ...(ranges === '0' ? [] : ['ranges'])],
      features: Number(points) + Number(ranges),
      vintage,
    }
  } catch (error) {
    return { ...row, state: 'rejected', reason: (error as Error).message }
  }
}

const columnMax = 60

function formatRows(rows: PackRow[], now: Date): string[] {
  const cells = [
    ['file', 'dataset', 'layer', 'features', 'vintage', 'area', 'age', 'MB', 'fields', 'state'],
    ...rows.map((row) => [
      row.file,
      formatNames(row.datasets),
      formatNames(row.layers),
      row.features === null ? '' : String(row.features),
      row.vintage ?? '',
      row.area ?? '',
      formatAge(now.getTime() - Date.parse(row.obtained_at)),
      (row.bytes / 1e6).toFixed(1),
      formatNames(row.fields),
      row.reason === null ? row.state : `${row.state}: ${row.reason}`,
    ]),
  ]
  return alignColumns(cells, columnMax)
}

/** An age in hours or days. */
function formatAge(age_ms: number): string {
  const hours = Math.max(0, Math.floor(age_ms / 3_600_000))
  return hours < 48 ? `${hours} h` : `${Math.floor(hours / 24)} d`
}

function formatAreas(areas: AreaPresets[]): string[] {
  return areas.map(
    ({ area, presets }) =>
      `Presets that local data answers completely in ${area}: ${presets.length === 0 ? 'none' : presets.join(', ')}.`,
  )
}
