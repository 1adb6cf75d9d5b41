import type { Page } from 'playwright-core'

/** A screenshot is settled when `same` further screenshots, each after a pause, are equal to it. */
type Settling = { same: number; pause_ms: number }

/** Returns a screenshot once several in a row are equal, because a map is drawn in pieces. */
export async function takeSettledScreenshot(page: Page, { same, pause_ms }: Settling): Promise<Buffer> {
  let last: Buffer = Buffer.alloc(0)
  for (let equal = 0; equal < same; await Bun.sleep(pause_ms)) {
    const now = await page.screenshot({ animations: 'disabled' })
    equal = now.equals(last) ? equal + 1 : 0
    last = now
  }
  return last
}
