import { beforeAll, describe, expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { sampleBasemap } from '../support/sample-basemap.ts'
import { hasChromium } from './chromium.ts'
import { expectAccessible, windowOptions, siteInBrowser } from './visit.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const street = '/?at=39.7402,-104.9903&map=39.7402,-104.985,15'

describe.skipIf(!hasChromium)('a base map in the packs folder', () => {
  const packs = temporaryFolder()
  beforeAll(() => writeFileSync(join(packs, 'basemap.pmtiles'), sampleBasemap()))
  const { visit } = siteInBrowser({ FIELDSTONE_OFFLINE: '1', FIELDSTONE_PACKS: packs }, { drawsMap: true })

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

describe.skipIf(!hasChromium)('without a base map', () => {
  const { visit } = siteInBrowser({ FIELDSTONE_OFFLINE: '1' }, { drawsMap: true })

  test('the map says that it is loading until its shores have arrived, and leads to the guide of base maps', async () => {
    for (const options of windowOptions)
      await visit('/guide', options, async (page) => {
        const held = Promise.withResolvers<void>()
        await page.route('**/assets/base-near-36-*', async (route) => {
          await held.promise
          await route.continue()
        })
        const shores = page.waitForResponse((it) => it.url().includes('/assets/base-near-36-'))
        await page.goto('/?at=41.08,-73.89&map=41.08,-73.89,11')
        await page.getByText('Loading the map…').waitFor()
        held.resolve()
        expect((await shores).status()).toBe(200)
        await page.getByText('Loading the map…').waitFor({ state: 'detached' })
        await page.getByText('Coast, lakes and rivers: © OpenStreetMap contributors').waitFor()
        await expectAccessible(page)
        await page.getByRole('link', { name: 'Get a base map' }).click()
        await page.waitForURL('**/guide/packs-and-offline#base-map')
        await page.locator('#base-map').waitFor()
      })
  })
})
