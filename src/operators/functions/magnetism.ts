import { model, type GeomagnetismPoint } from 'geomagnetism'
import { UpstreamError } from '../../model/error.ts'
import type { Point } from '../../model/place.ts'
import { remember } from '../remember.ts'
import { pointFunction } from './function.ts'

const day_ms = 86_400_000

/**
 * The declination in degrees by the World Magnetic Model, at sea level on the current day (UTC). Accurate to about 0.5
 * degrees and 150 nT: the model ignores local geology and magnetic storms.
 */
export const magneticDeclination = pointFunction((at, _options, now) => magneticField(at, now).decl)
/** The inclination below the horizontal, in degrees. Positive in the northern hemisphere. */
export const magneticInclination = pointFunction((at, _options, now) => magneticField(at, now).incl)
/** The total intensity of the field, in nT. */
export const magneticIntensity = pointFunction((at, _options, now) => magneticField(at, now).f)

function magneticField({ lat, lng }: Point, now: Date): GeomagnetismPoint {
  try {
    return modelOf(now).point([lat, lng])
  } catch (cause) {
    throw new UpstreamError(
      'unsupported_request',
      `The World Magnetic Model of this version does not cover ${now.toISOString().slice(0, 10)}. Install a newer version of Fieldstone.`,
      { cause },
    )
  }
}

/** The models by day. Creating one takes longer than using it. */
const modelsByDay = new Map<string, ReturnType<typeof model>>()

/**
 * The model of a day, so that all rows of a run, and a repeated run, return the same value. The field changes by less
 * than 0.001 degrees a day.
 */
function modelOf(now: Date): ReturnType<typeof model> {
  const day = Math.floor(now.getTime() / day_ms)
  return modelsByDay.get(String(day)) ?? remember(modelsByDay, String(day), model(new Date(day * day_ms)))
}
