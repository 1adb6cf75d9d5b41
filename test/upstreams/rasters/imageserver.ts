import type { Point } from '../../../src/model/place.ts'
import { fieldsOf } from '../arcgis-features.ts'
import { answerQuery } from '../arcgis-query.ts'
import { jsonAnswer, type ReceivedRequest, type ServiceAnswer, type SimulatedService } from '../service.ts'
import { attributesOf, catalogOf, arcgisErrorAnswer, requestedItem, requestedItems } from './imageserver-catalog.ts'
import { exportImage } from './imageserver-export.ts'
import { pointOfGeometry, pointsOf, ringsOf } from './imageserver-geometry.ts'
import { histograms } from './imageserver-histograms.ts'
import { rasterGrid, valueAt, type SimulatedRaster } from './raster.ts'

/** The service of a raster. Values are texts, and a point without data is `"NoData"`. Errors come with status 200. */
export function imageServer(raster: SimulatedRaster): SimulatedService {
  return {
    host: raster.host,
    answer(request) {
      if (!request.path.startsWith(raster.path)) return null
      const query = parametersOf(request)
      const operation = operations[request.path.slice(raster.path.length)]
      if (!query || !operation) return null
      const f = query.get('f')
      if (f !== 'json' && !(f === 'image' && operation === exportOnce))
        return f === 'geojson' ? arcgisErrorAnswer(400, 'Output format not supported.') : null
      return operation(raster, query)
    },
  }
}

const operations: Record<string, (raster: SimulatedRaster, query: URLSearchParams) => ServiceAnswer> = {
  '': about,
  '/identify': identify,
  '/getSamples': getSamples,
  '/query': (raster, query) =>
    raster.footprints ? jsonAnswer(answerQuery(raster.footprints, query)) : catalogOf(raster, query),
  '/exportImage': exportOnce,
  '/computeHistograms': (raster, query) => zonal(raster, query, false),
  '/computeStatisticsHistograms': (raster, query) => zonal(raster, query, true),
}

const exported = new WeakMap<SimulatedRaster, Map<string, ServiceAnswer>>()
const exportedMax = 200

/** Caches the images of each raster, because the same ones are exported for each fault of a test. */
function exportOnce(raster: SimulatedRaster, query: URLSearchParams): ServiceAnswer {
  const known = exported.get(raster) ?? new Map<string, ServiceAnswer>()
  exported.set(raster, known)
  const key = query.toString()
  if (!known.has(key) && known.size >= exportedMax) known.clear()
  const answer = known.get(key) ?? exportImage(raster, query)
  known.set(key, answer)
  return answer
}

function about(raster: SimulatedRaster): ServiceAnswer {
  const name = raster.path.split('/').at(-2)
  return jsonAnswer({
    currentVersion: 11.3,
    name,
    serviceDescription: 'Made up',
    pixelType: raster.pixelType,
    bandCount: 1,
    pixelSizeX: rasterGrid.cell_m,
    pixelSizeY: rasterGrid.cell_m,
    extent: {
      xmin: rasterGrid.west,
      ymin: 0,
      xmax: 20_037_000,
      ymax: rasterGrid.north,
      spatialReference: { wkid: 102100 },
    },
    objectIdField: 'objectid',
    capabilities: 'Image,Catalog,Metadata',
    maxRecordCount: 1_000,
    spatialReference: { wkid: 102100, latestWkid: 3857 },
    ...(raster.footprints && { objectIdField: raster.footprints.oid, maxRecordCount: 1_000 }),
    fields: raster.footprints
      ? fieldsOf(raster.footprints.columns)
      : (raster.catalog?.attributes ?? []).map((attribute) => ({ name: attribute, alias: attribute })),
  })
}

function identify(raster: SimulatedRaster, query: URLSearchParams): ServiceAnswer {
  const at = query.get('geometryType') === 'esriGeometryPoint' ? pointOfGeometry(query.get('geometry')) : null
  const year = requestedItem(raster, query)
  if (!at || year === null) return arcgisErrorAnswer(400, 'Unable to complete operation.')
  const value = valueAt(raster, at, year)
  const items = query.get('returnCatalogItems') === 'false' ? null : (raster.sources?.(at) ?? [])
  return jsonAnswer({
    objectId: 0,
    name: 'Pixel',
    value: value === null ? 'NoData' : String(value),
    location: { x: at.lng, y: at.lat, spatialReference: { wkid: 4326, latestWkid: 4326 } },
    properties: value === null || !items ? {} : { Values: [String(value)] },
    catalogItems: items && {
      objectIdFieldName: 'OBJECTID',
      spatialReference: { wkid: 102100, latestWkid: 3857 },
      geometryType: 'esriGeometryPolygon',
      features: items.map((attributes) => ({ attributes })),
    },
    catalogItemVisibilities: items ? items.map(() => 1) : [],
  })
}

/**
 * Points without data are left out, so `locationId` is what joins; of all the items of a mosaic the attribute that is
 * asked for, since the samples come in no order.
 */
function getSamples(raster: SimulatedRaster, query: URLSearchParams): ServiceAnswer {
  const points = samplePoints(query)
  const years = requestedItems(raster, query)
  const said = raster.catalog
    ? attributesOf(raster.catalog, query.get('outFields') ?? raster.catalog.attributes[1])
    : () => ({})
  if (!points || !years?.length || !said || points.length > 1_000)
    return arcgisErrorAnswer(400, 'Unable to complete operation.')
  const requested =
    query.get('returnFirstValueOnly') === 'false' ? years.slice(0, mosaicImagesMax).toReversed() : years.slice(0, 1)
  const samples = points.flatMap((at, locationId) =>
    requested.flatMap((year) => {
      const value = valueAt(raster, at, year)
      const sample = {
        location: { x: at.lng, y: at.lat, spatialReference: { wkid: 4326, latestWkid: 4326 } },
        locationId,
        rasterId: raster.catalog?.idOf(year) ?? 1,
        resolution: 1,
      }
      return value === null ? [] : [{ ...sample, value: String(value), attributes: said(year) }]
    }),
  )
  return jsonAnswer({ samples })
}

/** As the default of a service is. */
const mosaicImagesMax = 20

function samplePoints(query: URLSearchParams): Point[] | null {
  if (query.get('geometryType') === 'esriGeometryMultipoint') return pointsOf(query.get('geometry'))
  const at = query.get('geometryType') === 'esriGeometryPoint' ? pointOfGeometry(query.get('geometry')) : null
  return at && [at]
}

function zonal(raster: SimulatedRaster, query: URLSearchParams, withStatistics: boolean): ServiceAnswer {
  const rings = query.get('geometryType') === 'esriGeometryPolygon' ? ringsOf(query.get('geometry')) : null
  const year = requestedItem(raster, query)
  if (!rings || year === null || raster.pixelType !== 'U8')
    return arcgisErrorAnswer(400, 'Unable to complete operation.')
  return histograms({
    rings,
    pixelSize: query.get('pixelSize'),
    withStatistics,
    value: (at) => valueAt(raster, at, year),
  })
}

function parametersOf({ method, query, body, headers }: ReceivedRequest): URLSearchParams | null {
  if (method === 'GET') return query
  return method === 'POST' && headers.get('content-type')?.startsWith('application/x-www-form-urlencoded')
    ? new URLSearchParams(body)
    : null
}
