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

/**
 * Returns the land of the neighbors of the US as a topology. It has no lakes, so the map draws it below the US, whose
 * shores of the Great Lakes it has.
 */
export function neighborCountries(atlas: string): string {
  const topology = presimplify(JSON.parse(atlas) as Topology)
  const { geometries } = topology.objects.countries!
  const usArcs = new Set(geometries.filter(({ id }) => id === us).flatMap(arcsOf))
  const neighbors = geometries.filter(({ id = '' }) => neighborCodes.has(id))
  const kept = new Set(neighbors.flatMap(arcsOf).filter((arc) => usArcs.has(arc)))
  const arcs = topology.arcs.map((arc, i) =>
    kept.has(i) ? arc.map(([lng, lat]) => [lng, lat, Infinity] as unknown as [number, number]) : arc,
  )
  const objects = { neighbors: { ...topology.objects.countries!, geometries: neighbors } }
  const simplified = simplify({ ...topology, arcs, objects }, cornerMin)
  return JSON.stringify(
    quantize(
      filter(simplified, () => true),
      quantization,
    ),
  )
}

/** Steps of about 400 meters. */
const quantization = 40_000

/** The numbers of the arcs of a geometry. A negative number is the same arc backward. */
function arcsOf(geometry: TopoGeometry): number[] {
  const { arcs } = geometry as unknown as { arcs: unknown[] }
  return (arcs.flat(3) as number[]).map((arc) => (arc < 0 ? ~arc : arc))
}
