import { UpstreamError } from '../model/error.ts'
import type { Point } from '../model/place.ts'

/** What an address of the catalog may name: `{lat}`, `{key}`, `{level}` … */
export type TemplateValues = Record<string, string | number | null | undefined>

const placeholderPattern = /\{([a-z_][\w-]*)\}/gi

/** An address with its `{names}` filled in, each encoded for a URL. Throws `unsupported_request` when there is no value for a name. */
export function fillUrl(template: string, values: TemplateValues): string {
  return fillTemplate(template, values, (value) => encodeURIComponent(value).replaceAll('%2C', ','))
}

/** A text (SQL, a condition, a JSON body) with its `{names}` filled in as they are: the values are numbers and codes, never free text. */
export function fillText(template: string, values: TemplateValues): string {
  return fillTemplate(template, values, (value) => {
    if (/^[\w.,+-]*$/.test(value)) return value
    throw new UpstreamError(
      'bad_value',
      `A code was expected to be put into the question, and it is ${JSON.stringify(value.slice(0, 100))}.`,
    )
  })
}

/** A text with its `{names}` filled in just as they are, for what is made safe afterwards: a member of a JSON body. */
export function fillVerbatim(template: string, values: TemplateValues): string {
  return fillTemplate(template, values, (value) => value)
}

/** The names an address leaves open. */
export function placeholdersIn(template: string): string[] {
  return [...template.matchAll(placeholderPattern)].map(([, name]) => name!)
}

/** The values every address may name: the point, as publishers call it, with as many decimals as they take. */
export function pointValues({ lat, lng }: Point, decimals = 7): TemplateValues {
  return { lat: roundTo(lat, decimals), lon: roundTo(lng, decimals) }
}

/** The box round a circle, in degrees: west, south, east and north. */
export function boundingBoxAround(
  { lat, lng }: Point,
  radius_m: number,
): { w: number; s: number; e: number; n: number } {
  const halfHeight_degrees = radius_m / metersPerDegree
  const halfWidth_degrees = Math.min(
    180,
    halfHeight_degrees / Math.max(0.01, Math.cos((Math.min(89, Math.abs(lat) + halfHeight_degrees) * Math.PI) / 180)),
  )
  return {
    w: roundTo(lng - halfWidth_degrees, 7),
    s: roundTo(Math.max(-90, lat - halfHeight_degrees), 7),
    e: roundTo(lng + halfWidth_degrees, 7),
    n: roundTo(Math.min(90, lat + halfHeight_degrees), 7),
  }
}

/** The shortest a degree of latitude is, so that the box is never too small. */
const metersPerDegree = 110_567

function fillTemplate(template: string, values: TemplateValues, encode: (value: string) => string): string {
  return template.replace(placeholderPattern, (_match, name: string) => {
    const value = values[name]
    if (value === null || value === undefined)
      throw new UpstreamError(
        'unsupported_request',
        `The address of the source asks for ${name}, which this question does not have.`,
      )
    return encode(String(value))
  })
}

function roundTo(value: number, decimals: number): number {
  return Number(value.toFixed(decimals))
}
