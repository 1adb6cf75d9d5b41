import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { build } from '../../src/packs/import/build.ts'

/** Makes a pack of a layer with the attribute `id`, as `fieldstone pack build` does, and gives its path. */
export async function builtFrom(input: string, layer: string): Promise<string> {
  const folder = `${input}.built`
  mkdirSync(folder)
  const { path } = await build({
    inputs: [input], folder, name: `${layer}.gpkg`, before: null, layer, crs: null, where: null, renamed: [], numbered: null, whole: false, source: { layer: null, lat: null, lng: null }, recipe: {}, set: {},
    expected: { dataset: layer, attributes: ['id'], layers: [layer], polygons: false, tables: [] },
  }, () => {})
  rmSync(join(folder, 'staging.db'))
  return path
}
