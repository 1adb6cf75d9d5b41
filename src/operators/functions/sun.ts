import { pointFunction, type FunctionOptions } from './function.ts'

/** Tilt of the earth's axis, in degrees, as it is from 2016 to 2036 to 0.002; the sun stands this far from the equator at a solstice. */
const tilt_degrees = 23.436

/** How far below the horizon the sun's centre is when its upper edge rises: refraction and half its width, in degrees. */
const sunriseDepression_degrees = 0.833

/** How high the sun stands at noon of the solstice of a `season`, in degrees without refraction; below 0 in the polar night. */
export const solarNoonElevation = pointFunction(
  ({ lat }, options) => 90 - Math.abs(lat - solarDeclination(lat, options)),
)

/** From sunrise to sunset at the solstice of a `season`, in hours on a flat horizon; 0 in the polar night, 24 on the polar day. */
export const dayLength = pointFunction(({ lat }, options) => {
  const [phi, delta] = [radians(lat), radians(solarDeclination(lat, options))]
  const cosine =
    (Math.sin(radians(-sunriseDepression_degrees)) - Math.sin(phi) * Math.sin(delta)) /
    (Math.cos(phi) * Math.cos(delta))
  return (Math.acos(Math.min(1, Math.max(-1, cosine))) * 24) / Math.PI
})

/** Where the sun stands at the solstice: winter is December on the northern half and June on the southern. */
function solarDeclination(lat: number, options: FunctionOptions): number {
  const { season } = options
  if (season !== 'winter' && season !== 'summer') throw new Error(`The season is winter or summer, and not ${season}.`)
  return (season === 'summer' ? tilt_degrees : -tilt_degrees) * (lat < 0 ? -1 : 1)
}

function radians(degrees: number): number {
  return (degrees * Math.PI) / 180
}
