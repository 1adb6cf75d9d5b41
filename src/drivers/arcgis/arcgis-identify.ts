import { isRecord } from '../../model/record.ts'
import type { Budget, Feature, FeatureQuery } from '../../model/source.ts'
import { layerUrlOf } from './arcgis-copies.ts'
import { createLayerFinder } from './arcgis-layer.ts'
import { arcgisNameOf, requestArcgis } from './arcgis-request.ts'
import { defineDriver, t } from '../driver.ts'
import { singlePointError, unexpectedResponse, unexpectedValue } from '../driver-errors.ts'

/** Half the size of the map that is identified. Its middle is the point. */
const halfMap_degrees = 0.001

/**
 * A raster layer of an ArcGIS map service, as areas: a feature contains the point where the raster has a value. It has
 * the value as `pixel`.
 */
export const arcgisIdentifyDriver = defineDriver({
  shapes: ['features'],
  config: t.Object({
    /** The URL of the layer. May contain `{level}`. The number is its last known position. */
    endpoint: t.String({ pattern: '^https?://' }),
    /** A case-insensitive regular expression for the layer's name. */
    layer_name: t.String(),
    note: t.Optional(t.String()),
  }),
  open({ endpoint, layer_name }, _shape, { net, now }) {
    if (!net) return null
    const { host } = new URL(endpoint)
    const findLayer = createLayerFinder(net, { name: layer_name, geometry: undefined, type: 'Raster Layer' }, now)
    const source = async ({ at, radius_m, level }: FeatureQuery, budget: Budget): Promise<Feature[]> => {
      if (radius_m > 0) throw singlePointError(host)
      const layerUrl = await findLayer(layerUrlOf(endpoint, level), budget)
      const [service, layer] = [layerUrl.slice(0, layerUrl.lastIndexOf('/')), Number(/\d+$/.exec(layerUrl)?.[0])]
      const { results } = await requestArcgis(net, `${service}/identify`, parametersOf(at, layer), budget)
      if (!Array.isArray(results)) throw unexpectedResponse(arcgisNameOf(service), 'a list of results', results)
      const ofLayer = results.filter(isRecord).filter(({ layerId }) => layerId === layer)
      if (ofLayer.length === 0 && results.length > 0)
        throw unexpectedResponse(arcgisNameOf(service), `results of layer ${layer}`, results[0])
      return ofLayer
        .flatMap((it) => pixelOf(it, arcgisNameOf(service)) ?? [])
        .map((pixel) => ({ properties: { pixel }, distance_m: 0 }))
    }
    return { source, vintage: null, remote: { host } }
  },
})

function parametersOf({ lat, lng }: FeatureQuery['at'], layer: number): Record<string, string> {
  const map = [lng - halfMap_degrees, lat - halfMap_degrees, lng + halfMap_degrees, lat + halfMap_degrees]
  return {
    geometry: `${lng},${lat}`,
    geometryType: 'esriGeometryPoint',
    sr: '4326',
    layers: `all:${layer}`,
    tolerance: '0',
    mapExtent: map.map((degrees) => degrees.toFixed(7)).join(','),
    imageDisplay: '100,100,96',
    returnGeometry: 'false',
  }
}

/** The pixel of a result; null for NoData. @throws {UpstreamError} `bad_value` for a result without a pixel. */
function pixelOf({ attributes, value }: Record<string, unknown>, name: string): number | null {
  const named = Object.entries(isRecord(attributes) ? attributes : {}).find(([it]) => /pixel value$/i.test(it))
  const pixel = named?.[1] ?? value
  if (typeof pixel === 'string' && /^no ?data$/i.test(pixel)) return null
  const number = typeof pixel === 'string' && pixel.trim() !== '' ? Number(pixel) : pixel
  if (typeof number === 'number' && Number.isFinite(number)) return number
  throw unexpectedValue(name, 'a pixel value', pixel)
}
