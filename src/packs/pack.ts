import { basename, extname } from 'node:path'
import type { Point } from '../model/place.ts'
import type { Budget, Grid } from '../model/source.ts'
import type { ByteCache } from './byte-cache.ts'
import { listed, openGeopackage, type PackTableFacts } from './geopackage-file.ts'
import { openPackLayer, type PackLayer } from './pack-layer.ts'
import type { Manifest } from './pack-manifest.ts'
import { PackRefused } from './pack-refused.ts'
import { openPackTable, type PackTable } from './pack-table.ts'

/** A raster file that is open, as raster/rasters.ts opens it. */
export type RasterFile = {
  window(query: { at: Point; radius_cells: number; radius_m?: number }, options: { band?: number; nodata?: number[] }, budget: Budget): Promise<Grid>
  covers(at: Point): boolean
  close(): void
}

/** What a dataset expects of a file: layers and tables by name (`null`: the only one there is), and the columns that are read of each. */
export type Expected = {
  dataset: string
  attributes: readonly string[]
  layers: readonly (string | null)[]
  polygons: boolean
  /** At least one of the layers, rather than all, must be there. */
  any?: true
  tables: readonly { name: string | null; keys: readonly (readonly string[])[] }[]
}

/** What a file gives a dataset, by the names that the catalog has; `''` is the only one. */
export type Offer = { layers: ReadonlyMap<string, PackLayer>; tables: ReadonlyMap<string, PackTable>; raster: RasterFile | null; vintage: string | null; covers: (at: Point) => boolean }

/** A file that is open. */
export type Pack = {
  offers: ReadonlyMap<string, Offer>
  notes: () => string[]
  close(): void
}

/** Opens a GeoPackage for the datasets that expect something of it. Refuses it when it serves none of them. */
export function openGeopackagePack(path: string, manifest: Manifest, expected: readonly Expected[], cache: ByteCache): Pack {
  const file = openGeopackage(path)
  const opened: PackLayer[] = []
  const offers = new Map<string, Offer>()
  const notes: string[] = []
  const close = () => {
    for (const layer of opened) layer.close()
    file.close()
  }
  const names = new Set(expected.flatMap(({ layers, tables }) => [...layers, ...tables.map(({ name }) => name)]))
  const lacks: PackRefused[] = []
  try {
    for (const wanted of expected) {
      try {
        offers.set(wanted.dataset, offerOf(wanted))
      } catch (error) {
        if (!(error instanceof PackRefused)) throw error
        lacks.push(error)
        notes.push(`It does not serve ${wanted.dataset}: ${error.message}`)
      }
    }
    if (offers.size === 0) throw lacks[0] ?? new PackRefused(`No dataset of the catalog is read from a file of the name ${basename(path)}.`)
  } catch (error) {
    close()
    throw error
  }
  const broken = () => opened.flatMap((layer) => (layer.broken() === 0 ? [] : [`${layer.broken()} geometries could not be read so far, and are passed over.`]))
  return { offers, notes: () => [...notes, ...broken()], close }

  function offerOf({ attributes, layers, polygons, any, tables }: Expected): Offer {
    const isSole = names.size === 1
    const ofLayers = new Map<string, PackLayer>()
    const used: PackTableFacts[] = []
    for (const name of layers) {
      const table = layerNamed(file.tables, name, { path, manifest, isSole })
      if (table instanceof PackRefused) {
        if (!any) throw table
        continue
      }
      const layer = openPackLayer(file.db, table, { attributes, renamed: manifest.columns, polygons }, cache)
      opened.push(layer)
      notes.push(...layer.notes)
      used.push(table)
      ofLayers.set(name ?? '', layer)
    }
    if (layers.length > 0 && ofLayers.size === 0) throw new PackRefused(`${basename(path)} has none of the layers ${listed(layers.map(String))}; it has ${listed(file.tables.map(({ name }) => name))}.`)
    const ofTables = new Map<string, PackTable>()
    for (const { name, keys } of tables) {
      const table = tableNamed(file.tables, name, { path, manifest, isSole })
      if (table instanceof PackRefused) throw table
      const opened = openPackTable(file.db, table, { attributes, renamed: manifest.columns, keys })
      notes.push(...opened.notes)
      used.push(table)
      ofTables.set(name ?? '', opened)
    }
    const covers = manifest.covers ?? (ofLayers.size === 0 ? () => true : (at: Point) => [...ofLayers.values()].some((layer) => layer.boxHolds(at)))
    const changed = used.map(({ last_change }) => last_change?.slice(0, 10) ?? '').toSorted().at(-1)
    return { layers: ofLayers, tables: ofTables, raster: null, vintage: manifest.vintage ?? (changed || null), covers }
  }
}

/** A raster for the datasets that are read from it. */
export function rasterPack(raster: RasterFile, manifest: Manifest, expected: readonly Expected[]): Pack {
  const offer: Offer = { layers: new Map(), tables: new Map(), raster, vintage: manifest.vintage, covers: manifest.covers ?? ((at) => raster.covers(at)) }
  return { offers: new Map(expected.map(({ dataset }) => [dataset, offer])), notes: () => [], close: () => raster.close() }
}

/** Likewise of those with a geometry; a table of the name that has none is no layer, and says so. */
function layerNamed(tables: PackTableFacts[], name: string | null, where: { path: string; manifest: Manifest; isSole: boolean }): PackTableFacts | PackRefused {
  const layer = tableNamed(tables.filter(({ geometry }) => geometry !== null), name, where)
  const bare = layer instanceof PackRefused ? tableNamed(tables, name, where) : null
  if (!bare || bare instanceof PackRefused) return layer
  return new PackRefused(`The table ${bare.name} of ${basename(where.path)} has no geometry (none is registered in gpkg_geometry_columns); a layer of features was expected.`)
}

/** The table by its name, ignoring case, or as publishers adorn it (`RI_Wetlands`, `tl_2025_us_county`); a file with one layer may call it as it likes. */
function tableNamed(tables: PackTableFacts[], name: string | null, { path, manifest, isSole }: { path: string; manifest: Manifest; isSole: boolean }): PackTableFacts | PackRefused {
  const wanted = name ?? basename(path, extname(path))
  const given = manifest.layers.get(wanted.toLowerCase()) ?? wanted
  const exact = tables.find((table) => table.name === given) ?? tables.find((table) => table.name.toLowerCase() === given.toLowerCase())
  if (exact) return exact
  const adorned = tables.filter((table) => new RegExp(`(^|_)${given.replaceAll(/[^\w]/g, '.')}\\d*$`, 'i').test(table.name))
  if (adorned.length === 1) return adorned[0]!
  if (isSole && tables.length === 1) return tables[0]!
  return new PackRefused(`${basename(path)} has no layer or table ${given}, which is read from it; it has ${listed(tables.map((table) => table.name))}.`)
}
