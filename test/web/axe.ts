import { source } from 'axe-core'
import type { Page } from 'playwright-core'

type AxeResults = {
  violations: { id: string; impact: string | null; nodes: { html: string; failureSummary: string }[] }[]
}

/** Returns the serious and critical violations that axe finds in a page, one line each. */
export async function seriousViolations(page: Page): Promise<string[]> {
  if (!(await page.evaluate('"axe" in window'))) await page.evaluate(source)
  const { violations } = await page.evaluate<AxeResults>(
    `axe.run(document, { runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'best-practice'], resultTypes: ['violations'], selectors: false })`,
  )
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, nodes }) =>
      nodes.map(
        ({ html, failureSummary }) =>
          `${id}: ${html.slice(0, 160)} | ${failureSummary.replaceAll('\n', ' ').slice(0, 240)}`,
      ),
    )
}
