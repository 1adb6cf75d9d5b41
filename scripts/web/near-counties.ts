import type { Database } from 'bun:sqlite'
import { quantize } from 'topojson-client'
import { topology } from 'topojson-server'
import { presimplify, simplify } from 'topojson-simplify'
import { readGeometry } from '../../src/geo/text/wkb.ts'

/** Corners with a smaller area, in square degrees, are removed: about 50 m at the highest zoom. */
const cornerMin = 1e-6
const quantization = 1e5

/** Returns a detailed topology of the counties for each state: [state FIPS code, topology]. */
export function nearCounties(db: Database): [string, string][] {
  const states = db.query<{ STATEFP: string }, []>('SELECT DISTINCT STATEFP FROM counties ORDER BY STATEFP').all()
  const rows = db.query<{ geom: Uint8Array }, [string]>('SELECT geom FROM counties WHERE STATEFP = ? ORDER BY fid')
  return states.map(({ STATEFP }) => {
    const geometries = rows.all(STATEFP).map(({ geom }) => ({ type: 'MultiPolygon', coordinates: polygonsOf(geom) }))
    const detailed = topology({ counties: { type: 'GeometryCollection', geometries } })
    return [STATEFP, JSON.stringify(quantize(simplify(presimplify(detailed), cornerMin), quantization))]
  })
}

function polygonsOf(geom: Uint8Array): number[][][][] {
  const polygons: number[][][][] = []
  readGeometry(geom, {
    polygon: () => polygons.push([]),
    ring: () => polygons.at(-1)!.push([]),
    line() {},
    vertex: (lng, lat) => polygons.at(-1)!.at(-1)!.push([lng, lat]),
  })
  return polygons
}
