import type { Polygon, LngLat } from './layer.ts'
import { Protobuf } from './protobuf.ts'

/** A feature with one property, its name. */
export type NamedPolygons = { name: string; polygons: Polygon[] }

/**
 * Reads a Geobuf collection of polygons with one property each.
 *
 * @throws on other geometries.
 */
export function featuresOf(bytes: Buffer): NamedPolygons[] {
  const file = new Protobuf(bytes)
  const features: NamedPolygons[] = []
  let decimals = 6
  while (file.more) {
    switch (file.tag()) {
      case 2:
        file.varint()
        break
      case 3:
        decimals = file.varint()
        break
      case 4:
        features.push(...messages(file.message()).map((feature) => named(feature, 10 ** decimals)))
        break
      default:
        file.message()
    }
  }
  return features
}

/** Returns the messages of a field that contains only messages. */
function messages(list: Protobuf): Protobuf[] {
  const out: Protobuf[] = []
  while (list.more) {
    list.tag()
    out.push(list.message())
  }
  return out
}

function named(feature: Protobuf, scale: number): NamedPolygons {
  const out: NamedPolygons = { name: '', polygons: [] }
  while (feature.more) {
    const tag = feature.tag()
    const message = feature.message()
    if (tag === 1) out.polygons = polygonsOf(message, scale)
    if (tag === 13) {
      message.tag()
      out.name = message.text()
    }
  }
  return out
}

const polygonType = 4
const multiPolygonType = 5

function polygonsOf(geometry: Protobuf, scale: number): Polygon[] {
  let type = 0
  let lengths: number[] = []
  while (geometry.more) {
    switch (geometry.tag()) {
      case 1:
        type = geometry.varint()
        break
      case 2:
        lengths = [...varints(geometry.message())]
        break
      case 3: {
        const steps = geometry.message()
        return ringLengths(type, lengths).map((rings) => rings.map((length) => ring(steps, length, scale)))
      }
      default:
        throw new Error('A Geobuf geometry has parts that a polygon does not have.')
    }
  }
  return []
}

/** Returns the points of each ring of each polygon. Geobuf omits the lengths if there is only one ring. */
function ringLengths(type: number, lengths: number[]): number[][] {
  if (type !== polygonType && type !== multiPolygonType)
    throw new Error(`A Geobuf geometry is of type ${type}, expected polygons.`)
  if (lengths.length === 0) return [[Infinity]]
  if (type === polygonType) return [lengths]
  const polygons: number[][] = []
  for (let at = 1; at < lengths.length; at += 1 + lengths[at]!)
    polygons.push(lengths.slice(at + 1, at + 1 + lengths[at]!))
  return polygons
}

/** Points are deltas from the previous point. The file omits the last point, which closes the ring. */
function ring(steps: Protobuf, length: number, scale: number): LngLat[] {
  const out: LngLat[] = []
  let [x, y] = [0, 0]
  for (let i = 0; i < length && steps.more; i++) {
    x += steps.signed()
    y += steps.signed()
    out.push([x / scale, y / scale])
  }
  return [...out, out[0]!]
}

function* varints(list: Protobuf): Generator<number> {
  while (list.more) yield list.varint()
}
