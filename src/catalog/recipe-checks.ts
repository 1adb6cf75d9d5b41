import { Value } from '@sinclair/typebox/value'
import { projectionOf } from '../geo/projection.ts'
import { recipeSchema } from '../files/recipe.ts'
import { crsOf } from '../raster/geo-keys.ts'
import { isPublishedByPlace } from './copy-rules.ts'
import type { Dataset } from './records.ts'

/** The errors of a dataset's pack recipe; empty if it has none. */
export function recipeErrors({ recipe, serve, levels = [] }: Pick<Dataset, 'recipe' | 'serve' | 'levels'>): string[] {
  if (recipe === undefined) return []
  const violations = [...Value.Errors(recipeSchema, recipe)].map(({ path, message }) => `${path || '/'}: ${message}`)
  if (violations.length > 0) return violations
  const packs = serve.filter((serving) => serving.driver === 'pack')
  const { rasters = [], layers = [], records } = recipe
  const [files, served] = [packs.map(({ file }) => file), packs.flatMap((pack) => pack.layers ?? [])]
  return [
    ...(isPublishedByPlace({ recipe }) && files.some((file) => file.endsWith('.tif'))
      ? ['has files of states or counties, which can only be built as features']
      : []),
    ...(packs.length === 0 ? ['the dataset has no pack driver, so a recipe has no use'] : []),
    ...rasters
      .filter(({ file }) => !files.includes(file))
      .map(({ file }) => `makes ${file}, but no pack driver reads it`),
    ...files
      .filter((file) => file.endsWith('.tif') && !rasters.some((raster) => raster.file === file))
      .map((file) => `does not make ${file}, which a pack driver reads`),
    ...rasters
      .filter(({ file, member }) => file.includes('{level}') && (levels.length === 0 || !member.includes('{level}')))
      .map(
        ({ file }) => `makes ${file} for each level, but \`levels\` is not set or \`member\` does not contain {level}`,
      ),
    ...rasters.flatMap(({ geo_keys }) => (geo_keys === undefined ? [] : geoKeyErrors(geo_keys))),
    ...layers
      .filter(({ layer }) => !served.includes(layer))
      .map(({ layer }) => `makes layer ${layer}, but no pack driver reads it`),
    ...(layers.length === 0
      ? []
      : served
          .filter((name) => !layers.some(({ layer }) => layer === name))
          .map((name) => `does not make layer ${name}, which a pack driver reads`)),
    ...(records ? recordErrors(records) : []),
  ]
}

function geoKeyErrors(keys: Readonly<Record<string, number>>): string[] {
  const crs = crsOf(new Map(Object.entries(keys).map(([key, value]) => [Number(key), value])))
  if (crs === null) return ['geo_keys define no coordinate system']
  try {
    projectionOf(crs)
    return []
  } catch (error) {
    return [(error as Error).message]
  }
}

function recordErrors({
  columns,
  lat,
  lng,
  joins = [],
}: NonNullable<NonNullable<Dataset['recipe']>['records']>): string[] {
  const missingColumns = (names: string[], of: string[]) =>
    names.filter((name) => !of.includes(name)).map((name) => `reads column ${name}, which is not in columns`)
  return [
    ...missingColumns([...lat, ...lng, ...joins.map(({ by }) => by)], columns),
    ...joins.flatMap(({ by, take, only = {}, columns: joined }) =>
      missingColumns([by, ...take, ...Object.keys(only)], joined),
    ),
  ]
}
