import { basename, extname } from 'node:path'
import type { Point } from '../model/place.ts'
import type { Budget, Grid } from '../model/source.ts'
import type { ByteCache } from './byte-cache.ts'
import { formatNames, openGeopackage, type PackTableInfo } from './geopackage-file.ts'
import { openPackLayer, type PackLayer } from './pack-layer.ts'
import type { PackManifest } from './pack-manifest.ts'
import { PackError } from './pack-error.ts'
import { createPackTable, type PackTable } from './pack-table.ts'

/** An open raster file; raster/rasters.ts implements it. */
export type RasterFile = {
  window(
    query: { at: Point; radius_cells: number; radius_m?: number },
    options: { band?: number; nodata?: number[] },
    budget: Budget,
  ): Promise<Grid>
  covers(at: Point): boolean
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

/** What a file provides for a dataset, by the catalog's names; `''` stands for the only layer or table. */
export type PackDataset = {
  layers: ReadonlyMap<string, PackLayer>
  tables: ReadonlyMap<string, PackTable>
  raster: RasterFile | null
  vintage: string | null
  covers: (at: Point) => boolean
}

/** An open pack file. */
export type Pack = {
  datasets: ReadonlyMap<string, PackDataset>
  notes: () => string[]
  close(): void
}

/** Opens a GeoPackage for the datasets that read it. @throws PackError if it can serve none of them. */
export function openGeopackagePack(
  path: string,
  manifest: PackManifest,
  requirements: readonly PackRequirements[],
  cache: ByteCache,
): Pack {
  const file = openGeopackage(path)
  const openedLayers: PackLayer[] = []
  const datasets = new Map<string, PackDataset>()
  const notes: string[] = []
  const close = () => {
    for (const layer of openedLayers) layer.close()
    file.close()
  }
  const requiredNames = new Set(
    requirements.flatMap(({ layers, tables }) => [...layers, ...tables.map(({ name }) => name)]),
  )
  const errors: PackError[] = []
  try {
    for (const required of requirements) {
      try {
        datasets.set(required.dataset, openDataset(required))
      } catch (error) {
        if (!(error instanceof PackError)) throw error
        errors.push(error)
        notes.push(`Does not serve ${required.dataset}: ${error.message}`)
      }
    }
    if (datasets.size === 0)
      throw errors[0] ?? new PackError(`No dataset of the catalog reads a file named ${basename(path)}.`)
  } catch (error) {
    close()
    throw error
  }
  const invalidNotes = () =>
    openedLayers.flatMap((layer) =>
      layer.invalidCount() === 0 ? [] : [`Skips invalid geometries: ${layer.invalidCount()} found so far.`],
    )
  return { datasets, notes: () => [...notes, ...invalidNotes()], close }

  function openDataset({ attributes, layers, needsPolygons, anyLayer, tables }: PackRequirements): PackDataset {
    const isOnlyName = requiredNames.size === 1
    const layersByName = new Map<string, PackLayer>()
    const usedTables: PackTableInfo[] = []
    for (const name of layers) {
      const table = findLayerTable(file.tables, name, { path, manifest, isOnlyName })
      if (table instanceof PackError) {
        if (!anyLayer) throw table
        continue
      }
      const layer = openPackLayer(file.db, table, { attributes, renames: manifest.columnNames, needsPolygons }, cache)
      openedLayers.push(layer)
      notes.push(...layer.notes)
      usedTables.push(table)
      layersByName.set(name ?? '', layer)
    }
    if (layers.length > 0 && layersByName.size === 0)
      throw new PackError(
        `${basename(path)} has none of the layers ${formatNames(layers.map(String))}. Its layers and tables: ${formatNames(file.tables.map(({ name }) => name))}.`,
      )
    const tablesByName = new Map<string, PackTable>()
    for (const { name, keys } of tables) {
      const table = findTable(file.tables, name, { path, manifest, isOnlyName })
      if (table instanceof PackError) throw table
      const packTable = createPackTable(file.db, table, { attributes, renames: manifest.columnNames, keys })
      notes.push(...packTable.notes)
      usedTables.push(table)
      tablesByName.set(name ?? '', packTable)
    }
    const covers =
      manifest.covers ??
      (layersByName.size === 0
        ? () => true
        : (at: Point) => [...layersByName.values()].some((layer) => layer.boundsContain(at)))
    const lastChange = usedTables
      .map(({ last_change }) => last_change?.slice(0, 10) ?? '')
      .toSorted()
      .at(-1)
    return {
      layers: layersByName,
      tables: tablesByName,
      raster: null,
      vintage: manifest.vintage ?? (lastChange || null),
      covers,
    }
  }
}

/** Makes a pack of a raster for the datasets that read it. */
export function openRasterPack(
  raster: RasterFile,
  manifest: PackManifest,
  requirements: readonly PackRequirements[],
): Pack {
  const packDataset: PackDataset = {
    layers: new Map(),
    tables: new Map(),
    raster,
    vintage: manifest.vintage,
    covers: manifest.covers ?? ((at) => raster.covers(at)),
  }
  return {
    datasets: new Map(requirements.map(({ dataset }) => [dataset, packDataset])),
    notes: () => [],
    close: () => raster.close(),
  }
}

/** Finds a table with geometry. The error says so if a table of that name exists but has no geometry. */
function findLayerTable(
  tables: PackTableInfo[],
  name: string | null,
  context: { path: string; manifest: PackManifest; isOnlyName: boolean },
): PackTableInfo | PackError {
  const layer = findTable(
    tables.filter(({ geometry }) => geometry !== null),
    name,
    context,
  )
  const plainTable = layer instanceof PackError ? findTable(tables, name, context) : null
  if (!plainTable || plainTable instanceof PackError) return layer
  return new PackError(
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
  { path, manifest, isOnlyName }: { path: string; manifest: PackManifest; isOnlyName: boolean },
): PackTableInfo | PackError {
  const requestedName = name ?? basename(path, extname(path))
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
  return new PackError(
    `${basename(path)} has no layer or table ${tableName}, which the catalog reads. Its layers and tables: ${formatNames(tables.map((table) => table.name))}.`,
  )
}
