/** x before y as in WKB: longitude first. The third and fourth numbers are Z and M. */
export type WkbPosition = readonly number[]

/** The byte order, and the numbers per position: 2, 3 with Z, 4 with Z and M, 'm' with M only. */
type Form = { little: boolean; numbers: 2 | 3 | 4 | 'm' }

/** A geometry is a function that writes it as WKB. */
export type WkbShape = (form: Form) => number[]

export const pointWkb =
  (position: WkbPosition): WkbShape =>
  (form) => [...headOf(1, form), ...positionOf(position, form)]
export const lineWkb =
  (...positions: WkbPosition[]): WkbShape =>
  (form) => [...headOf(2, form), ...positionsOf(positions, form)]
export const polygonWkb =
  (...rings: WkbPosition[][]): WkbShape =>
  (form) => [...headOf(3, form), ...uint32Of(rings.length, form), ...rings.flatMap((ring) => positionsOf(ring, form))]
export const multipoint = (...positions: WkbPosition[]): WkbShape => collected(4, positions.map(pointWkb))
export const multiline = (...lines: WkbPosition[][]): WkbShape =>
  collected(
    5,
    lines.map((positions) => lineWkb(...positions)),
  )
export const multipolygon = (...polygons: WkbPosition[][][]): WkbShape =>
  collected(
    6,
    polygons.map((rings) => polygonWkb(...rings)),
  )
export const collection = (...shapes: WkbShape[]): WkbShape => collected(7, shapes)
/** A geometry type of the standard that is not supported. */
export const circularString =
  (...positions: WkbPosition[]): WkbShape =>
  (form) => [...headOf(8, form), ...positionsOf(positions, form)]

/** The ring of a box. */
export function boxRing(west: number, south: number, east: number, north: number): WkbPosition[] {
  return [
    [west, south],
    [east, south],
    [east, north],
    [west, north],
    [west, south],
  ]
}

/** A GeoPackage geometry: header, envelope of this kind (0 to 4), and WKB. */
export function blob(
  shape: WkbShape,
  {
    little = true,
    numbers = 2,
    envelope = 0,
    isEmpty = false,
  }: Partial<Form> & { envelope?: 0 | 1 | 2 | 3 | 4; isEmpty?: boolean } = {},
): Uint8Array {
  const form = { little, numbers }
  const flags = Number(little) | (envelope << 1) | (isEmpty ? 0x10 : 0)
  const bounds = Array.from({ length: [0, 4, 6, 6, 8][envelope]! }, () => NaN).flatMap((bound) => doubleOf(bound, form))
  return Uint8Array.from([0x47, 0x50, 0, flags, ...uint32Of(4326, form), ...bounds, ...shape(form)])
}

function collected(code: number, shapes: WkbShape[]): WkbShape {
  return (form) => [...headOf(code, form), ...uint32Of(shapes.length, form), ...shapes.flatMap((shape) => shape(form))]
}

function headOf(code: number, form: Form): number[] {
  const kind = { 2: 0, 3: 1000, m: 2000, 4: 3000 }[form.numbers]
  return [Number(form.little), ...uint32Of(kind + code, form)]
}

function positionsOf(positions: WkbPosition[], form: Form): number[] {
  return [...uint32Of(positions.length, form), ...positions.flatMap((position) => positionOf(position, form))]
}

function positionOf(position: WkbPosition, form: Form): number[] {
  const size = form.numbers === 'm' ? 3 : form.numbers
  return Array.from({ length: size }, (_, i) => position[i] ?? 1234.5).flatMap((number) => doubleOf(number, form))
}

function uint32Of(value: number, { little }: Form): number[] {
  const view = new DataView(new ArrayBuffer(4))
  view.setUint32(0, value, little)
  return [...new Uint8Array(view.buffer)]
}

function doubleOf(value: number, { little }: Form): number[] {
  const view = new DataView(new ArrayBuffer(8))
  view.setFloat64(0, value, little)
  return [...new Uint8Array(view.buffer)]
}
