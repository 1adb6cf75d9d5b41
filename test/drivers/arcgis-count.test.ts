import { expect, test } from 'bun:test'
import geodesic from 'geographiclib-geodesic'
import { countParameters } from '../../src/drivers/arcgis/arcgis-count.ts'

const wgs84 = geodesic.Geodesic.WGS84
const places = [
  ['Denver', { lat: 39.7392, lng: -104.9903 }, 500],
  ['Denver, far about', { lat: 39.7392, lng: -104.9903 }, 50_000],
  ['Utqiagvik', { lat: 71.2906, lng: -156.7886 }, 10_000],
  ['Pago Pago', { lat: -14.27, lng: -170.7 }, 1_000],
] as const

test.each(places)(
  'the count polygon is clockwise and has the radius and area of the circle within 0.1 %% (%s)',
  (_name, at, radius_m) => {
    const { rings } = JSON.parse(countParameters(at, radius_m).geometry!) as { rings: [number, number][][] }
    const polygon = wgs84.Polygon(false)
    for (const [lng, lat] of rings[0]!.slice(1)) {
      polygon.AddPoint(lat, lng)
      expect(wgs84.Inverse(at.lat, at.lng, lat, lng).s12! / radius_m).toBeWithin(0.999, 1.001)
    }
    // A counterclockwise ring has a positive area.
    expect(-polygon.Compute(false, true).area! / (Math.PI * radius_m ** 2)).toBeWithin(0.999, 1.001)
  },
)
