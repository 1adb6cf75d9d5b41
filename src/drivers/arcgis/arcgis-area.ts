import { attributeOf } from '../../geo/attribute.ts'
import { splitAtAntimeridian } from '../../geo/boxes.ts'
import { countPositions } from '../../geo/measure.ts'
import { recordsWhere } from '../../geo/text/sql-condition.ts'
import { roundDegrees } from '../../geo/text/geojson.ts'
import type { AreaQuery, FlatPath, KeyedFeature } from '../../model/area.ts'
import { UpstreamError } from '../../model/error.ts'
import type { Budget } from '../../model/source.ts'
import type { LayerAttributes } from './arcgis-attributes.ts'
import { checkBorder, chooseBorderProbe } from './arcgis-border-probe.ts'
import { featuresOfIds, listIds, type QueriedLayer } from './arcgis-id-list.ts'
import { arcgisNameOf, type ArcgisParameters } from './arcgis-request.ts'
import { splitList, mapInPairs } from '../harvest.ts'
import type { GeoFeature } from '../features/nearest-features.ts'
import { hasPosition, missingGeometryError } from '../features/queried-features.ts'
import { outFieldsWithId } from './arcgis-paging.ts'

/** More features of one layer would take too many requests. */
const featuresMax = 10_000
const pageSize = 200
/** All features together can have this many positions. They take 100 MB. */
const positionsMax = 1_000_000
/** A server draws edges straight in its own coordinate system, so longer edges are split. */
const longestEdge_degrees = 0.02

type LayerOptions = { known: LayerAttributes; outFields: string; where_on_server: boolean }

/** Returns the features of the layers of a service that touch an area, with their exact outlines. */
export async function listInLayers(
  urls: readonly string[],
  { known, outFields, where_on_server }: LayerOptions,
  { where, ...unconditional }: AreaQuery,
  budget: Budget,
): Promise<KeyedFeature[]> {
  const query = where_on_server && where !== undefined ? { ...unconditional, where } : unconditional
  const lists = await mapInPairs(urls, async (url, i) => {
    const layer: QueriedLayer = {
      url,
      outFields: known.attributesToAsk(url, outFields),
      send: (parameters, it) => known.query(url, parameters, it),
      onFeatures: ({ attributes }) => known.recordAnswer(url, outFields, attributes),
    }
    const features = await listAreaFeatures(layer, query, budget)
    return urls.length === 1 ? features : features.map((feature) => ({ ...feature, key: `${i} ${feature.key}` }))
  })
  const features: KeyedFeature[] = lists.flat()
  if (where === undefined || where_on_server) return features
  return recordsWhere(features, where, ({ properties }) => properties)
}

/**
 * Returns the features of a layer that touch an area. It lists their object ids and counts
 * them, requests the features by id, and tests one border.
 * @throws {UpstreamError} if the service truncates, repeats or generalizes its answers: the values would be too small.
 */
async function listAreaFeatures(
  layer: QueriedLayer,
  query: AreaQuery,
  budget: Budget,
): Promise<(GeoFeature & { key: number })[]> {
  const { idField, ids } = await listEveryId(layer, query, budget)
  const chunks = splitList(ids, pageSize)
  const withId = { ...layer, idField, outFields: outFieldsWithId(layer.outFields, idField) }
  let positions = 0
  const pages = await mapInPairs(chunks, async (chunk) => {
    const features = await requestChunk(withId, chunk, budget)
    for (const { geometry } of features) positions += countPositions(geometry)
    if (positions > positionsMax) throw tooLargeError(layer.url, `more than ${positionsMax} positions`)
    return features
  })
  const features = pages.flat()
  if (!features.every(hasPosition)) throw missingGeometryError(arcgisNameOf(layer.url))
  const probe = chooseBorderProbe(features, idField)
  if (probe) await checkBorder(layer, probe, budget)
  const idOf = ({ properties }: GeoFeature) => Number(attributeOf(properties, idField))
  return features.map((feature) => ({ key: idOf(feature), ...feature })).toSorted((a, b) => a.key - b.key)
}

async function listEveryId(
  layer: QueriedLayer,
  query: AreaQuery,
  budget: Budget,
): Promise<{ idField: string; ids: number[] }> {
  const name = arcgisNameOf(layer.url)
  const filter = {
    where: query.where ?? '1=1',
    inSR: '4326',
    spatialRel: 'esriSpatialRelIntersects',
    ...filterGeometry(query),
  }
  const { refused, idField, ids, count } = await listIds(layer, filter, budget)
  if (refused)
    throw new UpstreamError(
      'unsupported_request',
      `${name} does not list the features of an area. To get a value for an area, install a pack of the dataset.`,
    )
  if (count > featuresMax) throw tooLargeError(layer.url, `${count} features, and the maximum is ${featuresMax}`)
  if (ids.length !== count || new Set(ids).size !== count)
    throw new UpstreamError(
      'bad_response',
      `${name} counts ${count} features in the area, but lists ${ids.length}. Try again later.`,
    )
  return { idField, ids: ids.toSorted((a, b) => a - b) }
}

/** The features of some ids. A list that is too large for one response is divided into halves. */
async function requestChunk(
  layer: QueriedLayer & { idField: string },
  ids: readonly number[],
  budget: Budget,
): Promise<GeoFeature[]> {
  const featureSet = await featuresOfIds(layer, ids, budget)
  if (featureSet) return featureSet.features
  const half = Math.ceil(ids.length / 2)
  const first = await requestChunk(layer, ids.slice(0, half), budget)
  return [...first, ...(await requestChunk(layer, ids.slice(half), budget))]
}

/** The polygon or the line of the query as Esri JSON; without one, its box, in two parts across the antimeridian. */
function filterGeometry({ extent: { west, south, east, north }, filter }: AreaQuery): ArcgisParameters {
  const boxes = splitAtAntimeridian({ w: west, s: south, e: east, n: north })
  const { kind, paths } = filter ?? { kind: 'polygon', paths: boxes.map(({ w, s, e, n }) => [w, s, w, n, e, n, e, s]) }
  const isPolygon = kind === 'polygon'
  const lines = paths.map((path) => positionsOf(isPolygon ? [...path, path[0]!, path[1]!] : path))
  return {
    geometry: JSON.stringify({ [isPolygon ? 'rings' : 'paths']: lines, spatialReference: { wkid: 4326 } }),
    geometryType: isPolygon ? 'esriGeometryPolygon' : 'esriGeometryPolyline',
  }
}

function positionsOf(path: FlatPath): [lng: number, lat: number][] {
  const positions: [number, number][] = [[roundDegrees(path[0]!), roundDegrees(path[1]!)]]
  for (let i = 2; i < path.length; i += 2) {
    const [fromX, fromY, x, y] = [path[i - 2]!, path[i - 1]!, path[i]!, path[i + 1]!]
    const steps = Math.max(1, Math.ceil(Math.max(Math.abs(x - fromX), Math.abs(y - fromY)) / longestEdge_degrees))
    for (let step = 1; step <= steps; step++)
      positions.push([
        roundDegrees(fromX + ((x - fromX) * step) / steps),
        roundDegrees(fromY + ((y - fromY) * step) / steps),
      ])
  }
  return positions
}

function tooLargeError(url: string, size: string): UpstreamError {
  return new UpstreamError(
    'too_large',
    `The area has ${size} of ${arcgisNameOf(url)}. Ask about a smaller area, or install a pack of the dataset.`,
  )
}
