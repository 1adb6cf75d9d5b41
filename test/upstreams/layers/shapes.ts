import type { Point } from '../../../src/model/place.ts'
import { testPlaces, type PlaceName } from '../test-places.ts'

export type ShapePosition = [lng: number, lat: number]
/** Rings are closed, the first of a polygon is its border and the others are its holes. */
export type SimulatedShape =
  | { kind: 'point'; at: ShapePosition }
  | { kind: 'line'; paths: ShapePosition[][] }
  | { kind: 'polygon'; polygons: ShapePosition[][][] }
/** Metres from a place. */
export type Offset = [east_m: number, north_m: number]

/** A point at this distance in meters from a place. */
export function point(place: PlaceName, ...[east_m, north_m]: Offset): SimulatedShape {
  return { kind: 'point', at: positionOf(testPlaces[place], [east_m, north_m]) }
}

/** A line through points that are given in metres from a place. */
function line(place: PlaceName, ...offsets: Offset[]): SimulatedShape {
  return { kind: 'line', paths: [offsets.map((offset) => positionOf(testPlaces[place], offset))] }
}

/** A square about a place, or about a point at this distance from it. */
export function square(place: PlaceName, half_m: number, ...[east_m, north_m]: Offset | []): SimulatedShape {
  return { kind: 'polygon', polygons: [[squareRing(place, half_m, [east_m ?? 0, north_m ?? 0])]] }
}

/** The area around a place in which the documents of publishers have its data: a circle of 30 km. */
export function surroundings(place: PlaceName): SimulatedShape {
  const { lat, lng } = testPlaces[place]
  const corners = Array.from({ length: 360 }, (_, degree): ShapePosition => {
    const angle = (degree * Math.PI) / 180
    const y = lat + surroundings_degrees * Math.sin(angle)
    return [lng + (surroundings_degrees * Math.cos(angle)) / Math.cos((y * Math.PI) / 180), y]
  })
  return { kind: 'polygon', polygons: [[[...corners, corners[0]!]]] }
}

const surroundings_degrees = 30 / 111.2

/** A square with a square hole. */
function ring(
  place: PlaceName,
  half_m: number,
  hole_half_m: number,
  ...[east_m, north_m]: Offset | []
): SimulatedShape {
  const centre: Offset = [east_m ?? 0, north_m ?? 0]
  return { kind: 'polygon', polygons: [[squareRing(place, half_m, centre), squareRing(place, hole_half_m, centre)]] }
}

/** A box by its sides, in metres from a place. */
function box(place: PlaceName, west_m: number, south_m: number, east_m: number, north_m: number): SimulatedShape {
  return area(place, [west_m, south_m], [east_m, south_m], [east_m, north_m], [west_m, north_m])
}

/** A polygon by its corners. */
export function area(place: PlaceName, ...corners: Offset[]): SimulatedShape {
  return { kind: 'polygon', polygons: [[ringOf(place, corners)]] }
}

/** One shape of several parts of the same kind. */
function multipartShape(...shapes: SimulatedShape[]): SimulatedShape {
  if (shapes[0]?.kind === 'line')
    return { kind: 'line', paths: shapes.flatMap((shape) => (shape.kind === 'line' ? shape.paths : [])) }
  return { kind: 'polygon', polygons: shapes.flatMap((shape) => (shape.kind === 'polygon' ? shape.polygons : [])) }
}

const shapesByName = { point, line, square, surroundings, ring, box, area, multipartShape }
/** A shape as the files of layers have it: a function of this file and what it is called with. */
export type WrittenShape = [name: keyof typeof shapesByName, ...args: unknown[]]

/** Draws a shape of a file of layers. A multipart shape has its parts written the same way. */
export function shapeFrom(written: WrittenShape | SimulatedShape): SimulatedShape {
  if (!Array.isArray(written)) return written
  const [name, ...args] = written
  const draw = shapesByName[name] as (...args: unknown[]) => SimulatedShape
  return draw(...(name === 'multipartShape' ? args.map((arg) => shapeFrom(arg as WrittenShape)) : args))
}

/** The point at a distance in meters from another, on the ellipsoid of WGS 84, exact to a thousandth within 10 km. */
export function positionOf({ lat, lng }: Point, [east_m, north_m]: Offset): ShapePosition {
  const sine = Math.sin((lat * Math.PI) / 180)
  const flat = 1 - 0.006_694_379_990_14 * sine ** 2
  const across_m = (6_378_137 / Math.sqrt(flat)) * Math.cos((lat * Math.PI) / 180)
  const along_m = (6_378_137 * (1 - 0.006_694_379_990_14)) / flat ** 1.5
  return [lng + (east_m / across_m) * (180 / Math.PI), lat + (north_m / along_m) * (180 / Math.PI)]
}

function squareRing(place: PlaceName, half: number, [east, north]: Offset): ShapePosition[] {
  return ringOf(place, [
    [east - half, north - half],
    [east + half, north - half],
    [east + half, north + half],
    [east - half, north + half],
  ])
}

function ringOf(place: PlaceName, corners: Offset[]): ShapePosition[] {
  const positions = corners.map((corner) => positionOf(testPlaces[place], corner))
  return [...positions, positions[0]!]
}
