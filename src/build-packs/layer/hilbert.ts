const bits = 26

/**
 * The index of a place on a Hilbert curve over the earth. In a table in this order, nearby places are mostly
 * adjacent.
 */
export function hilbertIndexOf(lng: number, lat: number): number {
  let x = cellOf((lng + 180) / 360)
  let y = cellOf((lat + 90) / 180)
  let index = 0
  for (let s = 2 ** (bits - 1); s >= 1; s /= 2) {
    const rx = (x & s) > 0 ? 1 : 0
    const ry = (y & s) > 0 ? 1 : 0
    index += s * s * ((3 * rx) ^ ry)
    if (ry === 1) continue
    if (rx === 1) {
      x = s - 1 - (x & (s - 1))
      y = s - 1 - (y & (s - 1))
    }
    const swapped = x
    x = y
    y = swapped
  }
  return index
}

function cellOf(part: number): number {
  return Math.min(2 ** bits - 1, Math.max(0, Math.floor(part * 2 ** bits)))
}
