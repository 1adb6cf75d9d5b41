import { describe, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { hasChromium } from './chromium.ts'
import { openSite } from './site.ts'
import { xlsxOf } from '../upstreams/tables/xlsx.ts'
import { windowOptions, expectAccessible, siteInBrowser, visitor } from './visit.ts'

const maliciousText = '<img src=x onerror="window.ran=1"><script>window.ran=1</script>'
const placesCsv = `name,city,lat,lng\nCivic Center,"Denver, CO",39.7392,-104.9903\nLincoln Road,${maliciousText},25.7907,-80.13\nNowhere,nowhere,north,-80\nPike Place,Seattle,47.6097,-122.3425\n`

describe.skipIf(!hasChromium)('runs', () => {
  const { browser, site, visit } = siteInBrowser()

  const chooseFile = async (page: Page, text: string, name = 'sites.csv') => {
    await page.locator('.runs-drop').waitFor()
    await page.setInputFiles('input[type=file]', { name, mimeType: 'text/csv', buffer: Buffer.from(text) })
    await page.locator('.runs-draft').waitFor()
  }
  const start = async (page: Page) => {
    await page.locator('.runs-estimate').waitFor()
    await page.locator('button', { hasText: /^Start with/ }).click()
    await page.waitForURL(/\/runs\/run_/)
  }
  const waitForResult = (page: Page) => page.locator('.runs-table').waitFor()
  const selectField = async (page: Page, name: string) => {
    await page.locator('.chip', { hasText: 'Choose fields' }).click()
    await page.fill('dialog input[type=search]', name)
    await page.locator('dialog label', { hasText: new RegExp(`^${name}$`, 'i') }).click()
    await page.locator('dialog button', { hasText: 'Show these' }).click()
  }
  const submitRun = async (csv: string, query: string) => {
    const response = await fetch(`${site.address}/v1/runs?kind=fetch_batch&${query}`, {
      method: 'POST',
      headers: { 'content-type': 'text/csv' },
      body: csv,
    })
    return ((await response.json()) as { run_id: string }).run_id
  }
  const runs = async () =>
    ((await (await fetch(`${site.address}/v1/runs?limit=100`)).json()) as { items: unknown[] }).items.length

  test('a dropped file shows its columns, becomes one run even after a double click, and its rows are on the map, in the table and in the downloads', () =>
    visit('/runs', { drawsMap: true }, async (page) => {
      await page.locator('.runs-drop').waitFor()
      const before = await runs()
      const data = await page.evaluateHandle(
        `(() => { const it = new DataTransfer(); it.items.add(new File([${JSON.stringify(placesCsv)}], 'sites.csv', { type: 'text/csv' })); return it })()`,
      )
      await page.dispatchEvent('.runs-drop', 'drop', { dataTransfer: data })
      await page.locator('.runs-draft').waitFor()
      expect(await page.locator('.runs-first__used').allTextContents()).toEqual(['latlatitude', 'lnglongitude'])
      expect(await page.locator('.runs-first tbody tr').count()).toBe(4)
      expect(await page.textContent('.runs-draft .notice--warn')).toContain(
        'Line 4: column "lat" has "north", which is not a latitude',
      )
      expect(await page.textContent('.runs-estimate')).toContain('This run makes no billed calls')
      expect(await runs()).toBe(before)
      await page.locator('.runs-draft .chip', { hasText: /^Place context 43\/43/ }).waitFor()
      await page.locator('button', { hasText: /^Start with 4 rows$/ }).dblclick()
      await page.waitForURL(/\/runs\/run_/)
      await waitForResult(page)
      expect(await runs()).toBe(before + 1)
      expect([await page.title(), await page.textContent('h1')]).toEqual(['sites.csv · Fieldstone', 'sites.csv'])

      expect(await page.locator('.runs-table tbody tr').count()).toBe(4)
      expect(await page.textContent('.runs-table tr[aria-rowindex="3"]')).toContain(maliciousText)
      expect(await page.textContent('.runs-table tr[aria-rowindex="4"]')).toContain('failed: row invalid')
      expect(await page.evaluate('window.ran ?? null')).toBeNull()
      expect(await page.locator('.runs-table img, .runs-table script').count()).toBe(0)

      await page.locator('.map__regions').waitFor()
      await page.selectOption('.runs-map select', { label: 'County' })
      expect(await page.locator('.runs-legend__words').allTextContents()).toEqual([
        'Denver County',
        'King County',
        'Miami-Dade County',
        'Failed',
      ])
      expect(page.url()).toContain('color=county')
      await page.locator('.runs-legend button', { hasText: 'King County' }).click()
      expect(await page.locator('.runs-table tbody tr').count()).toBe(1)
      await page.locator('.runs-legend button', { hasText: 'King County' }).click()

      await page.locator('.runs-table th button[title="Sort by nearest_place_population"]').click()
      expect(await page.locator('.runs-table tbody th').allTextContents()).toEqual(['2', '1', '4', '3'])
      await page.fill('.runs-rows__filter', 'denver')
      expect(await page.locator('.runs-table tbody th').allTextContents()).toEqual(['1'])
      for (const [words, ending, text] of [
        ['CSV', 'csv', 'name,city,lat,lng,index,ok,fieldstone_lat'],
        ['Excel', 'xlsx', 'PK'],
        ['GeoJSON', 'geojson', '{"type":"FeatureCollection"'],
        ['GeoPackage', 'gpkg', 'SQLite format 3'],
        ['GeoParquet', 'parquet', 'PAR1'],
        ['JSON lines', 'ndjson', '{"name":'],
      ] as const) {
        const coming = page.waitForEvent('download')
        await page.locator('.page-head a', { hasText: new RegExp(`^${words}$`) }).click()
        const file = await coming
        expect(file.suggestedFilename()).toBe(`sites.place_context.${ending}`)
        expect(await Bun.file(await file.path()).text()).toStartWith(text)
      }
    }))

  test('a failed row is corrected on the page of its run, and only this row is retried', () =>
    visit('/runs', async (page) => {
      await page.goto(`/runs/${await submitRun(placesCsv, 'fields=county')}`)
      await waitForResult(page)
      await page.locator('.runs-corrections summary', { hasText: 'Correct 1 failed row' }).click()
      const row = page.locator('.runs-corrections li')
      expect(await row.textContent()).toContain('Row 3: Line 4')
      await row.locator('input').fill('47.6097, -122.3425')
      await page.locator('button', { hasText: /^Retry 1 corrected row$/ }).click()
      await page.locator('.runs-about', { hasText: 'retry of another run' }).waitFor()
      await waitForResult(page)
      expect(await page.locator('.runs-table tbody tr').allTextContents()).toEqual([
        expect.stringContaining('King County') as string,
      ])
    }))

  test('of several dropped files the first is used, and the ignored ones are listed', () =>
    visit('/runs', async (page) => {
      await page.locator('.runs-drop').waitFor()
      const data = await page.evaluateHandle(
        `(() => { const it = new DataTransfer(); for (const name of ['a.csv', 'b.csv', 'c.csv']) it.items.add(new File(['lat,lng\\n39,-105\\n'], name)); return it })()`,
      )
      await page.dispatchEvent('.runs-drop', 'drop', { dataTransfer: data })
      await page.locator('.runs-draft .notice--warn', { hasText: 'Using a.csv; ignored: b.csv, c.csv.' }).waitFor()
      await page.locator('button', { hasText: 'Cancel' }).click()
      await chooseFile(page, placesCsv)
      expect(await page.locator('.runs-draft').textContent()).not.toContain('ignored')
    }))

  test('a row shows the source of each value and links to Explore; a failed row shows its error', () =>
    visit('/runs', async (page) => {
      await page.goto(`/runs/${await submitRun(placesCsv, 'fields=county,timezone')}`)
      await waitForResult(page)
      await page.locator('.runs-table tr[aria-rowindex="3"]').click()
      await page.locator('dialog .fact summary', { hasText: 'County' }).click()
      expect(await page.textContent('dialog .provenance')).toContain('From built-in data.')
      expect(await page.textContent('dialog .facts')).toContain(maliciousText)
      expect(await page.evaluate('window.ran ?? null')).toBeNull()
      await page.keyboard.press('Escape')
      await page.locator('dialog').waitFor({ state: 'detached' })
      await page.locator('.runs-table tr[aria-rowindex="4"] th button').press('Enter')
      await page.locator('dialog .notice--bad', { hasText: 'row_invalid' }).waitFor()
      expect(await page.textContent('dialog .notice--bad')).toContain('Line 4')
      await page.keyboard.press('Escape')
      await page.locator('.runs-table tr[aria-rowindex="2"] th button').click()
      await page.locator('dialog a', { hasText: 'Open in Explore' }).click()
      await page.locator('.place h2', { hasText: 'Denver County, CO' }).waitFor()
      expect(page.url()).toContain('/?at=39.7392,-104.9903&fields=county,timezone')
    }))

  test('progress is shown live, also after the connection was lost', () =>
    visit('/runs', async (page) => {
      let connections = 0
      await page.route('**/events', (route) => (connections++ === 0 ? route.abort() : route.continue()))
      site.upstreams.delay(400)
      try {
        const csv = `lat,lng\n${Array.from({ length: 120 }, (_, i) => `${39 + i / 100},-105`).join('\n')}\n`
        await page.goto(`/runs/${await submitRun(csv, 'preset=terrain')}`)
        await page.locator('.runs-progress', { hasText: 'Reconnecting' }).waitFor()
        await page.locator('.runs-progress', { hasText: /[1-9]\d* of 120 rows/ }).waitFor()
        await page.locator('.runs-progress', { hasText: /rows per second, .* left/ }).waitFor()
        site.upstreams.heal()
        await waitForResult(page)
        expect(connections).toBeGreaterThan(1)
      } finally {
        site.upstreams.heal()
      }
    }))

  test('a run can be cancelled, and its unanswered rows say so', () =>
    visit('/runs', async (page) => {
      site.upstreams.delay(3000)
      try {
        await page.goto(
          `/runs/${await submitRun(`lat,lng\n${'40.215,-105.0705\n39.9392,-104.7903\n'.repeat(60)}`, 'preset=terrain')}`,
        )
        await page.locator('.page-head button', { hasText: 'Cancel' }).click()
        await page.locator('.page-head .status', { hasText: 'Cancelled' }).waitFor()
        await page.locator('.runs-table__refused', { hasText: 'run cancelled' }).first().waitFor()
      } finally {
        site.upstreams.heal()
      }
    }))

  test('failed rows are retried in a new run', () =>
    visit('/runs', async (page) => {
      site.upstreams.fault({ path: /./ }, 'reset')
      const failed = await submitRun('name,lat,lng\nBoulder,40.0155,-105.2705\n', 'fields=elevation,county')
      await page.goto(`/runs/${failed}`)
      await waitForResult(page)
      expect(await page.locator('.runs-table tbody td').allTextContents()).toEqual([
        'Boulder',
        '40.0155',
        '-105.2705',
        'failed',
        'Boulder County',
      ])
      await page.locator('.runs-about', { hasText: 'Finished: 1 of 2 values failed' }).waitFor()
      expect(await page.locator('main .missing').allTextContents()).toEqual([
        expect.stringContaining('The network or a source did not answer. 1 value missing.'),
      ])
      expect(await page.locator('main .missing code').allTextContents()).toContain(
        `fieldstone pack fetch --fields elevation --sites ${failed}.geojson --radius 1km`,
      )
      site.upstreams.heal()
      await page.locator('main .missing button', { hasText: 'Try again' }).click()
      await page.waitForURL((url) => !url.pathname.endsWith(failed))
      await page.locator('.runs-about', { hasText: 'retry of' }).waitFor()
      await page.locator('.runs-table tbody td', { hasText: /^[\d,.]+\sm$/ }).waitFor()
      expect(await page.locator('button', { hasText: 'Retry failed' }).count()).toBe(0)
    }))

  test('missing data of a preset has its titles and one command that names the preset', () =>
    visit('/runs', async (page) => {
      const id = await submitRun('name,lat,lng\nBoulder,40.0155,-105.2705\n', 'preset=severe_storms')
      await page.goto(`/runs/${id}`)
      const notice = page.locator('main .missing', { hasText: 'the data is not on this server' })
      await notice.locator('p.row code').waitFor()
      const [command, ...others] = await notice.locator('p.row code').allTextContents()
      expect([command, others]).toEqual([
        `fieldstone pack fetch --preset severe_storms --sites ${id}.geojson --radius 1km`,
        [],
      ])
      expect(await notice.textContent()).not.toMatch(/[a-z]+_[a-z]+_count/)
    }))

  test('a swapped row is named, found by the filter, and does not move the map away from the others', () =>
    visit('/runs', { drawsMap: true }, async (page) => {
      const csv = 'name,lat,lng\nDenver,39.7392,-104.9903\nSwapped,-104.9903,39.7392\nBoulder,40.0155,-105.2705\n'
      await page.goto(`/runs/${await submitRun(csv, 'fields=county')}`)
      await waitForResult(page)
      expect(await page.locator('.runs-about').textContent()).toContain('Finished: 1 of 3 values failed')
      await page.locator('.notice', { hasText: 'Did you mean 39.7392, -104.9903?' }).waitFor()
      await page.locator('.map__regions').waitFor()
      await page.fill('.runs-rows__filter', 'failed')
      expect(await page.locator('.runs-table tbody th').allTextContents()).toEqual(['2'])
    }))

  test('a workbook becomes a run: its sheet and its location columns can be selected', () =>
    visit('/runs', async (page) => {
      const workbook = xlsxOf([
        ['Notes', [['about this file']]],
        [
          'Sites',
          [
            ['site', 'north', 'east'],
            ['Civic Center', 39.7392, -104.9903],
            ['Lincoln Road', 25.7907, -80.13],
          ],
        ],
      ])
      await page.locator('.runs-drop').waitFor()
      await page.setInputFiles('input[type=file]', { name: 'sites.xlsx', mimeType: '', buffer: Buffer.from(workbook) })
      await page.getByText('The file has no location column.').waitFor()
      await page.getByLabel('Sheet').selectOption('Sites')
      await page.getByLabel('Latitude').selectOption('north')
      await page.getByLabel('Longitude').focus()
      await page.getByLabel('Longitude').selectOption('east')
      await page.locator('.runs-estimate').waitFor()
      expect(await page.evaluate('document.activeElement.labels[0].textContent')).toStartWith('Longitude')
      await start(page)
      await waitForResult(page)
      expect(await page.textContent('h1')).toBe('sites.xlsx')
      expect(await page.locator('.runs-table').textContent()).toContain('Miami-Dade County')
      expect(await page.locator('.runs-table').textContent()).toContain('Lincoln Road')
    }))

  test('the location columns can be selected', () =>
    visit('/runs', async (page) => {
      await chooseFile(page, 'north,east,name\n39.7392,-104.9903,Denver\n')
      await page.locator('.runs-draft .notice--bad', { hasText: 'The file has no location column.' }).waitFor()
      await page.getByLabel('Latitude').selectOption('north')
      await page.getByLabel('Longitude').selectOption('east')
      await page.locator('.runs-first__used').nth(1).waitFor()
      await start(page)
      await page.locator('.runs-about', { hasText: 'Done' }).waitFor()
      await page
        .locator('.runs-table tbody td', { hasText: /^Denver County$/ })
        .first()
        .waitFor()
    }))

  test('addresses are geocoded, and an unknown address is reported', () =>
    visit('/runs', async (page) => {
      await chooseFile(
        page,
        'id,address\nA,"1777 Broadway, Boulder, CO 80302"\nB,"1 Nowhere at All Street, Nowhere, KS"\n',
      )
      await page.locator('.chip', { hasText: 'Coordinates' }).click()
      await start(page)
      await page.locator('.page-head', { hasText: 'Coordinates of 2 places' }).waitFor()
      await page.locator('.runs-table tr[aria-rowindex="2"] td', { hasText: '1777 Broadway' }).first().waitFor()
      expect(await page.textContent('.runs-table tr[aria-rowindex="3"] .runs-table__refused')).toBe(
        'failed: address not found',
      )
      await page.locator('.runs-table tr[aria-rowindex="2"] th button').click()
      await page.locator('dialog', { hasText: /Coordinate40\.015, -105\.2705.*Accuracy type/ }).waitFor()
    }))

  test('visitors are asked to sign in', async () => {
    const closed = await openSite({ FIELDSTONE_AUTH: 'on' })
    try {
      await visitor(browser, closed)('/runs', async (page) => {
        await page.locator('.notice a', { hasText: 'Sign in' }).waitFor()
        await page.goto('/runs/run_01ARZ3NDEKTSV4RRFFQ69G5FAV')
        await page.locator('.notice a', { hasText: 'Sign in' }).waitFor()
      })
    } finally {
      await closed.close()
    }
  })

  test('billed calls are shown before anything is uploaded', () =>
    visit('/runs', async (page) => {
      await chooseFile(
        page,
        'address\n"1777 Broadway, Boulder, CO 80302"\n"1777 BROADWAY, Boulder, CO 80302"\n"1600 Pennsylvania Ave NW, Washington, DC 20500"\n',
      )
      await page.locator('.runs-estimate', { hasText: 'At most 2 billed calls to geocodio' }).waitFor()
      await selectField(page, 'Assessor parcel number')
      await page
        .locator('.runs-estimate', { hasText: 'At most 3 billed calls to Regrid parcels, for parcel_apn' })
        .waitFor()
    }))

  test.each([
    ['', 'The file is empty'],
    ['name,colour\na,b\n', 'The file has no location column'],
    ['lat,lng\n', 'no rows'],
    [`lat,lng${',a'.repeat(511)}\n`, 'at most 512 are allowed'],
    [`lat,lng\n${'39,-105\n'.repeat(250_001)}`, 'at most 250,000 rows'],
  ])('an invalid file is rejected with a reason and not uploaded (%#)', (text, why) =>
    visit('/runs', async (page) => {
      await chooseFile(page, text)
      await page.locator('.runs-draft [role=alert]', { hasText: why }).waitFor()
      expect(await page.locator('button', { hasText: /^Start/ }).count()).toBe(0)
      await page.locator('button', { hasText: 'Choose another file' }).click()
      await page.locator('.runs-drop').waitFor()
    }),
  )

  test('an error of the service is shown, and the same file can be submitted again', () =>
    visit('/runs', async (page) => {
      await chooseFile(page, placesCsv)
      await page.route('**/v1/runs?*', (route) => route.abort())
      await page.locator('button', { hasText: /^Start with/ }).click()
      await page.locator('.runs-draft [role=alert]', { hasText: 'Cannot reach the server' }).waitFor()
      await page.unroute('**/v1/runs?*')
      await page.locator('button', { hasText: 'Try again' }).click()
      await page.waitForURL(/\/runs\/run_/)
      await waitForResult(page)
    }))

  test('of ten thousand rows only the visible ones are rendered, down to the last', () =>
    visit('/runs', async (page) => {
      const run = await submitRun(placesCsv, 'fields=county')
      const rows = Array.from(
        { length: 10_000 },
        (_, i) => `${i},true,${30 + i / 1000},-100,coordinate,,County ${i % 7},,Site ${i}`,
      )
      await page.route('**/artifacts/csv?*', (route) =>
        route.fulfill({
          contentType: 'text/csv',
          body: `index,ok,lat,lng,source,error,county,failed_fields,name\r\n${rows.join('\r\n')}\r\n`,
        }),
      )
      await page.goto(`/runs/${run}`)
      await waitForResult(page)
      expect(await page.locator('.runs-table tbody tr').count()).toBeLessThan(80)
      await page.evaluate(`document.querySelector('.runs-table').scrollTop = 1e9`)
      await page.locator('tr[aria-rowindex="10001"]', { hasText: 'Site 9999' }).waitFor()
      expect(await page.locator('.runs-table tbody tr').count()).toBeLessThan(80)
    }))

  test('an unknown run is reported', () =>
    visit('/runs/run_01ARZ3NDEKTSV4RRFFQ69G5FAV', async (page) => {
      await page.locator('.empty', { hasText: 'Run not found' }).waitFor()
    }))

  test('the sample becomes a run, and the list links to it', () =>
    visit('/runs', async (page) => {
      await page.locator('button', { hasText: 'Use sample data' }).click()
      await start(page)
      await waitForResult(page)
      expect(await page.locator('.runs-table tbody tr').count()).toBe(12)
      await page.locator('.head__nav a', { hasText: 'Runs' }).click()
      await page.locator('.runs-list tbody tr').first().locator('a', { hasText: 'sample.csv' }).click()
      await waitForResult(page)
    }))

  test('a long name with markup is text, and does not widen the page of a phone', () =>
    visit('/runs', { size: 'phone' }, async (page) => {
      const name = `${'long_name_of_a_file_'.repeat(8)}<img src=x onerror=window.ran=1>.csv`
      const id = await submitRun('lat,lng\n39.7,-105\n', `fields=county&name=${encodeURIComponent(name)}`)
      await page.goto('/runs')
      await page.locator('.runs-list a', { hasText: name }).waitFor()
      await expectAccessible(page)
      await page.goto(`/runs/${id}`)
      await page.locator('h1', { hasText: name }).waitFor()
      await expectAccessible(page)
      expect(await page.evaluate('window.ran ?? null')).toBeNull()
    }))

  test.each(windowOptions)(
    'has no accessibility violation and no horizontal scrolling at $size size, $scheme',
    (options) =>
      visit('/runs', { ...options, drawsMap: true }, async (page) => {
        await page.locator('.runs-drop').waitFor()
        await expectAccessible(page)
        await chooseFile(page, placesCsv)
        await page.locator('.runs-estimate').waitFor()
        await expectAccessible(page)
        await start(page)
        await waitForResult(page)
        await page.locator('.map__regions').waitFor()
        await expectAccessible(page)
        await page.locator('.runs-table tr[aria-rowindex="2"] th button').click()
        await page.locator('dialog .fact').first().waitFor()
        await expectAccessible(page)
        await page.goto('/runs')
        await page.locator('.runs-list').waitFor()
        await expectAccessible(page)
      }),
  )
})
