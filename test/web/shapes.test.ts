import { describe, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import type { DrawnFeature } from '../../src/fetch/fetch-answer.ts'
import { colorShapes } from '../../src/web/map/shape-colors.ts'
import { hasChromium } from './chromium.ts'
import { expectAccessible, windowOptions, siteInBrowser } from './visit.ts'

const denver = '/?at=39.7392,-104.9903'

const cell = (value: string | number | null): DrawnFeature => ({
  type: 'Feature',
  properties: { role: 'cell', dataset: 'any', value },
  geometry: { type: 'Polygon', coordinates: [] },
})

test('Cells of numbers have a ramp from the smallest to the largest; cells without data have a class of their own', () => {
  const { classes, colorOf } = colorShapes([cell(10), cell(20), cell(11), cell(null)])
  expect(classes).toEqual([
    { text: '10 to 11', color: '--ramp-1', isValue: true, range: [10, 11] },
    { text: '20', color: '--ramp-5', isValue: true, range: [20, 20] },
    { text: 'No data', color: '--edge', isValue: false },
  ])
  expect([cell(10), cell(20), cell(null)].map(colorOf)).toEqual(['--ramp-1', '--ramp-5', '--edge'])
})

test('Parts with numbers have the color of their mean, and their range in the legend', () => {
  const part = (value: number, range: [number, number]): DrawnFeature => {
    const { properties, ...shape } = cell(value)
    return { ...shape, properties: { ...properties, role: 'part', range } }
  }
  expect(colorShapes([part(18, [12, 20]), part(5, [0, 10])]).classes).toEqual([
    { text: '0 to 10', color: '--ramp-2', isValue: true, range: [0, 10] },
    { text: '12 to 20', color: '--ramp-5', isValue: true, range: [12, 20] },
  ])
})

test('Cells of classes have a color per class', () => {
  const { classes } = colorShapes([cell('Forest'), cell('Water'), cell('Forest')])
  expect(classes).toEqual([
    { text: 'Forest', color: '--kind-1', isValue: true },
    { text: 'Water', color: '--kind-2', isValue: true },
  ])
})

describe.skipIf(!hasChromium)('shapes on the map', () => {
  const { visit } = siteInBrowser({ FIELDSTONE_OFFLINE: '1' }, { drawsMap: true })

  const row = (page: Page, name: string) =>
    page.locator('.fact', { has: page.locator('.fact__name', { hasText: new RegExp(`^${name}$`) }) })
  const legend = (page: Page) => page.getByRole('region', { name: 'Legend' })

  test('opening a field shows its shape with a legend, in every width and scheme without an accessibility violation', async () => {
    for (const options of windowOptions)
      await visit(denver, options, async (page) => {
        await page.locator('.map__regions').waitFor()
        await row(page, 'County').locator('summary').click()
        await legend(page).getByText('Contains the place').waitFor()
        expect(await legend(page).locator('h3').textContent()).toBe('County')
        await expectAccessible(page)
      })
  })

  test('the keyboard shows the shape of the focused field: the nearest feature, and the distance', () =>
    visit(denver, async (page) => {
      await page.locator('.map__regions').waitFor()
      await row(page, 'Nearest airport distance').locator('summary').focus()
      await legend(page).getByText('Nearest feature').waitFor()
      await legend(page)
        .getByText(/^Distance: /)
        .waitFor()
      expect(await legend(page).getByRole('button').count()).toBe(0)
      await page.keyboard.press('Enter')
      await legend(page).getByRole('button', { name: 'Zoom to shape' }).focus()
      await page.keyboard.press('Enter')
      expect(await legend(page).count()).toBe(1)
    }))

  test('a field without a shape says so', () =>
    visit(`${denver}&fields=mgrs`, async (page) => {
      await page.locator('.map__regions').waitFor()
      await page.locator('.fact summary').first().click()
      await legend(page).getByText('This field has no shape to draw.').waitFor()
    }))
})
