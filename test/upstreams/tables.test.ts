import { expect, test } from 'bun:test'
import { unzipSync } from 'fflate'
import { sendToServices, answerText } from './documents/send-request.ts'
import { tables } from './tables.ts'
import { peopleOf } from './tables/census-files.ts'
import { xlsxOf } from './tables/xlsx.ts'

const now = new Date()

test('jobs are files by county and quarter with a quoted header, and 404 for an unpublished quarter', async () => {
  const url = (year: number, quarter: number, county: string) =>
    `https://data.bls.gov/cew/data/api/${year}/${quarter}/area/${county}.csv`
  const lines = answerText(await sendToServices(tables, url(2024, 1, '08013')))
    .split('\n')
    .map((line) => line.split(','))
  const column = (name: string) => lines[0]!.indexOf(`"${name}"`)
  expect(lines.every((line) => line.length === lines[0]!.length)).toBe(true)
  expect([
    lines[1]![column('own_code')],
    lines[1]![column('month3_emplvl')],
    lines[1]![column('oty_month3_emplvl_pct_chg')],
  ]).toEqual(['"0"', '18000', '1.7'])
  const hidden = answerText(await sendToServices(tables, url(2024, 1, '20027')))
    .split('\n')[1]!
    .split(',')
  expect([hidden[column('disclosure_code')], hidden[column('month3_emplvl')]]).toEqual(['"N"', '0'])
  expect((await sendToServices(tables, url(now.getUTCFullYear() + 1, 1, '08013')))?.status).toBe(404)
  expect((await sendToServices(tables, url(2024, 1, '99999')))?.status).toBe(404)
  expect(await sendToServices(tables, url(2024, 5, '08013'))).toBeNull()
})

test('county populations are in windows-1252, without Puerto Rico', async () => {
  const said = await sendToServices(
    tables,
    'https://www2.census.gov/programs-surveys/popest/datasets/2020-2025/counties/totals/co-est2025-alldata.csv',
  )
  const bytes = said!.body as Uint8Array
  const [header, ...rows] = new TextDecoder('windows-1252')
    .decode(bytes)
    .trim()
    .split('\r\n')
    .map((line) => line.split(','))
  const anna = rows.find((row) => row[3] === '35' && row[4] === '013')!
  expect([anna[6], anna[header!.indexOf('POPESTIMATE2025')]]).toEqual([
    'Doña Ana County',
    String(peopleOf({ state: '35', county: '013' }, 2025)),
  ])
  expect(answerText(said)).not.toContain('Doña')
  expect(rows.some((row) => row[3] === '72')).toBe(false)
  expect(rows.every((row) => row.length === header!.length)).toBe(true)
})

test('permits have two lines of headings, and are 404 for an unpublished year', async () => {
  const url = (year: number) => `https://www2.census.gov/econ/bps/County/co${year}a.txt`
  const lines = answerText(await sendToServices(tables, url(now.getUTCFullYear() - 2))).split('\n')
  expect(lines[1]!.startsWith('Date,State,County,')).toBe(true)
  expect(lines[2]!.split(',').slice(1, 6)).toEqual(['08', '013', '3', '5', 'Boulder County    '])
  expect(lines[2]!.split(',')).toHaveLength(30)
  expect((await sendToServices(tables, url(now.getUTCFullYear())))?.status).toBe(404)
})

test('house prices start after five rows, have codes as strings and numbers, and "." or "" for no value', async () => {
  const { sheet, texts } = await sheetOf('https://www.fhfa.gov/hpi/download/annual/hpi_at_county.xlsx', 2)
  expect(/<row r="6">.*?<\/row>/.exec(sheet)?.[0]).toContain('<c r="C6" t="s">')
  expect(sheet).toContain('<c r="C10"><v>12086</v></c>')
  expect(texts).toContain('<t xml:space="preserve">.</t>')
  expect(texts).toContain('<t xml:space="preserve"></t>')
})

test('the continuum codes are a sheet with county codes as text', async () => {
  const { sheet, texts } = await sheetOf('https://www.ers.usda.gov/media/5767/2023-rural-urban-continuum-codes.xlsx', 1)
  expect(texts).toContain('RUCC_2023')
  expect(texts).toContain('Doña Ana County')
  expect(sheet).toContain('<c r="E2"><v>2</v></c>')
})

test('the radon zones are JSON after a byte order mark', async () => {
  const body = answerText(
    await sendToServices(tables, 'https://www.epa.gov/system/files/other-files/2024-06/radon-zones-202406.json'),
  ).replace(/^\uFEFF?/, '')
  expect(JSON.parse(body)).toMatchObject({
    data: expect.arrayContaining([
      expect.objectContaining({ STATE: 'Colorado', 'COUNTY LABEL': 'Boulder County', Zone: '1' }),
      expect.objectContaining({ STATE: 'no data', Zone: 'no data' }),
    ]),
  })
})

test('a file that a publisher does not have is unknown', async () => {
  expect(await sendToServices(tables, 'https://www.fhfa.gov/DataTools/hpi_at_county.xlsx')).toBeNull()
  expect(await sendToServices(tables, 'https://www2.census.gov/econ/bps/County/co2412y.txt')).toBeNull()
})

test('workbook cells can be beyond column Z, and markup in them is text', () => {
  const parts = unzipSync(xlsxOf([['a & b', [[...Array.from({ length: 26 }, () => null), '<x>']]]]))
  const read = (name: string) => new TextDecoder().decode(parts[name])
  expect(read('xl/worksheets/sheet1.xml')).toContain('<c r="AA1" t="s"><v>0</v></c>')
  expect(read('xl/sharedStrings.xml')).toContain('&lt;x&gt;')
  expect(read('xl/workbook.xml')).toContain('name="a &amp; b"')
})

async function sheetOf(url: string, nth: number) {
  const parts = unzipSync((await sendToServices(tables, url))!.body as Uint8Array)
  const read = (name: string) => new TextDecoder().decode(parts[name])
  return { sheet: read(`xl/worksheets/sheet${nth}.xml`), texts: read('xl/sharedStrings.xml') }
}
