import { quantize, type TopoGeometry, type Topology } from 'topojson-client'
import { filter, presimplify, simplify } from 'topojson-simplify'

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
 * its own shores of the Great Lakes. `lakesOfWorld` is a GeoJSON file of geo-maps.
 */
export function neighborCountries(atlas: string, lakesOfWorld: string): string {
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
  }
  // An infinite weight keeps a position of a shore.
  const shores = lakes.flat().map((ring) => ring.map(([lng, lat]) => [lng, lat, Infinity] as unknown as Position))
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

type Position = [lng: number, lat: number]

/** Returns the large lakes of a file of geo-maps as polygons of rings. */
function largeLakes(text: string): Position[][][] {
  const { geometries } = JSON.parse(text) as { geometries: { coordinates: Position[][][] }[] }
  const [west, south, east, north] = lakesBox
  const isNear = ([lng, lat]: Position) => lng > west && lng < east && lat > south && lat < north
  return geometries
    .flatMap(({ coordinates }) => coordinates)
    .filter(([shore]) => shore!.every(isNear) && areaOf(shore!) > lakeMin_squareDegrees)
}

/** The area of a ring in square degrees. */
function areaOf(ring: readonly Position[]): number {
  const crossed = ring.slice(1).map(([lng, lat], i) => ring[i]![0] * lat - lng * ring[i]![1])
  return Math.abs(crossed.reduce((sum, product) => sum + product, 0)) / 2
}

/** Returns a geometry whose rings are one arc each, from a number on. */
function multiPolygonOf(polygons: Position[][][], firstArc: number): TopoGeometry {
  let arc = firstArc
  const arcs = polygons.map((rings) => rings.map(() => [arc++]))
  return { type: 'MultiPolygon', arcs, properties: { name: 'Lakes' } } as TopoGeometry
}

/** The numbers of the arcs of a geometry. A negative number is the same arc backward. */
function arcsOf(geometry: TopoGeometry): number[] {
  const { arcs } = geometry as unknown as { arcs: unknown[] }
  return (arcs.flat(3) as number[]).map((arc) => (arc < 0 ? ~arc : arc))
}
