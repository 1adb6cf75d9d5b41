/**
 * Whether the rings from `first` to `last` (exclusive) contain the point, by the even-odd rule.
 * Ring `r` has its vertices at `coordinates[2 * starts[r] …]` up to `starts[r + 1]`, as x, y.
 * The boundary rule is half-open: a point on a border of two polygons lies in exactly one of them.
 */
// oxlint-disable-next-line max-params -- Numbers, because this inner loop must not allocate.
export function ringsContain(
  coordinates: Float64Array | Int32Array,
  starts: Uint32Array,
  first: number,
  last: number,
  x: number,
  y: number,
): boolean {
  let inside = false
  for (let ring = first; ring < last; ring++) {
    const end = 2 * starts[ring + 1]!
    let i = 2 * starts[ring]!
    let x1 = coordinates[end - 2]!
    let y1 = coordinates[end - 1]!
    for (; i < end; i += 2) {
      const x2 = coordinates[i]!
      const y2 = coordinates[i + 1]!
      if (y1 > y !== y2 > y && x < (y1 < y2 ? edgeCrossingX(x1, y1, x2, y2, y) : edgeCrossingX(x2, y2, x1, y1, y)))
        inside = !inside
      x1 = x2
      y1 = y2
    }
  }
  return inside
}

/**
 * The x where an edge crosses `y`. Call it with the lower end first, so that both polygons of a shared border get the
 * same number.
 */
// oxlint-disable-next-line max-params -- Numbers, because this inner loop must not allocate.
export function edgeCrossingX(x1: number, y1: number, x2: number, y2: number, y: number): number {
  return ((x2 - x1) * (y - y1)) / (y2 - y1) + x1
}
