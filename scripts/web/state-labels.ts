import { feature, type Topology } from 'topojson-client'

type Ring = [number, number][]
type Label = [name: string, short: string, lng: number, lat: number]

const stateGridSide = 60

/** Returns the label position of each state. */
export function stateLabels(atlas: string, codes: ReadonlyMap<string, string>): Label[] {
  const topology = JSON.parse(atlas) as Topology
  return feature(topology, topology.objects.states!).features.map(({ id = '', properties, geometry }) => {
    return [properties.name, codes.get(id) ?? '', ...labelPointOf(geometry, stateGridSide)]
  })
}

/** Returns the point of the largest part that is farthest from all borders, in a grid, rounded to about 100 m. */
export function labelPointOf(
  { type, coordinates }: { type: string; coordinates: unknown },
  gridSide: number,
): [lng: number, lat: number] {
  const polygons = (type === 'Polygon' ? [coordinates] : coordinates) as Ring[][]
  const largest = polygons.map((rings) => rings[0]!).reduce((best, ring) => (areaOf(ring) > areaOf(best) ? ring : best))
  const [lng, lat] = innermostPoint(largest, gridSide)
  return [Number(lng.toFixed(3)), Number(lat.toFixed(3))]
}

function areaOf(ring: Ring): number {
  return (
    Math.abs(
      ring.reduce((sum, [x, y], i) => {
        const [beforeX, beforeY] = ring.at(i - 1)!
        return sum + beforeX * y - x * beforeY
      }, 0),
    ) / 2
  )
}

/** Returns the best point of a grid over the ring. */
function innermostPoint(ring: Ring, gridSide: number): [number, number] {
  const [xs, ys] = [ring.map(([x]) => x), ring.map(([, y]) => y)]
  const [west, east, south, north] = [Math.min(...xs), Math.max(...xs), Math.min(...ys), Math.max(...ys)]
  const squeeze = Math.cos((((south + north) / 2) * Math.PI) / 180)
  let best = { distance: -1, at: [xs[0]!, ys[0]!] as [number, number] }
  for (let i = 1; i < gridSide; i++) {
    for (let j = 1; j < gridSide; j++) {
      const at: [number, number] = [west + ((east - west) * i) / gridSide, south + ((north - south) * j) / gridSide]
      if (!ringContains(ring, at)) continue
      const distance = Math.min(...ring.map(([x, y]) => Math.hypot((x - at[0]) * squeeze, y - at[1])))
      if (distance > best.distance) best = { distance, at }
    }
  }
  return best.at
}

function ringContains(ring: Ring, [lng, lat]: [number, number]): boolean {
  let isInside = false
  for (const [i, [x, y]] of ring.entries()) {
    const [beforeX, beforeY] = ring.at(i - 1)!
    if (y > lat !== beforeY > lat && lng < ((beforeX - x) * (lat - y)) / (beforeY - y) + x) isInside = !isInside
  }
  return isInside
}
