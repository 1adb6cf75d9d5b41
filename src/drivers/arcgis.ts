import { polygonArea_m2 } from '../geo/measure.ts'
import { compileCondition } from '../geo/sql-condition.ts'
import type { Point } from '../model/place.ts'
import type { Budget, Feature, FeatureQuery } from '../model/source.ts'
import { addressOf, boxValues, pointValues } from './address.ts'
import { featureSetOf } from './arcgis-answer.ts'
import { askArcgis, nameOf, type Parameters } from './arcgis-ask.ts'
import { countedAs, countOf, countOver } from './arcgis-count.ts'
import { layerFinder } from './arcgis-layer.ts'
import { everyFeature, type Box, type Question } from './arcgis-pages.ts'
import { driver, t } from './driver.ts'
import { nearestFirst, type Located } from './nearest-first.ts'

/** A layer of an ArcGIS server (FeatureServer or MapServer), or several of one service together. */
export const arcgis = driver({
  shapes: ['features'],
  config: t.Object({
    /** The address of a layer, or of a service when there are `layers`; it may name `{level}`. */
    endpoint: t.String({ pattern: '^https?://' }),
    layers: t.Optional(t.Array(t.Union([t.Integer(), t.String()]))),
    /** The layer by its name, a regular expression that ignores case; the number in `endpoint` is where it was last seen. */
    layer_name: t.Optional(t.String()),
    out_fields: t.Optional(t.String()),
    /** `false`: conditions are not sent, since the server is too slow at them. */
    where_on_server: t.Optional(t.Boolean()),
    /** Each feature gets an attribute `area`, in square metres, about. */
    area: t.Optional(t.Literal(true)),
    geometry_precision: t.Optional(t.Integer()),
    max_allowable_offset_degrees: t.Optional(t.Number()),
    note: t.Optional(t.String()),
  }),
  open(settings, _shape, { net, now }, { attributes }) {
    if (!net) return null
    const { endpoint, layers, layer_name, where_on_server = true } = settings
    const asking = { ...settings, out_fields: settings.out_fields ?? attributes?.join(',') ?? '*' }
    const find = layer_name === undefined ? null : layerFinder(net, new RegExp(layer_name, 'i'), now)

    const source = async (query: FeatureQuery, budget: Budget) => {
      const address = addressOf(endpoint, { level: query.level }).replaceAll('(', '%28').replaceAll(')', '%29')
      const place = find ? await find(address, budget) : address
      const urls = layers ? layers.map((layer) => `${place}/${encodeURIComponent(layer)}`) : [place]
      const boxes = boxesRound(query)
      const where = where_on_server ? query.where : undefined
      if (query.count_only && query.where === where && boxes?.length === 1) return countedAs(await counted(urls, query, budget))
      const question = questionOf(query.at, where, boxes, asking)
      const found = await Promise.all(urls.map((url) => listed(url, question, budget)))
      return featuresOf(found.flat(), query, settings.area === true)
    }
    return { source, vintage: null, remote: { host: new URL(endpoint).host, ...(settings.max_allowable_offset_degrees !== undefined && { simplified: true }) } }

    function listed(url: string, question: Question, budget: Budget): Promise<Located[]> {
      return everyFeature(async (parameters) => featureSetOf(await askArcgis(net!, `${url}/query`, parameters, budget), nameOf(url)), question)
    }

    async function counted(urls: string[], { at, radius_m, where }: FeatureQuery, budget: Budget): Promise<number> {
      const parameters = { ...filterOf(where), ...countOver(at, radius_m) }
      const counts = await Promise.all(urls.map(async (url) => countOf(await askArcgis(net!, `${url}/query`, parameters, budget), nameOf(url))))
      return counts.reduce((sum, count) => sum + count, 0)
    }
  },
})

type Asking = { out_fields: string; area?: true; geometry_precision?: number; max_allowable_offset_degrees?: number }

/** Six decimals are a tenth of a metre. */
const precision = 6
/** How far outlines may be off where only their areas are compared. */
const areaOffset_degrees = 0.0005

function questionOf(at: Point, where: string | undefined, boxes: Box[] | null, { out_fields, area, ...outlines }: Asking): Question {
  const parameters = { ...filterOf(where), outFields: out_fields }
  const { geometry_precision = precision, max_allowable_offset_degrees: offset } = outlines
  const outlined = (offset_degrees: number | undefined): Parameters => ({
    returnGeometry: 'true', outSR: '4326', geometryPrecision: String(geometry_precision),
    ...(offset_degrees !== undefined && { maxAllowableOffset: String(offset_degrees) }),
  })
  if (boxes) return { parameters: { ...parameters, ...outlined(offset) }, boxes }
  const { lat, lon } = pointValues(at)
  // HUD's layer refuses a point in JSON: it goes as plain text.
  const here = { geometry: `${lon},${lat}`, geometryType: 'esriGeometryPoint' }
  return { parameters: { ...parameters, ...here, ...(area ? outlined(offset ?? areaOffset_degrees) : { returnGeometry: 'false' }) }, boxes: null }
}

/** Always with a condition: the wetlands' server answers 400 without. */
function filterOf(where = '1=1'): Parameters {
  return { where, inSR: '4326', spatialRel: 'esriSpatialRelIntersects' }
}

/** The box round the circle; two where it crosses the antimeridian; `null` when only what holds the point is asked. */
function boxesRound({ at, radius_m }: FeatureQuery): Box[] | null {
  if (radius_m === 0) return null
  const box = boxValues(at, radius_m)
  if (box.w < -180) return [{ ...box, w: box.w + 360, e: 180 }, { ...box, w: -180 }]
  if (box.e > 180) return [{ ...box, e: 180 }, { ...box, w: -180, e: box.e - 360 }]
  return [box]
}

/** What was asked for, nearest first. What holds the point comes without an outline, and is taken at its word. */
function featuresOf(found: Located[], query: FeatureQuery, area: boolean): Feature[] {
  const located = area ? found.map(withArea) : found
  if (query.radius_m > 0) return nearestFirst(located, query)
  const passes = query.where === undefined ? () => true : compileCondition(query.where)
  return located.filter(({ properties }) => passes(properties)).slice(0, query.limit).map(({ properties }) => ({ properties, distance_m: 0 }))
}

function withArea({ geometry, properties }: Located): Located {
  return { geometry, properties: { ...properties, area: polygonArea_m2(geometry) || null } }
}
