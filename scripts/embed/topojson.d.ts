/** The parts of TopoJSON used here. The packages have no types. */
declare module 'topojson-server' {
  import type { Topology } from 'topojson-client'
  export function topology(objects: Record<string, object>): Topology
}

declare module 'topojson-simplify' {
  import type { Topology } from 'topojson-client'
  export function presimplify(topology: Topology): Topology
  export function simplify(topology: Topology, minWeight: number): Topology
  /** Drops the arcs that no geometry uses, and the rings for which the filter does not hold. */
  export function filter(topology: Topology, keeps: () => boolean): Topology
}

declare module 'topojson-client' {
  type Position = [number, number]
  export type Topology = {
    type: 'Topology'
    arcs: Position[][]
    objects: Record<string, { geometries: TopoGeometry[] }>
  }
  export type TopoGeometry = { id?: string; properties: { name: string } }
  export function feature(
    topology: Topology,
    object: { geometries: TopoGeometry[] },
  ): { features: { id?: string; properties: { name: string }; geometry: { type: string; coordinates: unknown } }[] }
  /** The borders between geometries for which the filter holds. `a` is `b` at the outer border. */
  export function mesh(
    topology: Topology,
    object: { geometries: TopoGeometry[] },
    filter: (a: TopoGeometry, b: TopoGeometry) => boolean,
  ): { coordinates: Position[][] }
  export function quantize(topology: Topology, transform: number): Topology
  export function merge(
    topology: Topology,
    geometries: TopoGeometry[],
  ): { type: 'MultiPolygon'; coordinates: Position[][][] }
}
