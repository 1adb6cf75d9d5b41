import { ringOfBox } from '../../geo/boxes.ts'
import type { Static, TObject } from '@sinclair/typebox'
import { UpstreamError } from '../../model/error.ts'
import type { Point } from '../../model/place.ts'
import { isRecord, mapTexts } from '../../model/record.ts'
import type { Call } from '../../net/http-client.ts'
import {
  fillUrl,
  boundingBoxAround,
  placeholdersIn,
  pointValues,
  fillText,
  fillVerbatim,
  type TemplateValues,
} from './url-template.ts'
import { t, type DatasetInfo } from '../driver.ts'

/** The settings of a request. */
export const requestSettings = {
  endpoint: t.String({ pattern: '^https?://' }),
  method: t.Optional(t.Union([t.Literal('GET'), t.Literal('POST')])),
  query: t.Optional(t.Union([t.String(), t.Record(t.String(), t.Union([t.String(), t.Number()]))])),
  body: t.Optional(t.Record(t.String(), t.Unknown())),
  headers: t.Optional(t.Record(t.String(), t.String())),
  /** Whether the publisher asks for the mail address of the operator, in the header From. */
  sends_contact: t.Optional(t.Literal(true)),
  /** The number of decimals of a degree that the service accepts. */
  decimals: t.Optional(t.Integer()),
}
type RequestSettings = Static<TObject<typeof requestSettings>>

/** A query of one place or key. `areas`: all areas of this kind within the county of the key. */
type PointQuery = { at: Point; key?: string; areas?: CensusAreaKind }

/** The areas within a county for which the Census API answers. */
type CensusAreaKind = 'tract' | 'block group'

/**
 * Creates a function that builds the requests of a service. `{names}` in its settings are special values (see below);
 * any other name is replaced by the key of the query. Returns null if an API key or mail address is needed and not set.
 */
export function createCallBuilder(
  settings: RequestSettings,
  dataset: DatasetInfo,
  now: () => Date,
): ((pointQuery: PointQuery) => Call) | null {
  const { endpoint, method, query, body, headers, sends_contact, decimals } = settings
  const urlTemplate = typeof query === 'string' ? appendQuery(endpoint, query) : endpoint
  const placeholders = requestPlaceholders(settings)
  if (placeholders.includes('key') && dataset.key === null) return null
  if (placeholders.includes('email') && !dataset.email) return null
  return (pointQuery) => {
    const values = templateValuesOf(placeholders, pointQuery, { dataset, decimals, now })
    const url = fillUrl(urlTemplate, values)
    return {
      url: isRecord(query) ? appendQuery(url, queryStringOf(query, values)) : url,
      ...(method && { method }),
      ...(sends_contact && { withContact: true }),
      ...(body && { body: JSON.stringify(mapTexts(body, (text) => fillVerbatim(text, values))) }),
      ...((headers || body) && {
        headers: { ...(body && { 'content-type': 'application/json' }), ...fillHeaders(headers ?? {}, values) },
      }),
    }
  }
}

/** The names of all placeholders of a request. */
export function requestPlaceholders({ endpoint, query, body, headers }: RequestSettings): string[] {
  return placeholdersIn(JSON.stringify([endpoint, query, body, headers]))
}

/** The host of an endpoint, which identifies the source in errors. */
export function endpointHostOf(endpoint: string): string {
  return new URL(endpoint.replace(/[{}]/g, '')).host
}

type ValueDeps = { dataset: DatasetInfo; decimals: number | undefined; now: () => Date }

function templateValuesOf(
  names: string[],
  { at, key, areas }: PointQuery,
  { dataset, decimals, now }: ValueDeps,
): TemplateValues {
  const point = pointValues(at, decimals)
  return Object.fromEntries(
    names.map((name) => [
      name,
      Object.hasOwn(point, name) ? point[name] : templateValueOf(name, { at, key, areas, dataset, now }),
    ]),
  )
}

type TemplateContext = Omit<ValueDeps, 'decimals'> & {
  at: Point
  key: string | undefined
  areas: CensusAreaKind | undefined
}

function templateValueOf(name: string, context: TemplateContext): string | null | undefined {
  const years = /^today-(\d+)y$/.exec(name)?.[1]
  if (years !== undefined) return yearsBefore(context.now(), Number(years))
  return Object.hasOwn(specialValues, name) ? specialValues[name]!(context) : context.key
}

/** The special values. Census codes are parts of one long key: state, county, tract, block group. */
const specialValues: Record<string, (context: TemplateContext) => string | null | undefined> = {
  key: ({ dataset }) => dataset.key,
  email: ({ dataset }) => dataset.email,
  variables: ({ dataset }) => dataset.attributes?.join(','),
  footprint: ({ at }) => JSON.stringify(squareAround(at)),
  ss: ({ key }) => key && parseCensusArea(key, [5]).state,
  ccc: ({ key }) => key && parseCensusArea(key, [5]).county,
  for: ({ key, areas }) => key && censusGeographyOf(parseCensusArea(key, [5, 11, 12]), areas).for,
  in: ({ key, areas }) => key && censusGeographyOf(parseCensusArea(key, [5, 11, 12]), areas).in,
}

type CensusArea = { state: string; county: string; tract: string; group: string }

function parseCensusArea(key: string, lengths: number[]): CensusArea {
  if (!lengths.includes(key.length) || !/^\d+$/.test(key))
    throw new UpstreamError(
      'bad_value',
      `The code ${JSON.stringify(key.slice(0, 100))} must have ${lengths.join(', ')} digits. Check \`key\` under \`read\` in the field.`,
    )
  return { state: key.slice(0, 2), county: key.slice(2, 5), tract: key.slice(5, 11), group: key.slice(11) }
}

/** An area in the terms of the Census API: the smallest unit, and what it is part of. */
function censusGeographyOf(
  { state, county, tract, group }: CensusArea,
  areas: CensusAreaKind | undefined,
): { for: string; in: string } {
  if (areas === 'block group') return { for: 'block group:*', in: `state:${state} county:${county} tract:*` }
  if (areas === 'tract') return { for: 'tract:*', in: `state:${state} county:${county}` }
  if (group !== '') return { for: `block group:${group}`, in: `state:${state} county:${county} tract:${tract}` }
  if (tract !== '') return { for: `tract:${tract}`, in: `state:${state} county:${county}` }
  return { for: `county:${county}`, in: `state:${state}` }
}

const footprint_m = 100

function squareAround(at: Point) {
  return { type: 'Polygon', coordinates: [ringOfBox(boundingBoxAround(at, footprint_m / 2))] }
}

function yearsBefore(now: Date, years: number): string {
  const date = new Date(now)
  date.setUTCFullYear(date.getUTCFullYear() - years)
  return date.toISOString().slice(0, 10)
}

function appendQuery(url: string, query: string): string {
  return `${url}${url.includes('?') ? '&' : '?'}${query}`
}

function queryStringOf(query: Record<string, unknown>, values: TemplateValues): string {
  return Object.entries(query)
    .map(([name, text]) => `${encodeURIComponent(name)}=${encodeURIComponent(fillText(String(text), values))}`)
    .join('&')
}

function fillHeaders(headers: Record<string, string>, values: TemplateValues): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, text]) => [name, fillVerbatim(text, values)]))
}
