import type { Database } from 'bun:sqlite'
import { quantize } from 'topojson-client'
import { topology } from 'topojson-server'
import { presimplify, simplify } from 'topojson-simplify'
import { readGeometry } from '../../src/geo/wkb.ts'

/** Corners that span less than this, in square degrees, are cut off: some fifty metres at the screen's finest. */
const cornerMin = 1e-6
const quantization = 1e5

/** The counties of each state for looking from near by, as a topology of their own: [number of the state, topology]. */
export function nearCounties(db: Database): [string, string][] {
  const states = db.query<{ STATEFP: string }, []>('SELECT DISTINCT STATEFP FROM counties ORDER BY STATEFP').all()
  const rows = db.query<{ geom: Uint8Array }, [string]>('SELECT geom FROM counties WHERE STATEFP = ? ORDER BY fid')
  return states.map(({ STATEFP }) => {
    const geometries = rows.all(STATEFP).map(({ geom }) => ({ type: 'MultiPolygon', coordinates: polygonsOf(geom) }))
    const whole = topology({ counties: { type: 'GeometryCollection', geometries } })
    return [STATEFP, JSON.stringify(quantize(simplify(presimplify(whole), cornerMin), quantization))]
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
