import { mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { exportRegion } from '../../src/build-packs/region-export.ts'
import type { RegionManifest } from '../../src/build-packs/region-manifest.ts'
import { openSigningKey } from '../../src/build-packs/signing-keys.ts'

/** A data folder with packs. The content of the packs does not matter to an archive. */
export type RegionFolder = { data: string; packs: string }

export function createRegionFolder(files: Record<string, string>): RegionFolder {
  const data = mkdtempSync(join(tmpdir(), 'fieldstone-region-'))
  const packs = join(data, 'packs')
  mkdirSync(join(packs, 'usfws_nwi'), { recursive: true })
  mkdirSync(join(data, 'catalog.d'))
  for (const [name, text] of Object.entries(files)) writeFileSync(join(data, name), text)
  return { data, packs }
}

/**
 * The text of every file under `packs` and `catalog.d`, by name. Also names what an interrupted import left, but for an
 * empty work folder that had no name yet.
 */
export function installedFilesOf({ data }: RegionFolder): Record<string, string> {
  const names = ['packs', 'catalog.d'].flatMap((folder) =>
    readdirSync(join(data, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() || entry.name.startsWith('.'))
      .map((entry) => join(entry.parentPath, entry.name).slice(data.length + 1))
      .filter((name) => !name.startsWith('packs/.fieldstone-new-')),
  )
  return Object.fromEntries(
    names.toSorted().map((name) => [name, name.includes('/.') ? '' : readFileSync(join(data, name), 'utf8')]),
  )
}

export const newFiles = {
  'packs/epa_tri.gpkg': 'new sites',
  'packs/usfws_nwi/08013.gpkg': 'new wetlands of Boulder County '.repeat(200),
  'packs/usfws_nwi/08013.json': '{"area":"Boulder County, CO","vintage":"2026"}',
  'packs/addresses.sqlite': 'addresses',
  'catalog.d/zones.json': '{"new":true}',
}

/** Exports all packs and layers of a folder. */
export function exportAll({ data, packs }: RegionFolder, file: string): RegionManifest {
  return exportRegion({
    packs,
    data,
    packFiles: ['epa_tri.gpkg', 'usfws_nwi/08013.gpkg', 'addresses.sqlite'],
    file,
    key: openSigningKey(data),
    version: '1',
    catalog_version: '1',
    at: new Date(0),
  })
}
