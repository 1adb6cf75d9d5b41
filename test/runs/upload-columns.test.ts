import { describe, expect, test } from 'bun:test'
import { ValidationError } from '../../src/model/error.ts'
import { readUpload } from '../../src/runs/upload/upload.ts'
import type { UploadFormat } from '../../src/runs/upload/upload-format.ts'
import { unpackLocations } from '../../src/store/runs/packed-locations.ts'
import { words } from '../support/words.ts'

function upload(text: string | Uint8Array, format: UploadFormat = {}, kind = 'fetch_batch') {
  const bytes = typeof text === 'string' ? new TextEncoder().encode(text) : text
  const pieces = (async function* () {
    for (let at = 0; at < bytes.length; at += 7) yield await Promise.resolve(bytes.subarray(at, at + 7))
  })()
  return readUpload(pieces, { kind, now: new Date(0), rowsMax: 1000, format })
}

/** The inputs of the rows of a text; the message of a rejected row, or of a rejected file. */
async function read(...given: Parameters<typeof upload>): Promise<unknown[] | string> {
  try {
    const { locations } = await upload(...given)
    return [...unpackLocations(locations)].map(({ input, errorEntry }) =>
      errorEntry === undefined
        ? (JSON.parse(input) as unknown)
        : (JSON.parse(errorEntry) as { error: { message: string } }).error.message,
    )
  } catch (error) {
    if (error instanceof ValidationError) return error.violations.map(({ msg }) => msg).join('\n')
    throw error
  }
}

const denver = { lat: 39.7392, lng: -104.9903 }
const quoted = (cells: string[]) => cells.map((cell) => `"${cell.replaceAll('"', '""')}"`).join()

describe('the columns of a coordinate have the names that are in use', () => {
  test.each(words`
    INTPTLAT,INTPTLONG decimalLatitude,decimalLongitude LatitudeMeasure,LongitudeMeasure LATITUDE83,LONGITUDE83
    ylat,xlong LAT1516,LON1516 PRIM_LAT_DEC,PRIM_LONG_DEC reclat,reclong geo.lat,geo.lng GPSLatitude,GPSLongitude
    yCoordinate,xCoordinate Y,X latitude,lon
  `)('%s', async (header) => {
    expect(await read(`name,${header}\nA,39.7392,-104.9903\n`)).toEqual([denver])
    const [lat, lng] = header.split(',')
    expect(await read(`${lng},${lat},name\n-104.9903,39.7392,A\n`)).toEqual([denver])
  })

  test.each(['size_y,size_x', 'flat,name', 'platform,along', 'translation,belonging'])('but not %s', async (header) => {
    expect(await read(`${header}\n39.7392,-104.9903\n`)).toContain('The file has no location column.')
  })
})

describe('one column has both coordinates', () => {
  test.each([
    ['Location', '(39.7392, -104.9903)'],
    ['latlng', '39.7392,-104.9903'],
    ['the_geom', 'POINT (-104.9903 39.7392)'],
    ['geom', 'SRID=4326;POINT Z(-104.9903 39.7392 1609)'],
    ['geometry', '{"type":"Point","coordinates":[-104.9903,39.7392]}'],
    ['position', '{"lat":39.7392,"lng":-104.9903}'],
    ['Location 1', '1437 BANNOCK ST\nDENVER, CO 80202\n(39.7392, -104.9903)'],
    ['coordinates', '[-104.9903, 39.7392]'],
    ['gps', '39°44\'21.12"N 104°59\'25.08"W'],
    ['gps', '39 44.352 N, 104 59.418 W'],
    ['anything', '39.7392, -104.9903'],
  ])('%s: %s', async (name, text) => expect(await read(`id,${name}\n${quoted(['1', text])}\n`)).toEqual([denver]))

  test('without quotes, in a file of one column', async () => {
    expect(await read('location\n39.7392,-104.9903\n')).toEqual([denver])
    expect(await read('location\n1600 Pennsylvania Ave NW, Washington, DC\n')).toEqual([
      { address: '1600 Pennsylvania Ave NW, Washington, DC' },
    ])
  })

  test('and a row with another order, or without a coordinate, is rejected', async () => {
    const rows = ['39.7392,-104.9903', '-104.9903,39.7392', 'unknown'].map((text) => quoted([text, 'x'])).join('\n')
    expect(await read(`latlng,name\n${rows}\n`)).toEqual([
      denver,
      'Line 3 is invalid: column "latlng" has the longitude first; did you mean 39.7392, -104.9903?',
      'Line 4 is invalid: column "latlng" has "unknown", which is not a coordinate.',
    ])
  })
})

describe('of several columns that can have the location, none is read without a word', () => {
  const choices: [text: string, says: string, format: UploadFormat][] = [
    [
      'lat,lng,hq_lat,hq_lng\n39.7392,-104.9903,41,-88\n',
      '"lat" and "lng"; "hq_lat" and "hq_lng"',
      { mapping: { lat: 'lat' } },
    ],
    [
      'pickup_lat,pickup_lng,x,y\n39.7392,-104.9903,-88,41\n',
      '"pickup_lat" and "pickup_lng"; "y" and "x"',
      { mapping: { lng: 'pickup_lng' } },
    ],
    ['latitude,lat,lng\n39.7392,41,-104.9903\n', '"latitude" and "lng"; "lat" and "lng"', { mapping: { lat: '1' } }],
    [
      'lat,lng,location\n41,-88,"(39.7392, -104.9903)"\n',
      '"lat" and "lng"; "location"',
      { mapping: { location: 'location' } },
    ],
  ]
  test.each(choices)('%j', async (text, says, format) => {
    const message = await read(text)
    expect(message).toContain(`Several columns can have the coordinates: ${says}. Choose with \`lat\` and \`lng\``)
    expect(await read(text, format)).toEqual([denver])
  })

  test('but columns with the same values, or in a system without a name, are no second choice', async () => {
    const same = 'X,Y,LATITUDE,LONGITUDE\n-104.99031,39.73921,39.7392,-104.9903\n'
    expect(await read(same)).toEqual([denver])
    expect((await upload(same)).reading.reason).toBe('by name; "Y" and "X" have the same values')
    expect((await upload('lat,lng\n39.7392,-104.9903\n')).reading.reason).toBe('by name')
    expect(await read('X,Y,LATITUDE,LONGITUDE\n3145000,1690000,39.7392,-104.9903\n')).toEqual([denver])
  })

  test('addresses and areas', async () => {
    const addresses = 'site_address,mailing_address,mailing_city\n1 Main St,PO Box 5,Boston\n'
    expect(await read(addresses)).toContain('"site_address", "mailing_address". Choose one with `address`')
    expect(await read(addresses, { mapping: { address: 'mailing_address' } })).toEqual([
      { address: 'PO Box 5, Boston' },
    ])
    expect(await read(addresses, { mapping: { address: 'site_address' } })).toEqual([{ address: '1 Main St' }])
    expect(await read('shape,the_geom\n,\n', {}, 'area_batch')).toContain(
      '"shape", "the_geom". Choose one with `location`',
    )
  })
})

describe('numbers that are no degrees', () => {
  test('need the name of their system', async () => {
    for (const header of ['northing,easting', 'Y,X']) {
      const text = `${header}\n4398000,500000\n`
      expect(await read(text)).toContain('set `crs`')
      expect(await read(text, { crs: 'EPSG:26913' })).toEqual([
        { lat: expect.closeTo(39.73, 2) as number, lng: expect.closeTo(-105, 5) as number },
      ])
    }
    expect(await read('y,x\n1,2\n', { crs: 'EPSG:1' })).toContain('unknown coordinate system (CRS): EPSG:1')
    expect(await read('y,x\n1,2\n', { crs: 'EPSG:4267' })).toContain('NAD27')
  })

  test('longitudes without a minus are offered as one correction', async () => {
    const text = 'lat,lng\n39.7392,104.9903\n41,88\n'
    expect(await read(text)).toContain('If they are all west, set `west`')
    expect(await read(text, { west: true })).toEqual([denver, { lat: 41, lng: -88 }])
    expect(await read('lat,lng\n39.7392,104.9903\n41,-88\n')).toEqual([
      { lat: 39.7392, lng: 104.9903 },
      { lat: 41, lng: -88 },
    ])
    expect(await read('lat,lng\n13.45,144.75\n')).toEqual([{ lat: 13.45, lng: 144.75 }])
  })
})

describe('the header', () => {
  test.each([
    ['below comments', '# made by x\n# v2\nname,lat,lon\nA,39.7392,-104.9903\n'],
    ['below a title', 'Sites of 2026\n\nname,lat,lon\nA,39.7392,-104.9903\n'],
    ['below a title and a note', '"Sites, all",,\nas of May,,\nname,lat,lon\nA,39.7392,-104.9903\n'],
    ['that is a comment', '#name,lat,lon\nA,39.7392,-104.9903\n'],
    ['of an RDB file', '# USGS\nname\tlat\tlon\n5s\t10n\t10n\nA\t39.7392\t-104.9903\n'],
    ['with vertical bars', 'name|lat|lon\nA, B|39.7392|-104.9903\n'],
  ])('%s is found', async (_name, text) => expect(await read(text)).toEqual([denver]))

  test('is chosen by its line, and lines keep their numbers', async () => {
    const text = 'lat,lng\n1,2\nlat,lng\n39.7392,-104.9903\nx,1\n'
    expect(await read(text, { header_row: 3 })).toEqual([
      denver,
      'Line 5 is invalid: column "lat" has "x", which is not a latitude.',
    ])
    const without = '39.7392;-104.9903\nx;1\n'
    expect(await read(without)).toContain('set `header_row` to 0')
    expect(await read(without, { header_row: 0, mapping: { lat: '1', lng: '2' } })).toEqual([
      denver,
      'Line 2 is invalid: column "column_1" has "x", which is not a latitude.',
    ])
    expect(await read('lat~lng\n39.7392~-104.9903\n', { delimiter: '~' })).toEqual([denver])
  })
})

test('packed degrees whose digits fit two readings are rejected with both', async () => {
  const rows = '"375651 N","0930000 W"\n"375651 N","093000 W"\n'
  expect(await read(`lat,lng\n${rows}`)).toEqual([
    { lat: 37.9475, lng: -93 },
    'Line 3 is invalid: column "lng" has "093000 W", which can be 37.9475, -9.5 or 37.9475, -93; write degrees with three digits and seconds with two, as in 0093000 W.',
  ])
})

describe('UTF-16 without a byte order mark', () => {
  const text = 'lat,lng,name\n39.7392,-104.9903,ñandú\n'
  test('is read, in both orders of bytes', async () => {
    const littleEndian = Buffer.from(text, 'utf16le')
    expect(await read(new Uint8Array(littleEndian))).toEqual([denver])
    expect(await read(new Uint8Array(Buffer.from(littleEndian).swap16()))).toEqual([denver])
  })
})
