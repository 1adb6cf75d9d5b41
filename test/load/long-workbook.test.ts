import { expect, test } from 'bun:test'
import { strToU8, unzipSync, zipSync } from 'fflate'
import { readSheet } from '../../src/drivers/table/table-rows.ts'
import { parseXmlTags } from '../../src/files/xml-tags.ts'
import { rejectionCode } from '../raster/test-rasters.ts'

/** Quadratic work on this size would not finish within a test. */
const letters = 4_000_000

const workbook = (sheet: string, texts = '<sst/>') =>
  zipSync({
    'xl/workbook.xml': strToU8(
      '<?xml version="1.0"?><!-- <sheet name="none"/> --><workbook><sheets><sheet name="A &amp; B" sheetId="1" r:id="rId7"/></sheets></workbook>',
    ),
    'xl/_rels/workbook.xml.rels': strToU8(
      '<Relationships><Relationship Id="rId7" Type="x" Target="/xl/worksheets/one.xml"/></Relationships>',
    ),
    'xl/sharedStrings.xml': strToU8(texts),
    'xl/worksheets/one.xml': strToU8(sheet),
  })

test('cells are read by their reference, whatever the order, quotes and empty tags of the file', async () => {
  const texts =
    '<sst><si><t>zero</t></si><si><r><t>o</t></r><r><t xml:space="preserve"> ne</t></r></si><si/><si><t>a &lt; b &#65;&#x42; &nbsp; &#9999999;</t></si></sst>'
  const sheet = `<sheetData><row r='2' spans="a>b"><c r="C2" t='s'><v>1</v></c><c r="A2"><f>1&gt;0</f><v>5</v></c></row><row r="4"/>
    <row><c t="inlineStr"><is><t>in</t><t><![CDATA[ <li>ne]]></t></is></c><c/><c t="s"><v>3</v></c><c t="s"><v>9</v></c><c t="s"/><c t="s"><v>2</v></c><c t="b"><v>1</v></c></row></sheetData>`
  expect(await readSheet(workbook(sheet, texts), 'A & B')).toEqual([
    [],
    ['5', '', 'o ne'],
    [],
    [],
    ['in <li>ne', '', 'a < b AB &nbsp; &#9999999;', '', '', '', '1'],
  ])
})

test.each([
  ['rows that do not end', '<row '],
  ['cells that do not end', '<c '],
  ['tags that do not close', '<row r="1"><c r="A1"><v>'],
  ['quotes that do not close', '<row r="'],
  ['attributes', '<c a=" '],
  ['open brackets', '<'],
  ['comments', '<!--'],
  ['texts', '<![CDATA['],
  ['instructions', '<?'],
  ['ampersands', '&#'],
  ['spaces', ' '],
  ['attributes without a value', '<row r= '],
  ['closing brackets', '</v>'],
])('a sheet of nothing but %s is read to its end', async (_what, piece) => {
  const text = piece.repeat(letters / piece.length)
  expect((await readSheet(workbook(text))).length).toBeLessThanOrEqual(1)
  expect((await readSheet(workbook(`<row r="1">${text}`))).length).toBeLessThanOrEqual(2)
  expect(await readSheet(workbook('<row/>', text))).toEqual([[]])
})

test('a long tag is read completely', () => {
  const [tag] = parseXmlTags(`<c ${'a="" '.repeat(letters / 5)}${' '.repeat(letters)}r="A1">`)
  expect(tag).toMatchObject({ name: 'c', kind: 'open' })
})

test('a small sheet that expands to a table larger than the memory limit is rejected', async () => {
  expect(await rejectionCode(readSheet(workbook('<row><c r="ALL1"/></row>'.repeat(10_000))))).toBe('too_large')
  expect(await rejectionCode(readSheet(workbook('<row><c r="ALM1"/></row>')))).toBe('bad_response')
  expect(await rejectionCode(readSheet(workbook('<row r="1048577"/>')))).toBe('bad_response')
})

test('only the needed parts are decompressed: a corrupt sheet does not affect the others', async () => {
  const book = zipSync({
    'xl/workbook.xml': strToU8('<workbook><sheet name="one" r:id="a"/></workbook>'),
    'xl/worksheets/other.xml': strToU8('words '.repeat(1_000)),
    'xl/worksheets/sheet1.xml': strToU8('<row><c><v>7</v></c></row>'),
  })
  const name = 'xl/worksheets/other.xml'
  book.fill(
    255,
    new TextDecoder('latin1').decode(book).indexOf(name) + name.length,
    new TextDecoder('latin1').decode(book).indexOf(name) + name.length + 8,
  )
  expect(() => unzipSync(book)).toThrow()
  expect(await readSheet(book)).toEqual([['7']])
})

test.each([
  ['nothing', (book: Uint8Array) => book.subarray(0, 0)],
  ['its first half', (book: Uint8Array) => book.subarray(0, book.length / 2)],
  ['its last half', (book: Uint8Array) => book.subarray(book.length / 2)],
  ['zeroes', (book: Uint8Array) => new Uint8Array(book.length)],
  ['one whose directory has too many files', (book: Uint8Array) => book.with(book.length - 12, 99)],
  ['one whose files are longer than is said', (book: Uint8Array) => book.with(indexOf(book, 0x504b0102) + 24, 1)],
  ['one whose files are not packed as is said', (book: Uint8Array) => book.with(indexOf(book, 0x504b0102) + 10, 0)],
  ['one whose files are packed in an unknown way', (book: Uint8Array) => book.with(indexOf(book, 0x504b0102) + 10, 9)],
])('a book of which there is but %s is a bad response', async (_what, spoilt) => {
  expect(await rejectionCode(readSheet(spoilt(workbook('<row/>'))))).toBe('bad_response')
})

function indexOf(bytes: Uint8Array, mark: number): number {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  return Array.from({ length: bytes.length - 4 }, (_none, at) => at).find((at) => view.getUint32(at) === mark)!
}
