import type { Page } from 'playwright-core'

/** A screenshot is settled if so many in a row are equal, each so long after the one before. */
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
