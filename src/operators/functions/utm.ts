import type { Point } from '../../model/place.ts'
import { pointFunction } from './function.ts'

/** WGS 84 and the Universal Transverse Mercator projection. */
const [semiMajor_m, flattening, scale, falseEasting_m, falseNorthing_m] = [
  6_378_137,
  1 / 298.257_223_563,
  0.9996,
  500_000,
  10_000_000,
]

/**
 * The zone and hemisphere, such as `13N`. Every zone is six degrees wide, because the wider zones near Norway are
 * outside the United States.
 */
export const utmZone = pointFunction((at) => `${zoneOf(at)}${at.lat < 0 ? 'S' : 'N'}`)
/** The easting in meters. */
export const utmEasting = pointFunction((at) => projectToUtm(at).easting_m)
/** The northing in meters. */
export const utmNorthing = pointFunction((at) => projectToUtm(at).northing_m)
/** The EPSG code of the zone in WGS 84: EPSG:32613 is zone 13 north, EPSG:32702 is zone 2 south. */
export const utmEpsg = pointFunction((at) => `EPSG:${(at.lat < 0 ? 32_700 : 32_600) + zoneOf(at)}`)
/**
 * The angle from true north to grid north, clockwise, in degrees. Positive east of the central meridian in the northern
 * hemisphere.
 */
export const gridConvergence = pointFunction((at) => projectToUtm(at).convergence_degrees)

function zoneOf({ lng }: Point): number {
  return Math.min(60, Math.max(1, Math.floor((lng + 180) / 6) + 1))
}

const n = flattening / (2 - flattening)
const rectifyingRadius_m = (semiMajor_m / (1 + n)) * (1 + n ** 2 / 4 + n ** 4 / 64 + n ** 6 / 256)

/**
 * Krüger's coefficients to the sixth order of n (Karney, "Transverse Mercator with an accuracy of a few nanometers",
 * 2011, equation 35).
 */
const alphas = [
  n / 2 - (2 / 3) * n ** 2 + (5 / 16) * n ** 3 + (41 / 180) * n ** 4 - (127 / 288) * n ** 5 + (7891 / 37_800) * n ** 6,
  (13 / 48) * n ** 2 -
    (3 / 5) * n ** 3 +
    (557 / 1440) * n ** 4 +
    (281 / 630) * n ** 5 -
    (1_983_433 / 1_935_360) * n ** 6,
  (61 / 240) * n ** 3 - (103 / 140) * n ** 4 + (15_061 / 26_880) * n ** 5 + (167_603 / 181_440) * n ** 6,
  (49_561 / 161_280) * n ** 4 - (179 / 168) * n ** 5 + (6_601_661 / 7_257_600) * n ** 6,
  (34_729 / 80_640) * n ** 5 - (3_418_889 / 1_995_840) * n ** 6,
  (212_378_941 / 319_334_400) * n ** 6,
]

type UtmCoordinates = { easting_m: number; northing_m: number; convergence_degrees: number }

/** Projects a point to its zone. The error of the series is below one micrometer. */
function projectToUtm(at: Point): UtmCoordinates {
  const centralMeridian = 6 * zoneOf(at) - 183
  const [phi, lambda] = [radians(at.lat), radians(at.lng - centralMeridian)]
  const eccentricity = Math.sqrt(flattening * (2 - flattening))
  const tau = Math.sinh(Math.atanh(Math.sin(phi)) - eccentricity * Math.atanh(eccentricity * Math.sin(phi)))
  const xiSphere = Math.atan2(tau, Math.cos(lambda))
  const etaSphere = Math.asinh(Math.sin(lambda) / Math.hypot(tau, Math.cos(lambda)))
  let [xi, eta, p, q] = [xiSphere, etaSphere, 1, 0]
  for (const [i, alpha] of alphas.entries()) {
    const j = 2 * (i + 1)
    xi += alpha * Math.sin(j * xiSphere) * Math.cosh(j * etaSphere)
    eta += alpha * Math.cos(j * xiSphere) * Math.sinh(j * etaSphere)
    p += j * alpha * Math.cos(j * xiSphere) * Math.cosh(j * etaSphere)
    q += j * alpha * Math.sin(j * xiSphere) * Math.sinh(j * etaSphere)
  }
  const convergence = Math.atan((tau / Math.hypot(1, tau)) * Math.tan(lambda)) + Math.atan2(q, p)
  return {
    easting_m: falseEasting_m + scale * rectifyingRadius_m * eta,
    northing_m: (at.lat < 0 ? falseNorthing_m : 0) + scale * rectifyingRadius_m * xi,
    convergence_degrees: (convergence * 180) / Math.PI,
  }
}

function radians(degrees: number): number {
  return (degrees * Math.PI) / 180
}
