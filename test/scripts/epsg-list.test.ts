import { expect, test } from 'bun:test'
import list from 'proj4-list/dist/list.min.js' with { type: 'text' }
import { readableEntriesOf } from '../../scripts/build/epsg-list.ts'
import { projectionOf } from '../../src/geo/projection.ts'

test('the executable has the definition of each EPSG code that can be read, and of no other', () => {
  const all = JSON.parse(list.slice(list.indexOf('{'), list.lastIndexOf('}') + 1)) as Record<string, string[]>
  const readable = Object.values(all).filter(([code]) => isRead(code!))
  expect(readable.length).toBeGreaterThan(2_000)
  expect(JSON.parse(`[${readableEntriesOf(list).replaceAll('][', '],[')}]`)).toEqual(readable)
})

function isRead(code: string): boolean {
  try {
    projectionOf(code)
    return true
  } catch {
    return false
  }
}
