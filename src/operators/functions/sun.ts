import { pointFunction, type FunctionOptions } from './function.ts'

/**
 * The tilt of the earth's axis in degrees (2016 to 2036, within 0.002). It is the declination of the sun at a solstice.
 */
const tilt_degrees = 23.436

/** The depression of the sun's center when its upper edge rises, in degrees: refraction and half its diameter. */
const sunriseDepression_degrees = 0.833

/**
 * The elevation of the sun at noon on the solstice of `season`, in degrees without refraction. Negative in the polar
 * night.
 */
export const solarNoonElevation = pointFunction(
  ({ lat }, options) => 90 - Math.abs(lat - solarDeclination(lat, options)),
)

/**
 * The time from sunrise to sunset on the solstice of `season`, in hours, with a flat horizon. 0 in the polar night, 24
 * in the polar day.
 */
export const dayLength = pointFunction(({ lat }, options) => {
  const [phi, delta] = [radians(lat), radians(solarDeclination(lat, options))]
  const cosine =
    (Math.sin(radians(-sunriseDepression_degrees)) - Math.sin(phi) * Math.sin(delta)) /
    (Math.cos(phi) * Math.cos(delta))
  return (Math.acos(Math.min(1, Math.max(-1, cosine))) * 24) / Math.PI
})

/** The declination of the sun at a solstice. Winter is December in the northern hemisphere and June in the southern. */
function solarDeclination(lat: number, options: FunctionOptions): number {
  const { season } = options
  if (season !== 'winter' && season !== 'summer')
    throw new Error(`Invalid argument season: ${season}. Expected winter or summer.`)
  return (season === 'summer' ? tilt_degrees : -tilt_degrees) * (lat < 0 ? -1 : 1)
}

function radians(degrees: number): number {
  return (degrees * Math.PI) / 180
}
