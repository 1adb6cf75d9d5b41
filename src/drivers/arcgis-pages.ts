import { attributeOf } from '../geo/attribute.ts'
import { UpstreamError } from '../model/error.ts'
import type { FeatureSet } from './arcgis-answer.ts'
import type { Parameters } from './arcgis-ask.ts'
import type { Located } from './nearest-first.ts'

/** West, south, east and north, within 180 degrees. */
export type Box = { w: number; s: number; e: number; n: number }

/** A question to a layer: over some boxes, or, without, over the place that its parameters name. */
export type Question = { parameters: Parameters; boxes: Box[] | null }
type Ask = (parameters: Parameters) => Promise<FeatureSet>

/**
 * Every feature that a question finds, though servers cut their lists: page by page or, where a server does not turn its pages,
 * quarter by quarter. Throws `too_large` when that is not enough: a list that is cut is never an answer.
 */
export async function everyFeature(ask: Ask, { parameters, boxes }: Question): Promise<Located[]> {
  if (!boxes) return listed(ask, parameters, null)
  const lists = await Promise.all(boxes.map((box) => listed(ask, { ...parameters, ...within(box) }, box)))
  return lists.length === 1 ? lists[0]! : distinct(lists.flat(), null)
}

const mostPages = 10
const mostQuarterings = 3

async function listed(ask: Ask, parameters: Parameters, box: Box | null): Promise<Located[]> {
  const first = await ask(parameters)
  if (!first.isCut) return first.features
  const { idField } = first
  const paged = await pages(ask, parameters, first)
  if (paged) return paged
  if (!box) throw tooLarge()
  return distinct(await quartered(ask, { ...parameters, ...(idField !== null && { outFields: withId(parameters.outFields, idField) }) }, box, 1), idField)
}

/** `null` from a server that does not turn its pages. Without an order rows may come anew from page to page, so the first is asked again in order. */
async function pages(ask: Ask, parameters: Parameters, first: FeatureSet): Promise<Located[] | null> {
  const order: Parameters = first.idField === null ? {} : { orderByFields: first.idField }
  const turn = (from: number) => unlessRefused(ask({ ...parameters, ...order, resultOffset: String(from) }))
  const features: Located[] = []
  let page = first.idField === null ? first : await turn(0)
  for (let turned = 1; page; turned++) {
    features.push(...page.features)
    if (!page.isCut) return features
    if (turned === mostPages) throw tooLarge()
    const next: FeatureSet | null = await turn(features.length)
    if (!next || isRepeated(page, next)) return null
    page = next
  }
  return null
}

/** `null` when the server will not answer such a question, as old ones say of pages. */
async function unlessRefused(answer: Promise<FeatureSet>): Promise<FeatureSet | null> {
  try {
    return await answer
  } catch (error) {
    if (error instanceof UpstreamError && error.code === 'upstream_rejected') return null
    throw error
  }
}

function isRepeated({ features: [before] }: FeatureSet, { features: [after], isCut }: FeatureSet): boolean {
  return after === undefined ? isCut : JSON.stringify(before) === JSON.stringify(after)
}

async function quartered(ask: Ask, parameters: Parameters, box: Box, depth: number): Promise<Located[]> {
  if (depth > mostQuarterings) throw tooLarge()
  const lists = await Promise.all(quartersOf(box).map(async (quarter) => {
    const { features, isCut } = await ask({ ...parameters, ...within(quarter) })
    return isCut ? quartered(ask, parameters, quarter, depth + 1) : features
  }))
  return lists.flat()
}

function quartersOf({ w, s, e, n }: Box): Box[] {
  const [x, y] = [(w + e) / 2, (s + n) / 2]
  return [{ w, s, e: x, n: y }, { w: x, s, e, n: y }, { w, s: y, e: x, n }, { w: x, s: y, e, n }]
}

function within({ w, s, e, n }: Box): Parameters {
  return {
    geometry: JSON.stringify({ xmin: w, ymin: s, xmax: e, ymax: n, spatialReference: { wkid: 4326 } }),
    geometryType: 'esriGeometryEnvelope',
  }
}

function withId(outFields = '*', idField: string): string {
  return outFields === '*' || outFields.split(',').includes(idField) ? outFields : `${outFields},${idField}`
}

/** Each feature once: one that lies in two boxes comes with both. */
function distinct(features: Located[], idField: string | null): Located[] {
  return [...new Map(features.map((feature) => [identityOf(feature, idField), feature])).values()]
}

function identityOf(feature: Located, idField: string | null): string {
  const id = idField === null ? null : attributeOf(feature.properties, idField)
  return id === null || id === undefined ? JSON.stringify(feature) : String(id)
}

function tooLarge(): UpstreamError {
  return new UpstreamError('too_large', `The layer has more features here than can be listed: the list was still cut after ${mostPages} pages or ${mostQuarterings} quarterings.`)
}
