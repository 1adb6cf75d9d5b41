import { beforeAll, describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { assignClassColors, classTextOf, sortClasses } from '../../src/web/map/field-coloring.ts'
import {
  numberClassOf,
  numberClassTexts,
  attributeNumberOf,
  rampOf,
  roundLimits,
} from '../../src/web/map/number-classes.ts'
import { mapViewText, parseMapView } from '../../src/web/map/geometry.ts'
import { blob, boxRing, polygonWkb } from '../packs/encode-wkb.ts'
import { writePack } from '../packs/write-pack.ts'
import { hasChromium } from './chromium.ts'
import { expectAccessible, windowOptions, siteInBrowser } from './visit.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

/** The center of the map is a place of the layer. */
const denver = '/?at=39.73915,-104.9847'
const panel = '.map-layers'

test.each([
  [null],
  [''],
  ['39.7,-104.9'],
  ['39.7,-104.9,x'],
  ['95,-104.9,5'],
  ['39.7,-190,5'],
  ['39.7,-104.9,30'],
  ['39.7,,5'],
  ['1,2,3,4'],
])('%p is no view of a map', (text) => expect(parseMapView(text)).toBeNull())

test('A view is parsed as it was written, with a longitude between -180 and 180', () => {
  expect(parseMapView(mapViewText({ center: { lat: 39.73921, lng: -104.99 }, zoom: 8.46 }))).toEqual({
    center: { lat: 39.7392, lng: -104.99 },
    zoom: 8.5,
  })
  expect(mapViewText({ center: { lat: 1, lng: 190.5 }, zoom: 3 })).toBe('1,-169.5,3')
})

test('A class in view keeps its color, and a new one takes the color of a class out of view', () => {
  const six = ['a', 'b', 'c', 'd', 'e', 'f']
  const before = assignClassColors(new Map(), six)
  expect(new Set(before.values()).size).toBe(6)
  const after = assignClassColors(before, ['c', 'new', 'a'])
  expect([after.get('a'), after.get('c')]).toEqual([before.get('a')!, before.get('c')!])
  expect(['b', 'd', 'e', 'f'].map((it) => before.get(it)!)).toContain(after.get('new')!)
  const crowded = assignClassColors(before, [...six, 'g'])
  expect([...crowded.values()]).toEqual([...before.values(), '--edge'])
})

test('Classes are in the order of the catalog with their meaning, and others follow by name', () => {
  const classes = [
    { value: 'X', text: 'X: low' },
    { value: 'A', text: 'A: high' },
  ]
  const field = { name: 'zone', attribute: 'ZONE', classes, numbers: null }
  expect(sortClasses(field, new Set(['10', 'A', '9', 'X']))).toEqual(['X', 'A', '9', '10'])
  expect([classTextOf(field, 'A'), classTextOf(field, '9')]).toEqual(['A: high', '9'])
})

test.each([
  [
    [3, 18, 21, 39, 44, 55, 61, 79, 83, 98],
    [20, 40, 60, 80],
  ],
  [
    [2009, 2003, 1987, 1991, 2016, 2021],
    [1990, 2000, 2010, 2020],
  ],
  [[0, 0, 5], [5]],
  [[1.234567891, 1.234567892], [1.234567892]],
  [[7, 7], []],
  [[], []],
])('The limits between classes of %p are %p', (numbers, limits) => expect(roundLimits(numbers)).toEqual(limits))

test('Each of up to five classes has a number, whatever the numbers are', () => {
  for (let seed = 1; seed <= 300; seed++) {
    const numbers = Array.from({ length: seed % 40 }, (_, i) => Math.sin(seed * 31 + i * 7) ** 5 * 10 ** (seed % 9))
    const limits = roundLimits(numbers)
    const used = new Set(numbers.map((number) => numberClassOf(limits, number)))
    expect(limits).toEqual([...new Set(limits)].toSorted((a, b) => a - b))
    expect(used.size).toBe(numbers.length === 0 ? 0 : Math.min(5, new Set(numbers).size))
  }
})

test('The texts of classes have the limits and the unit, and years are named as years', () => {
  expect(numberClassTexts([1000, 2500], 'USD/month')).toEqual([
    'less than 1,000\u00a0USD/month',
    '1,000 to less than 2,500\u00a0USD/month',
    '2,500\u00a0USD/month or more',
  ])
  expect(numberClassTexts([1990, 2000, 2001], 'year')).toEqual(['before 1990', '1990 to 1999', '2000', '2001 or later'])
  expect(numberClassTexts([], '%')).toEqual(['all values'])
  expect(rampOf(2)).toEqual(['--ramp-1', '--ramp-5'])
  expect(new Set(rampOf(5)).size).toBe(5)
})

test('An attribute has no number if it is missing, blank, text, or a number that means no value', () => {
  const field = { name: 'rent', attribute: 'RENT', classes: [], numbers: { unit: 'USD/month', no_value: [0] } }
  expect([null, undefined, ' ', 'NP', 0, '0'].map((value) => attributeNumberOf(field, value))).toEqual(
    Array(6).fill(null),
  )
  expect(['12.5', 900].map((value) => attributeNumberOf(field, value))).toEqual([12.5, 900])
})

/** Writes a pack with rents in six areas around the center of the map. One of them has no value. */
function writeRents(folder: string): void {
  const features = [900, 1_130, 1_530, 2_130, 2_710, 0].map((FMR_2BDR, i) => ({
    geom: blob(polygonWkb(boxRing(-105.3 + i * 0.1, 39.5, -105.2 + i * 0.1, 40))),
    attributes: { FMR_2BDR },
  }))
  writePack(join(folder, 'hud_fair_market_rents.gpkg')).layer('areas', features).close()
}

/** Writes a pack with a flood zone on each side of the center of the map. */
function writeFloodZones(folder: string): void {
  const zones = { AE: boxRing(-105.2, 39.6, -104.98, 39.9), X: boxRing(-104.98, 39.6, -104.8, 39.9) }
  const features = Object.entries(zones).map(([FLD_ZONE, ring]) => ({
    geom: blob(polygonWkb(ring)),
    attributes: { FLD_ZONE, ZONE_SUBTY: null, SFHA_TF: 'T', STATIC_BFE: -9999, LEN_UNIT: null },
  }))
  writePack(join(folder, 'fema_nfhl.gpkg')).layer('S_FLD_HAZ_AR', features).close()
}

describe.skipIf(!hasChromium)('layers of the map', () => {
  const packs = temporaryFolder()
  beforeAll(() => {
    writeFloodZones(packs)
    writeRents(packs)
  })
  const { site, visit } = siteInBrowser({ FIELDSTONE_OFFLINE: '1', FIELDSTONE_PACKS: packs }, { drawsMap: true })
  beforeAll(async () => {
    // A pack is checked before the server uses it.
    for (const dataset of ['fema_nfhl_zones', 'hud_fair_market_rents'])
      while ((await fetch(`${site.address}/tiles/${dataset}`)).status !== 200);
  })

  test('a layer is switched on with the keyboard, is loaded as tiles, and is in the URL', () =>
    visit(denver, async (page) => {
      await page.locator(`${panel} summary`).focus()
      await page.keyboard.press('Enter')
      const tile = page.waitForResponse((it) => /\/tiles\/geonames_places\/\d+\/\d+\/\d+\.mvt$/.test(it.url()))
      await page.getByLabel(/^Populated places of GeoNames/).focus()
      await page.keyboard.press('Space')
      expect((await tile).status()).toBe(200)
      expect(new URL(page.url()).searchParams.get('layers')).toBe('geonames_places')
      await page.reload()
      await page.locator(`${panel} summary`, { hasText: 'Layers (1)' }).waitFor()
    }))

  test('the list begins with the layers that are shown when it is opened, and none moves while it is open', () =>
    visit(`${denver}&layers=geonames_places`, async (page) => {
      const layers = page.locator(`${panel} li > label:has([type=checkbox])`)
      const list = page.locator(`${panel} summary`)
      await page.locator(`${panel} summary`, { hasText: 'Layers (1)' }).click()
      await layers.first().filter({ hasText: 'Populated places of GeoNames' }).waitFor()
      const order = await layers.allTextContents()
      await layers.last().click()
      await page.locator(`${panel} summary`, { hasText: 'Layers (2)' }).waitFor()
      expect(await layers.allTextContents()).toEqual(order)
      await list.click()
      await list.click()
      await layers
        .nth(1)
        .filter({ hasText: order.at(-1)! })
        .waitFor()
    }))

  test('a click on a feature shows its attributes with its source', () =>
    visit(`${denver}&layers=geonames_places`, async (page) => {
      const isLoaded = page.waitForResponse((it) => it.url().includes('/tiles/geonames_places/'))
      await page.locator(`${panel} summary`).click()
      await isLoaded
      const facts = page.locator('.map-layers__feature')
      const { x, y, width, height } = (await page.locator('.map').boundingBox())!
      // The tile is drawn some frames after it was loaded.
      while ((await facts.count()) === 0) await page.mouse.click(x + width / 2, y + height / 2)
      expect(await facts.first().textContent()).toContain('Denver')
      expect(await facts.first().textContent()).toContain('GeoNames, CC BY 4.0')
    }))

  test('a layer is colored by a field, its legend has the classes in view, and a click reads the class', () =>
    visit(denver, async (page) => {
      await page.locator(`${panel} summary`).click()
      await page.getByLabel(/flood hazard zones/i).check()
      expect(new URL(page.url()).searchParams.get('layers')).toBe('fema_nfhl_zones:fema_flood_zone')
      const legend = page.getByRole('list', { name: 'Legend of FEMA flood zone' })
      await legend.getByText('X: outside the 100-year floodplain').waitFor()
      expect(await legend.locator('li').allTextContents()).toEqual([
        'AE: in the 100-year floodplain',
        'X: outside the 100-year floodplain',
      ])
      await expectAccessible(page)
      const { x, y, width, height } = (await page.locator('.map').boundingBox())!
      const facts = page.locator('.map-layers__feature')
      await page.mouse.click(x + width * 0.45, y + height / 2)
      await facts.getByText('AE: in the 100-year floodplain').waitFor()
      expect(await facts.textContent()).toContain('FEMA')
      await page.getByLabel('Color by').selectOption('one color')
      await legend.waitFor({ state: 'detached' })
      expect(new URL(page.url()).searchParams.get('layers')).toBe('fema_nfhl_zones')
    }))

  test('a layer is colored by a number, and its legend has the round limits of five classes with their unit', () =>
    visit(`${denver}&layers=hud_fair_market_rents:fair_market_rent_2br_usd`, async (page) => {
      await page.locator(`${panel} summary`).click()
      const legend = page.getByRole('list', { name: /^Legend of / })
      await legend.getByText('2,700\u00a0USD/month or more').waitFor()
      expect(await legend.locator('li').allTextContents()).toEqual([
        'less than 1,100\u00a0USD/month',
        '1,100 to less than 1,500\u00a0USD/month',
        '1,500 to less than 2,100\u00a0USD/month',
        '2,100 to less than 2,700\u00a0USD/month',
        '2,700\u00a0USD/month or more',
        'no value',
      ])
      await expectAccessible(page)
      const { x, y, width, height } = (await page.locator('.map').boundingBox())!
      await page.mouse.click(x + width / 2, y + height / 2)
      await page.locator('.map-layers__feature').getByText('2,130\u00a0USD/month').waitFor()
    }))

  test('the view of the map is in the URL, and a link opens it', () =>
    visit(denver, async (page) => {
      const zoomIn = async () => {
        await page.getByRole('button', { name: 'Zoom in' }).focus()
        await page.keyboard.press('Enter')
      }
      const viewAt = async (zoom: number) => {
        await page.waitForURL((url) => parseMapView(url.searchParams.get('map'))?.zoom === zoom)
        return parseMapView(new URL(page.url()).searchParams.get('map'))!
      }
      await page.locator('.map__regions').waitFor()
      await zoomIn()
      const { center } = await viewAt(9.5)
      expect([center.lat, center.lng].map((it) => it.toFixed(2))).toEqual(['39.74', '-104.98'])
      await page.reload()
      await page.locator('.map__regions').waitFor()
      await zoomIn()
      expect((await viewAt(10.5)).center).toEqual(center)
    }))

  test('the view is fitted again when the window changes its size, until the user moves the map', () =>
    visit('/', async (page) => {
      const resize = async (width: number) => {
        const before = await page.locator('.maplibregl-canvas').getAttribute('width')
        await page.setViewportSize({ width, height: 900 })
        while ((await page.locator('.maplibregl-canvas').getAttribute('width')) === before);
      }
      const zoomIn = async () => {
        const before = page.url()
        await page.getByRole('button', { name: 'Zoom in' }).focus()
        await page.keyboard.press('Enter')
        await page.waitForURL((url) => String(url) !== before)
        return parseMapView(new URL(page.url()).searchParams.get('map'))!.zoom
      }
      await page.locator('.map__regions').waitFor()
      await resize(360)
      // The lower 48 states fit a phone at a zoom of less than 2, and the window before it at more than 3.
      const zoom = await zoomIn()
      expect(zoom).toBeLessThan(3)
      await resize(1400)
      expect(await zoomIn()).toBe(Math.round((zoom + 1) * 10) / 10)
    }))

  test('on a phone, the list fits on the map, and its last layer can be scrolled into view', () =>
    visit('/', { size: 'phone' }, async (page) => {
      await page.locator(`${panel} summary`).click()
      const bottomOf = async (selector: string) => {
        const { y, height } = (await page.locator(selector).last().boundingBox())!
        return y + height
      }
      await page.locator(`${panel} label`).first().hover()
      await page.mouse.wheel(0, 10_000)
      const bottom = await bottomOf('.map')
      await page.waitForFunction(`document.querySelector('${panel}').scrollTop > 0`)
      expect(await bottomOf(panel)).toBeLessThan(bottom)
      expect(await bottomOf(`${panel} label`)).toBeLessThan(bottom)
    }))

  test('the list of layers has no accessibility violation', async () => {
    for (const options of windowOptions)
      await visit(denver, options, async (page) => {
        await page.locator(`${panel} summary`).click()
        await page.getByLabel(/^Populated places of GeoNames/).waitFor()
        await expectAccessible(page)
      })
  })
})
