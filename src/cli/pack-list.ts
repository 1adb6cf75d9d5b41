import { statSync } from 'node:fs'
import { join } from 'node:path'
import { listAddressPackFiles } from '../packs/addresses/address-pack-folder.ts'
import { openAddressPack } from '../packs/addresses/address-pack.ts'
import { createByteCache } from '../packs/byte-cache.ts'
import { countFeatures, formatNames, openGeopackage } from '../packs/geopackage-file.ts'
import { openGeopackagePack } from '../packs/pack.ts'
import { addressPacks } from './pack-addresses.ts'
import type { PackFlags, PackTools } from './pack-tools.ts'
import { packDatasets, packTarget, servedPacks } from './pack-target.ts'
import { readManifest } from './pack-verify.ts'

type Row = { file: string; datasets: string[]; layers: string[]; features: number | null; vintage: string | null; bytes: number; fields: string[]; state: 'good' | 'rejected'; reason: string | null }

/** Lists the packs in the folder; with --all, where the pack of each dataset would lie. */
export function packList(tools: PackTools, { json, all }: PackFlags): number {
  if (all) {
    for (const id of packDatasets(tools)) tools.print(`${id.padEnd(44)} ${join(tools.folder, packTarget(id, anyLayer(id, tools), tools).file)}${tools.catalog.datasets.get(id)?.recipe ? ` (pack fetch ${id})` : ''}`)
    for (const kind of addressPacks) tools.print(`${kind.padEnd(44)} ${join(tools.folder, `${kind}.sqlite`)}`)
    return 0
  }
  const rows = [...servedPacks(tools).map(({ file, datasets }) => rowOf(file, datasets, tools)), ...listAddressPackFiles(tools.folder).map((file) => addressRowOf(file, tools.folder))]
  if (json) tools.print(JSON.stringify(rows))
  else if (rows.length === 0) tools.print(`There are no packs in ${tools.folder}.`)
  else for (const line of tableOf(rows)) tools.print(line)
  return 0
}

/** A pack with several layers is in one file all the same. */
function anyLayer(id: string, { catalog, expected }: PackTools): string | null {
  const settings = catalog.datasets.get(id)?.serve.find((serving) => serving.driver === 'pack')
  const whole = settings ? expected(settings.file).find(({ dataset }) => dataset === id) : undefined
  return whole?.layers[0] ?? whole?.tables[0]?.name ?? null
}

function rowOf(file: string, datasets: string[], tools: PackTools): Row {
  const path = join(tools.folder, file)
  const fields = [...tools.catalog.fields.values()].filter(({ read }) => datasets.includes(read.dataset)).map(({ name }) => name)
  const row: Row = { file, datasets, layers: [], features: null, vintage: null, bytes: statSync(path).size, fields, state: 'good', reason: null }
  try {
    const manifest = readManifest(path)
    if (file.endsWith('.tif')) return { ...row, vintage: manifest.vintage }
    const pack = openGeopackagePack(path, manifest, tools.expected(file), createByteCache(0))
    const vintage = pack.datasets.values().next().value?.vintage ?? manifest.vintage
    const served = [...pack.datasets.keys()]
    pack.close()
    const opened = openGeopackage(path)
    try {
      const { db, tables } = opened
      return { ...row, datasets: served, layers: tables.map(({ name }) => name), features: tables.reduce((sum, table) => sum + countFeatures(db, table), 0), vintage }
    } finally {
      opened.close()
    }
  } catch (error) {
    return { ...row, state: 'rejected', reason: (error as Error).message }
  }
}

/** Addresses are no dataset of the catalog: they find the place at which its fields are read. */
function addressRowOf(file: string, folder: string): Row {
  const path = join(folder, file)
  const kind = addressPacks.findLast((it) => file.startsWith(it))
  const row: Row = { file, datasets: kind === undefined ? [] : [kind], layers: [], features: null, vintage: null, bytes: statSync(path).size, fields: [], state: 'good', reason: null }
  try {
    const pack = openAddressPack(path)
    pack.close()
    const { points = '0', ranges = '0', vintage = null } = pack.metadata
    return { ...row, layers: [...(points === '0' ? [] : ['points']), ...(ranges === '0' ? [] : ['ranges'])], features: Number(points) + Number(ranges), vintage }
  } catch (error) {
    return { ...row, state: 'rejected', reason: (error as Error).message }
  }
}

function tableOf(rows: Row[]): string[] {
  const cells = [['file', 'dataset', 'layer', 'features', 'vintage', 'MB', 'fields', 'state'], ...rows.map((row) => [
    row.file, formatNames(row.datasets), formatNames(row.layers), row.features === null ? '' : String(row.features), row.vintage ?? '', (row.bytes / 1e6).toFixed(1), formatNames(row.fields), row.reason === null ? row.state : `${row.state}: ${row.reason}`,
  ])]
  const widths = cells[0]!.map((_, column) => Math.min(60, Math.max(...cells.map((row) => row[column]!.length))))
  return cells.map((row) => row.map((cell, column) => cell.padEnd(widths[column]!)).join('  ').trimEnd())
}
