import { expect, test } from 'bun:test'
import { insideUs, regionNear } from '../../src/geo/us.ts'

const inside = [
  ['Denver', 39.7392, -104.9903],
  ['Northwest Angle', 49.38, -95.15],
  ['Key West', 24.55, -81.78],
  ['Point Barrow', 71.39, -156.48],
  ['Attu', 52.9, 172.9],
  ['Adak', 51.88, -176.65],
  ['Honolulu', 21.3069, -157.8583],
  ['Midway', 28.2, -177.37],
  ['San Juan', 18.4655, -66.1057],
  ['Mona', 18.08, -67.9],
  ['St. Croix', 17.73, -64.73],
  ['Hagåtña', 13.475, 144.75],
  ['Saipan', 15.19, 145.75],
  ['Pago Pago', -14.28, -170.7],
  ['Swains', -11.05, -171.08],
  ['half a degree off Maine', 44.8, -66.4],
  ['Toronto, in the box', 43.65, -79.38],
  ['on the antimeridian', 51.9, 180],
] as const
const outside = [
  ['Paris', 48.85, 2.35],
  ['nowhere', 0, 0],
  ['Denver, swapped', -104.9903, 39.7392],
  ['the middle of the Atlantic', 35, -40],
  ['Mexico City', 19.43, -99.13],
  ['latitude 95', 95, -100],
  ['Calgary', 51.04, -114.07],
  ['a huge number', 1e300, -1e300],
] as const

test.each(inside)('%s is inside the envelope', (_name, lat, lng) => expect(insideUs({ lat, lng })).toBe(true))
test.each(outside)('%s is outside the envelope', (_name, lat, lng) => expect(insideUs({ lat, lng })).toBe(false))

test.each([
  ['Denver', 39.7392, -104.9903, 'conus'],
  ['Juneau', 58.3, -134.42, 'ak'],
  ['Attu', 52.9, 172.9, 'ak'],
  ['Honolulu', 21.3069, -157.8583, 'hi'],
  ['Midway', 28.2, -177.37, 'hi'],
  ['Saipan', 15.19, 145.75, 'mp'],
  ['half a degree off Maine', 44.8, -66.4, 'conus'],
  ['nowhere', 0, 0, 'conus'],
] as const)('%s is in or near its region', (_name, lat, lng, region) => expect(regionNear({ lat, lng })).toBe(region))
