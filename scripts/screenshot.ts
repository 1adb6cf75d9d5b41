import { join } from 'node:path'
import { newFolder, startFieldstone } from '../test/cli/fieldstone.ts'
import { hasChromium, openChromium, openBrowserPage } from '../test/web/chromium.ts'
import { takeSettledScreenshot } from '../test/web/settled-screenshot.ts'

/**
 * Takes the screenshot of the README: Explore with an open place, offline, light theme, from the source or
 * FIELDSTONE_EXECUTABLE. `bun scripts/screenshot.ts`.
 */
const place = '/?at=25.7907,-80.13&name=Miami%20Beach,%20FL'
const picture = join(import.meta.dir, '..', 'src', 'web', 'dashboard.png')

if (!hasChromium) throw new Error('Chromium is not installed. It is needed for the screenshot.')
const { folder, remove } = newFolder()
const child = startFieldstone(['serve', '--data', join(folder, 'data')], { FIELDSTONE_AUTH: 'off' }, folder)
const browser = await openChromium()
try {
  const [, address] = await child.waitForOutput(/answers at (http:\S+)/)
  const { page, foreignRequests, errors } = await openBrowserPage(browser, address!, { drawsMap: true })
  await page.goto(place)
  await page.locator('.results[aria-busy=false] .fact').first().waitFor()
  await page.locator('.map__regions').waitFor()
  await page
    .locator('.fact', { has: page.locator('.fact__name', { hasText: /^County$/ }) })
    .locator('summary')
    .click()
  await Bun.write(picture, await takeSettledScreenshot(page, { same: 4, pause_ms: 500 }))
  if (foreignRequests.length > 0 || errors.length > 0) throw new Error([...foreignRequests, ...errors].join('\n'))
  console.log(`${picture}: ${(Bun.file(picture).size / 1000).toFixed(0)} kB`)
} finally {
  await browser.close()
  child.signal('SIGTERM')
  await child.end()
  remove()
}
