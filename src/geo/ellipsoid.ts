const radians = Math.PI / 180
const equatorialRadius_m = 6_378_137
const flattening = 1 / 298.257223563
const eccentricity2 = flattening * (2 - flattening)
const eccentricity = Math.sqrt(eccentricity2)
const polarRadius_m = equatorialRadius_m * (1 - flattening)

/** Longer edges are split, so that the quadrature stays exact. */
const longestEdge_degrees = 1
/** Gauss-Legendre quadrature with three nodes, on the interval from 0 to 1. */
const nodes = [0.5 - Math.sqrt(0.15), 0.5, 0.5 + Math.sqrt(0.15)] as const
const weights = [5 / 18, 8 / 18, 5 / 18] as const

/**
 * The area of a ring (x, y, … in degrees) on the WGS 84 ellipsoid, in square meters; negative when the ring runs
 * clockwise. Edges are straight in degrees, as the point queries and RFC 7946 have them, so that the areas of the parts
 * of a polygon add up to its own. Geodesic edges would not: a parallel is not one.
 */
export function signedRingArea_m2(ring: ArrayLike<number>): number {
  const count = ring.length / 2
  if (count < 3) return 0
  const zone = zoneAreaFrom(ring[1]!)
  let sum = 0
  let [x1, y1] = [ring[2 * count - 2]!, ring[2 * count - 1]!]
  for (let i = 0; i < count; i++) {
    const [x2, y2] = [ring[2 * i]!, ring[2 * i + 1]!]
    if (x1 !== x2) sum -= (x2 - x1) * meanAlong(y1, y2, Math.abs(x2 - x1), zone)
    ;[x1, y1] = [x2, y2]
  }
  return sum * radians
}

/**
 * The length of a line (x, y, … in degrees) on the WGS 84 ellipsoid, in meters. Its segments are straight in degrees.
 */
export function lineLength_m(line: ArrayLike<number>): number {
  let sum = 0
  for (let i = 2; i < line.length; i += 2) sum += segmentLength_m(line[i - 2]!, line[i - 1]!, line[i]!, line[i + 1]!)
  return sum
}

/** The length of one segment of such a line. */
export function segmentLength_m(x1: number, y1: number, x2: number, y2: number): number {
  const [dx, dy] = [(x2 - x1) * radians, (y2 - y1) * radians]
  return meanAlong(y1, y2, Math.abs(x2 - x1), (lat) => {
    const sin = Math.sin(lat * radians)
    const w2 = 1 - eccentricity2 * sin * sin
    const normal_m = equatorialRadius_m / Math.sqrt(w2)
    const meridional_m = (normal_m * (1 - eccentricity2)) / w2
    return Math.hypot(meridional_m * dy, normal_m * Math.cos(lat * radians) * dx)
  })
}

/** The mean of a function of the latitude along an edge that is straight in degrees. */
function meanAlong(y1: number, y2: number, width: number, valueAt: (lat: number) => number): number {
  const pieces = Math.max(1, Math.ceil(Math.max(width, Math.abs(y2 - y1)) / longestEdge_degrees))
  let sum = 0
  for (let piece = 0; piece < pieces; piece++) {
    const from = y1 + ((y2 - y1) * piece) / pieces
    const step = (y2 - y1) / pieces
    for (let i = 0; i < 3; i++) sum += weights[i]! * valueAt(from + nodes[i]! * step)
  }
  return sum / pieces
}

/**
 * Returns the area between a latitude and another, per radian of longitude, in square meters. Written with differences
 * of sines, because the difference of two large areas would lose the digits of a small parcel.
 */
function zoneAreaFrom(origin: number): (lat: number) => number {
  const s0 = Math.sin(origin * radians)
  return (lat) => {
    const s = Math.sin(lat * radians)
    const difference = 2 * Math.cos(((lat + origin) / 2) * radians) * Math.sin(((lat - origin) / 2) * radians)
    const rational =
      (difference * (1 + eccentricity2 * s * s0)) / ((1 - eccentricity2 * s * s) * (1 - eccentricity2 * s0 * s0))
    const logarithmic = Math.atanh((eccentricity * difference) / (1 - eccentricity2 * s * s0)) / eccentricity
    return ((polarRadius_m * polarRadius_m) / 2) * (rational + logarithmic)
  }
}
