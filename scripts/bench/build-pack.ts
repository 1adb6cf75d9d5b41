import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { buildPack } from '../../src/build-packs/build-pack.ts'

/** Builds a pack of a layer with these attributes, as `fieldstone pack build` does. Returns its path. */
export async function buildBenchPack(input: string, layer: string, attributes = ['id']): Promise<string> {
  const folder = `${input}.built`
  mkdirSync(folder)
  const { path } = await buildPack(
    {
      inputs: [input],
      folder,
      name: `${layer}.gpkg`,
      existingPack: null,
      layer,
      crs: null,
      where: null,
      renames: [],
      numberColumn: null,
      keepWhole: false,
      source: { layer: null, lat: null, lng: null },
      recipe: {},
      constantColumns: {},
      requirements: { dataset: layer, attributes, layers: [layer], needsPolygons: false, tables: [] },
    },
    () => {},
  )
  rmSync(join(folder, 'staging.db'))
  return path
}
