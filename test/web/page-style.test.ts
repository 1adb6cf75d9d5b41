import { expect, test } from 'bun:test'
import { pageStyle } from '../../src/http/pages/page-style.ts'

const tokens = await Bun.file(`${import.meta.dir}/../../src/web/style/tokens.css`).text()
/** Colors with a different name in the pages of the server. */
const longNames: Record<string, string> = { strong: 'accent-strong', wash: 'accent-wash', on: 'on-accent' }
const colorsOf = (css: string, scheme: RegExp) =>
  Object.fromEntries(
    [...scheme.exec(css)![1]!.matchAll(/--([\w-]+):\s*(#\w+)/g)].map(([, name, color]) => [
      longNames[name!] ?? name!,
      color!,
    ]),
  )

test.each([
  ['light', /^:root\{([^}]*)\}/, /:root \{([^}]*)\}/],
  ['dark', /dark\)\{:root\{([^}]*)\}/, /data-scheme='dark'\] \{([^}]*)\}/],
])('the pages of the server have the colors of the dashboard, %s', (_, pagePattern, tokensPattern) => {
  const [page, all] = [colorsOf(pageStyle, pagePattern), colorsOf(tokens, tokensPattern)]
  expect(Object.keys(page).length).toBeGreaterThan(12)
  expect(page).toEqual(Object.fromEntries(Object.keys(page).map((name) => [name, all[name]!])))
})
