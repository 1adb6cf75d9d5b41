import { expect, test } from 'bun:test'
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { sampleOf } from '../support/sample-data.ts'
import { insideUs } from '../../src/geo/us.ts'
import { openAddressPackFolder } from '../../src/packs/addresses/address-pack-folder.ts'
import type { InputFeature } from '../../src/files/input-file.ts'
import { openInput } from '../../src/files/open-input.ts'
import { buildAddresses } from '../../src/build-packs/addresses/build-addresses.ts'
import { createAddressParser } from '../../src/address/parse-address.ts'
import { realGazetteer } from '../support/real-gazetteer.ts'
import { newAddressFolder, buildRangePack, buildPointPack, type LineText } from './build-address-packs.ts'

const gazetteer = realGazetteer()
const parse = createAddressParser(gazetteer)
const budget = { signal: new AbortController().signal }

async function createFinder(lines: LineText[]) {
  const folder = newAddressFolder()
  await buildRangePack(folder, lines)
  const packs = openAddressPackFolder(folder)
  return (text: string) => packs.find(parse(`${text}, Denver, CO 80202`), budget)
}

/** 1,111.95 m due north. Ten meters are 0.0000899 degrees of latitude and, at 39 degrees, 0.0001157 of longitude. */
const north: LineText = {
  name: 'Main St',
  line: [
    [-105, 39],
    [-105, 39.01],
  ],
  left: ['101', '199', 'O'],
  right: ['100', '200', 'E'],
}
const [up, across] = [10 / 111_195, 10 / (111_195 * Math.cos((39 * Math.PI) / 180))]

test.each([
  ['100 Main St', 39, across],
  ['150 Main St', 39.005, across],
  ['200 Main St', 39.01, across],
  ['120 Main St', 39.002, across],
  ['101 Main St', 39, -across],
  ['199 Main St', 39.01, -across],
] as const)('%s is at its fraction of the line, ten meters to the right or left', async (text, lat, east) => {
  const [match, ...more] = (await createFinder([north]))(text)
  expect(match?.accuracy_type).toBe('range_interpolation')
  expect(match!.lat).toBeCloseTo(lat, 6)
  expect(match!.lng).toBeCloseTo(-105 + east, 6)
  expect(more).toEqual([])
})

test('numbers that decrease along the line are interpolated from its end', async () => {
  const find = await createFinder([{ ...north, right: ['200', '100', 'E'] }])
  expect(find('120 Main St')[0]!.lat).toBeCloseTo(39.008, 6)
})

test('the fraction applies to the length, whatever the number of bends', async () => {
  const find = await createFinder([
    {
      ...north,
      line: [
        [-105, 39],
        [-105, 39.001],
        [-105, 39.002],
        [-105, 39.01],
      ],
    },
  ])
  expect(find('150 Main St')[0]!.lat).toBeCloseTo(39.005, 6)
})

test('on an eastward line, right is south', async () => {
  const find = await createFinder([
    {
      ...north,
      line: [
        [-105, 39],
        [-104.99, 39],
      ],
    },
  ])
  const [match] = find('150 Main St')
  expect(match!.lat).toBeCloseTo(39 - up, 6)
  expect(match!.lng).toBeCloseTo(-104.995, 6)
})

test.each(['98 Main St', '202 Main St', '99 Main St', '201 Main St', '99999 Main St'])(
  '%s is outside the range and matches only the street center',
  async (text) => {
    expect((await createFinder([north]))(text).map(({ accuracy_type }) => accuracy_type)).toEqual(['street_center'])
  },
)

test('a number with the other parity is not on that side', async () => {
  const { left: _, ...right } = north
  expect((await createFinder([right]))('151 Main St').map(({ accuracy_type }) => accuracy_type)).toEqual([
    'street_center',
  ])
})

test('a side may have both parities; without a declared parity, the numbers at its ends decide', async () => {
  const { left: _, ...right } = north
  expect((await createFinder([{ ...right, right: ['100', '200', 'B'] }]))('151 Main St')[0]!.accuracy_type).toBe(
    'range_interpolation',
  )
  expect((await createFinder([{ ...right, right: ['100', '201'] }]))('151 Main St')[0]!.accuracy_type).toBe(
    'range_interpolation',
  )
  expect((await createFinder([{ ...right, right: ['100', '200'] }]))('151 Main St')[0]!.accuracy_type).toBe(
    'street_center',
  )
})

test('12-34 is between 12-01 and 12-99, but 34 is not', async () => {
  const find = await createFinder([{ ...north, left: ['12-01', '12-99', 'O'], right: ['12-00', '12-98', 'E'] }])
  expect(find('12-34 Main St')[0]!.accuracy_type).toBe('range_interpolation')
  expect(find('34 Main St')[0]!.accuracy_type).toBe('street_center')
  expect(find('13-34 Main St')[0]!.accuracy_type).toBe('street_center')
})

test('two distant ranges of one street with the same number are ambiguous', async () => {
  const find = await createFinder([
    north,
    {
      ...north,
      line: [
        [-105, 39.1],
        [-105, 39.11],
      ],
    },
  ])
  expect(find('150 Main St')).toHaveLength(2)
})

test('one line under two road names is one match', async () => {
  const find = await createFinder([
    { ...north, name: 'Hwy 360' },
    { ...north, name: 'State Hwy 360' },
  ])
  expect(find('150 Highway 360').map(({ normalized_address, score }) => [normalized_address, score])).toEqual([
    ['150 Highway 360, Denver, CO 80202', 1],
  ])
  expect(find('150 US Highway 360')).toHaveLength(1)
})

test('a point supersedes a range of the same street, wherever the range is', async () => {
  const folder = newAddressFolder()
  await buildRangePack(folder, [north])
  await buildPointPack(folder, [
    { number: '150', street: 'Main St', city: 'Denver', region: 'CO', postcode: '80202', lat: 39.009, lng: -105 },
  ])
  const packs = openAddressPackFolder(folder)
  expect(
    packs.find(parse('150 Main St, Denver, CO 80202'), budget).map(({ accuracy_type, lat }) => [accuracy_type, lat]),
  ).toEqual([['rooftop', 39.009]])
})

test('streets intersect where their lines meet, but not where one passes over the other', async () => {
  const find = await createFinder([
    north,
    {
      ...north,
      name: 'W Elm Ave',
      line: [
        [-105.01, 39.01],
        [-105, 39.01],
      ],
    },
    {
      ...north,
      name: 'Skyway',
      line: [
        [-105.01, 39.005],
        [-104.99, 39.005],
      ],
    },
  ])
  for (const text of ['Main St & W Elm Ave', 'W Elm Ave and Main St']) {
    expect(find(text).map(({ accuracy_type, lat, lng, score }) => ({ accuracy_type, lat, lng, score }))).toEqual([
      { accuracy_type: 'intersection', lat: 39.01, lng: -105, score: 1 },
    ])
  }
  expect(find('Main St & W Elm Ave')[0]!.normalized_address).toBe('Main St & W Elm Ave, Denver, CO 80202')
  expect(find('Main St & Skyway')).toEqual([])
})

const real = sampleOf('addrfeat_30059.shp')
test.skipIf(!existsSync(real))(
  'the real ranges of Meagher County, Montana give a range match, an intersection, and no match outside the ranges',
  async () => {
    const folder = newAddressFolder()
    const built = await buildAddresses([real], join(folder, 'address-ranges-mt.sqlite'), {
      lookupZip: gazetteer.placeOfZip,
    })
    expect({ ranges: built.ranges, points: built.points, publishers: built.publishers }).toEqual({
      ranges: 875,
      points: 0,
      publishers: ['TIGER/Line ADDRFEAT'],
    })
    const packs = openAddressPackFolder(folder)
    const [match] = packs.find(parse('1101 Highway 360, White Sulphur Springs, MT 59645'), budget)
    expect(match?.accuracy_type).toBe('range_interpolation')
    // The line starts at 46.628445, -111.075496 and runs northwest, so its left side is southwest.
    expect(match!.lat).toBeCloseTo(46.628445, 3)
    expect(match!.lng).toBeLessThan(-111.075496)
    expect(insideUs(match!)).toBe(true)
    expect(
      packs
        .find(parse('W Main St & N Central Ave, White Sulphur Springs, MT'), budget)
        .map(({ accuracy_type }) => accuracy_type),
    ).toEqual(['intersection'])
    expect(
      packs
        .find(parse('99999 W Main St, White Sulphur Springs, MT'), budget)
        .every(({ accuracy_type }) => accuracy_type === 'street_center'),
    ).toBe(true)
  },
)

test.skipIf(!existsSync(real))(
  'a pack with half of those ranges puts no address of the other half into another ZIP code',
  async () => {
    const folder = newAddressFolder()
    const input = await openInput(real, { layer: null, expectedLayer: '', lat: null, lng: null }, folder)
    const features: InputFeature[] = []
    for await (const batch of input.batches()) features.push(...batch.features)
    input.close()
    const geojson = join(newAddressFolder(), 'half.geojson')
    const line = ({ parts }: InputFeature) => (parts === 'invalid' ? [] : parts[0]!.paths[0]!)
    writeFileSync(
      geojson,
      features
        .filter((_, i) => i % 2 === 0)
        .map((feature) =>
          JSON.stringify({
            type: 'Feature',
            properties: feature.properties,
            geometry: { type: 'LineString', coordinates: pairsOf(line(feature)) },
          }),
        )
        .join('\n'),
    )
    await buildAddresses([geojson], join(folder, 'address-ranges.sqlite'), { lookupZip: gazetteer.placeOfZip })
    const packs = openAddressPackFolder(folder)
    let [own, wrong] = [0, 0]
    for (const [
      i,
      {
        properties: { FULLNAME, LFROMHN, ZIPL },
      },
    ] of features.entries()) {
      if (FULLNAME === null || LFROMHN === null || ZIPL === null || gazetteer.placeOfZip(String(ZIPL)) === null)
        continue
      const [match] = packs.find(parse(`${LFROMHN} ${FULLNAME}, ${ZIPL}`), budget)
      if (match?.accuracy_type !== 'range_interpolation') continue
      if (i % 2 === 0) own++
      if (match.components.zip !== ZIPL || match.components.state !== 'MT') wrong++
    }
    expect(wrong).toBe(0)
    expect(own).toBeGreaterThan(200)
  },
)

function pairsOf(path: number[]): [number, number][] {
  return Array.from({ length: path.length / 2 }, (_, i) => [path[2 * i]!, path[2 * i + 1]!])
}
