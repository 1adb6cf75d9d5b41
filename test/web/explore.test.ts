import { describe, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { hasChromium, openBrowserPage } from './chromium.ts'
import { submitSignIn, windowOptions, expectAccessible, siteInBrowser, useSite, visitor } from './visit.ts'

const denver = '/?at=39.7392,-104.9903'
/** Places that the fake upstreams know. */
const boulder = '/?at=40.015,-105.2705'
const both = `${denver}&vs=25.7907,-80.13&preset=flood_risk`

describe.skipIf(!hasChromium)('explore', () => {
  const { browser, site, visit } = siteInBrowser()
  const offline = useSite({ FIELDSTONE_OFFLINE: '1', FIELDSTONE_AUTH: 'on' })
  const visitOffline = visitor(browser, offline)

  const row = (page: Page, name: string) =>
    page.locator('.fact', { has: page.locator('.fact__name', { hasText: new RegExp(`^${name}$`) }) })
  const valueOf = (page: Page, name: string) => row(page, name).locator('.fact__value').first().textContent()
  const waitForResults = (page: Page) => page.locator('.results[aria-busy=false] .fact').first().waitFor()

  test('a town is found by name, and its place is in the URL', () =>
    visit('/', { drawsMap: true }, async (page) => {
      await page.locator('.map__regions').waitFor()
      await page.fill('.search__input', 'portland or')
      await page.locator('[role=option]', { hasText: /^Portland, OR/ }).click()
      await waitForResults(page)
      expect(await page.locator('.place h2').textContent()).toBe('Portland, OR')
      expect(await valueOf(page, 'County')).toBe('Multnomah County')
      expect(page.url()).toContain('?at=45.523,-122.676&name=Portland')
    }))

  test('a ZIP code and a county are found; a text without a match says what can be found', () =>
    visit('/', async (page) => {
      const option = page.locator('[role=option]')
      await page.fill('.search__input', '80302')
      await option.first().waitFor()
      expect(await option.allTextContents()).toEqual(['80302 Boulder, COZIP code'])
      await page.fill('.search__input', 'Boulder County, Colorado')
      await page.locator('[role=option]', { hasText: 'Boulder County, CO' }).waitFor()
      await page.fill('.search__input', 'qqqxyz')
      await page.getByText('Nothing found for qqqxyz.').waitFor()
      expect(await page.locator('.search__none').textContent()).toContain(
        'ZIP codes, states, counties, towns, airports',
      )
      await page.fill('.search__input', 'Boulder County, Colorado')
      await page.keyboard.press('Enter')
      await waitForResults(page)
      expect(await page.locator('.place h2').textContent()).toBe('Boulder County, CO')
      expect(await valueOf(page, 'County')).toBe('Boulder County')
    }))

  test('a list of places that cannot be loaded is reported and loaded again', () =>
    visit('/', async (page) => {
      await page.route('**/assets/base-places*', (route) => route.abort())
      await page.fill('.search__input', 'portland or')
      const notice = page.locator('.search .notice')
      await notice.getByText('Cannot reach the server.').waitFor()
      await page.unroute('**/assets/base-places*')
      await notice.getByRole('button', { name: 'Try again' }).click()
      await page.locator('[role=option]', { hasText: /^Portland, OR/ }).waitFor()
      expect(await notice.count()).toBe(0)
    }))

  test('without a network there is one notice, which tries again or names one command for all', () =>
    visit('/', async (page) => {
      site.upstreams.fault({ path: /./ }, 'reset')
      await page.goto('/?at=40.0151,-105.2706&fields=fema_flood_zone,elevation,county')
      await waitForResults(page)
      const notice = page.locator('.results .missing')
      await notice.waitFor()
      expect(await notice.count()).toBe(1)
      expect(await notice.textContent()).toContain('The network or a source did not answer. 2 values missing.')
      expect(await notice.textContent()).toContain(
        'Without a network, get the data once:fieldstone pack fetch --fields fema_flood_zone,elevation --area "Boulder County, CO"',
      )
      expect(await notice.textContent()).toContain('Run it on a machine with a network, then')
      site.upstreams.heal()
      await notice.locator('button', { hasText: 'Try again' }).click()
      await notice.waitFor({ state: 'detached' })
    }))

  test('Enter takes the first option of a pasted text, also with the pointer at rest over another one', () =>
    visit('/', async (page) => {
      const box = (await page.locator('.search__input').boundingBox())!
      await page.mouse.move(box.x + 60, box.y + box.height + 70)
      await page.focus('.search__input')
      await page.keyboard.insertText('portland')
      await page.locator('[role=option]').nth(2).waitFor()
      expect(await page.locator('[role=option]').first().getAttribute('aria-selected')).toBe('true')
      await page.keyboard.press('Enter')
      await page.locator('.place h2', { hasText: 'Portland, OR' }).waitFor()
    }))

  test('a coordinate can be entered by keyboard alone', () =>
    visit('/', async (page) => {
      await page.focus('.search__input')
      await page.keyboard.type('39°44′21″N 104°59′25″W')
      await page.locator('[role=option]').waitFor()
      await page.keyboard.press('Enter')
      await page.locator('.place h2', { hasText: 'Denver County, CO' }).waitFor()
      await waitForResults(page)
      await row(page, 'Time zone').locator('summary').focus()
      await page.keyboard.press('Enter')
      await page.locator('.fact[open] .provenance', { hasText: 'built-in data' }).waitFor()
    }))

  test.each(['13S ED 00830 98810', '85FQP2Q5+MV', '39º44’21”N 104º59’25”W'])(
    '%s is found, as the service reads it',
    (text) =>
      visit('/', async (page) => {
        await page.fill('.search__input', text)
        await page.locator('[role=option]', { hasText: 'coordinate' }).click()
        await page.locator('.place h2', { hasText: 'Denver County, CO' }).waitFor()
        expect(page.url()).toMatch(/\?at=39\.73\d+,-104\.99\d+$/)
      }),
  )

  test('the record of a value names its source, and its date or how often it changes', () =>
    visit('/?at=40.015,-105.2705&fields=fema_flood_zone,county', async (page) => {
      const recordOf = async (title: string) => {
        const row = page.locator('.fact', { has: page.locator('.fact__name', { hasText: title }) })
        await row.locator('summary').click()
        return (await row.locator('.facts').innerText()).split(/\s*\n\s*/)
      }
      const zone = await recordOf('FEMA flood zone')
      expect(zone.slice(zone.indexOf('Vintage')).slice(0, 2)).toEqual(['Vintage', 'Updated continuously'])
      expect(zone.join(' ')).toContain('fema_nfhl')
      expect((await recordOf('County')).join(' ')).toContain('Vintage boundaries of 2010')
    }))

  test('a place outside the US is reported in the panel', () =>
    visit('/?at=30,-40', async (page) => {
      await page.locator('.place h2', { hasText: 'Outside the US' }).waitFor()
      const notice = page.locator('.explore__panel > .notice', { hasText: 'coord_out_of_bounds' })
      await notice.waitFor()
      for (const name of ['Report', 'Compare', 'Terrain']) expect(await page.getByText(name).count()).toBe(0)
      expect((await notice.boundingBox())!.x).toBeGreaterThanOrEqual((await page.locator('.search').boundingBox())!.x)
    }))

  test('an address is geocoded; an ambiguous one offers candidates; an unknown one is reported', () =>
    visit('/', async (page) => {
      const search = async (address: string) => {
        await page.fill('.search__input', address)
        await page.locator('[role=option]', { hasText: 'Find address' }).click()
      }
      await search('1777 Broadway, Boulder, CO 80302')
      await page.locator('.place h2', { hasText: '1777 Broadway' }).waitFor()
      expect(page.url()).toContain('?at=40.015,-105.2705&name=1777+Broadway')
      await search('1777 Doubtful St, Boulder, CO 80302')
      await page.locator('.search .notice', { hasText: 'has a score of 0.7. Confirm the address.' }).waitFor()
      await search('100 Twice Ave, Dallas, TX')
      await page.locator('[role=option]', { hasText: '75217' }).click()
      await page.locator('.place h2', { hasText: '75217' }).waitFor()
      await search('1 Nowhere at All Street, Nowhere, KS')
      await page.locator('.search .notice[role=alert]', { hasText: 'address_not_found' }).waitFor()
      expect(await page.locator('[role=listbox]').isVisible()).toBe(false)
    }))

  test('the message about an ambiguous address is below the list of candidates and not covered by it', () =>
    visit('/', async (page) => {
      await page.fill('.search__input', '100 Twice Ave, Dallas, TX')
      await page.keyboard.press('Enter')
      const notice = page.locator('.search .notice[role=alert]')
      await notice.waitFor()
      const [list, message] = [(await page.locator('[role=listbox]').boundingBox())!, (await notice.boundingBox())!]
      expect(list.y + list.height).toBeLessThanOrEqual(message.y)
    }))

  test('a 502 of a reverse proxy can be retried with one click', () =>
    visit('/', async (page) => {
      await page.route('**/v1/fetch', (route) => route.fulfill({ status: 502, body: '<h1>Bad Gateway</h1>' }))
      await page.goto(`${denver}&fields=county`)
      await page.locator('.explore__panel > .notice', { hasText: 'status 502' }).waitFor()
      await page.unroute('**/v1/fetch')
      await page.locator('.explore__panel > .notice button', { hasText: 'Try again' }).click()
      await waitForResults(page)
      await page.locator('.place h2', { hasText: 'Denver County, CO' }).waitFor()
      expect(await valueOf(page, 'County')).toBe('Denver County')
    }))

  test('a click on the map selects that place', () =>
    visit('/', { drawsMap: true }, async (page) => {
      await page.locator('.map__regions').waitFor()
      const box = (await page.locator('.map').boundingBox())!
      await page.mouse.click(box.x + box.width / 2, box.y + box.height / 2)
      await waitForResults(page)
      expect(page.url()).toMatch(/\?at=3\d\.\d+,-9\d\.\d+$/)
    }))

  test('the keyboard selects the center of the map', () =>
    visit('/', { drawsMap: true }, async (page) => {
      await page.locator('.map__regions').waitFor()
      await page.focus('.maplibregl-canvas')
      await page.keyboard.press('Enter')
      await waitForResults(page)
      expect(page.url()).toMatch(/\?at=3\d\.\d+,-9\d\.\d+$/)
    }))

  test('a click selects a preset, its values come from the sources, and Back undoes it', () =>
    visit(boulder, async (page) => {
      await waitForResults(page)
      expect(await page.locator('.chip', { hasText: /^Site selection/ }).count()).toBe(1)
      const rows = (await page.locator('.selection').boundingBox())!
      const chip = (await page.locator('.selection .chip').first().boundingBox())!
      expect(rows.height).toBeLessThan(4 * chip.height)
      const first = (await page.locator('.fact').first().boundingBox())!
      expect(first.y + first.height).toBeLessThan(900)
      await page.getByRole('button', { name: 'All presets' }).click()
      await page.fill('dialog input[type=search]', 'shape of the ground')
      await page.locator('dialog li button', { hasText: /^Terrain \d\/6/ }).click()
      await page.locator('.fact__name', { hasText: 'Elevation' }).waitFor()
      await waitForResults(page)
      expect(await valueOf(page, 'Elevation')).toMatch(/^[\d,]+\sft[\d,.]+\sm$/)
      expect(page.url()).toContain('preset=terrain')
      await page.goBack()
      await page.locator('.fact__name', { hasText: 'County FIPS' }).waitFor()
    }))

  test('a switch changes between US and metric units; the URL and this browser keep the choice', () =>
    visit(`${denver}&fields=coast_distance_m,utm_easting_m`, async (page) => {
      await waitForResults(page)
      expect(await valueOf(page, 'Distance to tidal water')).toMatch(/^[\d,]+\smi[\d,]+\skm$/)
      await page.locator('.chip', { hasText: 'US units' }).click()
      await page.locator('.chip', { hasText: 'Metric units' }).waitFor()
      expect(await valueOf(page, 'Distance to tidal water')).toMatch(/^[\d,]+\skm[\d,]+\smi$/)
      expect(await valueOf(page, 'UTM easting')).toMatch(/^[\d,]+\sm$/)
      expect(page.url()).toContain('units=metric')
      await page.goto(page.url().replace('&units=metric', ''))
      await waitForResults(page)
      expect(await valueOf(page, 'Distance to tidal water')).toMatch(/^[\d,]+\skm/)
    }))

  test('selected fields are shown and kept in the URL', () =>
    visit(denver, async (page) => {
      await page.locator('.chip', { hasText: 'Choose fields' }).click()
      await page.locator('dialog button', { hasText: 'Clear all' }).click()
      await page.fill('dialog input[type=search]', 'nearest airport')
      await page.locator('dialog label', { hasText: /^Nearest airport name$/ }).click()
      await page.locator('dialog button', { hasText: 'Show these' }).click()
      await waitForResults(page)
      expect(await page.locator('.fact').count()).toBe(1)
      expect(page.url()).toContain('fields=nearest_airport_name')
    }))

  test('two places are shown side by side with their differences marked', () =>
    visit(both, async (page) => {
      await waitForResults(page)
      expect(await page.locator('.place h2').allTextContents()).toEqual(['Denver County, CO', 'Miami-Dade County, FL'])
      expect(await row(page, 'Distance to tidal water').locator('.fact__value').count()).toBe(2)
      await page.locator('.fact--differs').first().waitFor()
      await page.locator('[aria-label="Stop comparing with place B"]').click()
      await page.locator('.explore--two').waitFor({ state: 'detached' })
      expect(page.url()).not.toContain('vs=')
    }))

  test('the URL alone restores the view', () =>
    visit(`${denver}&fields=county_fips,timezone`, async (page) => {
      await waitForResults(page)
      expect(await page.locator('.fact__name').allTextContents()).toEqual(['County FIPS', 'Time zone'])
      expect(await valueOf(page, 'County FIPS')).toBe('08031')
    }))

  test('the request is shown for the shell and for TypeScript, and works', () =>
    visit(`${denver}&fields=county_fips`, async (page) => {
      await waitForResults(page)
      const shell = (await page.locator('.program pre').textContent())!
      const [, address, body] = /^curl -s (\S+)[\s\S]*-d '(.*)'$/.exec(shell)!
      const response = await fetch(address!, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: body!,
      })
      expect(((await response.json()) as { fields: { county_fips: { value: string } } }).fields.county_fips.value).toBe(
        '08031',
      )
      await page.locator('.program .chip', { hasText: 'TypeScript' }).click()
      expect(await page.locator('.program pre').textContent()).toContain('fields } = await response.json()')
    }))

  test('the request on a field page works unchanged', () =>
    visit('/catalog/county_fips', async (page) => {
      const [, address, body] = /^curl -s (\S+) \\\n  -H 'Content-Type: application\/json' \\\n  -d '(.*)'$/.exec(
        (await page.locator('.catalog-example pre').textContent())!,
      )!
      const response = await fetch(address!, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: body!,
      })
      expect(((await response.json()) as { fields: { county_fips: { value: string } } }).fields.county_fips.value).toBe(
        '08031',
      )
    }))

  test('markup in values, names and errors is shown as text and does not run', () =>
    visit('/', async (page) => {
      const evil = '<img src=x onerror="window.ran=1"><script>window.ran=1</script>'
      await page.route('**/v1/fetch', async (route) => {
        const response = await route.fetch()
        const body = (await response.json()) as { fields: Record<string, Record<string, unknown>> }
        for (const field of Object.values(body.fields))
          Object.assign(field, { status: 'ok', value: evil, dataset_vintage: evil, notes: evil, source: evil })
        await route.fulfill({ response, json: body })
      })
      await page.goto(`${denver}&fields=county&name=${encodeURIComponent(evil)}`)
      await page.locator('.fact__value', { hasText: '<img' }).waitFor()
      await row(page, 'County').locator('summary').click()
      await page.locator('.provenance', { hasText: '<script>' }).waitFor()
      expect(await page.locator('.place h2').textContent()).toBe(evil)
      expect(await page.evaluate('window.ran ?? null')).toBeNull()
      expect(await page.locator('.explore__panel img, .explore__panel script').count()).toBe(0)
    }))

  test('no script can turn text into markup', async () => {
    // Violations count as page errors in `visit`, so this uses a separate page.
    const { page, context } = await openBrowserPage(browser, site.address)
    await page.goto('/')
    expect(
      await page.evaluate(
        `(() => { try { document.body.innerHTML = '<b>x</b>'; return 'made' } catch (error) { return error.name } })()`,
      ),
    ).toBe('TypeError')
    expect(
      await page.evaluate(
        `(() => { try { new Worker('/v1/openapi.json'); return 'made' } catch (error) { return error.name } })()`,
      ),
    ).toBe('TypeError')
    await context.close()
  })

  test('no page of another origin can frame it', async () => {
    const stranger = Bun.serve({
      port: 0,
      fetch: () =>
        new Response(`<iframe src="${site.address}/"></iframe>`, { headers: { 'content-type': 'text/html' } }),
    })
    const context = await browser.newContext()
    try {
      const page = await context.newPage()
      await page.goto(stranger.url.href)
      expect(await page.frames()[1]!.locator('.head').count()).toBe(0)
    } finally {
      await context.close()
      await stranger.stop(true)
    }
  })

  test('visitors see the map, are asked to sign in, and return to the same place', () =>
    visitOffline(`${denver}&preset=terrain`, { drawsMap: true }, async (page) => {
      await page.locator('.map__regions').waitFor()
      await page.locator('.notice a', { hasText: 'Sign in' }).click()
      await submitSignIn(page, offline)
      const notice = page.locator('.results .missing').first()
      await notice.waitFor()
      const remedies = (await notice.locator('code').allTextContents()).join(' ')
      expect(remedies).toContain('fieldstone pack fetch --preset terrain --area "Denver County, CO"')
      expect(await notice.textContent()).toContain(`on a machine with a network, then fieldstone pack export data.tar`)
      expect(await notice.textContent()).not.toContain('setting')
      expect(page.url()).toContain(`${denver}&preset=terrain`)
      await row(page, 'Elevation').locator('summary').click()
      expect(await row(page, 'Elevation').locator('.provenance__failed').textContent()).toMatch(
        /usgs_3dep.*offline_no_data/,
      )
    }))

  test.each(windowOptions)(
    'has no accessibility violation and no horizontal scrolling at $size size, $scheme',
    async (options) => {
      await visit('/', { ...options, drawsMap: true }, async (page) => {
        await page.locator('.map__regions').waitFor()
        await expectAccessible(page)
      })
      for (const path of [denver, both])
        await visit(path, { ...options, drawsMap: true }, async (page) => {
          await page.locator('.map__regions').waitFor()
          await waitForResults(page)
          await page.locator('.fact summary').first().click()
          await expectAccessible(page)
        })
      await visit(both, options, async (page) => {
        await waitForResults(page)
        await page.locator('.chip', { hasText: 'Choose fields' }).click()
        await page.locator('dialog').waitFor()
        await expectAccessible(page)
      })
    },
  )
})
