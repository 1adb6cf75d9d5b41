import type { Page } from 'playwright-core'

/** The small file: each page that is opened has to parse it again. */
const source = await Bun.file(new URL(import.meta.resolve('axe-core/axe.min.js'))).text()

type AxeResults = {
  violations: { id: string; impact: string | null; nodes: { html: string; failureSummary: string }[] }[]
}

/**
 * Returns the violations that axe finds in a page, one line each. A page caught while rendering can report a passing
 * violation, so a violation must occur twice.
 */
export async function accessibilityViolations(page: Page): Promise<string[]> {
  const violations = await runAxe(page)
  if (violations.length === 0) return []
  await page.evaluate(`new Promise((done) => setTimeout(done, ${settling_ms}))`)
  return runAxe(page)
}

const settling_ms = 400

async function runAxe(page: Page): Promise<string[]> {
  if (!(await page.evaluate('"axe" in window'))) await page.evaluate(source)
  const { violations } = await page.evaluate<AxeResults>(
    `axe.run(document, { runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'], resultTypes: ['violations'], selectors: false })`,
  )
  return violations.flatMap(({ id, impact, nodes }) =>
    nodes.map(
      ({ html, failureSummary }) =>
        `${id} (${impact}): ${html.slice(0, 160)} | ${failureSummary.replaceAll('\n', ' ').slice(0, 240)}`,
    ),
  )
}
