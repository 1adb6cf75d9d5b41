import { Database } from 'bun:sqlite'
import { expect, test } from 'bun:test'
import { copyFileSync, readFileSync, renameSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import rrad from 'rrad/addresses-us-all.json'
import { distanceBetween_m } from '../../src/geo/ecef.ts'
import { openAddressPackFolder } from '../../src/packs/addresses/address-pack-folder.ts'
import { createAddressParser } from '../../src/address/parse-address.ts'
import { realGazetteer } from '../support/real-gazetteer.ts'
import { newAddressFolder, buildPointPack, type PointText } from './build-address-packs.ts'

const gazetteer = realGazetteer()
const parse = createAddressParser(gazetteer)
const budget = { signal: new AbortController().signal }

async function createFinder(points: PointText[]) {
  const folder = newAddressFolder()
  await buildPointPack(folder, points)
  const packs = openAddressPackFolder(folder)
  return (text: string) => packs.find(parse(text), budget)
}

const main: PointText = {
  number: '123',
  street: 'N Main Street',
  city: 'Denver',
  region: 'CO',
  postcode: '80202',
  lat: 39.75,
  lng: -105,
}

test('an exact number on its street is a rooftop match with the components and formatted address of the pack', async () => {
  const find = await createFinder([main])
  expect(find('123 n main st, denver, co 80202')).toEqual([
    {
      lat: 39.75,
      lng: -105,
      accuracy_type: 'rooftop',
      score: 1,
      normalized_address: '123 N Main St, Denver, CO 80202',
      components: {
        number: '123',
        predirectional: 'N',
        street: 'Main',
        suffix: 'St',
        city: 'Denver',
        state: 'CO',
        zip: '80202',
      },
    },
  ])
})

test('the matches of towns of one name are in the order of their states', async () => {
  const inState = (region: string, postcode: string, lat: number) => ({ ...main, city: 'Salem', region, postcode, lat })
  const find = await createFinder([
    inState('OR', '97301', 44.94),
    inState('MA', '01970', 42.52),
    inState('VA', '24153', 37.29),
  ])
  const expected = ['MA 01970', 'OR 97301', 'VA 24153'].map((end) => `123 N Main St, Salem, ${end}`)
  expect(find('123 N Main St, Salem').map((it) => it.normalized_address)).toEqual(expected)
})

test.each([
  ['123 N Main St, Denver, CO', 1],
  ['123 N Main St, 80202', 1],
  ['123 North Main, Denver, CO', 0.95],
  ['123 Main St, Denver, CO', 0.8],
  ['123 Main St N, Denver, CO', 0.9],
  ['123 N Main Ave, Denver, CO', 0.5],
  ['123 N Main St, Denver, CO 80203', 0.9],
  ['123 N Main St, Boulder, CO 80202', 0.85],
] as const)('%s matches with a score of %d', async (text, score) => {
  const find = await createFinder([main])
  expect(find(text).map((match) => [match.accuracy_type, match.score])).toEqual([['rooftop', score]])
})

test.each([
  '123 S Main St, Denver, CO',
  '123 N Main St, Boulder, CO 80302',
  '123 N Main St, Cheyenne, WY 80202',
  '123 N Elm St, Denver, CO',
  '124 N Main St, Aspen, CO',
])('%s does not match', async (text) => {
  const find = await createFinder([main])
  expect(find(text).filter(({ score }) => (score ?? 0) >= 0.6)).toEqual([])
})

test('a missing number matches only the center of its street', async () => {
  const find = await createFinder([main, { ...main, number: '125', lat: 39.752 }])
  expect(
    find('127 N Main St, Denver, CO').map(({ accuracy_type, lat, components }) => [
      accuracy_type,
      Number(lat.toFixed(3)),
      components.number,
    ]),
  ).toEqual([['street_center', 39.751, undefined]])
})

test('a known unit is a rooftop match; otherwise the building is the nearest match', async () => {
  const find = await createFinder([
    { ...main, unit: '' },
    { ...main, unit: 'APT 4', lat: 39.7501 },
  ])
  expect(
    find('123 N Main St #4, Denver, CO').map(({ accuracy_type, lat, components }) => [
      accuracy_type,
      lat,
      components.unit,
    ]),
  ).toEqual([['rooftop', 39.7501, 'APT 4']])
  expect(
    find('123 N Main St Apt 5, Denver, CO').map(({ accuracy_type, lat, components }) => [
      accuracy_type,
      lat,
      components.unit,
    ]),
  ).toEqual([['nearest_rooftop_match', 39.75, undefined]])
  expect(find('123 N Main St, Denver, CO').map(({ accuracy_type, lat }) => [accuracy_type, lat])).toEqual([
    ['rooftop', 39.75],
  ])
})

test('an unknown letter or fraction after the number matches the building', async () => {
  const find = await createFinder([main, { ...main, number: '125 1/2', lat: 39.7502 }])
  expect(
    find('123A N Main St, Denver, CO').map(({ accuracy_type, components }) => [accuracy_type, components.number]),
  ).toEqual([['nearest_rooftop_match', '123']])
  expect(
    find('125 1/2 N Main St, Denver, CO').map(({ accuracy_type, components }) => [accuracy_type, components.number]),
  ).toEqual([['rooftop', '125 1/2']])
  expect(find('125 N Main St, Denver, CO').map(({ accuracy_type }) => accuracy_type)).toEqual(['street_center'])
})

test('hyphenated and grid numbers are distinct numbers', async () => {
  const find = await createFinder([
    { ...main, number: '12-34' },
    { ...main, number: 'N6W23001', street: 'Bluemound Rd' },
  ])
  expect(find('12-34 N Main St, Denver, CO')[0]?.accuracy_type).toBe('rooftop')
  expect(find('34 N Main St, Denver, CO')[0]?.accuracy_type).toBe('street_center')
  expect(find('12-36 N Main St, Denver, CO')[0]?.accuracy_type).toBe('street_center')
  expect(find('N6W23001 Bluemound Rd, Denver, CO')[0]?.normalized_address).toBe(
    'N6W23001 Bluemound Rd, Denver, CO 80202',
  )
})

test('distant matches with equal scores are all returned; nearby ones are merged', async () => {
  const find = await createFinder([
    { ...main, street: 'Oak Street' },
    { ...main, street: 'Oak Avenue', lat: 39.78 },
    { ...main, number: '7', street: 'Elm St' },
    { ...main, number: '7', street: 'Elm St', lat: 39.7505 },
    { ...main, number: '9', street: 'Elm St' },
    { ...main, number: '9', street: 'Elm St', lat: 39.7805 },
  ])
  expect(
    find('123 Oak, Denver, CO')
      .map(({ normalized_address }) => normalized_address)
      .toSorted(),
  ).toEqual(['123 Oak Ave, Denver, CO 80202', '123 Oak St, Denver, CO 80202'])
  expect(find('123 Oak St, Denver, CO')).toHaveLength(1)
  expect(find('7 Elm St, Denver, CO')).toHaveLength(1)
  expect(find('9 Elm St, Denver, CO')).toHaveLength(2)
})

test('an address in two ZIP codes of a town is ambiguous without a ZIP code, and unambiguous with one', async () => {
  const find = await createFinder([main, { ...main, postcode: '80205', lat: 39.78 }])
  expect(find('123 N Main St, Denver, CO')).toHaveLength(2)
  expect(find('123 N Main St, Denver, CO 80205').map(({ components }) => components.zip)).toEqual(['80205'])
})

test('a contradicting ZIP code and town return both addresses with reduced scores', async () => {
  const find = await createFinder([main, { ...main, city: 'Aurora', postcode: '80210', lat: 39.7 }])
  expect(
    find('123 N Main St, Aurora, CO 80202')
      .map(({ components }) => components.city ?? '')
      .toSorted(),
  ).toEqual(['Aurora', 'Denver'])
})

test('a street matches by its municipality and by its postal town, and the result shows the town of the query', async () => {
  const find = await createFinder([{ ...main, city: 'Glendale' }])
  for (const city of ['Glendale', 'Denver'])
    expect(find(`123 N Main St, ${city}, CO`).map(({ score, components }) => [score, components.city])).toEqual([
      [1, city],
    ])
  expect(find('123 N Main St, Denver, CO 80202').map(({ score }) => score)).toEqual([1])
  expect(find('123 N Main St, Aurora, CO')).toEqual([])
})

test('a name matches with a letter missing, added, changed or swapped', async () => {
  const find = await createFinder([
    { ...main, street: 'Applegate Lane' },
    { ...main, street: 'Martin Luther King Blvd' },
  ])
  for (const street of ['Aplegate Ln', 'Appplegate Ln', 'Applegete Ln', 'Applegaet Ln']) {
    const [match, ...more] = find(`123 ${street}, Denver, CO 80202`)
    expect([street, match?.components.street, match?.accuracy_type, more.length]).toEqual([
      street,
      'Applegate',
      'rooftop',
      0,
    ])
    expect(match!.score!).toBeLessThan(1)
    expect(match!.score!).toBeGreaterThan(0.6)
  }
  expect(find('123 Marten Luther Kng Blvd, Denver, CO 80202').map(({ components }) => components.street)).toEqual([
    'Martin Luther King',
  ])
  expect(find('123 Appomattox Ln, Denver, CO 80202')).toEqual([])
})

test('an existing name never matches a similar one, and numbered streets must match exactly', async () => {
  const find = await createFinder([
    { ...main, street: 'Applegate Lane' },
    { ...main, number: '5', street: 'Applegata Lane' },
    { ...main, street: '17th Street' },
  ])
  expect(find('5 Applegate Ln, Denver, CO').map(({ accuracy_type }) => accuracy_type)).toEqual(['street_center'])
  expect(find('123 18th St, Denver, CO')).toEqual([])
})

test('a pack with half of the rrad addresses finds each of them, and puts none of the other half into another town', async () => {
  const all = (
    rrad.addresses as {
      address1: string
      address2: string
      city?: string
      state: string
      postalCode: string
      coordinates: { lat: number; lng: number }
    }[]
  ).filter(({ address1 }) => /^\d+ /.test(address1))
  const folder = newAddressFolder()
  await buildPointPack(
    folder,
    all
      .filter((_, i) => i % 2 === 0)
      .map(({ address1, address2, city = '', state, postalCode, coordinates }) => {
        const [number = ''] = /^\d+(?: \d\/\d)?/.exec(address1) ?? []
        return {
          number,
          street: address1.slice(number.length + 1),
          unit: address2,
          city,
          region: state,
          postcode: postalCode,
          ...coordinates,
        }
      }),
    'addresses.sqlite',
    gazetteer.placeOfZip,
  )
  const packs = openAddressPackFolder(folder)
  const wrong: unknown[] = []
  let own = 0
  for (const [i, { address1, address2, city, state, postalCode, coordinates }] of all.entries()) {
    const [match] = packs.find(
      parse([address1, address2, city, `${state} ${postalCode}`].filter((part) => part).join(', ')),
      budget,
    )
    const isServed = match !== undefined && match.accuracy_type !== 'street_center'
    if (i % 2 === 0 && isServed && distanceBetween_m(match, coordinates) < 150) own++
    if (isServed && (distanceBetween_m(match, coordinates) > 1_000 || match.components.state !== state))
      wrong.push([address1, city, match])
  }
  expect(wrong).toEqual([])
  expect(own).toBe(all.filter((_, i) => i % 2 === 0).length)
  packs.close()
})

test('a missing folder has no packs and finds nothing', () => {
  const packs = openAddressPackFolder(join(newAddressFolder(), 'none'))
  expect([packs.list(), packs.edition(), packs.find(parse('123 Main St, Denver, CO'), budget)]).toEqual([[], '', []])
})

test('packs report what they cover', async () => {
  const folder = newAddressFolder()
  await buildPointPack(folder, [main])
  const packs = openAddressPackFolder(folder)
  expect(
    ['1 A St, 80202', '1 A St, Denver, CO', '1 A St, Boulder, CO 80302'].map((text) => packs.covers(parse(text))),
  ).toEqual([true, true, false])
})

test('a file that is not an address pack, is truncated or has another version is rejected, and the others serve', async () => {
  const folder = newAddressFolder()
  const file = (name: string) => join(folder, `addresses-${name}.sqlite`)
  await buildPointPack(folder, [main])
  writeFileSync(file('text'), 'no database')
  writeFileSync(file('empty'), '')
  new Database(file('foreign'), { create: true }).run('CREATE TABLE people (id INTEGER)')
  copyFileSync(join(folder, 'addresses.sqlite'), file('newer'))
  new Database(file('newer')).run('PRAGMA user_version = 3')
  copyFileSync(join(folder, 'addresses.sqlite'), file('half'))
  truncateSync(file('half'), readFileSync(file('half')).length / 2)
  copyFileSync(join(folder, 'addresses.sqlite'), file('damaged'))
  const bytes = readFileSync(file('damaged'))
  writeFileSync(file('damaged'), bytes.fill(0xff, 100, 16_384))
  copyFileSync(join(folder, 'addresses.sqlite'), file('written'))
  writeFileSync(`${file('written')}-wal`, 'x')
  const packs = openAddressPackFolder(folder)
  const reasons = Object.fromEntries(packs.list().map((it) => [it.file, it.reason]))
  expect(reasons['addresses.sqlite']).toBeNull()
  expect(reasons['addresses-text.sqlite']).toContain('is not an address pack (a SQLite file)')
  expect(reasons['addresses-empty.sqlite']).toContain('is empty (0 bytes). Expected an address pack.')
  expect(reasons['addresses-foreign.sqlite']).toContain('Its tables: people')
  expect(reasons['addresses-newer.sqlite']).toContain('version 3. Expected version 2.')
  expect(reasons['addresses-half.sqlite']).toContain('is truncated')
  expect(reasons['addresses-damaged.sqlite']).toContain('SQLite reports')
  expect(reasons['addresses-written.sqlite']).toContain('the file addresses-written.sqlite-wal exists next to it')
  expect(packs.find(parse('123 N Main St, Denver, CO'), budget)).toHaveLength(1)
})

test('an added, replaced or removed pack is noticed within a second and changes the edition', async () => {
  const folder = newAddressFolder()
  let now = new Date('2026-11-21T00:00:00Z')
  const packs = openAddressPackFolder(folder, { now: () => now })
  const later = () => (now = new Date(now.getTime() + 1_000))
  const numbers = () => packs.find(parse('123 N Main St, Denver, CO'), budget).map(({ lat }) => lat)
  const editions = [packs.edition()]
  await buildPointPack(folder, [main])
  expect(numbers()).toEqual([])
  later()
  expect(numbers()).toEqual([39.75])
  editions.push(packs.edition())
  await buildPointPack(folder, [{ ...main, lat: 39.76 }], 'new.sqlite')
  renameSync(join(folder, 'new.sqlite'), join(folder, 'addresses.sqlite'))
  later()
  expect(numbers()).toEqual([39.76])
  editions.push(packs.edition())
  rmSync(join(folder, 'addresses.sqlite'))
  later()
  expect(numbers()).toEqual([])
  expect(new Set(editions).size).toBe(3)
  packs.close()
})

test('an aborted query throws', async () => {
  const folder = newAddressFolder()
  await buildPointPack(folder, [main])
  const packs = openAddressPackFolder(folder)
  expect(() =>
    packs.find(parse('123 N Main St, Denver, CO'), { signal: AbortSignal.abort(new Error('given up')) }),
  ).toThrow('given up')
})
