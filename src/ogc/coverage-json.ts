import type { AreaFieldResult, AreaValue } from '../areas/area-answer.ts'
import type { Field } from '../catalog/records.ts'
import type { FieldResult } from '../fetch/fetch-answer.ts'
import type { ErrorDetail } from '../model/error.ts'
import type { Point } from '../model/place.ts'
import type { Position } from '../model/source.ts'
import { coverageParameterOf, coverageValueOf, edrParameterOf, type EdrParameter } from './edr-parameters.ts'

/** The answer at one position: the result of each field, or the error of a position that cannot be answered. */
export type PositionAnswer = { at: Point; fields: Record<string, FieldResult> } | { at: Point; error: ErrorDetail }

/** What every document needs: the fields in order, and the address of this server. */
export interface CoverageOptions {
  fields: readonly Field[]
  base_url: string
}

/** The prefix of the members that CoverageJSON does not have: status, source and vintage of each value. */
const prefix = 'fieldstone'

/** The member that has the results. */
export const resultsMember = `${prefix}:results`

/** Returns the coverage of one position. */
export function pointCoverageOf(answer: PositionAnswer, options: CoverageOptions) {
  const { lat, lng } = answer.at
  const axes = { x: { values: [lng] }, y: { values: [lat] } }
  return coverageOf({ domainType: 'Point', axes }, [answer], options)
}

/** Returns the coverage of several positions. */
export function multiPointCoverageOf(answers: readonly PositionAnswer[], options: CoverageOptions) {
  const values = answers.map(({ at }) => [at.lng, at.lat])
  const axes = { composite: { dataType: 'tuple', coordinates: ['x', 'y'], values } }
  return coverageOf({ domainType: 'MultiPoint', axes }, answers, options)
}

type Domain = { domainType: string; axes: Record<string, unknown> }

function coverageOf(domain: Domain, answers: readonly PositionAnswer[], { fields, base_url }: CoverageOptions) {
  const parameters = fields.map((field) => edrParameterOf(field, `${base_url}/catalog.jsonld`))
  const values = (name: string) =>
    answers.map((answer) => ('fields' in answer ? coverageValueOf(answer.fields[name]!.value) : null))
  const results = answers.map((answer) =>
    'fields' in answer ? resultsWithoutValues(answer.fields) : { error: answer.error },
  )
  return {
    ...documentOf(domain, base_url),
    parameters: Object.fromEntries(parameters.map((it) => [it.id, coverageParameterOf(it)])),
    ranges: Object.fromEntries(
      parameters.map((it) => [it.id, rangeOf(it['data-type'], domain.domainType, values(it.id))]),
    ),
    [resultsMember]: domain.domainType === 'Point' ? results[0] : results,
  }
}

/** The results of fields without their values, which are in the ranges. */
export function resultsWithoutValues(fields: Record<string, FieldResult>): Record<string, object> {
  return Object.fromEntries(
    Object.entries(fields).map(([name, result]) => {
      const { value: _, ...members } = result
      return [name, members]
    }),
  )
}

function documentOf({ domainType, axes }: Domain, base_url: string) {
  return {
    '@context': [
      'https://covjson.org/context.jsonld',
      { [prefix]: `${base_url}/guide/connect#`, [resultsMember]: { '@type': '@json' } },
    ],
    type: 'Coverage',
    domain: {
      type: 'Domain',
      domainType,
      axes,
      referencing: [
        {
          coordinates: ['x', 'y'],
          system: { type: 'GeographicCRS', id: 'http://www.opengis.net/def/crs/OGC/1.3/CRS84' },
        },
      ],
    },
  }
}

function rangeOf(dataType: EdrParameter['data-type'], domainType: string, values: (string | number | null)[]) {
  const axis = domainType.startsWith('Multi') ? { axisNames: ['composite'], shape: [values.length] } : {}
  return { type: 'NdArray', dataType, ...axis, values }
}

/** A polygon and the results of its fields. */
export interface PolygonAnswer {
  rings: readonly (readonly Position[])[]
  results: Record<string, AreaFieldResult>
}

/**
 * Returns the coverage of polygons. Each parameter has one value for a polygon, which `measurementType` describes; the
 * results have all of the answer.
 */
export function areaCoverageOf(areas: readonly PolygonAnswer[], { fields, base_url }: CoverageOptions) {
  const domainType = areas.length === 1 ? 'Polygon' : 'MultiPolygon'
  const polygons = areas.map(({ rings }) => rings)
  const axes = { composite: { dataType: 'polygon', coordinates: ['x', 'y'], values: polygons } }
  const columns = fields.map((field) => {
    const summaries = areas.map(({ results }) => areaSummaryOf(results[field.name]!))
    return { field, method: summaries[0]!.method, values: summaries.map(({ value }) => value) }
  })
  return {
    ...documentOf({ domainType, axes }, base_url),
    parameters: Object.fromEntries(
      columns.map(({ field, method }) => [field.name, areaParameterOf(field, method, base_url)]),
    ),
    ranges: Object.fromEntries(
      columns.map(({ field, values }) => {
        const type = values.some((value) => typeof value === 'string') ? 'string' : 'float'
        return [field.name, rangeOf(type, domainType, values)]
      }),
    ),
    [resultsMember]: areas.length === 1 ? areas[0]!.results : areas.map(({ results }) => results),
  }
}

function areaParameterOf(field: Field, method: string, base_url: string) {
  const { categoryEncoding: _, ...parameter } = coverageParameterOf(edrParameterOf(field, `${base_url}/catalog.jsonld`))
  const { categories: __, ...observedProperty } = parameter.observedProperty
  return { ...parameter, observedProperty, measurementType: { method } }
}

/** The value of a field for an area as one number or text, and how it was chosen. Null without a value. */
export function areaSummaryOf(result: AreaFieldResult): { value: string | number | null; method: string } {
  if (result.status !== 'ok') return { value: null, method: result.area_kind }
  const [value, method] = summaryOf(result.value)
  return { value: coverageValueOf(value), method }
}

function summaryOf(value: AreaValue): [value: unknown, method: string] {
  if ('classes' in value) return [value.classes[0]?.value, 'class with the largest share']
  if ('share_true' in value) return [value.share_true, 'share of the area for which it is true']
  if ('mean' in value) return [value.mean, 'mean']
  if ('distance_m' in value)
    return value.value === undefined ? [value.distance_m, 'distance'] : [value.value, 'nearest']
  if ('count' in value) return [value.count, 'count']
  if ('units' in value)
    return value.apportioned_sum === undefined
      ? [value.units.toSorted((a, b) => b.share - a.share)[0]?.value, 'unit with the largest share']
      : [value.apportioned_sum, 'apportioned sum']
  return [value.value, 'value at a point of the area']
}
