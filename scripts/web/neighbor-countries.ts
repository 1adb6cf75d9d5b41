import { quantize, type TopoGeometry, type Topology } from 'topojson-client'
import { filter, presimplify, simplify } from 'topojson-simplify'
import { ringArea } from './inland-water.ts'
import type { RingPosition } from './near-counties.ts'

/** The countries and territories that a map of the US and its territories shows, by their ISO 3166-1 numbers. */
const neighborCodes = new Set([
  '124', // Canada
  '484', // Mexico
  '044', // The Bahamas
  '084', // Belize
  '092', // British Virgin Islands
  '136', // Cayman Islands
  '192', // Cuba
  '214', // Dominican Republic
  '222', // El Salvador
  '320', // Guatemala
  '332', // Haiti
  '340', // Honduras
  '388', // Jamaica
  '558', // Nicaragua
  '660', // Anguilla
  '663', // Saint Martin
  '666', // Saint Pierre and Miquelon
  '796', // Turks and Caicos Islands
  '882', // Samoa
])

const us = '840'
/** Corners with a smaller area, in square degrees, are removed, except along the border with the US. */
const cornerMin = 0.002

/** Lakes with a smaller area, in square degrees, are not drawn. */
const lakeMin_squareDegrees = 0.1
/** The west, south, east and north of the lakes that are drawn. Lakes elsewhere are never on the map. */
const lakesBox = [-171, 7, -52, 75] as const

/**
 * Returns the land of the neighbors of the US and their lakes as a topology. The map draws both below the US, which has
 * its own shores of the Great Lakes. `inland`: the water of the US, which is drawn above its land.
 */
export function neighborCountries(
  atlas: string,
  lakesOfWorld: readonly RingPosition[][][],
  inland: readonly RingPosition[][][],
): string {
  const topology = presimplify(JSON.parse(atlas) as Topology)
  const { geometries } = topology.objects.countries!
  const usArcs = new Set(geometries.filter(({ id }) => id === us).flatMap(arcsOf))
  const neighbors = geometries.filter(({ id = '' }) => neighborCodes.has(id))
  const kept = new Set(neighbors.flatMap(arcsOf).filter((arc) => usArcs.has(arc)))
  const arcs = topology.arcs.map((arc, i) =>
    kept.has(i) ? arc.map(([lng, lat]) => [lng, lat, Infinity] as unknown as [number, number]) : arc,
  )
  const lakes = largeLakes(lakesOfWorld)
  const objects = {
    neighbors: { ...topology.objects.countries!, geometries: neighbors },
    lakes: { ...topology.objects.countries!, geometries: [multiPolygonOf(lakes, arcs.length)] },
    inland: { ...topology.objects.countries!, geometries: [multiPolygonOf(inland, arcs.length + lakes.flat().length)] },
  }
  // An infinite weight keeps a position of a shore.
  const shores = [...lakes, ...inland]
    .flat()
    .map((ring) => ring.map(([lng, lat]) => [lng, lat, Infinity] as unknown as RingPosition))
  const simplified = simplify({ ...topology, arcs: [...arcs, ...shores], objects }, cornerMin)
  return JSON.stringify(
    quantize(
      filter(simplified, () => true),
      quantization,
    ),
  )
}

/** Steps of about 400 meters. */
const quantization = 40_000

/** Returns the large lakes. */
function largeLakes(lakes: readonly RingPosition[][][]): RingPosition[][][] {
  const [west, south, east, north] = lakesBox
  const isNear = ([lng, lat]: RingPosition) => lng > west && lng < east && lat > south && lat < north
  return lakes.filter(([shore]) => shore!.every(isNear) && ringArea(shore!) > lakeMin_squareDegrees)
}

/** Returns a geometry whose rings are one arc each, from a number on. */
function multiPolygonOf(polygons: readonly RingPosition[][][], firstArc: number): TopoGeometry {
  let arc = firstArc
  const arcs = polygons.map((rings) => rings.map(() => [arc++]))
  return { type: 'MultiPolygon', arcs, properties: { name: 'Lakes' } } as TopoGeometry
}

/** The numbers of the arcs of a geometry. A negative number is the same arc backward. */
function arcsOf(geometry: TopoGeometry): number[] {
  const { arcs } = geometry as unknown as { arcs: unknown[] }
  return (arcs.flat(3) as number[]).map((arc) => (arc < 0 ? ~arc : arc))
}
