import { UpstreamError } from '../model/error.ts'
import type { Point } from '../model/place.ts'

/** What an address of the catalog may name: `{lat}`, `{key}`, `{level}` … */
export type Values = Record<string, string | number | null | undefined>

const form = /\{([a-z_][\w-]*)\}/gi

/** An address with its `{names}` filled in, each encoded for a URL. Throws `unsupported_request` when there is no value for a name. */
export function addressOf(template: string, values: Values): string {
  return filled(template, values, (value) => encodeURIComponent(value).replaceAll('%2C', ','))
}

/** A text (SQL, a condition, a JSON body) with its `{names}` filled in as they are: the values are numbers and codes, never free text. */
export function textOf(template: string, values: Values): string {
  return filled(template, values, (value) => {
    if (/^[\w.,+-]*$/.test(value)) return value
    throw new UpstreamError('bad_value', `A code was expected to be put into the question, and it is ${JSON.stringify(value.slice(0, 100))}.`)
  })
}

/** A text with its `{names}` filled in just as they are, for what is made safe afterwards: a member of a JSON body. */
export function verbatimOf(template: string, values: Values): string {
  return filled(template, values, (value) => value)
}

/** The names an address leaves open. */
export function namesIn(template: string): string[] {
  return [...template.matchAll(form)].map(([, name]) => name!)
}

/** The values every address may name: the point, as publishers call it, with as many decimals as they take. */
export function pointValues({ lat, lng }: Point, decimals = 7): Values {
  return { lat: rounded(lat, decimals), lon: rounded(lng, decimals) }
}

/** The box round a circle, in degrees: west, south, east and north. */
export function boxValues({ lat, lng }: Point, radius_m: number): { w: number; s: number; e: number; n: number } {
  const high = radius_m / metresOfDegree
  const wide = Math.min(180, high / Math.max(0.01, Math.cos((Math.min(89, Math.abs(lat) + high) * Math.PI) / 180)))
  return { w: rounded(lng - wide, 7), s: rounded(Math.max(-90, lat - high), 7), e: rounded(lng + wide, 7), n: rounded(Math.min(90, lat + high), 7) }
}

/** The shortest a degree of latitude is, so that the box is never too small. */
const metresOfDegree = 110_567

function filled(template: string, values: Values, put: (value: string) => string): string {
  return template.replace(form, (_form, name: string) => {
    const value = values[name]
    if (value === null || value === undefined) throw new UpstreamError('unsupported_request', `The address of the source asks for ${name}, which this question does not have.`)
    return put(String(value))
  })
}

function rounded(value: number, decimals: number): number {
  return Number(value.toFixed(decimals))
}
