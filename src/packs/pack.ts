import { basename } from 'node:path'
import type { AreaLayer, CellSource, FlatPath, Extent } from '../model/area.ts'
import type { Point } from '../model/place.ts'
import type { Budget, Grid } from '../model/source.ts'
import type { ByteCache } from './layer/byte-cache.ts'
import type { BuiltIndex } from './layer/feature-boxes.ts'
import type { BoxSource } from './layer/features-in-box.ts'
import { formatNames, openGeopackage, type GeopackageFile, type PackTableInfo } from '../files/geopackage/geopackage.ts'
import { openPackLayer, type PackLayer } from './layer/pack-layer.ts'
import { ringsOfBox, type PackManifest } from './pack-manifest.ts'
import { FileError } from '../files/file-error.ts'
import { packNameOf } from './part-files.ts'
import { createPackTable, requiredTablesOf, type PackTable } from './layer/pack-table.ts'
import { unionOfExtents } from '../geo/boxes.ts'

/** An open raster file; raster/rasters.ts implements it. */
export type RasterFile = {
  window(
    query: { at: Point; radius_cells: number; radius_m?: number },
    options: { band?: number; nodata?: number[] },
    budget: Budget,
  ): Promise<Grid>
  covers(at: Point): boolean
  bounds: Extent
  /** The years of its bands, the newest first, if its manifest states them. */
  editions?: readonly number[]
  /** The cells of a band; missing in rasters that only answer about points. */
  cells?(options: { band?: number }): CellSource
  close(): void
}

/** What a dataset requires of a file: attributes, and layers and tables by name (`null`: the only one in the file). */
export type PackRequirements = {
  dataset: string
  attributes: readonly string[]
  layers: readonly (string | null)[]
  needsPolygons: boolean
  /** One of the layers is enough. */
  anyLayer?: true
  tables: readonly { name: string | null; keys: readonly (readonly string[])[] }[]
}

/** A layer of a pack in one file or in parts. */
export type FeatureLayer = Pick<PackLayer, 'query' | 'containingRows' | keyof BoxSource> & AreaLayer

/** What a pack provides for a dataset, by the catalog's names; `''` stands for the only layer or table. */
export type PackDataset = {
  layers: ReadonlyMap<string, FeatureLayer>
  tables: ReadonlyMap<string, PackTable>
  raster: RasterFile | null
  vintage: string | null
  /** The vintage at a place, if the parts have different vintages. */
  vintageAt?(at: Point): string | null
  /** Where the data is complete. */
  covers(at: Point): boolean
  /** The polygons that `covers` accepts; null for a raster without a declared coverage. */
  coverage: readonly FlatPath[][] | null
  /** The data is also complete this far outside the coverage, in meters; `null` if that is not known. */
  margin_m: number | null
  /** The data of the parts that answer for a point. A pack in several files has them in `files`, the newest first. */
  at(point: Point): PackDataset
  files?: readonly PackPart[]
}

/** What one file provides for a dataset: all of its data, or a part. */
export type PackPart = Omit<PackDataset, 'layers'> & {
  layers: ReadonlyMap<string, PackLayer>
  /** The bounding box of the coverage. */
  box: Extent
  /** The column that identifies a feature in all parts. */
  key: string | null
}

/** An open pack file. */
export type Pack = {
  datasets: ReadonlyMap<string, PackPart>
  notes(): string[]
  close(): void
}

/** The box trees of the layers without an R-tree, by table. */
export type BuiltIndexes = ReadonlyMap<string, BuiltIndex>

/**
 * Opens a GeoPackage for the datasets that read it. Without `indexes`, it builds the box trees that are missing.
 * @throws FileError if it can serve none of them.
 */
export function openGeopackagePack(
  path: string,
  {
    manifest,
    indexes = new Map(),
    name = packNameOf(basename(path)),
  }: { manifest: PackManifest; indexes?: BuiltIndexes; name?: string },
  requirements: readonly PackRequirements[],
  cache: ByteCache,
): Pack {
  const names = new Set(requirements.flatMap(({ layers, tables }) => [...layers, ...tables.map(({ name }) => name)]))
  const pack = new GeopackagePack(
    openGeopackage(path),
    { path, name, manifest, indexes, isOnlyName: names.size === 1 },
    cache,
  )
  try {
    const errors = requirements.map((required) => pack.addDataset(required)).filter((error) => error !== null)
    if (pack.datasets.size === 0) throw errors[0] ?? unknownPackFileError(basename(path))
    return pack
  } catch (error) {
    pack.close()
    throw error
  }
}

/** The error of a file that has the name of no pack. */
export function unknownPackFileError(name: string): FileError {
  return new FileError(
    `${name} is not the name of any pack file. Use a name that \`fieldstone pack list --all\` prints.`,
  )
}

/**
 * The file that a table is looked up in. `name`: the default name of a table. `isOnlyName`: the catalog reads a single
 * layer or table from it.
 */
type PackContext = {
  path: string
  name: string
  manifest: PackManifest
  indexes: BuiltIndexes
  isOnlyName: boolean
}

/** A GeoPackage with the datasets it serves. Closing it closes every layer that was opened. */
class GeopackagePack implements Pack {
  readonly datasets = new Map<string, PackPart>()
  readonly #file: GeopackageFile
  readonly #context: PackContext
  readonly #cache: ByteCache
  readonly #openedLayers: PackLayer[] = []
  readonly #notes: string[] = []

  constructor(file: GeopackageFile, context: PackContext, cache: ByteCache) {
    this.#file = file
    this.#context = context
    this.#cache = cache
  }

  /** Opens the layers and tables that a dataset requires. Returns an error if the file does not contain them. */
  addDataset(required: PackRequirements): FileError | null {
    try {
      this.datasets.set(required.dataset, this.#openDataset(required))
      return null
    } catch (error) {
      if (!(error instanceof FileError)) throw error
      this.#notes.push(`Does not serve ${required.dataset}: ${error.message}`)
      return error
    }
  }

  notes(): string[] {
    const invalidCounts = this.#openedLayers.map((layer) => layer.invalidCount()).filter((count) => count > 0)
    return [...this.#notes, ...invalidCounts.map((count) => `Skips invalid geometries: ${count} found so far.`)]
  }

  close(): void {
    for (const layer of this.#openedLayers) layer.close()
    this.#file.close()
  }

  #openDataset(required: PackRequirements): PackPart {
    const usedTables: PackTableInfo[] = []
    const layers = this.#openLayers(required, usedTables)
    const tables = this.#openTables(required, usedTables)
    const { manifest } = this.#context
    const lastChange = usedTables
      .map(({ last_change }) => last_change?.slice(0, 10) ?? '')
      .toSorted()
      .at(-1)
    const layerList = [...layers.values()]
    const isInBounds = (at: Point) => layerList.length === 0 || layerList.some((layer) => layer.boundsContain(at))
    return partOf(manifest, {
      layers,
      tables,
      raster: null,
      vintage: manifest.vintage ?? (lastChange || null),
      covers: isInBounds,
      coverage: layers.size === 0 ? null : layerList.flatMap(({ bounds }) => ringsOfBox(bounds)),
      box: layers.size === 0 ? wholeEarth : unionOfExtents(layerList.map(({ bounds }) => bounds)),
    })
  }

  #openLayers(
    { attributes, layers, needsPolygons, anyLayer }: PackRequirements,
    usedTables: PackTableInfo[],
  ): Map<string, PackLayer> {
    const { path, manifest, indexes } = this.#context
    const { db, tables } = this.#file
    const opened = new Map<string, PackLayer>()
    for (const name of layers) {
      const table = findLayerTable(tables, name, this.#context)
      if (table instanceof FileError && anyLayer) continue
      if (table instanceof FileError) throw table
      const layer = openPackLayer(
        db,
        table,
        { attributes, renames: manifest.columnNames, needsPolygons, builtIndex: indexes.get(table.name) },
        this.#cache,
      )
      this.#openedLayers.push(layer)
      this.#notes.push(...layer.notes)
      usedTables.push(table)
      opened.set(name ?? '', layer)
    }
    if (layers.length > 0 && opened.size === 0)
      throw new FileError(
        `${basename(path)} has none of the layers ${formatNames(layers.map(String))}. Its layers and tables: ${formatNames(tables.map(({ name }) => name))}.`,
      )
    return opened
  }

  #openTables({ attributes, tables }: PackRequirements, usedTables: PackTableInfo[]): Map<string, PackTable> {
    const opened = new Map<string, PackTable>()
    for (const { name, keys } of requiredTablesOf(tables, this.#file.tables)) {
      const table = findTable(this.#file.tables, name, this.#context)
      if (table instanceof FileError) throw table
      const renames = this.#context.manifest.columnNames
      const packTable = createPackTable(this.#file.db, table, { attributes, renames, keys })
      this.#notes.push(...packTable.notes)
      usedTables.push(table)
      opened.set(name ?? '', packTable)
    }
    return opened
  }
}

/** Makes a pack of a raster for the datasets that read it. */
export function openRasterPack(
  raster: RasterFile,
  manifest: PackManifest,
  requirements: readonly PackRequirements[],
): Pack {
  const part = partOf(manifest, {
    layers: new Map(),
    tables: new Map(),
    raster: { ...raster, editions: manifest.editions },
    vintage: manifest.vintage,
    covers: (at) => raster.covers(at),
    coverage: null,
    box: raster.bounds,
  })
  return {
    datasets: new Map(requirements.map(({ dataset }) => [dataset, part])),
    notes: () => [],
    close: () => raster.close(),
  }
}

/** The data of one file. The coverage in its manifest takes precedence over the extent of the data. */
function partOf({ coverage, margin_m, key }: PackManifest, data: Omit<PackPart, 'margin_m' | 'key' | 'at'>): PackPart {
  const part: PackPart = { ...data, ...coverage, margin_m, key, at: () => part }
  return part
}
const wholeEarth: Extent = { west: -180, east: 180, south: -90, north: 90 }

/** Finds a table with geometry. The error says so if a table of that name exists but has no geometry. */
function findLayerTable(tables: PackTableInfo[], name: string | null, context: PackContext): PackTableInfo | FileError {
  const layers = tables.filter(({ geometry }) => geometry !== null)
  const layer = findTable(layers, name, context)
  const plainTable = layer instanceof FileError ? findTable(tables, name, context) : null
  if (!plainTable || plainTable instanceof FileError) return layer
  return new FileError(
    `The table ${plainTable.name} of ${basename(context.path)} has no geometry registered in gpkg_geometry_columns. Expected a layer of features.`,
  )
}

/**
 * Finds a table by name, ignoring case and the prefixes and numbers that publishers add (`RI_Wetlands`,
 * `tl_2025_us_county`). In a file with one layer, the name does not matter.
 */
function findTable(
  tables: PackTableInfo[],
  name: string | null,
  { path, name: defaultName, manifest, isOnlyName }: PackContext,
): PackTableInfo | FileError {
  const requestedName = name ?? defaultName
  const tableName = manifest.layerNames.get(requestedName.toLowerCase()) ?? requestedName
  const exact =
    tables.find((table) => table.name === tableName) ??
    tables.find((table) => table.name.toLowerCase() === tableName.toLowerCase())
  if (exact) return exact
  const affixed = tables.filter((table) =>
    new RegExp(`(^|_)${tableName.replaceAll(/[^\w]/g, '.')}\\d*$`, 'i').test(table.name),
  )
  if (affixed.length === 1) return affixed[0]!
  if (isOnlyName && tables.length === 1) return tables[0]!
  return new FileError(
    `${basename(path)} has no layer or table ${tableName}, which the catalog reads. Its layers and tables: ${formatNames(tables.map((table) => table.name))}.`,
  )
}
