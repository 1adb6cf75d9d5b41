import type { Point } from '../../../src/model/place.ts'
import { jsonAnswer, textAnswer, type ReceivedRequest, type SimulatedService } from '../service.ts'
import { testPlaces, type PlaceName } from '../test-places.ts'
import { distance_km } from './place-at.ts'
import { pointFrom } from './match-request.ts'

/**
 * Overpass: elements of OpenStreetMap by tag, round a point or in a box. It requires a User-Agent, and reports a
 * time-out in a 200 response.
 */
export const overpass: SimulatedService = {
  host: 'overpass-api.de',
  answer(request) {
    if (request.path !== '/api/interpreter') return null
    if (!request.headers.get('user-agent'))
      return textAnswer('<html><body>406 Not Acceptable</body></html>', 'text/html', 406)
    const script = scriptOf(request)
    const selectors = [...script.matchAll(/\b(nwr|nw|wr|node|way|relation)((?:\[(?:"[^"]*"|[^\]"])+\])+)\(([^)]*)\)/g)]
    const out = /\bout(?:\s+([^;]*))?;/.exec(script)
    const chosen = selectors.map(([, kind, tags, where]) => ({
      kind: kind!,
      tags: tagsOf(tags!),
      holds: reachOf(where!),
    }))
    if (!script.includes('[out:json]') || !out || chosen.length === 0 || chosen.some((one) => !one.holds))
      return parseError()
    const found = elements.filter((one) =>
      chosen.some(
        ({ kind, tags, holds }) =>
          reaches(kind, one.type) && tags.every((test) => test(one.tags)) && one.points.some(holds!),
      ),
    )
    return jsonAnswer({
      version: 0.6,
      generator: 'Overpass API 0.7.62',
      osm3s: { copyright: 'The data included in this document is from www.openstreetmap.org.' },
      elements: answerOf(found, out[1] ?? ''),
    })
  },
}

type Element = { type: 'node' | 'way'; id: number; tags: Record<string, string>; points: Point[] }
type Test = (tags: Record<string, string>) => boolean

const places: Record<string, string>[] = [
  { amenity: 'bank' },
  { amenity: 'bar' },
  { amenity: 'cafe' },
  { amenity: 'fuel' },
  { shop: 'supermarket' },
  { tourism: 'hotel' },
  { amenity: 'pharmacy' },
  { amenity: 'restaurant' },
  { shop: 'mall' },
]

// Synthetic: a substation, a power line and two roads east of each place but in open Kansas.
const elements: Element[] = (Object.keys(testPlaces) as PlaceName[])
  .filter((name) => name !== 'kansas')
  .flatMap((name, nth): Element[] => {
    const line = (east: number) =>
      [-0.05, -0.02, 0, 0.02, 0.05].map((north) => ({
        lat: testPlaces[name].lat + north,
        lng: testPlaces[name].lng + east,
      }))
    return [
      {
        type: nth % 2 ? 'way' : 'node',
        id: 10 * nth + 1,
        tags: {
          power: 'substation',
          voltage: '115000;13800',
          name: 'Made-up Substation',
          operator: 'Made-up Power',
          substation: 'transmission',
        },
        points: line(0.02).slice(2, 3),
      },
      {
        type: 'way',
        id: 10 * nth + 2,
        tags: { power: 'line', voltage: '230000', cables: '6', operator: 'Made-up Power' },
        points: line(0.03),
      },
      {
        type: 'node',
        id: 10 * nth + 5,
        tags: {
          power: 'transformer',
          'voltage:primary': '230000',
          'voltage:secondary': '115000;13800',
          ...(nth % 2 ? {} : { rating: '300 MVA' }),
        },
        points: line(0.02).slice(2, 3),
      },
      { type: 'way', id: 10 * nth + 6, tags: { 'proposed:power': 'line' }, points: line(0.1) },
      { type: 'way', id: 10 * nth + 3, tags: { highway: 'primary', name: 'Made-up Highway' }, points: line(0.005) },
      {
        type: 'way',
        id: 10 * nth + 4,
        tags: { highway: 'residential', name: 'Made-up Street', surface: 'asphalt' },
        points: line(0.001),
      },
      {
        type: 'way',
        id: 1_000 * nth + 1_000,
        tags: { building: 'yes', 'building:levels': '3' },
        points: [0.0003, 0.0004, 0.0003].flatMap((east, i) => {
          const { lat, lng } = line(east)[2]!
          return i === 2 ? [{ lat: lat + 0.0001, lng }, line(0.0003)[2]!] : [{ lat, lng }]
        }),
      },
      ...places.map((tags, index): Element => ({
        type: 'node',
        id: 1_000 * nth + 1_001 + index,
        tags: { name: `Made-up place ${index}`, ...tags },
        points: line(0.004 + index / 1_000).slice(2, 3),
      })),
    ]
  })

function scriptOf({ method, query, body, headers }: ReceivedRequest): string {
  if (method === 'GET') return query.get('data') ?? ''
  const inForm =
    headers.get('content-type')?.startsWith('application/x-www-form-urlencoded') ?? body.startsWith('data=')
  return inForm ? (new URLSearchParams(body).get('data') ?? '') : body
}

function tagsOf(filters: string): Test[] {
  return [...filters.matchAll(/\[(~?)\s*"([^"]+)"\s*(?:([=~])\s*"([^"]+)")?\s*\]/g)].map(
    ([, isPattern, key, operator, value]) =>
      (tags) =>
        Object.entries(tags).some(
          ([name, found]) =>
            (isPattern ? new RegExp(key!).test(name) : name === key) &&
            (operator === undefined || (operator === '=' ? found === value : new RegExp(value!).test(found))),
        ),
  )
}

function reachOf(where: string): ((at: Point) => boolean) | null {
  const around = /^around:\s*([\d.]+)\s*,\s*(-?[\d.]+)\s*,\s*(-?[\d.]+)$/.exec(where)
  const middle = around && pointFrom(around[2], around[3])
  if (middle) return (at) => distance_km(at, middle) * 1_000 <= Number(around[1])
  const [s, w, n, e] = where.split(',').map(Number)
  return where.split(',').length === 4 && [s, w, n, e].every(Number.isFinite)
    ? ({ lat, lng }) => lat >= s! && lat <= n! && lng >= w! && lng <= e!
    : null
}

function reaches(kind: string, type: Element['type']): boolean {
  return kind === type || kind === 'nwr' || kind === 'nw' || (kind === 'wr' && type === 'way')
}

function answerOf(found: Element[], out: string) {
  if (/\bcount\b/.test(out))
    return [
      {
        type: 'count',
        id: 0,
        tags: {
          nodes: String(found.filter((one) => one.type === 'node').length),
          ways: String(found.filter((one) => one.type === 'way').length),
          relations: '0',
          total: String(found.length),
        },
      },
    ]
  return found.map(({ type, id, tags, points }) => {
    const middle = plain(points[Math.floor(points.length / 2)]!)
    if (type === 'node') return { type, id, ...middle, tags }
    const shape = /\bgeom\b/.test(out)
      ? { geometry: points.map(plain) }
      : /\bcenter\b/.test(out)
        ? { center: middle }
        : {}
    return { type, id, ...shape, nodes: points.map((_point, nth) => id * 100 + nth), tags }
  })
}

function plain({ lat, lng }: Point) {
  return { lat, lon: lng }
}

function parseError() {
  return textAnswer(
    '<html><body><p><strong style="color:#FF0000">Error</strong>: line 1: parse error: Unknown type </p></body></html>',
    'text/html',
    400,
  )
}
