import { roundDegrees } from '../../geo/text/geojson.ts'
import { UpstreamError } from '../../model/error.ts'
import type { Point } from '../../model/place.ts'

/** The values for the placeholders of a URL: `{lat}`, `{key}`, `{level}` … */
export type TemplateValues = Record<string, string | number | null | undefined>

const placeholderPattern = /\{([a-z_][\w-]*)\}/gi

/** Replaces `{names}` in a URL, each encoded. Throws `unsupported_request` if a name has no value. */
export function fillUrl(template: string, values: TemplateValues): string {
  return fillTemplate(template, values, (value) => encodeURIComponent(value).replaceAll('%2C', ','))
}

/** Replaces `{names}` in a text (SQL, a condition) without encoding. Values must be numbers or codes. */
export function fillText(template: string, values: TemplateValues): string {
  return fillTemplate(template, values, (value) => {
    if (/^[\w.,+-]*$/.test(value)) return value
    throw new UpstreamError(
      'bad_value',
      `The value ${JSON.stringify(value.slice(0, 100))} is not a code. Codes have only letters, digits and _ . , + -. Check \`key\` under \`read\` in the field.`,
    )
  })
}

/** Replaces `{names}` in a text without checks, for values that are escaped later, such as members of a JSON body. */
export function fillVerbatim(template: string, values: TemplateValues): string {
  return fillTemplate(template, values, (value) => value)
}

/** The names of the placeholders in a template. */
export function placeholdersIn(template: string): string[] {
  return [...template.matchAll(placeholderPattern)].map(([, name]) => name!)
}

/** The coordinates of a point as template values, with the given number of decimals. */
export function pointValues({ lat, lng }: Point, decimals = 7): TemplateValues {
  return { lat: roundDegrees(lat, decimals), lon: roundDegrees(lng, decimals) }
}

/** The bounding box of a circle, in degrees. */
export function boundingBoxAround(
  { lat, lng }: Point,
  radius_m: number,
): { w: number; s: number; e: number; n: number } {
  const halfHeight_degrees = radius_m / minMetersPerDegree
  const halfWidth_degrees = Math.min(
    180,
    halfHeight_degrees / Math.max(0.01, Math.cos((Math.min(89, Math.abs(lat) + halfHeight_degrees) * Math.PI) / 180)),
  )
  return {
    w: roundDegrees(lng - halfWidth_degrees),
    s: roundDegrees(Math.max(-90, lat - halfHeight_degrees)),
    e: roundDegrees(lng + halfWidth_degrees),
    n: roundDegrees(Math.min(90, lat + halfHeight_degrees)),
  }
}

/** The minimum length of a degree of latitude, so that the box is never too small. */
const minMetersPerDegree = 110_567

function fillTemplate(template: string, values: TemplateValues, encode: (value: string) => string): string {
  return template.replace(placeholderPattern, (_match, name: string) => {
    const value = values[name]
    if (value === null || value === undefined)
      throw new UpstreamError(
        'unsupported_request',
        `The request needs a value for {${name}}, but the field does not set one. Set it under \`read\` in the field.`,
      )
    return encode(String(value))
  })
}
