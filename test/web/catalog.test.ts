import { describe, expect, test } from 'bun:test'
import { hasChromium } from './chromium.ts'
import { windowOptions, expectAccessible, siteInBrowser } from './visit.ts'

describe.skipIf(!hasChromium)('the catalog', () => {
  const { site, visit } = siteInBrowser({ FIELDSTONE_OFFLINE: '1', FIELDSTONE_AUTH: 'on' })

  test('is public and lists every layer with the number of available fields', () =>
    visit('/catalog', async (page) => {
      await page.locator('.catalog-layer').first().waitFor()
      const { fields } = (await (await fetch(`${site.address}/v1/meta/fields`)).json()) as {
        fields: { layer: string; providers: string[] }[]
      }
      const here = fields.filter(({ providers }) => providers.length > 0).length
      expect(await page.locator('.catalog-layer').count()).toBe(new Set(fields.map(({ layer }) => layer)).size)
      expect(await page.locator('.page-head__about').textContent()).toContain(
        `${fields.length} fields in ${new Set(fields.map(({ layer }) => layer)).size} layers. ${here} of ${fields.length} fields answer here, all of them without a network.`,
      )
      await page.locator('.catalog-layer', { hasText: 'Admin' }).locator('summary').click()
      await page.locator('.catalog-line', { hasText: 'County FIPS' }).locator('.status--ok').waitFor()
    }))

  test('uses the search of the service, best match first, and keeps the search in the URL', () =>
    visit('/catalog', async (page) => {
      await page.fill('input[type=search]', 'flood')
      await page.locator('.catalog-found a').first().waitFor()
      const { fields } = (await (await fetch(`${site.address}/v1/meta/fields?q=flood`)).json()) as {
        fields: { name: string }[]
      }
      const found = await Promise.all(
        (await page.locator('.catalog-found a').all()).map(async (link) =>
          (await link.getAttribute('href'))!.slice('/catalog/'.length),
        ),
      )
      expect(found).toEqual(fields.map(({ name }) => name))
      expect(page.url()).toEndWith('/catalog?q=flood')
      await page.selectOption('select', 'soil')
      await page.locator('.catalog-found li', { hasText: 'Soil flooding frequency' }).waitFor()
      expect(await page.locator('.catalog-found li').count()).toBeLessThan(found.length)
    }))

  test('can be filtered by evidence, which each field and its page state', () =>
    visit('/catalog', async (page) => {
      await page.locator('.catalog-layer').first().waitFor()
      await page.selectOption('select[aria-label=Evidence]', 'unconfirmed')
      await page.locator('.catalog-line').first().waitFor()
      const { fields } = (await (await fetch(`${site.address}/v1/meta/fields`)).json()) as {
        fields: { evidence: { kind: string } }[]
      }
      const unconfirmed = fields.filter(({ evidence }) => evidence.kind === 'unconfirmed')
      expect(await page.locator('.catalog-line').count()).toBe(unconfirmed.length)
      expect(page.url()).toEndWith('/catalog?evidence=unconfirmed')
      await page.goto(`${site.address}/catalog/radon_zone`)
      await page.locator('dd', { hasText: 'Recorded: reclinerhead/hearth' }).waitFor()
    }))

  test('says when no field matches', () =>
    visit('/catalog?q=qqqqqq', async (page) => {
      await page.locator('.empty h2', { hasText: 'No matching fields' }).waitFor()
    }))

  test('shows the details of a field, and sends its example request', () =>
    visit('/catalog/county_fips', { isSignedIn: true }, async (page) => {
      await page.locator('.catalog-ways').waitFor()
      await page.locator('.notice', { hasText: 'Answered here.' }).waitFor()
      for (const words of ['Type', 'No value', 'Dataset', 'Publisher', 'License', 'Vintage', 'Coverage'])
        await page.locator('dt', { hasText: words }).first().waitFor()
      await page.locator('button', { hasText: 'Fetch in Denver' }).click()
      await page.locator('.catalog-example__value', { hasText: '08031' }).waitFor()
    }))

  test('names the command that gets the pack of an unavailable field', () =>
    visit('/catalog/plant_hardiness_zone', async (page) => {
      await page.locator('.notice--warn', { hasText: 'fieldstone pack fetch usda_phzm' }).waitFor()
      expect(await page.locator('.catalog-values li').count()).toBe(26)
    }))

  test('sending the example request without a session leads to the sign-in', () =>
    visit('/catalog/county_fips', async (page) => {
      await page.locator('button', { hasText: 'Fetch in Denver' }).click()
      expect(await page.locator('.catalog-example a', { hasText: 'Sign in' }).getAttribute('href')).toBe(
        '/sign-in?next=%2Fcatalog%2Fcounty_fips',
      )
    }))

  test('offers a search for an unknown field name', () =>
    visit('/catalog/no_such_<b>field', async (page) => {
      await page.locator('.empty h2', { hasText: 'There is no field named “no_such_<b>field”' }).waitFor()
      await page.locator('.empty a').click()
      await page.locator('.catalog-tools').waitFor()
    }))

  test('shows the presets with their fields, and the changelog', () =>
    visit('/catalog?show=presets', async (page) => {
      await page
        .locator('.catalog-preset', { hasText: 'flood_risk' })
        .locator('.chip', { hasText: 'Nearest wetland distance' })
        .waitFor()
      await page.locator('.tabs a', { hasText: 'Changes' }).click()
      const { version } = (await (await fetch(`${site.address}/v1/meta/fields`)).json()) as { version: string }
      expect(await page.locator('.catalog-changes h2').first().textContent()).toStartWith(version)
      expect(await page.locator('.catalog-changes li code').count()).toBeGreaterThan(3)
    }))

  test.each(windowOptions)(
    'has no accessibility violation and no horizontal scrolling at $size size, $scheme',
    (options) =>
      visit('/catalog', options, async (page) => {
        await page.locator('.catalog-layer summary').first().click()
        await expectAccessible(page)
        for (const [path, there] of [
          ['/catalog?q=flood', '.catalog-found li'],
          ['/catalog?show=presets', '.catalog-preset'],
          ['/catalog?show=changes', '.catalog-changes'],
          ['/catalog/plant_hardiness_zone', '.catalog-ways'],
          ['/catalog/nothing', '.empty h2'],
        ] as const) {
          await page.goto(path)
          await page.locator(there).first().waitFor()
          await expectAccessible(page)
        }
      }),
  )
})
