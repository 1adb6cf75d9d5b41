import { describe, expect, test } from 'bun:test'
import { writeToString } from '@fast-csv/format'
import { parseString } from '@fast-csv/parse'
import fc from 'fast-check'
import { ValidationError } from '../../src/model/error.ts'
import { readUpload } from '../../src/runs/upload/upload.ts'
import { unpackLocations } from '../../src/store/runs/packed-locations.ts'

async function* piecesOf(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}

const utf8 = (text: string) => new TextEncoder().encode(text)

async function read(text: string | Uint8Array, { kind = 'fetch_batch', size = 7, format = {} } = {}) {
  const { columns, locations: packed } = await readUpload(
    piecesOf(typeof text === 'string' ? utf8(text) : text, size),
    { kind, now: new Date(0), rowsMax: 10_000, format },
  )
  const locations = [...unpackLocations(packed)]
  return {
    columns,
    inputs: locations.map(({ input }) => JSON.parse(input) as unknown),
    passed: locations.map(({ passthrough }) =>
      passthrough === undefined ? null : (JSON.parse(passthrough) as string[]),
    ),
    refused: locations.flatMap(({ errorEntry }, i) =>
      errorEntry === undefined
        ? []
        : [[i, (JSON.parse(errorEntry) as { error: { error: string; line: number } }).error.line]],
    ),
  }
}

describe('columns are recognized by name', () => {
  test.each([
    ['lat,lng', '1,2', { lat: 1, lng: 2 }],
    ['LAT,LON', '1,2', { lat: 1, lng: 2 }],
    ['Longitude, Latitude', '2,1', { lat: 1, lng: 2 }],
    ['lng,lat', '-1.5e1,+2', { lat: 2, lng: -15 }],
    ['address', '"1 Main St, Denver"', { address: '1 Main St, Denver' }],
    ['Street,City,State,Zip', '1 Main St,Boston,MA,02134', { address: '1 Main St, Boston, MA, 02134' }],
    ['street,zip', '1 Main St,02134', { address: '1 Main St, 02134' }],
  ])('%s', async (header, row, input) => expect((await read(`${header}\n${row}\n`)).inputs).toEqual([input]))

  test('of the other kinds: input, an address, or a coordinate', async () => {
    expect((await read('input\n1 Main St\n', { kind: 'lookup_batch' })).inputs).toEqual([{ input: '1 Main St' }])
    expect((await read('lat,lng\n1,2\n', { kind: 'lookup_batch' })).inputs).toEqual([{ input: '1, 2' }])
    expect((await read('lat,lng,address\n1,2,1 Main St\n', { kind: 'geocode_batch' })).inputs).toEqual([
      { input: '1 Main St' },
    ])
  })

  test('an address beside a coordinate is used only if the coordinate is empty', async () => {
    expect(await read('lat,lng,address\n1,2,here\n,,there\n')).toEqual({
      columns: ['lat', 'lng', 'address'],
      inputs: [{ lat: 1, lng: 2 }, { address: 'there' }],
      passed: [
        ['1', '2', 'here'],
        ['', '', 'there'],
      ],
      refused: [],
    })
  })

  test.each(['', '\n', 'name,id\n1,2\n', 'lat,name\n1,2\n', '"lat,lng\n1,2\n', 'lat,lng\n', '{"kind":"fetch_batch"}'])(
    'a file without location columns or without rows is rejected: %j',
    async (text) => expect(await read(text).catch((error: unknown) => error)).toBeInstanceOf(ValidationError),
  )
})

describe('the usual columns', () => {
  test.each([
    ['X,Y', '-105,39.7', { lat: 39.7, lng: -105 }],
    ['Site Latitude,Site Longitude', '39.7,-105', { lat: 39.7, lng: -105 }],
    ['Latitude (WGS84),Longitude (WGS84)', '39.7,-105', { lat: 39.7, lng: -105 }],
    ['POINT_X,POINT_Y', '-105,39.7', { lat: 39.7, lng: -105 }],
    ['Address,City,State,Postal Code', '1 Main St,Boston,MA,02134', { address: '1 Main St, Boston, MA, 02134' }],
    [
      'Site Address,City,Zipcode',
      '"1 Main St, Boston, MA 02134",Boston,02134',
      { address: '1 Main St, Boston, MA 02134' },
    ],
  ])('%s', async (header, row, input) => expect((await read(`${header}\n${row}\n`)).inputs).toEqual([input]))

  test('can be chosen instead', async () => {
    const text = 'lat,lng,north,east,where\n1,2,39.7,-105,1 Main St\n'
    const readWith = async (mapping: object) => (await read(text, { format: { mapping } })).inputs
    expect(await readWith({ lat: 'North', lng: 'east' })).toEqual([{ lat: 39.7, lng: -105 }])
    expect(await readWith({ address: 'where' })).toEqual([{ address: '1 Main St' }])
    const error = await readWith({ lat: 'south' }).catch((it: unknown) => it)
    expect((error as ValidationError).violations.map(({ msg }) => msg)).toEqual([
      'The file has no column "south". Its columns are lat, lng, north, east, where',
    ])
  })
})

describe('a coordinate', () => {
  test.each([
    ['39,7392', '-104,9903'],
    ['39.7392 N', '104.9903 W'],
    ['39°44\'21.12"N', '104°59\'25.08"W'],
  ])('can be %s; %s', async (lat, lng) => {
    const cell = (text: string) => `"${text.replaceAll('"', '""')}"`
    expect((await read(`lat;lng\n${cell(lat)};${cell(lng)}\n`)).inputs).toEqual([{ lat: 39.7392, lng: -104.9903 }])
  })
})

describe('an invalid row says which column is wrong, and why', () => {
  const messageOf = async (text: string) => {
    const packed = await readUpload(piecesOf(utf8(text), 64), { kind: 'fetch_batch', now: new Date(0), rowsMax: 10 })
    const [{ errorEntry = '{}' } = {}] = [...unpackLocations(packed.locations)]
    return (JSON.parse(errorEntry) as { error?: { message: string } }).error?.message
  }
  test.each([
    ['lat,lng\nabc,-105\n', 'column "lat" has "abc", which is not a latitude.'],
    ['Latitude,Long\n39.7,west\n', 'column "Long" has "west", which is not a longitude.'],
    ['lat,lng\n39.7,\n', 'column "lng" is empty.'],
    ['lat,lng,address\n,,\n', 'column "lat", column "lng", column "address" are empty.'],
    ['lat,lng\n104.9903 W,39.7392 N\n', 'column "lat" has the longitude and column "lng" has the latitude.'],
    ['street,zip\n1 Main St,2201\n', 'ZIP 2201 in column "zip" has 4 digits; did you mean 02201?'],
    ['street,zip\n1 Main St,501-1234\n', 'ZIP 501-1234 in column "zip" has 3 digits; did you mean 00501-1234?'],
  ])('%j', async (text, message) => expect(await messageOf(text)).toBe(`Line 2 is invalid: ${message}`))

  test('and counts the line of sep=;', async () => {
    expect(await messageOf('sep=;\nlat;lng\nx;1\n')).toStartWith('Line 3 is invalid: column "lat"')
  })
})

test('a file that has no rows, or too many, is rejected with its counts', async () => {
  const rejected = async (text: string) =>
    ((await read(text, { size: 65_536 }).catch((error: unknown) => error)) as ValidationError).violations[0]!.msg
  expect(await rejected('lat,lng\n')).toBe('No rows under the header')
  expect(await rejected(`lat,lng\n${'1,2\n'.repeat(10_001)}`)).toBe('10,001 rows; the limit is 10,000')
})

describe('an encoding', () => {
  const cp1252 = (text: string) => Uint8Array.from(text, (it) => (it === '€' ? 0x80 : it.charCodeAt(0)))
  test.each([1, 2, 3, 5, 1000])('Windows-1252 is detected, in chunks of %i', async (size) => {
    for (const name of ['Peña', 'ñ', 'Ibáñez y Cía', '10 €']) {
      const { passed } = await read(cp1252(`sep=;\r\nlat;lng;name\r\n1;2;${name}\r\n`), { size })
      expect(passed).toEqual([['1', '2', name]])
    }
  })

  test.each([1, 2, 3, 5, 1000])('UTF-8 stays UTF-8, in chunks of %i', async (size) => {
    const names = ['Peña', '𝛑', '\uFFFD…', 'é']
    const { passed } = await read(`lat,lng,name\n${names.map((name) => `1,2,${name}\n`).join('')}`, { size })
    expect(passed.map((cells) => cells![2])).toEqual(names)
  })

  test('can be chosen; an unknown one is rejected', async () => {
    const bytes = Uint8Array.of(...utf8('lat,lng,name\n1,2,'), 0xa4, 0x0a)
    expect((await read(bytes, { format: { encoding: 'iso-8859-15' } })).passed).toEqual([['1', '2', '€']])
    const error = await read(bytes, { format: { encoding: 'x' } }).catch((it: unknown) => it)
    expect((error as ValidationError).violations[0]!.msg).toStartWith('Unknown encoding "x". Use utf-8')
  })
})

describe('a file is read', () => {
  const expected = {
    columns: ['lat', 'lng', 'name'],
    inputs: [
      { lat: 1, lng: 2 },
      { lat: 3, lng: 4 },
    ],
    passed: [
      ['1', '2', '007'],
      ['3', '4', 'a "b", c\nd'],
    ],
    refused: [],
  }

  test.each([
    ['with commas', 'lat,lng,name\n1,2,007\n3,4,"a ""b"", c\nd"\n'],
    ['with semicolons', 'lat;lng;name\n1;2;007\n3;4;"a ""b"", c\nd"'],
    ['with tabs', 'lat\tlng\tname\n1\t2\t007\n3\t4\t"a ""b"", c\nd"\n'],
    ['with CRLF and empty lines', 'lat,lng,name\r\n\r\n1,2,007\r\n\r\n\r\n3,4,"a ""b"", c\nd"\r\n\r\n'],
    ['with a byte order mark', '\uFEFFlat,lng,name\n1,2,007\n3,4,"a ""b"", c\nd"\n'],
    ['with old Macintosh lines', 'lat,lng,name\r1,2,007\r3,4,"a ""b"", c\nd"\r'],
  ])('%s, in chunks of any size', async (_name, text) => {
    for (const size of [1, 2, 3, 64, 10_000]) expect(await read(text, { size })).toEqual(expected)
  })

  test('in UTF-16 with a byte order mark', async () => {
    const text = '\uFEFFlat\tlng\tname\n1\t2\tñandú\n'
    expect((await read(new Uint8Array(Buffer.from(text, 'utf16le')))).passed).toEqual([['1', '2', 'ñandú']])
  })
})

describe('a malformed row becomes an entry with its line number and does not affect other rows', () => {
  test.each([
    ['no number', '1,2,a\nx,2,b\n3,4,c\n', [[1, 3]]],
    ['half a coordinate', '1,,a\n3,4,c\n', [[0, 2]]],
    ['neither', ',,a\n3,4,c\n', [[0, 2]]],
    ['infinite', '1e999,2,a\n', [[0, 2]]],
    ['too many cells', '1,2,a,b\n3,4,c\n', [[0, 2]]],
    ['far too many cells', `1,2,a${',b'.repeat(30_000)}\n3,4,c\n`, [[0, 2]]],
    ['a quote that is not closed', '1,2,"a\n3,4,c\n5,6,d\n', [[0, 2]]],
    ['text after a quote', '1,2,"a"b\n3,4,c\n', [[0, 2]]],
    ['after a cell of three lines', '1,2,"a\n\nb"\nx,4,c\n', [[1, 5]]],
    ['after empty lines', '1,2,a\n\n\nx,4,c\n', [[1, 5]]],
  ])('%s', async (_name, rows, refused) => {
    expect((await read(`lat,lng,name\n${rows}`)).refused).toEqual(refused as never)
  })

  test('bytes that are not UTF-8, in a file that is UTF-8', async () => {
    const bytes = Buffer.concat([utf8('lat,lng,name\n1,2,é\n3,4,'), new Uint8Array([0xf1]), utf8('\n5,6,c\n')])
    expect((await read(bytes)).refused).toEqual([[1, 3]])
  })

  test('and keeps its text', async () => {
    const { passed } = await read('lat,lng,name\n1,2,"a\n3,4,c,d,e\n5,6,"x"y,z\n')
    expect(passed).toEqual([
      ['1', '2', '"a'],
      ['3', '4', 'c,d,e'],
      ['5', '6', '"x"y,z'],
    ])
  })

  test('an address that is too long or has invisible characters', async () => {
    expect((await read(`address\n${'x'.repeat(256)}\n${'x'.repeat(257)}\na\u202Eb\n`)).refused).toEqual([
      [1, 3],
      [2, 4],
    ])
  })
})

test('empty cells at the end of a row are ignored, however many there are', async () => {
  const { passed, refused } = await read(`lat,lng,name\n1,2,a${','.repeat(60_000)}\n3,4${','.repeat(60_000)}\n`, {
    size: 65_536,
  })
  expect([passed, refused]).toEqual([
    [
      ['1', '2', 'a'],
      ['3', '4', ''],
    ],
    [],
  ])
})

test('ten thousand rows are accepted, and one more is rejected', async () => {
  const rows = (count: number) => `lat,lng\n${'1,2\n'.repeat(count)}`
  expect((await read(rows(10_000), { size: 65_536 })).inputs).toHaveLength(10_000)
  expect(await read(rows(10_001), { size: 65_536 }).catch((error: unknown) => error)).toBeInstanceOf(ValidationError)
})

describe('the header', () => {
  const refusedWith = async (text: string) =>
    ((await read(text, { size: 65_536 }).catch((error: unknown) => error)) as ValidationError).violations.map(
      ({ type, msg }) => [type, msg],
    )
  const wide = (count: number) => `lat,lng${',a'.repeat(count - 2)}\n1,2${',b'.repeat(count - 2)}\n`

  test('may have 512 columns, and no more', async () => {
    const { columns, refused } = await read(wide(512))
    expect([columns.length, refused]).toEqual([512, []])
    expect(await refusedWith(wide(513))).toEqual([
      ['too_long', 'The CSV has 513 columns, but at most 512 are allowed. Remove columns'],
    ])
  })

  test('with too many columns and no location column gets both violations', async () => {
    expect((await refusedWith(wide(513).replace('lat,lng', 'b,c'))).map(([type]) => type)).toEqual([
      'too_long',
      'value_error',
    ])
  })

  test('of thousands of columns is not examined', async () => {
    const columns = 200_000
    expect(await refusedWith(`lat\tlng${'\t'.repeat(columns - 2)}\n1\t2\n`)).toEqual([
      ['too_long', `The CSV has ${columns} columns, but at most 512 are allowed. Remove columns`],
    ])
  })

  test.each([`lat,lng,${'a'.repeat(524_288)}\n1,2\n`, 'lat,lng,"note\n1,2\n'])(
    'that is malformed gets a violation',
    async (text) => {
      expect(await refusedWith(text)).toEqual([
        ['value_error', 'The CSV header is invalid: it has more than 524288 characters, or an unclosed quote'],
      ])
    },
  )
})

test('any cells survive a round trip through CSV', async () => {
  const cell = fc.string({
    unit: fc.constantFrom('a', '1', ',', ';', '"', '\n', '\r\n', '\t', ' ', '=', '-', 'ñ', '𝛑', "'"),
  })
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(cell, cell), { minLength: 1, maxLength: 8 }),
      fc.constantFrom(',', ';', '\t'),
      fc.integer({ min: 1, max: 40 }),
      async (rows, delimiter, size) => {
        const text = await writeToString([['lat', 'lng', 'a', 'b'], ...rows.map((cells) => ['1', '2', ...cells])], {
          delimiter,
          quoteColumns: true,
          rowDelimiter: '\r\n',
        })
        expect((await read(text, { size })).passed).toEqual(rows.map((cells) => ['1', '2', ...cells]))
      },
    ),
    { numRuns: 200 },
  )
})

test('the cells of a record are those of the CSV library, with and without quotes', async () => {
  const unit = fc.constantFrom('a', ',', '"', '"', '""', '",', ',"', ' ', '\u00a0', 'ñ', '\uFEFF')
  const cellsOfLibrary = (record: string) =>
    new Promise<string[] | null>((resolve) => {
      const rows: string[][] = []
      parseString<string[], string[]>(record, { headers: false, ignoreEmpty: false })
        .on('error', () => resolve(null))
        .on('data', (row: string[]) => rows.push(row))
        .on('end', () => resolve(rows.length === 1 ? rows[0]! : null))
    })
  await fc.assert(
    fc.asyncProperty(fc.string({ unit, maxLength: 12 }), async (text) => {
      const record = `1,2,${text}x`
      const cells = await cellsOfLibrary(record)
      const { passed, refused } = await read(`lat,lng,a,b,c,d,e,f,g,h,i,j,k,l,m,n\n${record}\n`, { size: 100 })
      if (cells === null) expect(refused).toHaveLength(1)
      else expect(passed[0]!.slice(0, cells.length)).toEqual(cells)
    }),
    { numRuns: 600 },
  )
})

test('any text is read without an internal error, and every row is either accepted or rejected', async () => {
  const text = fc.string({
    unit: fc.constantFrom('1', ',', '"', '\n', '\r', ' ', 'x', '\t', '\u00a0', '\u2028', '\uFEFF', '\v'),
    maxLength: 60,
  })
  await fc.assert(
    fc.asyncProperty(text, fc.integer({ min: 1, max: 9 }), async (rows, size) => {
      const found = await read(`lat,lng,name\n1,2,a\n${rows}\n`, { size })
      expect(found.inputs.length).toBeGreaterThan(0)
      expect(await read(`lat,lng,name\n1,2,a\n${rows}\n`, { size: 1000 })).toEqual(found)
    }),
    { numRuns: 300 },
  )
})
