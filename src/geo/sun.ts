/** The depression of the sun's center when its upper edge rises, in degrees: refraction and half its diameter. */
const sunriseDepression_degrees = 0.833
const day_ms = 86_400_000
/** The epoch J2000. */
const epoch_ms = Date.UTC(2000, 0, 1, 12)

/** The elevation of the sun at noon, in degrees without refraction. Negative in the polar night. */
export function noonElevationOf(lat: number, declination: number): number {
  return 90 - Math.abs(lat - declination)
}

/** The time from sunrise to sunset in hours, with a flat horizon. 0 in the polar night, 24 in the polar day. */
export function dayLengthOf(lat: number, declination: number): number {
  const [phi, delta] = [radians(lat), radians(declination)]
  const cosine =
    (Math.sin(radians(-sunriseDepression_degrees)) - Math.sin(phi) * Math.sin(delta)) /
    (Math.cos(phi) * Math.cos(delta))
  return (Math.acos(Math.min(1, Math.max(-1, cosine))) * 24) / Math.PI
}

/**
 * The declination of the sun in degrees, by the low-precision formula of the US Naval Observatory. Within 0.02 degrees
 * from 1800 to 2200.
 */
export function sunDeclinationAt(time: Date): number {
  const days = (time.getTime() - epoch_ms) / day_ms
  const anomaly = radians(357.529 + 0.98560028 * days)
  const longitude = 280.459 + 0.98564736 * days + 1.915 * Math.sin(anomaly) + 0.02 * Math.sin(2 * anomaly)
  const obliquity = radians(23.439 - 0.00000036 * days)
  return (Math.asin(Math.sin(obliquity) * Math.sin(radians(longitude))) * 180) / Math.PI
}

function radians(degrees: number): number {
  return (degrees * Math.PI) / 180
}
