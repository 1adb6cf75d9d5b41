import { describe, expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { strToU8, zipSync } from 'fflate'
import type { Page } from 'playwright-core'
import { denverRaster } from '../raster/denver-raster.ts'
import { nad83, shapefileOf, squareAt } from '../upstreams/bulk/shapefile.ts'
import { hasChromium } from './chromium.ts'
import { expectAccessible, windowOptions, siteInBrowser } from './visit.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

// The polygon lies in five counties of Colorado, the line in the raster of elevations.
const polygon = 'polygon:39.9,-105.2;39.9,-104.8;40.05,-104.8;40.05,-105.2'
const line = 'line:39.15,-104.98;39.1,-104.9'

describe.skipIf(!hasChromium)('the page of areas', () => {
  const packs = temporaryFolder()
  writeFileSync(join(packs, 'usgs_3dep_13.tif'), denverRaster())
  const { visit } = siteInBrowser({ FIELDSTONE_OFFLINE: '1', FIELDSTONE_PACKS: packs })

  const mapReady = (page: Page) => page.locator('.map__regions').waitFor()
  const loaded = (page: Page) => page.locator('.results[aria-busy=false]').waitFor()
  const fieldOf = (page: Page, name: string) =>
    page.locator('.area-field', { has: page.getByRole('heading', { name, exact: true }) })
  const legend = (page: Page) => page.getByRole('region', { name: 'Legend' })

  test('shows shares as bars, and the parts of an opened field on the map, without an accessibility violation', async () => {
    for (const options of windowOptions)
      await visit(`/areas?shape=${polygon}`, { ...options, drawsMap: true }, async (page) => {
        await loaded(page)
        const county = fieldOf(page, 'County')
        await county.getByText('Adams County', { exact: true }).waitFor()
        expect(await county.locator('.share-bars li').count()).toBe(5)
        await mapReady(page)
        await county.locator('summary').click()
        await legend(page).getByText('Boulder County').waitFor()
        await expectAccessible(page)
      })
  })

  test('colors the numbers of a raster inside the shape, with their ranges in the legend', () =>
    visit(
      '/areas?shape=polygon:39.05,-104.95;39.05,-104.85;39.15,-104.85&fields=elevation',
      { drawsMap: true },
      async (page) => {
        await loaded(page)
        await mapReady(page)
        await fieldOf(page, 'Elevation').locator('summary').click()
        await legend(page)
          .getByText(/^[\d,]+\sft to [\d,]+\sft$/)
          .first()
          .waitFor()
        expect(await legend(page).locator('li').count()).toBe(5)
      },
    ))

  test('draws a polygon by keyboard: Enter adds the center of the map', () =>
    visit('/areas?map=39.74,-104.99,12', { drawsMap: true }, async (page) => {
      await mapReady(page)
      await expectAccessible(page)
      await page.getByRole('button', { name: 'Draw a polygon' }).click()
      const map = page.locator('.maplibregl-canvas')
      const status = page.locator('.areas-draw [role=status]')
      for (const [key, text] of [
        [null, '1 point. Add 2 more to finish.'],
        ['ArrowRight', '2 points. Add 1 more to finish.'],
        ['ArrowDown', '3 points. Ready to finish.'],
      ] as const) {
        await map.focus()
        if (key) await moveMap(page, key)
        await page.keyboard.press('Enter')
        await status.getByText(text).waitFor()
      }
      await expectAccessible(page)
      await page.getByRole('button', { name: 'Finish' }).click()
      await loaded(page)
      expect(new URL(page.url()).searchParams.get('shape')).toStartWith('polygon:')
      await fieldOf(page, 'State').getByText('CO', { exact: true }).waitFor()
    }))

  test('draws a line by clicks, and takes back a point', () =>
    visit('/areas?map=39.74,-104.99,12', { drawsMap: true }, async (page) => {
      await mapReady(page)
      await page.getByRole('button', { name: 'Draw a line' }).click()
      const map = page.locator('.maplibregl-canvas')
      const status = page.locator('.areas-draw [role=status]')
      for (const [i, position] of [
        { x: 300, y: 300 },
        { x: 400, y: 320 },
        { x: 420, y: 400 },
      ].entries()) {
        await map.click({ position })
        await status.getByText(`${i + 1} point`).waitFor()
      }
      await page.getByRole('button', { name: 'Remove the last point' }).click()
      await status.getByText('2 points').waitFor()
      await page.getByRole('button', { name: 'Finish' }).click()
      await loaded(page)
      expect(new URL(page.url()).searchParams.get('shape')!.split(';')).toHaveLength(2)
    }))

  test('reads pasted coordinates and GeoJSON, and says what is wrong with another text', () =>
    visit('/areas', async (page) => {
      const paste = async (text: string) => {
        await page.getByLabel('Paste a shape').fill(text)
        await page.getByRole('button', { name: 'Use as a polygon' }).click()
      }
      await paste('Denver')
      await page.getByRole('alert').getByText('A polygon needs at least 3 coordinates').waitFor()
      await paste('{"type": "Point", "coordinates": [-105, 39.7]}')
      await page.getByRole('alert').getByText('The text has no polygons or lines.').waitFor()
      await paste('-105, 39.7\n-104.9, 39.7\n-104.9, 39.8')
      await page.getByRole('alert').getByText('The latitude comes first: 39.7, -105 instead of -105, 39.7.').waitFor()
      await paste('POINT (-105 39.7)')
      await page.getByRole('alert').getByText('The text has no polygons or lines.').waitFor()
      await paste('39.7, -105\n39.7, -104.9\n39.8, -104.9')
      await loaded(page)
      expect(new URL(page.url()).searchParams.get('shape')).toBe('polygon:39.7,-105;39.7,-104.9;39.8,-104.9')
    }))

  test('reads a zipped shapefile, lists its shapes, and keeps a shape that is too long for the URL', () =>
    visit('/areas', async (page) => {
      const denver = { lat: 39.7392, lng: -104.9903 }
      const files = shapefileOf(
        'parcels',
        [
          { kind: 'polygon', points: squareAt(denver, 0.01), row: { NAME: 'Small' } },
          { kind: 'polygon', points: squareAt(denver, 0.02), row: { NAME: 'Large' } },
        ],
        nad83,
      )
      const choose = (name: string, content: Uint8Array) =>
        page
          .getByLabel('File with shapes')
          .setInputFiles({ name, mimeType: 'application/octet-stream', buffer: Buffer.from(content) })
      await choose('parcels.zip', zipSync(files))
      await page.getByRole('button', { name: 'Large' }).click()
      await loaded(page)
      await page.getByRole('heading', { name: 'Large' }).waitFor()
      await page.getByRole('button', { name: 'Close this area' }).click()
      const ring = Array.from({ length: 2_000 }, (_, i) => {
        const angle = (i / 2_000) * 2 * Math.PI
        return [-105 + 0.1 * Math.cos(angle), 39.7 + 0.1 * Math.sin(angle)]
      })
      const geometry = { type: 'Polygon', coordinates: [[...ring, ring[0]!]] }
      await choose('circle.geojson', strToU8(JSON.stringify(geometry)))
      await loaded(page)
      await page.getByText('Kept only in this tab').waitFor()
      await page.reload()
      await loaded(page)
      await page.getByText('Kept only in this tab').waitFor()
    }))

  test('reads GeoJSON, KML and a zipped shapefile of almost 5 MB with thousands of shapes, and refuses more', () =>
    visit('/areas', async (page) => {
      const max_bytes = 5 * 1024 ** 2
      const cornersOf = (i: number) => {
        const [x, y] = [-105 + (i % 100) / 1000, 39.7 + Math.floor(i / 100) / 10_000]
        return [0, 1, 2, 3, 0].map((corner) => [x + (corner % 3 === 0 ? 0 : 5e-4), y + (corner > 1 ? 5e-5 : 0)])
      }
      const geoJson = (count: number) =>
        `{"type":"FeatureCollection","features":[${Array.from({ length: count }, (_, i) =>
          JSON.stringify({
            type: 'Feature',
            properties: { name: `Parcel ${i}` },
            geometry: { type: 'Polygon', coordinates: [cornersOf(i)] },
          }),
        ).join()}]}`
      const kml = (count: number) =>
        `<kml><Document>${Array.from(
          { length: count },
          (_, i) =>
            `<Placemark><name>Parcel ${i}</name><Polygon><outerBoundaryIs><LinearRing><coordinates>${cornersOf(i).join(' ')}</coordinates></LinearRing></outerBoundaryIs></Polygon></Placemark>`,
        ).join('')}</Document></kml>`
      const shapefile = (count: number) =>
        zipSync(
          shapefileOf(
            'parcels',
            Array.from({ length: count }, (_, i) => {
              const [lng, lat] = cornersOf(i)[0]!
              return {
                kind: 'polygon' as const,
                points: squareAt({ lat: lat!, lng: lng! }, 5e-5),
                row: { NAME: `Parcel ${i}` },
              }
            }),
            nad83,
          ),
          { level: 0 },
        )
      const choose = (name: string, content: Uint8Array) =>
        page
          .getByLabel('File with shapes')
          .setInputFiles({ name, mimeType: 'application/octet-stream', buffer: Buffer.from(content) })
      for (const [name, contentOf] of [
        ['parcels.geojson', (count: number) => strToU8(geoJson(count))],
        ['parcels.kml', (count: number) => strToU8(kml(count))],
        ['parcels.zip', shapefile],
      ] as const) {
        const count = Math.floor((0.97 * max_bytes) / (contentOf(1000).length / 1000))
        const content = contentOf(count)
        expect(content.length).toBeWithin(0.9 * max_bytes, max_bytes)
        await choose(name, content)
        await page.getByText(`Choose one of ${count.toLocaleString('en-US')} shapes`).waitFor()
        await page.getByRole('button', { name: 'Parcel 7', exact: true }).click()
        await loaded(page)
        await fieldOf(page, 'State').getByText('CO', { exact: true }).waitFor()
        await page.getByRole('button', { name: 'Close this area' }).click()
      }
      await choose('large.zip', new Uint8Array(max_bytes + 1))
      await page.getByRole('alert').getByText('The maximum is 5 MB.').waitFor()
    }))

  test('shows the profile of a line as a chart with its numbers as a table, and saves all values as CSV', () =>
    visit(`/areas?shape=${line}&fields=elevation,county`, async (page) => {
      await loaded(page)
      const chart = fieldOf(page, 'Elevation').locator('figure')
      await chart.getByText('Elevation along the line').first().waitFor()
      expect(await chart.locator('path').count()).toBe(2)
      expect(await chart.locator('tbody tr').count()).toBeGreaterThan(100)
      await expectAccessible(page)
      const [download] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('button', { name: 'CSV' }).click(),
      ])
      const lines = (await Bun.file(await download.path()).text()).split('\r\n')
      expect(lines[0]).toStartWith('field,area_kind,status,part,value,unit,share')
      expect(lines.filter((it) => it.startsWith('elevation,raster_statistics,ok,profile,')).length).toBeGreaterThan(100)
      expect(lines.some((it) => it.startsWith('county,polygon_classes,ok,crossing,'))).toBe(true)
      const report = await page.getByRole('link', { name: 'Report' }).getAttribute('href')
      expect(report).toBe(`/report?shape=line%3A39.15,-104.98%3B39.1,-104.9&fields=elevation,county&units=us`)
      await page.goto(report!)
      await page.getByRole('heading', { name: 'Charts' }).waitFor()
      await expectAccessible(page)
    }))

  test('asks before it fetches a parcel, which may be billed', () =>
    visit('/?at=39.7392,-104.9903', async (page) => {
      await page.getByRole('link', { name: 'This parcel' }).click()
      expect(new URL(page.url()).searchParams.get('shape')).toBe('parcel:39.7392,-104.9903')
      await page.getByRole('button', { name: 'Fetch the fields of this parcel' }).click()
      await page.getByRole('alert').getByText('This server has no parcels.').waitFor()
    }))

  test('says that a shape of the address cannot be read', () =>
    visit('/areas?shape=polygon:1,2;x', async (page) => {
      await page.getByText('has a shape that cannot be read').waitFor()
    }))

  test('names the invalid position of a polygon that crosses itself, and lets its points be changed', () =>
    visit('/areas?shape=polygon:39.7,-105;39.8,-104.9;39.7,-104.9;39.8,-105', async (page) => {
      await page.getByRole('alert').getByText('Remove the crossing').waitFor()
      await page.getByRole('button', { name: 'Change the points' }).click()
      await page.locator('.areas-draw').getByText('4 points. Ready to finish.').waitFor()
      await page.getByRole('button', { name: 'Remove the last point' }).click()
      await page.getByRole('button', { name: 'Finish' }).click()
      await loaded(page)
      expect(new URL(page.url()).searchParams.get('shape')).toBe('polygon:39.7,-105;39.8,-104.9;39.7,-104.9')
    }))
})

/** Pans the map and waits until it has moved: its address has the view. */
async function moveMap(page: Page, key: string): Promise<void> {
  const before = page.url()
  await page.keyboard.press(key)
  await page.waitForURL((url) => url.href !== before)
}
