import { expect, test } from 'bun:test'
import {
  fillUrl,
  boundingBoxAround,
  placeholdersIn,
  pointValues,
  fillText,
  fillVerbatim,
} from '../../src/drivers/rest/url-template.ts'
import { UpstreamError } from '../../src/model/error.ts'

const codeOf = (work: () => unknown) => {
  try {
    return work()
  } catch (error) {
    return error instanceof UpstreamError ? error.code : error
  }
}

test('fillUrl encodes values and keeps the rest of the URL', () => {
  expect(fillUrl("https://a.gov/{a}?x='{b}'&c={c}", { a: 'x/y', b: 'ö&', c: '1,2' })).toBe(
    "https://a.gov/x%2Fy?x='%C3%B6%26'&c=1,2",
  )
})
test('fillUrl throws for a missing value', () => {
  expect(codeOf(() => fillUrl('https://a.gov/{key}', {}))).toBe('unsupported_request')
  expect(codeOf(() => fillUrl('https://a.gov/{key}', { key: null }))).toBe('unsupported_request')
})
test('fillText accepts only codes and numbers', () => {
  expect(
    fillText("POINT({lon} {lat}) '{today-10y}'", {
      ...pointValues({ lat: 40.5, lng: -105.123456789 }),
      'today-10y': '2016-07-16',
    }),
  ).toBe("POINT(-105.1234568 40.5) '2016-07-16'")
  expect(codeOf(() => fillText("'{a}'", { a: "1' OR '1'='1" }))).toBe('bad_value')
})
test('fillVerbatim inserts values unchanged', () => {
  expect(fillVerbatim('{a}', { a: '{"type":"Polygon"}' })).toBe('{"type":"Polygon"}')
})
test('placeholders are distinguished from the braces of JSON', () => {
  expect(placeholdersIn('{"x":{lon},"y":{lat},"k":{today-10y}}')).toEqual(['lon', 'lat', 'today-10y'])
})
test('a bounding box contains its circle, at the pole and with an infinite radius', () => {
  const { w, s, e, n } = boundingBoxAround({ lat: 60, lng: 10 }, 10_000)
  expect([(n - s) * 110_567 >= 20_000, (e - w) * 55_800 >= 20_000]).toEqual([true, true])
  expect(boundingBoxAround({ lat: 10, lng: 0 }, Infinity)).toEqual({ w: -180, s: -90, e: 180, n: 90 })
})
