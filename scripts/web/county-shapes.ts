import type { Database } from 'bun:sqlite'
import { feature, type Topology } from 'topojson-client'
import { presimplify, simplify } from 'topojson-simplify'

/** Corners with a smaller area, in square pixels of a map that is 975 pixels wide, are removed. */
const cornerMin = 0.5
/** Units of the path data in a pixel. */
const unitsPerPixel = 4

/**
 * Returns all counties by name: the FIPS code, the name with the state, and the outline as SVG path data in quarters of
 * a pixel. The map has the 50 states in the Albers projection, with Alaska and Hawaii moved. The counties of the
 * territories have no outline.
 */
export function countyShapes(db: Database, atlas: string): [fips: string, name: string, path: string][] {
  const rows = db
    .query<{ fips: string; name: string }, []>(
      `SELECT GEOID AS fips, NAMELSAD || ', ' || STUSPS AS name FROM counties ORDER BY name`,
    )
    .all()
  const simplified = simplify(presimplify(JSON.parse(atlas) as Topology), cornerMin)
  const paths = new Map(
    feature(simplified, simplified.objects.counties!).features.map(({ id = '', geometry }) => {
      const { type, coordinates } = geometry as { type: string; coordinates: number[][][] & number[][][][] }
      const polygons: number[][][][] = type === 'MultiPolygon' ? coordinates : [coordinates]
      return [id, polygons.flat().map(pathOfRing).join('')]
    }),
  )
  return rows.map(({ fips, name }) => [fips, name, paths.get(fips) ?? ''])
}

/** A ring in relative coordinates; empty if nothing of it is left. */
function pathOfRing(ring: readonly number[][]): string {
  const points = ring.map(([x, y]): [number, number] => [unitsOf(x!), unitsOf(y!)])
  const steps: string[] = []
  for (let i = 1; i < points.length - 1; i++) {
    const [dx, dy] = [points[i]![0] - points[i - 1]![0], points[i]![1] - points[i - 1]![1]]
    if (dx !== 0 || dy !== 0) steps.push(`${dx}${dy < 0 ? '' : ' '}${dy}`)
  }
  return steps.length < 2 ? '' : `M${points[0]!.join(' ')}l${steps.join(' ').replaceAll(' -', '-')}z`
}

function unitsOf(pixels: number): number {
  return Math.round(pixels * unitsPerPixel)
}
