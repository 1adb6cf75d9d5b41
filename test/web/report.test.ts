import { describe, expect, test } from 'bun:test'
import { hasChromium } from './chromium.ts'
import { expectAccessible, windowOptions, siteInBrowser } from './visit.ts'

const boulder = 'at=40.015,-105.2705'

describe.skipIf(!hasChromium)('the report', () => {
  const { visit } = siteInBrowser()

  test('opens from Explore with the places, fields and units that are shown', () =>
    visit(`/?${boulder}&vs=39.7392,-104.9903&preset=flood_risk&units=metric`, async (page, { context }) => {
      const opening = context.waitForEvent('page')
      await page.getByRole('link', { name: /^Report/ }).click()
      const report = await opening
      await report.getByRole('heading', { name: 'All values' }).waitFor()
      expect(report.url()).toEndWith(`/report?${boulder}&vs=39.7392,-104.9903&preset=flood_risk&units=metric`)
      await report.close()
    }))

  test('has no accessibility violation, and fits every width', async () => {
    for (const options of windowOptions)
      for (const query of [`${boulder}&preset=flood_insurance`, `${boulder}&vs=39.7392,-104.9903&fields=all`])
        await visit(`/report?${query}`, options, async (page) => expectAccessible(page))
  })

  test('prints on A4 and on Letter, whose pages differ only in size', () =>
    visit(`/report?${boulder}&fields=all`, async (page) => {
      // One after the other: on a busy machine, a browser that prints a page twice at the same time may fail.
      const [a4, letter] = [await page.pdf({ format: 'A4' }), await page.pdf({ format: 'Letter' })]
      const sizes = [a4, letter].map((bytes) => bytes.toString('latin1'))
      const heights = sizes.map((text) => Math.round(Number(/\/MediaBox \[0 0 [\d.]+ ([\d.]+)\]/.exec(text)![1]) / 10))
      expect(heights).toEqual([84, 79])
    }))
})
