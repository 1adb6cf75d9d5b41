import { dayLengthOf, noonElevationOf } from '../../geo/sun.ts'
import { pointFunction, type FunctionOptions } from './function.ts'

/**
 * The tilt of the earth's axis in degrees (2016 to 2036, within 0.002). It is the declination of the sun at a solstice.
 */
const tilt_degrees = 23.436

/** The elevation of the sun at noon on the solstice of `season`. */
export const solarNoonElevation = pointFunction(({ lat }, options) =>
  noonElevationOf(lat, solsticeDeclination(lat, options)),
)

/** The time from sunrise to sunset on the solstice of `season`, in hours. */
export const dayLength = pointFunction(({ lat }, options) => dayLengthOf(lat, solsticeDeclination(lat, options)))

/** The declination of the sun at a solstice. Winter is December in the northern hemisphere and June in the southern. */
function solsticeDeclination(lat: number, options: FunctionOptions): number {
  const { season } = options
  if (season !== 'winter' && season !== 'summer')
    throw new Error(`Invalid argument season: ${season}. Expected winter or summer.`)
  return (season === 'summer' ? tilt_degrees : -tilt_degrees) * (lat < 0 ? -1 : 1)
}
