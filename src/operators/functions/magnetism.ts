import { model, type GeomagnetismPoint } from 'geomagnetism'
import { UpstreamError } from '../../model/error.ts'
import type { Point } from '../../model/place.ts'
import { pointFunction } from './function.ts'

const day_ms = 86_400_000

/** The World Magnetic Model at sea level, on the day (UTC) it is asked about. Good to about 0.5 degrees and 150 nT: it knows no local rock and no storm. */
export const magneticDeclination = pointFunction((at, _options, now) => magneticField(at, now).decl)
/** The dip below the horizontal, in degrees; above 0 on the northern half. */
export const magneticInclination = pointFunction((at, _options, now) => magneticField(at, now).incl)
/** The strength of the whole field, in nT. */
export const magneticIntensity = pointFunction((at, _options, now) => magneticField(at, now).f)

function magneticField({ lat, lng }: Point, now: Date): GeomagnetismPoint {
  try {
    return model(dayOf(now)).point([lat, lng])
  } catch (cause) {
    throw new UpstreamError(
      'unsupported_request',
      `The World Magnetic Model in this version does not reach ${now.toISOString().slice(0, 10)}.`,
      { cause },
    )
  }
}

/** The field moves by less than a thousandth of a degree a day: all rows of a run, and a run that is made again, are to say the same. */
function dayOf(now: Date): Date {
  return new Date(Math.floor(now.getTime() / day_ms) * day_ms)
}
