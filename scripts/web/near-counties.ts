import type { Database } from 'bun:sqlite'
import { quantize, type Topology } from 'topojson-client'
import { topology } from 'topojson-server'
import { presimplify, simplify } from 'topojson-simplify'
import { readGeometry } from '../../src/geo/text/wkb.ts'

/** Corners with a smaller area, in square degrees, are removed: about 50 m at the highest zoom. */
const cornerMin = 1e-6
const quantization = 1e5

export type RingPosition = [lng: number, lat: number]

/** Returns a detailed topology of the counties and the water for each state: [state FIPS code, topology]. */
export function nearCounties(db: Database, water: ReadonlyMap<string, RingPosition[][][]>): [string, string][] {
  const states = db.query<{ STATEFP: string }, []>('SELECT DISTINCT STATEFP FROM counties ORDER BY STATEFP').all()
  const rows = db.query<{ geom: Uint8Array }, [string]>('SELECT geom FROM counties WHERE STATEFP = ? ORDER BY fid')
  return states.map(({ STATEFP }) => {
    const geometries = rows
      .all(STATEFP)
      .map(({ geom }) => ({ type: 'MultiPolygon', coordinates: readCountyPolygons(geom) }))
    const detailed = topology({ counties: { type: 'GeometryCollection', geometries } })
    const wet = topology({ water: { type: 'MultiPolygon', coordinates: water.get(STATEFP) ?? [] } })
    return [STATEFP, JSON.stringify({ ...small(detailed), water: small(wet) })]
  })
}

function small(detailed: Topology): Topology {
  return quantize(simplify(presimplify(detailed), cornerMin), quantization)
}

/** Reads the polygons of a geometry, each with its rings. */
export function readCountyPolygons(geom: Uint8Array): RingPosition[][][] {
  const polygons: RingPosition[][][] = []
  readGeometry(geom, {
    polygon: () => polygons.push([]),
    ring: () => polygons.at(-1)!.push([]),
    line() {},
    vertex: (lng, lat) => polygons.at(-1)!.at(-1)!.push([lng, lat]),
  })
  return polygons
}
