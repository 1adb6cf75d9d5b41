import type { Page } from 'playwright-core'

/** More controls than this are a long list of equal rows, and not all are visited. */
const visitedMax = 150

/** Marks each element that listens for clicks. Runs in the page before its scripts. */
export const markClickListeners = `{
  const add = EventTarget.prototype.addEventListener
  EventTarget.prototype.addEventListener = function (type, ...rest) {
    if (type === 'click' && this instanceof Element) this.listensForClicks = true
    return add.call(this, type, ...rest)
  }
}`

/** Defines what a keyboard can reach: a visible control that takes part in the order of the Tab key. */
const definitions = `
  const controls = 'a[href], button, input, select, textarea, summary, [tabindex], iframe, .maplibregl-canvas'
  const dialog = document.querySelector('dialog[open]')
  const isShown = (it) => it.checkVisibility({ visibilityProperty: true }) && it.getClientRects().length > 0
  const isReachable = (it) => isShown(it) && !it.disabled && it.tabIndex >= 0 && (!dialog || dialog.contains(it))
  const nameOf = (it) => it.outerHTML.slice(0, 140)
`

/** Returns the elements that a mouse can use and a keyboard cannot, one line each. */
export async function findMouseOnlyElements(page: Page): Promise<string[]> {
  const clickable = await page.evaluate<string[]>(`(() => { ${definitions}
    const listens = [...document.body.querySelectorAll('*')].filter((it) => it.listensForClicks && isShown(it))
    const hasControl = (it) => it.closest(controls + ', label, dialog') || it.querySelector(controls)
    return listens.filter((it) => !hasControl(it)).map(nameOf)
  })()`)
  const skipped = await findSkippedControls(page)
  return [
    ...clickable.map((it) => `listens for clicks only: ${it}`),
    ...skipped.map((it) => `the Tab key does not reach ${it}`),
  ]
}

/** Presses Tab from the start of the page, and returns the controls that never had the focus. */
async function findSkippedControls(page: Page): Promise<string[]> {
  const count = await page.evaluate<number>(`(() => { ${definitions}
    document.activeElement?.blur()
    getSelection()?.removeAllRanges()
    return [...document.querySelectorAll(controls)].filter(isReachable).length
  })()`)
  if (count > visitedMax) return []
  await page.evaluate(`window.hadFocus = new Set()
    document.addEventListener('focusin', ({ target }) => window.hadFocus.add(target))`)
  for (let i = 0; i < count + 5; i++) await page.keyboard.press('Tab')
  // One radio button of a group is in the order of the Tab key, and arrow keys select the others.
  return page.evaluate<string[]>(`(() => { ${definitions}
    return [...document.querySelectorAll(controls)]
      .filter((it) => isReachable(it) && !window.hadFocus.has(it) && it.type !== 'radio')
      .map(nameOf)
  })()`)
}
