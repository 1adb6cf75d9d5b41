import type { Static, TObject } from '@sinclair/typebox'
import { UpstreamError } from '../model/error.ts'
import type { Point } from '../model/place.ts'
import { isRecord } from '../model/record.ts'
import type { Call } from '../net/http-client.ts'
import { addressOf, boxValues, namesIn, pointValues, textOf, verbatimOf, type Values } from './address.ts'
import { t, type About } from './driver.ts'

/** The settings that say how a service is asked. */
export const question = {
  endpoint: t.String({ pattern: '^https?://' }),
  method: t.Optional(t.Union([t.Literal('GET'), t.Literal('POST')])),
  query: t.Optional(t.Union([t.String(), t.Record(t.String(), t.Union([t.String(), t.Number()]))])),
  body: t.Optional(t.Record(t.String(), t.Unknown())),
  headers: t.Optional(t.Record(t.String(), t.String())),
  /** To how many decimals of a degree the service takes a point. */
  decimals: t.Optional(t.Integer()),
}
type Question = Static<TObject<typeof question>>

type Asked = { at: Point; key?: string }

/**
 * Makes the calls of a service: the `{names}` of its settings are those of `special`, and any other is the key of the question.
 * `null` when it is asked with an API key, and that is not set.
 */
export function asking(question: Question, about: About, now: () => Date): ((asked: Asked) => Call) | null {
  const { endpoint, method, query, body, headers, decimals } = question
  const address = typeof query === 'string' ? joined(endpoint, query) : endpoint
  const names = namesIn(JSON.stringify([address, query, body, headers]))
  if (names.includes('key') && about.key === null) return null
  return (asked) => {
    const values = valuesOf(names, asked, { about, decimals, now })
    const url = addressOf(address, values)
    return {
      url: isRecord(query) ? joined(url, parametersOf(query, values)) : url,
      ...(method && { method }),
      ...(body && { body: JSON.stringify(filled(body, values)) }),
      ...((headers || body) && { headers: { ...(body && { 'content-type': 'application/json' }), ...headersOf(headers ?? {}, values) } }),
    }
  }
}

/** The host of an endpoint, by which a source is named. */
export function hostOf(endpoint: string): string {
  return new URL(endpoint.replace(/[{}]/g, '')).host
}

type Means = { about: About; decimals: number | undefined; now: () => Date }

function valuesOf(names: string[], { at, key }: Asked, { about, decimals, now }: Means): Values {
  const point = pointValues(at, decimals)
  return Object.fromEntries(names.map((name) => [name, Object.hasOwn(point, name) ? point[name] : valueOf(name, at, key, about, now)]))
}

function valueOf(name: string, at: Point, key: string | undefined, about: About, now: () => Date): string | null | undefined {
  const years = /^today-(\d+)y$/.exec(name)?.[1]
  if (years !== undefined) return yearsBefore(now(), Number(years))
  return Object.hasOwn(special, name) ? special[name]!({ at, key, about }) : key
}

/** What has a meaning of its own. The codes of the Census Bureau are parts of one long key: state, county, tract, block group. */
const special: Record<string, (of: { at: Point; key: string | undefined; about: About }) => string | null | undefined> = {
  key: ({ about }) => about.key,
  variables: ({ about }) => about.attributes?.join(','),
  footprint: ({ at }) => JSON.stringify(squareRound(at)),
  ss: ({ key }) => key && areaOf(key, [5]).state,
  ccc: ({ key }) => key && areaOf(key, [5]).county,
  for: ({ key }) => key && geographyOf(areaOf(key, [5, 11, 12])).for,
  in: ({ key }) => key && geographyOf(areaOf(key, [5, 11, 12])).in,
}

type Area = { state: string; county: string; tract: string; group: string }

function areaOf(key: string, lengths: number[]): Area {
  if (!lengths.includes(key.length) || !/^\d+$/.test(key)) throw new UpstreamError('bad_value', `A code of ${lengths.join(', ')} digits was expected, and it is ${JSON.stringify(key.slice(0, 100))}.`)
  return { state: key.slice(0, 2), county: key.slice(2, 5), tract: key.slice(5, 11), group: key.slice(11) }
}

/** An area as the Census API names it: the smallest, and what it lies in. */
function geographyOf({ state, county, tract, group }: Area): { for: string; in: string } {
  if (group !== '') return { for: `block group:${group}`, in: `state:${state} county:${county} tract:${tract}` }
  if (tract !== '') return { for: `tract:${tract}`, in: `state:${state} county:${county}` }
  return { for: `county:${county}`, in: `state:${state}` }
}

const footprint_m = 100

function squareRound(at: Point) {
  const { w, s, e, n } = boxValues(at, footprint_m / 2)
  return { type: 'Polygon', coordinates: [[[w, s], [e, s], [e, n], [w, n], [w, s]]] }
}

function yearsBefore(now: Date, years: number): string {
  const date = new Date(now)
  date.setUTCFullYear(date.getUTCFullYear() - years)
  return date.toISOString().slice(0, 10)
}

function joined(url: string, query: string): string {
  return `${url}${url.includes('?') ? '&' : '?'}${query}`
}

function parametersOf(query: Record<string, unknown>, values: Values): string {
  return Object.entries(query).map(([name, text]) => `${encodeURIComponent(name)}=${encodeURIComponent(textOf(String(text), values))}`).join('&')
}

function headersOf(headers: Record<string, string>, values: Values): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, text]) => [name, verbatimOf(text, values)]))
}

function filled(value: unknown, values: Values): unknown {
  if (typeof value === 'string') return verbatimOf(value, values)
  if (Array.isArray(value)) return value.map((member) => filled(member, values))
  return isRecord(value) ? Object.fromEntries(Object.entries(value).map(([name, member]) => [name, filled(member, values)])) : value
}
