import { coordinateStep_degrees, createGrowableArray, type FlatGeometries } from '../../src/geo/flat-geometries.ts'
import { readGeometry, type VertexBlock } from '../../src/geo/text/wkb.ts'

/** Creates a collector for the geometries of features, in order. */
export function createGeometryCollector() {
  const coordinates = createGrowableArray(Int32Array)
  const starts = createGrowableArray(Uint32Array)
  const polygonRings = createGrowableArray(Uint32Array)
  const polygonFeatures = createGrowableArray(Uint32Array)
  const ringFeatures = createGrowableArray(Uint32Array)
  let feature = -1
  let vertices = 0
  const addLine = (points: number) => {
    starts.push(vertices)
    ringFeatures.push(feature)
    vertices += points
  }
  const visitor = {
    polygon: () => {
      polygonRings.push(starts.length())
      polygonFeatures.push(feature)
    },
    ring: addLine,
    line: addLine,
    vertexBlock({ view, offset, count, stride_bytes, littleEndian }: VertexBlock) {
      for (let at = offset; at < offset + count * stride_bytes; at += stride_bytes) {
        coordinates.push(Math.round(view.getFloat64(at, littleEndian) / coordinateStep_degrees))
        coordinates.push(Math.round(view.getFloat64(at + 8, littleEndian) / coordinateStep_degrees))
      }
    },
  }
  return {
    /** Adds the geometry of the next feature and returns the index of the feature. */
    add(geometry: Uint8Array | null): number {
      feature++
      readGeometry(geometry, visitor)
      return feature
    },
    /** Returns the geometries. Nothing can be added afterwards. */
    finish(): FlatGeometries {
      polygonRings.push(starts.length())
      starts.push(vertices)
      return {
        coordinates: coordinates.finish(),
        starts: starts.finish(),
        polygonRings: polygonRings.finish(),
        polygonFeatures: polygonFeatures.finish(),
        ringFeatures: ringFeatures.finish(),
      }
    },
  }
}
