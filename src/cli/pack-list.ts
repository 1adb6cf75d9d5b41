import { statSync } from 'node:fs'
import { join } from 'node:path'
import { listAddressPackFiles } from '../packs/addresses/address-pack-folder.ts'
import { openAddressPack } from '../packs/addresses/address-pack.ts'
import { createByteCache } from '../packs/byte-cache.ts'
import { countFeatures, formatNames, openGeopackage } from '../packs/geopackage-file.ts'
import { openGeopackagePack } from '../packs/pack.ts'
import { packNameOf } from '../packs/part-files.ts'
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
  bytes: number
  fields: string[]
  state: 'ok' | 'rejected'
  reason: string | null
}

/** `fieldstone pack list`: lists the packs in the folder; with --all, the pack file of every dataset. */
export function listPacks(deps: PackCommandDeps, { json, all }: PackFlags): number {
  if (all) {
    for (const id of packBackedDatasets(deps))
      deps.print(
        `${id.padEnd(44)} ${join(deps.folder, findPackTarget(id, anyLayer(id, deps), deps).file)}${deps.catalog.datasets.get(id)?.recipe ? ` (pack fetch ${id})` : ''}`,
      )
    for (const kind of addressPackKinds) deps.print(`${kind.padEnd(44)} ${join(deps.folder, `${kind}.sqlite`)}`)
    return 0
  }
  const rows = [
    ...listServedPacks(deps).map(({ file, datasets }) => datasetPackRow(file, datasets, deps)),
    ...listAddressPackFiles(deps.folder).map((file) => addressPackRow(file, deps.folder)),
  ]
  if (json) deps.print(JSON.stringify(rows))
  else if (rows.length === 0) deps.print(`No packs in ${deps.folder}.`)
  else for (const line of formatRows(rows)) deps.print(line)
  return 0
}

/** Any layer of the dataset's pack: all layers of a pack are in the same file. */
function anyLayer(id: string, { catalog, expected }: PackCommandDeps): string | null {
  const settings = catalog.datasets.get(id)?.serve.find((serving) => serving.driver === 'pack')
  const expectedPack = settings ? expected(settings.file).find(({ dataset }) => dataset === id) : undefined
  return expectedPack?.layers[0] ?? expectedPack?.tables[0]?.name ?? null
}

function datasetPackRow(file: string, datasets: string[], deps: PackCommandDeps): PackRow {
  const path = join(deps.folder, file)
  const fields = [...deps.catalog.fields.values()]
    .filter(({ read }) => datasets.includes(read.dataset))
    .map(({ name }) => name)
  const row: PackRow = {
    file,
    datasets,
    layers: [],
    features: null,
    vintage: null,
    bytes: statSync(path).size,
    fields,
    state: 'ok',
    reason: null,
  }
  try {
    const manifest = readPackManifest(path)
    if (file.endsWith('.tif')) return { ...row, vintage: manifest.vintage }
    const pack = openGeopackagePack(path, { manifest, name: packNameOf(file) }, deps.expected(file), createByteCache(0))
    const vintage = pack.datasets.values().next().value?.vintage ?? manifest.vintage
    const servedDatasets = [...pack.datasets.keys()]
    pack.close()
    const geopackage = openGeopackage(path)
    try {
      const { db, tables } = geopackage
      return {
        ...row,
        datasets: servedDatasets,
        layers: tables.map(({ name }) => name),
        features: tables.reduce((sum, table) => sum + countFeatures(db, table), 0),
        vintage,
      }
    } finally {
      geopackage.close()
    }
  } catch (error) {
    return { ...row, state: 'rejected', reason: (error as Error).message }
  }
}

/** The row of an address pack, which has no fields: the geocoder reads it. */
function addressPackRow(file: string, folder: string): PackRow {
  const path = join(folder, file)
  const kind = addressPackKinds.findLast((it) => file.startsWith(it))
  const row: PackRow = {
    file,
    datasets: kind === undefined ? [] : [kind],
    layers: [],
    features: null,
    vintage: null,
    bytes: statSync(path).size,
    fields: [],
    state: 'ok',
    reason: null,
  }
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

function formatRows(rows: PackRow[]): string[] {
  const cells = [
    ['file', 'dataset', 'layer', 'features', 'vintage', 'MB', 'fields', 'state'],
    ...rows.map((row) => [
      row.file,
      formatNames(row.datasets),
      formatNames(row.layers),
      row.features === null ? '' : String(row.features),
      row.vintage ?? '',
      (row.bytes / 1e6).toFixed(1),
      formatNames(row.fields),
      row.reason === null ? row.state : `${row.state}: ${row.reason}`,
    ]),
  ]
  const widths = cells[0]!.map((_, column) => Math.min(60, Math.max(...cells.map((row) => row[column]!.length))))
  return cells.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column]!))
      .join('  ')
      .trimEnd(),
  )
}
