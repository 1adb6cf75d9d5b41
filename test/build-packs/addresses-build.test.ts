import { expect, test } from 'bun:test'
import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { openAddressPackFolder } from '../../src/packs/addresses/address-pack-folder.ts'
import { buildAddresses } from '../../src/build-packs/addresses/build-addresses.ts'
import { FileError } from '../../src/files/file-error.ts'
import { createAddressParser } from '../../src/address/parse-address.ts'
import { realGazetteer } from '../support/real-gazetteer.ts'
import { newAddressFolder, lookupTestZip } from '../packs/build-address-packs.ts'

const parse = createAddressParser(realGazetteer())
const budget = { signal: new AbortController().signal }

function file(name: string, text: string): string {
  const path = join(newAddressFolder(), name)
  writeFileSync(path, text)
  return path
}

/** The error message of a failed build. */
const refusalOf = (building: Promise<unknown>) =>
  building.then(
    () => 'built',
    (error: Error) => error.message,
  )

const nadHead =
  'AddNum_Pre|Add_Number|AddNum_Suf|AddNo_Full|St_PreMod|St_PreDir|St_PreTyp|St_PreSep|St_Name|St_PosTyp|St_PosDir|St_PosMod|StNam_Full|Building|Floor|Unit|Room|SubAddress|County|Inc_Muni|Post_City|Census_Plc|Uninc_Comm|State|Zip_Code|Plus_4|UUID|AddAuth|Longitude|Latitude|NatGrid|Placement|AddrClass|Lifecycle|DateUpdate|NAD_Source'
const nadRow = (cells: Record<string, string>) =>
  nadHead
    .split('|')
    .map((column) => cells[column] ?? '')
    .join('|')
const nad = [
  nadHead,
  nadRow({
    Add_Number: '123',
    AddNo_Full: '123',
    St_PreDir: 'North',
    St_Name: 'Main',
    St_PosTyp: 'Street',
    StNam_Full: 'North Main Street',
    Unit: '4',
    Inc_Muni: 'Denver',
    Post_City: 'Denver',
    Census_Plc: 'Not stated',
    State: 'CO',
    Zip_Code: '80202',
    Longitude: '-105',
    Latitude: '39.75',
    Lifecycle: 'Active',
  }),
  nadRow({
    Add_Number: '500',
    AddNum_Suf: '1/2',
    St_PreTyp: 'County Road',
    St_Name: '12',
    St_PosDir: 'East',
    Inc_Muni: 'Unincorporated',
    Uninc_Comm: 'Boulder',
    State: 'CO',
    Zip_Code: '80302',
    Longitude: '-105.3',
    Latitude: '40',
  }),
  nadRow({
    Add_Number: '7',
    AddNo_Full: '7',
    St_Name: 'Old',
    St_PosTyp: 'Road',
    StNam_Full: 'Old Road',
    Post_City: 'Denver',
    State: 'CO',
    Zip_Code: '80202',
    Longitude: '-105',
    Latitude: '39.7',
    Lifecycle: 'Retired',
  }),
].join('\n')

test('National Address Database text: assembles numbers and streets from their parts, and skips placeholder towns and retired addresses', async () => {
  const folder = newAddressFolder()
  const built = await buildAddresses([file('nad.txt', nad)], join(folder, 'addresses.sqlite'), {
    lookupZip: lookupTestZip,
    metadata: { vintage: 'Release 23' },
  })
  expect({ points: built.points, excluded: built.excluded, publishers: built.publishers }).toEqual({
    points: 2,
    excluded: { retired: 1 },
    publishers: ['National Address Database'],
  })
  const packs = openAddressPackFolder(folder)
  expect(
    packs
      .find(parse('123 N Main St Unit 4, Denver, CO 80202'), budget)
      .map((it) => [it.accuracy_type, it.normalized_address]),
  ).toEqual([['rooftop', '123 N Main St #4, Denver, CO 80202']])
  expect(
    packs.find(parse('500 1/2 CR 12 E, Boulder, CO'), budget).map((it) => [it.accuracy_type, it.normalized_address]),
  ).toEqual([['rooftop', '500 1/2 County Road 12 E, Boulder, CO 80302']])
  expect(packs.list()[0]!.metadata).toMatchObject({
    vintage: 'Release 23',
    points: '2',
    publishers: 'National Address Database',
  })
})

test('OpenAddresses GeoJSON with one feature per line: missing towns and states come from the ZIP code', async () => {
  const folder = newAddressFolder()
  const feature = (properties: object, coordinates: number[]) =>
    JSON.stringify({ type: 'Feature', properties, geometry: { type: 'Point', coordinates } })
  const lines = [
    feature(
      {
        hash: '1',
        number: '123',
        street: 'MAIN ST',
        unit: '',
        city: '',
        district: '',
        region: '',
        postcode: '80202',
        id: '',
      },
      [-105, 39.75],
    ),
    feature(
      {
        hash: '2',
        number: '',
        street: 'MAIN ST',
        unit: '',
        city: '',
        district: '',
        region: '',
        postcode: '80202',
        id: '',
      },
      [-105, 39.75],
    ),
    feature(
      { hash: '3', number: '5', street: 'MAIN ST', unit: '', city: '', district: '', region: '', postcode: '', id: '' },
      [-105, 39.75],
    ),
    feature(
      { hash: '4', number: '5', street: 'RUE', unit: '', city: '', district: '', region: 'CO', postcode: '', id: '' },
      [2, 48],
    ),
    feature(
      { hash: '5', number: '5', street: '', unit: '', city: '', district: '', region: 'CO', postcode: '', id: '' },
      [-105, 39],
    ),
    feature(
      {
        hash: '6',
        number: 'S/N',
        street: 'MAIN ST',
        unit: '',
        city: '',
        district: '',
        region: 'CO',
        postcode: '',
        id: '',
      },
      [-105, 39],
    ),
  ]
  const built = await buildAddresses([file('denver.geojson', lines.join('\n'))], join(folder, 'addresses-co.sqlite'), {
    lookupZip: lookupTestZip,
  })
  expect(built).toMatchObject({
    points: 1,
    excluded: {
      'without a house number': 1,
      'without a known state': 1,
      'outside the United States': 1,
      'without a street': 1,
      'with a house number that has no digits or too many': 1,
    },
  })
  expect(
    openAddressPackFolder(folder)
      .find(parse('123 Main St, Denver, CO'), budget)
      .map(({ normalized_address }) => normalized_address),
  ).toEqual(['123 Main St, Denver, CO 80202'])
})

test('one pack can hold points and ranges, and the state option applies to files without a state', async () => {
  const folder = newAddressFolder()
  const points = file(
    'a.csv',
    'LON,LAT,NUMBER,STREET,UNIT,CITY,DISTRICT,REGION,POSTCODE,ID,HASH\n-105,39.75,1,A St,,Denver,,,,,',
  )
  const lines = file(
    'b.geojson',
    JSON.stringify({
      type: 'Feature',
      geometry: {
        type: 'LineString',
        coordinates: [
          [-105, 39],
          [-105, 39.01],
        ],
      },
      properties: {
        FULLNAME: 'B St',
        LFROMHN: '1',
        LTOHN: '9',
        RFROMHN: null,
        RTOHN: null,
        ZIPL: '80202',
        ZIPR: null,
        PARITYL: 'O',
        PARITYR: null,
      },
    }),
  )
  const seen: number[] = []
  const built = await buildAddresses([points, lines], join(folder, 'addresses.sqlite'), {
    lookupZip: lookupTestZip,
    state: 'CO',
    report: (done) => void seen.push(done),
  })
  expect(built).toMatchObject({
    points: 1,
    ranges: 1,
    streets: 2,
    publishers: ['OpenAddresses', 'TIGER/Line ADDRFEAT'],
  })
  expect(seen.at(-1)).toBe(1)
  expect(seen).toEqual(seen.toSorted((a, b) => a - b))
  const packs = openAddressPackFolder(folder)
  expect(
    ['1 A St, Denver, CO', '5 B St, Denver, CO'].map((text) => packs.find(parse(text), budget)[0]?.accuracy_type),
  ).toEqual(['rooftop', 'range_interpolation'])
})

test.each([
  [
    'a file with unknown columns',
    'NAME,LAT,LON\nA,39,-105',
    'does not have the columns of a supported address publisher. Its columns: NAME, LAT, LON',
  ],
  ['a file without rows', 'LON,LAT,NUMBER,STREET,UNIT,CITY,DISTRICT,REGION,POSTCODE,ID,HASH\n', 'has no rows'],
  [
    'a file without a usable address',
    'LON,LAT,NUMBER,STREET,UNIT,CITY,DISTRICT,REGION,POSTCODE,ID,HASH\n,,1,A St,,,,CO,,,',
    'has a usable address (1 no coordinate)',
  ],
])('%s is rejected and leaves nothing behind', async (_what, text, sentence) => {
  const folder = newAddressFolder()
  const error: unknown = await buildAddresses([file('in.csv', text)], join(folder, 'addresses.sqlite'), {
    lookupZip: lookupTestZip,
  }).catch((caught: unknown) => caught)
  expect(error).toBeInstanceOf(FileError)
  expect((error as Error).message).toContain(sentence)
  expect(readdirSync(folder)).toEqual([])
})

test('a missing file and an empty file list are rejected', async () => {
  const folder = newAddressFolder()
  expect(
    await refusalOf(
      buildAddresses([join(folder, 'none.csv')], join(folder, 'addresses.sqlite'), { lookupZip: lookupTestZip }),
    ),
  ).toContain('does not exist')
  expect(await refusalOf(buildAddresses([], join(folder, 'addresses.sqlite'), { lookupZip: lookupTestZip }))).toBe(
    'No address file given.',
  )
})

test('an interrupted build leaves nothing behind', async () => {
  const folder = newAddressFolder()
  const interruption = new AbortController()
  const building = buildAddresses([file('nad.txt', nad)], join(folder, 'addresses.sqlite'), {
    lookupZip: lookupTestZip,
    signal: interruption.signal,
  })
  interruption.abort(new Error('interrupted'))
  expect(await refusalOf(building)).toBe('interrupted')
  expect(readdirSync(folder)).toEqual([])
})
