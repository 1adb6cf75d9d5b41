import type { Page } from 'playwright-core'

/** A screenshot is settled when `same` further screenshots, each after a pause, show nothing new. */
type Settling = { same: number; pause_ms: number }

/** A page that still changes after this many screenshots does not settle. */
const screenshotsMax = 60

/**
 * Returns a screenshot once several in a row show nothing new, because a map is drawn in pieces. With forced colors,
 * the caret of a field blinks, so each screenshot may also be equal to the one before the last.
 */
export async function takeSettledScreenshot(page: Page, { same, pause_ms }: Settling): Promise<Buffer> {
  let shown: Buffer[] = []
  for (let [equal, taken] = [0, 0]; equal < same; taken++, await Bun.sleep(pause_ms)) {
    if (taken === screenshotsMax) throw new Error(`The page still changes after ${screenshotsMax} screenshots.`)
    const now = await page.screenshot({ animations: 'disabled' })
    equal = shown.some((it) => now.equals(it)) ? equal + 1 : 0
    shown = [now, ...shown].slice(0, 2)
  }
  return shown[0]!
}
