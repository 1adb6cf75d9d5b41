import { Value } from '@sinclair/typebox/value'
import { projectionOf } from '../geo/projection.ts'
import { recipeSchema } from '../packs/import/recipe.ts'
import { crsOf } from '../raster/geo-keys.ts'
import type { Dataset } from './records.ts'

/** What is wrong with how the packs of a dataset are made: nothing, when it says nothing of that. */
export function recipeErrors({ recipe, serve, levels = [] }: Pick<Dataset, 'recipe' | 'serve' | 'levels'>): string[] {
  if (recipe === undefined) return []
  const violations = [...Value.Errors(recipeSchema, recipe)].map(({ path, message }) => `${path || '/'}: ${message}`)
  if (violations.length > 0) return violations
  const packs = serve.filter((serving) => serving.driver === 'pack')
  const { rasters = [], layers = [], records } = recipe
  const [files, served] = [packs.map(({ file }) => file), packs.flatMap((pack) => pack.layers ?? [])]
  return [
    ...(packs.length === 0 ? ['there is no pack to be made'] : []),
    ...rasters.filter(({ file }) => !files.includes(file)).map(({ file }) => `makes ${file}, which is not read`),
    ...files
      .filter((file) => file.endsWith('.tif') && !rasters.some((raster) => raster.file === file))
      .map((file) => `does not make ${file}, which is read`),
    ...rasters
      .filter(({ file, member }) => file.includes('{level}') && (levels.length === 0 || !member.includes('{level}')))
      .map(({ file }) => `makes ${file} without saying which raster each level is`),
    ...rasters.flatMap(({ geo_keys }) => (geo_keys === undefined ? [] : geoKeyErrors(geo_keys))),
    ...layers
      .filter(({ layer }) => !served.includes(layer))
      .map(({ layer }) => `makes the layer ${layer}, which is not read`),
    ...(layers.length === 0
      ? []
      : served
          .filter((name) => !layers.some(({ layer }) => layer === name))
          .map((name) => `does not make the layer ${name}, which is read`)),
    ...(records ? recordErrors(records) : []),
  ]
}

function geoKeyErrors(keys: Readonly<Record<string, number>>): string[] {
  const crs = crsOf(new Map(Object.entries(keys).map(([key, value]) => [Number(key), value])))
  if (crs === null) return ['the keys name no coordinate system']
  try {
    projectionOf(crs)
    return []
  } catch (error) {
    return [(error as Error).message]
  }
}

function recordErrors({ columns, lat, lng, join }: NonNullable<NonNullable<Dataset['recipe']>['records']>): string[] {
  const missingColumns = (names: string[], of: string[]) =>
    names.filter((name) => !of.includes(name)).map((name) => `reads the column ${name} of the records, which have none`)
  return [
    ...missingColumns([...lat, ...lng, ...(join ? [join.by] : [])], columns),
    ...(join ? missingColumns([join.by, ...join.take], join.columns) : []),
  ]
}
