import { compileCondition } from '../../geo/text/sql-condition.ts'
import type { AreaQuery, AreaSource } from '../../model/area.ts'
import type { Point } from '../../model/place.ts'
import type { FeatureQuery } from '../../model/source.ts'
import type { BoxSource } from '../../packs/layer/features-in-box.ts'
import { defineDriver, t, type MemoryFeatures } from '../driver.ts'

/** An embedded layer or grid. */
export const embeddedDriver = defineDriver({
  shapes: ['features', 'raster'],
  config: t.Object({
    layer: t.String(),
    /** An SQL condition that selects part of the layer. */
    where: t.Optional(t.String()),
    /** The polygons define the coverage: the layer cannot answer at a point outside all of them. */
    tessellated: t.Optional(t.Boolean()),
    note: t.Optional(t.String()),
  }),
  open({ layer, where, tessellated = false }, shape, { embedded }) {
    const manifestEntry = embedded.manifest.get(layer)
    if (!manifestEntry) return null
    if (shape === 'raster') {
      return {
        source: ({ at, radius_cells }: { at: Point; radius_cells: number }) =>
          embedded.grid(layer).window(at, radius_cells),
        vintage: manifestEntry.vintage,
      }
    }
    const source = (query: FeatureQuery) => {
      const narrowedQuery = narrowQuery(query, where)
      const answer = () => embedded.layer(layer).query(narrowedQuery)
      const loading = embedded.prepare(layer, narrowedQuery)
      return loading ? loading.then(answer) : answer()
    }
    const coversPoint = ({ lat, lng }: Point) =>
      embedded.layer(layer).query(narrowQuery({ at: { lat, lng }, radius_m: 0, limit: 1 }, where)).length > 0
    const boxes = () => [filterBoxes(embedded.layer(layer).boxes, where)]
    const area: AreaSource = {
      features(query) {
        const narrowedQuery = narrowQuery(query, where)
        const answer = () => embedded.layer(layer).featuresIn(narrowedQuery)
        const loading = embedded.prepare(layer, { ...narrowedQuery, radius_m: 0 })
        return loading ? loading.then(answer) : answer()
      },
      // A tessellated layer covers what its polygons cover, which the area query returns.
      coverage: null,
    }
    const { vintage } = manifestEntry
    const inMemory: MemoryFeatures = {
      rowSearch: (query) => embedded.layer(layer).rowSearch(narrowQuery(query, where)),
      areCoverage: tessellated,
    }
    return { source, inMemory, vintage, boxes, area, ...(tessellated && { covers: coversPoint }) }
  },
})

/** The part of a layer that passes a condition. */
function filterBoxes(boxes: BoxSource, where: string | undefined): BoxSource {
  if (where === undefined) return boxes
  const passes = compileCondition(where)
  return {
    rows: boxes.rows,
    bounds: boxes.bounds,
    inBox: (query) => boxes.inBox(query).filter(({ properties }) => passes(properties)),
    sources: () =>
      boxes.sources().map((source) => ({
        ...source,
        featureAt(row) {
          const feature = source.featureAt(row)
          return feature && passes(feature.properties) ? feature : null
        },
      })),
  }
}

function narrowQuery<Q extends Omit<FeatureQuery, 'at'> | AreaQuery>(query: Q, where: string | undefined): Q {
  if (where === undefined) return query
  return { ...query, where: joinConditions(where, query.where) }
}

/** The condition that a layer is queried with: that of the dataset, and that of the field. */
export function joinConditions(dataset: string, field: string | undefined): string {
  return field === undefined ? dataset : `(${dataset}) AND (${field})`
}
