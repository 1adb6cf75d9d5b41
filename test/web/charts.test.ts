import { describe, expect, test } from 'bun:test'
import type { FieldResult } from '../../src/fetch/fetch-answer.ts'
import { chartShapesOf } from '../../src/web/charts/chart-shapes.ts'
import { seriesOf } from '../../src/web/charts/series.ts'
import { hasChromium } from './chromium.ts'
import { expectAccessible, windowOptions, siteInBrowser } from './visit.ts'

const sunFields = 'summer_solstice_day_length_hours,winter_solstice_day_length_hours'
const result = (value: FieldResult['value'], status: 'ok' | 'absent' = 'ok') =>
  ({ value, status, source: 'usda_cdl', unit: null }) as FieldResult
const answerOf = (fields: Record<string, FieldResult>) => ({
  lat: 39.7392,
  lng: -104.9903,
  fetched_at: '2026-11-23T00:00:00.000+00:00',
  fields,
})

test('A field about the sun has its course through the year, which agrees with the fields of the solstices', () => {
  const [sun, ...others] = seriesOf(answerOf({ ghi_annual_kwh_m2_day: result(null, 'absent') }))
  expect(others).toEqual([])
  const [hours, heights] = sun!.table
  expect(sun!.labels.map(({ long }) => long)).toHaveLength(12)
  expect([hours!.values[5], hours!.values[11]]).toEqual(['15.0', '9.4'])
  expect([heights!.values[5], heights!.values[11]]).toEqual(['73.7°', '26.8°'])
})

test('The crops of the years are a series of classes, the oldest first', () => {
  const [crops] = seriesOf(answerOf({ crop_rotation_5y: result('Corn > Soybeans > Corn') }))
  expect(crops).toMatchObject({ kind: 'classes', values: ['Corn', 'Soybeans', 'Corn'] })
  expect(crops!.labels.map(({ long }) => long)).toEqual(['2 years before', '1 year before', 'latest year'])
  const [dated] = seriesOf(
    answerOf({ crop_rotation_5y: { ...result('Corn > Soybeans > Corn'), dataset_vintage: '2023 to 2025' } }),
  )
  expect(dated!.labels.map(({ long }) => long)).toEqual(['2023', '2024', '2025'])
  const colors = chartShapesOf(crops!).shapes.flatMap((shape) => (shape.type === 'rect' ? [shape.style] : []))
  expect(colors).toEqual(['class-0', 'class-1', 'class-0'])
})

test('A field without a value, and other fields, have no series', () => {
  expect(seriesOf(answerOf({ crop_rotation_5y: result(null, 'absent'), county: result('Denver County') }))).toEqual([])
})

test('A bar is as high as its share of the highest value', () => {
  const [sun] = seriesOf(answerOf({ ghi_annual_kwh_m2_day: result(4) }))
  const heights = chartShapesOf(sun!).shapes.flatMap((shape) => (shape.type === 'rect' ? [shape.height] : []))
  expect(heights).toHaveLength(12)
  expect(Math.max(...heights)).toBe(heights[5]!)
  expect(heights[11]! / heights[5]!).toBeCloseTo(9.35 / 14.99, 2)
})

describe.skipIf(!hasChromium)('charts', () => {
  const { visit } = siteInBrowser({ FIELDSTONE_OFFLINE: '1' })

  test.each(windowOptions)(
    'are on the page and in the report with a table for screen readers at $size size, $scheme',
    (options) =>
      visit(`/?at=39.7392,-104.9903&fields=${sunFields}`, options, async (page) => {
        await page.getByRole('cell', { name: '73.7°' }).waitFor()
        await expectAccessible(page)
        await page.goto(`/report?at=39.7392,-104.9903&vs=64.84,-147.72&fields=${sunFields}`)
        expect(await page.getByRole('table', { name: /^Hours of daylight/ }).count()).toBe(2)
        expect(await page.locator('.chart h3').allTextContents()).toEqual([
          'A: Hours of daylight on day 21 of each month',
          'B: Hours of daylight on day 21 of each month',
        ])
        await expectAccessible(page)
        await page.emulateMedia({ colorScheme: 'dark', forcedColors: 'active' })
        const colors = await page.evaluate<string[]>(
          `[getComputedStyle(document.querySelector('.chart text')).fill, getComputedStyle(document.body).color]`,
        )
        expect(colors[0]).toBe(colors[1])
      }),
  )
})
