import { splitAtAntimeridian, type QueryBox } from '../../geo/boxes.ts'
import { polygonArea_m2 } from '../../geo/measure.ts'
import { compileCondition, requireConditionAttributes } from '../../geo/text/sql-condition.ts'
import type { AreaQuery } from '../../model/area.ts'
import { UpstreamError, schemaChangedError } from '../../model/error.ts'
import type { Budget, Feature, FeatureQuery } from '../../model/source.ts'
import { boundingBoxAround, pointValues } from '../rest/url-template.ts'
import { listInLayers } from './arcgis-area.ts'
import { hasPosition, missingGeometryError, requireQueriedFeatures } from '../features/queried-features.ts'
import { LayerAttributes } from './arcgis-attributes.ts'
import { parseFeatureSet, type FeatureSet } from './arcgis-feature-set.ts'
import { arcgisNameOf, type ArcgisParameters } from './arcgis-request.ts'
import { copiesByLevel, copiesByName, layerUrlBelow, layerUrlOf } from './arcgis-copies.ts'
import { placeholderFeatures, parseCount, countParameters } from './arcgis-count.ts'
import { copyArcgisLayer, estimateArcgisLayer, withAttributes, type ArcgisLayerCopy } from './arcgis-harvest.ts'
import { describeArcgisLayer } from './arcgis-id-list.ts'
import { createLayerFinder } from './arcgis-layer.ts'
import { fetchAllFeatures, type ArcgisQuery } from './arcgis-paging.ts'
import { defineDriver, t } from '../driver.ts'
import { addEstimates, mapInPairs, newestTime } from '../harvest.ts'
import { nearestFeatures, type GeoFeature } from '../features/nearest-features.ts'

const config = t.Object({
  /** The URL of a layer, or what the members of `layers` have in common. May contain `{level}`. */
  endpoint: t.String({ pattern: '^https?://' }),
  /** Layers of the service, or of several: their paths below the endpoint. */
  layers: t.Optional(t.Array(t.Union([t.Integer(), t.String()]))),
  /** Attributes with one value for all features of a layer, for each of `layers`. */
  set: t.Optional(t.Array(t.Record(t.String(), t.String()))),
  /**
   * A case-insensitive regular expression for the layer's name. The number in `endpoint` is its last known
   * position.
   */
  layer_name: t.Optional(t.String()),
  /**
   * The layers of the pack, each with regular expressions for the names of the layers that are copied into it. The
   * endpoint is then the service. Only for copies.
   */
  copied_layers: t.Optional(t.Record(t.String(), t.Array(t.String()))),
  /** Copies only the features that meet this condition. Online queries do not use it. */
  copied_where: t.Optional(t.String()),
  /** The geometry type of the layer with that name, such as `esriGeometryPolygon`. */
  layer_geometry: t.Optional(t.String({ pattern: '^esriGeometry' })),
  out_fields: t.Optional(t.String()),
  /** `false`: conditions are evaluated here, because the server is too slow at them. */
  where_on_server: t.Optional(t.Boolean()),
  /** Adds an attribute `area` to each feature, in square meters (approximate). */
  area: t.Optional(t.Literal(true)),
  geometry_precision: t.Optional(t.Integer()),
  max_allowable_offset_degrees: t.Optional(t.Number()),
  note: t.Optional(t.String()),
})

/** One or more layers of an ArcGIS service (FeatureServer or MapServer). */
export const arcgisDriver = defineDriver({
  shapes: ['features'],
  config,
  open(settings, _shape, { net, now, runHourly }, { id, attributes }) {
    if (!net) return null
    const known = new LayerAttributes(net, now)
    runHourly(`layers of ${id}`, () => known.describeAll())
    const { endpoint, layers, set = [], layer_name, layer_geometry, where_on_server = true } = settings
    const added = new Set([...set.flatMap(Object.keys), ...(settings.area ? ['area'] : [])])
    const layerOptions = { ...settings, out_fields: settings.out_fields ?? attributes?.join(',') ?? '*' }
    const findLayer =
      layer_name === undefined ? null : createLayerFinder(net, { name: layer_name, geometry: layer_geometry }, now)

    const urlsOf = async (level: number | undefined, budget: Budget): Promise<string[]> => {
      const url = layerUrlOf(endpoint, level)
      const layerUrl = findLayer ? await findLayer(url, budget) : url
      return layers ? layers.map((layer) => layerUrlBelow(layerUrl, layer)) : [layerUrl]
    }
    const source = async (query: FeatureQuery, budget: Budget) => {
      const urls = await urlsOf(query.level, budget)
      const boxes = boxesAround(query)
      const where = where_on_server ? query.where : undefined
      if (query.count_only && query.where === where && boxes?.length === 1)
        return placeholderFeatures(await countFeatures(urls, query, budget))
      const arcgisQuery = createQuery(query, where, boxes, layerOptions)
      const lists = await Promise.all(urls.map((url) => listFeatures(url, arcgisQuery, budget)))
      const features = lists.flatMap((list, i) => withAttributes(list, set[i]))
      // A server rejects a condition with a name that its layer does not have.
      if (query.where !== where) requireNames(features, query.where)
      else if (where !== undefined) requireMatches(features, where, new URL(endpoint).host)
      return selectFeatures(features, query, settings)
    }
    const listInArea = async (query: AreaQuery, budget: Budget) => {
      const options = { known, outFields: layerOptions.out_fields, where_on_server }
      const features = await listInLayers(await urlsOf(query.level, budget), options, query, budget)
      return settings.area ? features.map((feature) => ({ ...feature, ...addArea(feature) })) : features
    }
    return {
      source,
      listInArea,
      vintage: null,
      editedOn: () => known.editedOn(),
      missingOf: (names) => known.missingOf(names.filter((name) => !added.has(name))),
      remote: {
        host: new URL(endpoint).host,
        ...(settings.max_allowable_offset_degrees !== undefined && { simplified: true }),
      },
    }

    function listFeatures(url: string, query: ArcgisQuery, budget: Budget): Promise<GeoFeature[]> {
      const { parameters, boxes, needsGeometry } = query
      const outFields = known.attributesToAsk(url, layerOptions.out_fields)
      return fetchAllFeatures(
        async (page) => {
          const name = arcgisNameOf(url)
          const response = await known.query(url, page, budget)
          const featureSet = await parseFeatureSet(response, name, { needsGeometry })
          known.recordAnswer(url, page.outFields ?? '*', featureSet.attributes)
          requireShape(featureSet, boxes !== null, name)
          return featureSet
        },
        { ...query, parameters: { ...parameters, outFields } },
      )
    }

    async function countFeatures(
      urls: string[],
      { at, radius_m, where }: FeatureQuery,
      budget: Budget,
    ): Promise<number> {
      const parameters = { ...filterParameters(where), ...countParameters(at, radius_m) }
      const counts = await Promise.all(
        urls.map(async (url) => parseCount(await known.query(url, parameters, budget), arcgisNameOf(url))),
      )
      return counts.reduce((sum, count) => sum + count, 0)
    }
  },
  harvest(settings, deps, { attributes, levels }) {
    const outFields = settings.out_fields ?? attributes?.join(',') ?? '*'
    const common = { outFields, where: settings.copied_where, deps }
    const layerCopies = (budget: Budget): Promise<ArcgisLayerCopy[]> =>
      settings.copied_layers
        ? copiesByName(settings.endpoint, settings.copied_layers, common, budget)
        : copiesByLevel(settings, levels, common, budget)
    return {
      shape: 'features',
      host: new URL(settings.endpoint).host,
      async estimate(boxes, budget) {
        const estimates = await mapInPairs(await layerCopies(budget), (copy) =>
          estimateArcgisLayer(copy, boxes, budget),
        )
        return estimates.reduce(addEstimates)
      },
      async lastEdit(_boxes, budget) {
        const copies = await layerCopies(budget)
        const layers = await mapInPairs(copies, ({ url }) => describeArcgisLayer(url, deps, budget))
        return newestTime(layers.map(({ edited_ms }) => edited_ms))
      },
      async copy(boxes, journal, budget) {
        const copies = await layerCopies(budget)
        return mapInPairs(copies, (copy) => copyArcgisLayer(copy, boxes, journal, budget))
      },
    }
  },
})

type LayerOptions = {
  out_fields: string
  area?: true
  geometry_precision?: number
  max_allowable_offset_degrees?: number
}

/** Six decimals are 0.1 m. */
const defaultPrecision = 6
/** How far outlines may be simplified if they are used only to compare areas. */
const areaOffset_degrees = 0.0005
/** How far outlines may be simplified if they are only drawn: a meter. */
const drawnOffset_degrees = 0.00001

function createQuery(
  { at, with_geometry }: FeatureQuery,
  where: string | undefined,
  boxes: QueryBox[] | null,
  { out_fields, area, ...outlines }: LayerOptions,
): ArcgisQuery {
  const parameters = { ...filterParameters(where), outFields: out_fields }
  const { geometry_precision = defaultPrecision, max_allowable_offset_degrees: offset } = outlines
  const geometryParameters = (offset_degrees: number | undefined): ArcgisParameters => ({
    returnGeometry: 'true',
    outSR: '4326',
    geometryPrecision: String(geometry_precision),
    ...(offset_degrees !== undefined && { maxAllowableOffset: String(offset_degrees) }),
  })
  if (boxes) return { parameters: { ...parameters, ...geometryParameters(offset) }, boxes, needsGeometry: true }
  const { lat, lon } = pointValues(at)
  // HUD's layer rejects a point in JSON, so it is sent as plain text.
  const pointParameters = { geometry: `${lon},${lat}`, geometryType: 'esriGeometryPoint' }
  return {
    parameters: {
      ...parameters,
      ...pointParameters,
      ...(with_geometry
        ? geometryParameters(offset ?? drawnOffset_degrees)
        : area
          ? geometryParameters(offset ?? areaOffset_degrees)
          : { returnGeometry: 'false' }),
    },
    boxes: null,
    // The server says that the feature is at the point. Its outline only tells which of several is the smallest.
    needsGeometry: with_geometry === true,
  }
}

/** The filter parameters. A condition is always sent, because the wetlands server answers 400 without one. */
function filterParameters(where = '1=1'): ArcgisParameters {
  return { where, inSR: '4326', spatialRel: 'esriSpatialRelIntersects' }
}

/** The box around the circle: two if it crosses the antimeridian, null for a point query. */
function boxesAround({ at, radius_m }: FeatureQuery): QueryBox[] | null {
  return radius_m === 0 ? null : splitAtAntimeridian(boundingBoxAround(at, radius_m))
}

/** Throws if a layer does not have the shapes that the query needs: polygons for a point, outlines for a radius. */
function requireShape({ features, geometryType }: FeatureSet, needsOutlines: boolean, name: string): void {
  if (!needsOutlines && geometryType !== null && geometryType !== 'esriGeometryPolygon')
    throw schemaChangedError(['geometry type esriGeometryPolygon'], [geometryType])
  if (needsOutlines && features.length > 0 && !features.some(hasPosition)) throw missingGeometryError(name)
}

function requireNames(features: GeoFeature[], where = ''): void {
  requireConditionAttributes(
    features.map(({ properties }) => properties),
    where,
  )
}

/**
 * If some features match the condition that the server was asked for, the others are left out, because servers compare
 * texts loosely. If none matches, the server ignored the condition, or its codes are unknown to us: leaving out all of
 * them would report an absence.
 */
function requireMatches(features: readonly GeoFeature[], where: string, host: string): void {
  const passes = compileCondition(where)
  if (features.length > 0 && !features.some(({ properties }) => passes(properties)))
    throw new UpstreamError(
      'bad_response',
      `${host} returned only features that do not match the condition ${where}. Try again later.`,
    )
}

/** The matching features, nearest first. Point queries return no outlines, so the server's result is used as is. */
async function selectFeatures(
  features: GeoFeature[],
  query: FeatureQuery,
  { endpoint, area, max_allowable_offset_degrees }: Omit<LayerOptions, 'out_fields'> & { endpoint: string },
): Promise<Feature[]> {
  // Simplification can leave nothing of a small outline. Of several at a point the smallest may be chosen.
  const isSimplified = max_allowable_offset_degrees !== undefined
  const mayHaveNoPosition = query.radius_m === 0 ? !area || features.length === 1 : isSimplified
  const found = await requireQueriedFeatures(features, query, new URL(endpoint).host, { mayHaveNoPosition })
  const located = area ? found.map(addArea) : found
  if (query.radius_m > 0) return nearestFeatures(located, query)
  const passes = query.where === undefined ? () => true : compileCondition(query.where)
  return located
    .filter(({ properties }) => passes(properties))
    .slice(0, query.limit)
    .map(({ properties, geometry }) => ({ properties, distance_m: 0, ...(query.with_geometry && { geometry }) }))
}

function addArea({ geometry, properties }: GeoFeature): GeoFeature {
  return { geometry, properties: { ...properties, area: polygonArea_m2(geometry) || null } }
}
