import { expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { partColors } from '../../src/http/report/report-map.ts'
import { denverRaster } from '../raster/denver-raster.ts'
import { detailOf } from '../support/http-service.ts'
import { openPackService } from '../support/pack-service.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const packs = temporaryFolder()
writeFileSync(join(packs, 'usgs_3dep_13.tif'), denverRaster())
const server = await openPackService(packs)

const polygon = 'polygon:39.9,-105.2;39.9,-104.8;40.05,-104.8;40.05,-105.2'

async function reportOf(query: string): Promise<string> {
  const response = await server.ask(`/report?${query}`)
  expect(response.status).toBe(200)
  return response.text()
}

/** The text of a document without its markup, as a reader sees it. */
function textOf(document: string): string {
  return document
    .replace(/<style>.*?<\/style>/s, '')
    .replace(/<[^>]+>/g, ' ')
    .replace(/\s+/g, ' ')
}

test('A report of an area has the shares of each field, a map with its parts, and what is missing', async () => {
  const document = await reportOf(`shape=${polygon}&fields=county,timezone,nwi_wetland_type`)
  expect(document).not.toMatch(/<script|<link(?![^>]*href="data:)|<img|<iframe|url\(|@import|style="/)
  expect(document.match(/class="part-\d" d="/g)).toHaveLength(5)
  expect(document.match(/^svg \.part-\d\{/gm)).toHaveLength(partColors)
  const text = textOf(document)
  expect(text).toContain('Area of 219.7 sq mi')
  expect(text).toMatch(/County Adams County 35\.9% .*Adams County: 35\.9% · 78\.89 sq mi Boulder County: 28\.2%/)
  expect(text).toMatch(/Could not be answered NWI wetland type: offline_no_data/)
  expect(text).toContain(
    'US Census Bureau: Counties and county equivalents of TIGER/Line , boundaries of 2010 with the changes to 2023',
  )
  expect(text).toMatch(/Sources and licenses .*US Census Bureau: US government work, public domain\./)
})

test('A report of an area over a raster has the ranges of its numbers as colors on the map', async () => {
  const raster = 'polygon:39.01,-104.99;39.01,-104.85;39.19,-104.85;39.19,-104.99'
  const document = await reportOf(`shape=${raster}&fields=elevation&units=metric`)
  expect(document.match(/class="part-step-\d" d="/g)).toHaveLength(5)
  expect(textOf(document)).toMatch(/Elevation: [\d,]+ m to [\d,]+ m( [\d,]+ m to [\d,]+ m){4} Borders/)
})

test('A border that crosses the map is drawn, also if its corners are far outside', async () => {
  // A straight line of tens of kilometers between Colorado and Kansas.
  const document = await reportOf('shape=circle:39.35,-102.0485,1000&fields=county')
  expect(textOf(document)).toMatch(
    /Kit Carson County: \d.*Sherman County: \d|Sherman County: \d.*Kit Carson County: \d/,
  )
  expect(document).toMatch(/<path class="county" d="M/)
})

test('A report of an area counts each field once in the usage of the account', async () => {
  const fieldsUsed = async () => {
    const response = await server.ask('/v1/users/me/usage')
    const { items } = (await response.json()) as { items: { endpoint: string; fields: number }[] }
    return items.find(({ endpoint }) => endpoint === '/report')?.fields ?? 0
  }
  const before = await fieldsUsed()
  await reportOf(`shape=${polygon}&fields=county,timezone`)
  expect((await fieldsUsed()) - before).toBe(2)
})

test('A report of a line has the profile of a raster as a chart with its numbers', async () => {
  const document = await reportOf('shape=line:39.15,-104.98;39.1,-104.9&fields=elevation&units=metric&name=Route')
  const text = textOf(document)
  expect(text).toContain('Route')
  expect(text).toContain('Elevation along the line')
  expect(document.match(/<path\s+class="line"/g)!.length).toBeGreaterThan(0)
})

test('A report of an area names the command and the address that make it again', async () => {
  const text = textOf(await reportOf('shape=county:08031&fields=county')).replaceAll('&#x27;', "'")
  expect(text).toContain("fieldstone report --shape 'county:08031' --fields county --units us --out report.html")
})

test.each([
  ['shape=polygon:39.7,-105;39.8,-104.9;39.7,-104.9;39.8,-105', 'Remove the crossing'],
  ['shape=star:1', 'Give an area, such as polygon:'],
  ['shape=parcel:39.7,-105', 'A report has no parcel'],
  ['shape=county:08031&at=39.7,-105', 'A report is about an area or about places'],
])('%s is rejected', async (query, message) => {
  const response = await server.ask(`/report?${query}&fields=county`)
  expect(response.status).toBe(422)
  const [{ msg, loc }] = (await detailOf(response)) as unknown as [{ msg: string; loc: string[] }]
  expect(loc.slice(0, 2)).toEqual(['query', 'shape'])
  expect(msg).toContain(message)
})
