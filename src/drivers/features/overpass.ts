import { createYieldToEventLoop } from '../../async/incremental-task.ts'
import type { QueryBox } from '../../geo/boxes.ts'
import { UpstreamError } from '../../model/error.ts'
import { isRecord, plainPropertiesOf } from '../../model/record.ts'
import type { Budget, FeatureQuery, Properties, Geometry, Position } from '../../model/source.ts'
import { readJsonBody, decodeTextBody } from '../../net/content.ts'
import type { HttpClient, Reply } from '../../net/http-client.ts'
import { requireQueriedFeatures } from './queried-features.ts'
import { defineDriver, t } from '../driver.ts'
import { asSentence, missingRadiusError, unexpectedResponse } from '../driver-errors.ts'
import { createListHarvester } from '../rest/list-harvest.ts'
import { nearestFeatures, type GeoFeature } from './nearest-features.ts'
import { isMarkup, excerptOf } from '../rest/reply.ts'
import { endpointHostOf } from '../rest/rest-request.ts'
import { throwStructuredError } from '../rest/structured-error.ts'

const timeout_s = 25
/** A message in HTML is shorter. */
const messageMax_bytes = 65_536
const responseMax_bytes = 16 * 1024 * 1024
const slice_ms = 5

/**
 * OpenStreetMap features by tag, from the Overpass instance that the operator sets. The public instances do not allow
 * queries from services.
 */
export const overpassDriver = defineDriver({
  shapes: ['features'],
  config: t.Object({
    /** The public instance, as an example only. It is not used unless the operator sets it. */
    endpoint: t.String({ pattern: '^https?://' }),
    /** The Overpass selector: `nwr["power"="substation"]`. */
    tags: t.String(),
    /**
     * The key whose lifecycle prefix becomes the attribute `lifecycle`: `construction` for `construction:power`,
     * `operating` without a prefix.
     */
    lifecycle_of: t.Optional(t.String()),
    note: t.Optional(t.String()),
  }),
  open(settings, _shape, { net, overpass }, { attributes }) {
    if (net === null || overpass === null) return null
    const { host, request } = createElementQuery(overpass, settings, attributes)
    const source = async (query: FeatureQuery, budget: Budget) => {
      const { at, radius_m, level } = query
      if (radius_m === 0 || !Number.isFinite(radius_m) || level !== undefined) throw missingRadiusError(host)
      const elements = await request(`around:${Math.ceil(radius_m)},${at.lat},${at.lng}`, net, budget)
      // A relation of nodes has no outline.
      return nearestFeatures(await requireQueriedFeatures(elements, query, host, { mayHaveNoPosition: true }), query)
    }
    return { source, vintage: null, remote: { host } }
  },
  harvest(settings, { net, overpass = null }, { attributes }) {
    if (overpass === null) return null
    const { host, request } = createElementQuery(overpass, settings, attributes)
    return createListHarvester(host, (box, budget) => requestBox(request, box, net, budget))
  },
})

/** Requests the elements in a filter of Overpass: `around:1000,40,-105` or a box. */
type RequestElements = (filter: string, net: HttpClient, budget: Budget) => Promise<GeoFeature[]>

type ElementSettings = { tags: string; lifecycle_of?: string }

function createElementQuery(
  overpass: string,
  { tags, lifecycle_of }: ElementSettings,
  attributes: readonly string[] = [],
): { host: string; request: RequestElements } {
  const url = new URL(overpass).pathname === '/' ? `${overpass.replace(/\/$/, '')}/api/interpreter` : overpass
  const host = endpointHostOf(url)
  const headers = { 'content-type': 'application/x-www-form-urlencoded' }
  return {
    host,
    async request(filter, net, budget) {
      const body = `data=${encodeURIComponent(`[out:json][timeout:${timeout_s}];${tags}(${filter});out geom;`)}`
      const reply = await net.send({ url, method: 'POST', body, headers, cap_bytes: responseMax_bytes }, budget)
      const features = await parseElements(reply, host)
      return features.map((feature) => withTags(feature, attributes, lifecycle_of))
    },
  }
}

/** The feature with all attributes: an element lacks the tags that nobody has set. */
function withTags(
  { properties, ...feature }: GeoFeature,
  attributes: readonly string[],
  lifecycleKey: string | undefined,
): GeoFeature {
  const unset = Object.fromEntries(attributes.map((name) => [name, null]))
  return {
    ...feature,
    properties: { ...unset, ...properties, ...(lifecycleKey && { lifecycle: lifecycleOf(properties, lifecycleKey) }) },
  }
}

function lifecycleOf(properties: Properties, key: string): string {
  const prefixed = Object.keys(properties).find((name) => name.endsWith(`:${key}`))
  return properties[key] !== undefined || prefixed === undefined ? 'operating' : prefixed.slice(0, -key.length - 1)
}

/** The elements in a box. A box that takes the instance too long, or has too many, counts as truncated. */
async function requestBox(request: RequestElements, { w, s, e, n }: QueryBox, net: HttpClient, budget: Budget) {
  try {
    return { features: await request(`${s},${w},${n},${e}`, net, budget), isTruncated: false, total: null }
  } catch (error) {
    if (!(error instanceof UpstreamError) || !['too_large', 'timeout'].includes(error.code)) throw error
    return { features: [], isTruncated: true, total: null }
  }
}

/**
 * The elements of a response. Overpass reports a timeout inside a 200 response, next to the elements found until then.
 */
async function parseElements(reply: Reply, host: string): Promise<GeoFeature[]> {
  const start = decodeTextBody({ ...reply, bytes: reply.bytes.subarray(0, messageMax_bytes) })
  if (isMarkup(start) && start.includes('rate_limited'))
    throw new UpstreamError('rate_limited', `${host} has no free slot. Try again later.`)
  const response = await readJsonBody(reply, host)
  throwStructuredError(response, host)
  if (!isRecord(response) || !isRecord(response.osm3s) || !Array.isArray(response.elements))
    throw unexpectedResponse(host, 'a list of elements', response)
  if (typeof response.remark === 'string' && response.remark.includes('error'))
    throw new UpstreamError(
      /timed out/i.test(response.remark) ? 'timeout' : 'bad_response',
      `${asSentence(`${host} stopped: ${excerptOf(response.remark)}`)} Try again later.`,
    )
  const features: GeoFeature[] = []
  const yieldToEventLoop = createYieldToEventLoop(slice_ms)
  for (const element of response.elements as unknown[]) {
    await yieldToEventLoop()
    features.push(parseElement(element, host))
  }
  return features
}

/**
 * Parses an OpenStreetMap element. Nodes are points and ways are lines. Closed ways, and relations whose tags say so,
 * are areas.
 */
function parseElement(element: unknown, host: string): GeoFeature {
  if (!isRecord(element)) throw invalidElementError(element, host)
  const properties = plainPropertiesOf(element.tags)
  const geometry =
    element.type === 'node' ? pointOf(element, host) : geometryOfLines(linesOf(element, host), isArea(properties))
  return { geometry, properties }
}

function pointOf(node: Record<string, unknown>, host: string): Geometry {
  return { points: [positionOf(node, host)], lines: [], polygons: [] }
}

/** The rings of an area form one polygon by the even-odd rule. */
function geometryOfLines(lines: Position[][], isArea: boolean): Geometry {
  const rings = isArea ? lines.filter(isClosed) : []
  return {
    points: [],
    lines: lines.filter((line) => !rings.includes(line)),
    polygons: rings.length === 0 ? [] : [rings],
  }
}

function linesOf(element: Record<string, unknown>, host: string): Position[][] {
  const { type, geometry, members } = element
  if (type === 'way') return [lineOf(geometry, element, host)]
  if (type !== 'relation' || !Array.isArray(members)) throw invalidElementError(element, host)
  return members.flatMap((member: unknown) =>
    isRecord(member) && member.type === 'way' ? [lineOf(member.geometry, element, host)] : [],
  )
}

/** The positions of a line. Overpass writes null for omitted vertices, but omits no whole line. */
function lineOf(geometry: unknown, element: unknown, host: string): Position[] {
  const vertices: unknown[] = Array.isArray(geometry) ? geometry.filter((vertex) => vertex !== null) : []
  if (vertices.length === 0) throw invalidElementError(element, host)
  return vertices.map((vertex) => positionOf(vertex, host))
}

function positionOf(vertex: unknown, host: string): Position {
  if (isRecord(vertex) && typeof vertex.lat === 'number' && typeof vertex.lon === 'number')
    return [vertex.lon, vertex.lat]
  throw invalidElementError(vertex, host)
}

function isClosed(line: Position[]): boolean {
  const [first, last] = [line[0]!, line.at(-1)!]
  return line.length > 3 && first[0] === last[0] && first[1] === last[1]
}

/** Whether a closed way is an area: not if it is a circular road or a power line. */
function isArea({ area, highway, power }: Properties): boolean {
  if (area === 'yes' || area === 'no') return area === 'yes'
  return highway === undefined && !/^(line|minor_line|cable)$/.test(String(power))
}

function invalidElementError(value: unknown, host: string): UpstreamError {
  return unexpectedResponse(host, 'an element with its geometry', value)
}
