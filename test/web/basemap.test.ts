import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sampleBasemap } from '../support/sample-basemap.ts'
import { hasChromium } from './chromium.ts'
import { expectAccessible, windowOptions, siteInBrowser } from './visit.ts'

const street = '/?at=39.7402,-104.9903&map=39.7402,-104.985,15'

describe.skipIf(!hasChromium)('a base map in the packs folder', () => {
  const packs = mkdtempSync(join(tmpdir(), 'fieldstone-basemap-page-'))
  beforeAll(() => {
    writeFileSync(join(packs, 'basemap.pmtiles'), sampleBasemap())
  })
  const { visit } = siteInBrowser({ FIELDSTONE_OFFLINE: '1', FIELDSTONE_PACKS: packs })
  afterAll(() => {
    rmSync(packs, { recursive: true })
  })

  test('is drawn from this server alone, in both color schemes, with its attribution', async () => {
    for (const options of windowOptions)
      await visit('/', options, async (page) => {
        const tile = page.waitForResponse((it) => /\/tiles\/basemap\/14\/\d+\/\d+\.mvt$/.test(it.url()))
        await page.goto(street)
        expect((await tile).status()).toBe(200)
        await page.getByText('Towns: GeoNames, CC BY 4.0. © OpenStreetMap').waitFor()
        await expectAccessible(page)
      })
  })

  test('is named in the place of its attribution if it is damaged, and the map is drawn without it', () => {
    writeFileSync(join(packs, 'basemap.pmtiles'), 'not an archive')
    return visit(street, async (page) => {
      await page.getByText('basemap.pmtiles is not a PMTiles archive. Replace the file.').waitFor()
      await page.locator('.map-layers summary').waitFor()
    })
  })
})
