import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** Longitude first, as in GeoJSON. */
export type LngLat = [lng: number, lat: number]
export type Ring = LngLat[]
export type Polygon = Ring[]
export type LayerGeometry =
  | { type: 'Point'; coordinates: LngLat }
  | { type: 'LineString'; coordinates: LngLat[] }
  | { type: 'Polygon'; coordinates: Polygon }
  | { type: 'MultiPolygon'; coordinates: Polygon[] }

/** A file of a data package, and the checksum it must have. */
export type DataFile = { package: string; file: string; sha256: string }
export type LayerCell = string | number | Uint8Array | null
export type LayerRow<Column extends string = string> = { cells: Record<Column, LayerCell>; geom: LayerGeometry | null }

/** A table of the GeoPackage: its columns, and the function that yields its rows in order. */
export type Table<Column extends string = string> = {
  name: string
  title: string
  geometry: Uppercase<LayerGeometry['type']> | null
  columns: Record<Column, 'TEXT' | 'INTEGER' | 'REAL' | 'BLOB'>
  rows(): Iterable<LayerRow<Column>>
}

/** A table of data and its sources. */
export type LayerSource<Column extends string = string> = Table<Column> & {
  files: DataFile[]
  publisher: string
  source_url: string
  license: string
  attribution: string
  vintage: string
  derivation: string
}

/** The data packages that npm does not have. Their files are committed, with their license and package.json. */
export const committedPackages: readonly string[] = ['weather-util-data']

/** The folder of a data package, from the root. */
export function dataFolderOf(name: string): string {
  return committedPackages.includes(name) ? `scripts/embed-data/${name}` : `node_modules/${name}`
}

/**
 * Returns the bytes of a data file.
 *
 * @throws if they differ from the pinned checksum.
 */
export function read({ package: name, file, sha256 }: DataFile): Buffer {
  const bytes = readFileSync(join(import.meta.dir, '../..', dataFolderOf(name), file))
  const found = new Bun.CryptoHasher('sha256').update(bytes).digest('hex')
  if (found !== sha256) {
    const cure = 'Install what package-lock.json names, or check the new data and pin it in scripts/embed.'
    throw new Error(`${name}: ${file} has sha256 ${found}, expected ${sha256}. ${cure}`)
  }
  return bytes
}
