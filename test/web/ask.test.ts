import { describe, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { parseAnswerLines } from '../../src/web/ask/answer-lines.ts'
import { applyEvent, initialProgress } from '../../src/web/ask/ask-progress.ts'
import { serverEvents } from '../../src/async/server-events.ts'
import { hasChromium } from './chromium.ts'
import { submitSignIn, windowOptions, expectAccessible, siteInBrowser, useSite, visitor } from './visit.ts'

const questionUrl = '/ask?q=What+county+is+this+in+and+how+far+is+the+coast%3F&at=25.7907,-80.13&name=Miami+Beach'
const maliciousText = '<img src=x onerror="window.ran=1"><script>window.ran=1</script>'
const eventStream = (...events: [name: string, data: object][]) =>
  events
    .map(([name, data], i) => `event: ${name}\nid: ${i + 1}\ndata: ${JSON.stringify({ ...data, seq: i + 1 })}\n\n`)
    .join('')
const result = {
  value: 'Miami-Dade County',
  status: 'ok',
  source: 'census',
  unit: null,
  source_url: 'https://www.census.gov/',
  ttl_seconds: 1,
  confidence: 'high',
  fetched_at: '2026-11-28T00:00:00.000+00:00',
  dataset_vintage: null,
  notes: null,
  driver: 'embedded',
}

describe('the events of a stream', () => {
  const collectEvents = async (text: string, size: number, large: string | null = null) => {
    const bytes = new TextEncoder().encode(text)
    const pieces = Array.from({ length: Math.ceil(bytes.length / size) }, (_, i) =>
      bytes.subarray(i * size, (i + 1) * size),
    )
    let isCancelled = false
    const stream = new ReadableStream<Uint8Array>({
      pull(controller) {
        const next = pieces.shift()
        if (next) controller.enqueue(next)
        else controller.close()
      },
      cancel() {
        isCancelled = true
      },
    })
    const found = []
    for await (const event of serverEvents(stream, large)) found.push(event)
    return { found, isCancelled }
  }

  test.each([1, 2, 7, 4096])('are the same in pieces of %i bytes', async (size) => {
    const { found } = await collectEvents(
      `retry: 2000\n\n: ping\n\n${eventStream(['delta', { text: 'coast 431 m · é\n\nx' }], ['final', {}])}`,
      size,
    )
    expect(found.map(({ name, id }) => [name, id])).toEqual([
      ['delta', '1'],
      ['final', '2'],
    ])
    expect(JSON.parse(found[0]!.data)).toEqual({ text: 'coast 431 m · é\n\nx', seq: 1 })
  })

  test('end with the last event, whose data is not read', async () => {
    const { found, isCancelled } = await collectEvents(
      eventStream(['status', { stage: 'writing' }], ['final', { answer: 'x'.repeat(10_000) }]),
      64,
      'final',
    )
    expect(found.map(({ name, data }) => [name, data === ''])).toEqual([
      ['status', false],
      ['final', true],
    ])
    expect(isCancelled).toBe(true)
  })

  test('a rewritten text replaces the previous one', () => {
    const events = [
      ['delta', { text: 'wrong' }],
      ['status', { stage: 'rewriting' }],
      ['delta', { text: 'right' }],
    ] as const
    expect(
      events.reduce(
        (before, [name, data]) => applyEvent(before, { name, id: '', data: JSON.stringify(data) }),
        initialProgress,
      ).text,
    ).toBe('right')
  })
})

test.each([
  ['The county is X [1].', [[{ text: 'The county is X.', citationIds: [1] }]]],
  [
    'A [1][2]. B 4 [3] and so on',
    [
      [
        { text: 'A.', citationIds: [1, 2] },
        { text: ' B 4', citationIds: [3] },
        { text: ' and so on', citationIds: [] },
      ],
    ],
  ],
  ['one\n\ntwo [12]', [[{ text: 'one', citationIds: [] }], [{ text: 'two', citationIds: [12] }]]],
  ['', []],
])('the segments of %j end with their citations', (text, lines) => expect(parseAnswerLines(text)).toEqual(lines))

describe.skipIf(!hasChromium)('ask', () => {
  const { browser, site, visit } = siteInBrowser({})
  const strict = useSite({ FIELDSTONE_AUTH: 'on', FIELDSTONE_ASK_BUILTIN: '0' })
  const visitStrict = visitor(browser, strict)

  const waitForAnswer = (page: Page) => page.locator('.ask-sure').waitFor()
  const mockStream = (page: Page, body: string) =>
    page.route('**/v1/ask/stream', (route) => route.fulfill({ contentType: 'text/event-stream', body }))

  test('a place and a question lead to an answer with sources; a citation number highlights its text and its fields', () =>
    visit('/ask', async (page) => {
      await page.fill('.search__input', '39.7392, -104.9903')
      await page.keyboard.press('Enter')
      await page.locator('.place h2', { hasText: 'Denver County, CO' }).waitFor()
      await page.fill('#ask-question', 'What county is this in, and which airport is nearest?')
      await page.keyboard.press('Enter')
      await waitForAnswer(page)
      expect(await page.textContent('.ask-text')).toContain('Denver County')
      expect(page.url()).toMatch(/\?at=39\.7392,-104\.9903&q=What\+county/)
      await page.locator('.ask-text button.ask-mark').first().click()
      expect(await page.locator('.ask-source--lit').getAttribute('data-source')).toBe('1')
      expect(await page.locator('.ask-source--lit .fact__value').first().textContent()).toBe('Denver County')
      await page.locator('.ask-source button.ask-mark').nth(1).click()
      expect(await page.locator('.ask-text__lit').textContent()).toContain('airport')
      expect(await page.locator('.ask-source--lit').getAttribute('data-source')).toBe('2')
    }))

  test('one click asks an example question, and its URL gives the same answer again', () =>
    visit('/ask', async (page) => {
      await page.locator('.ask-example', { hasText: 'how far is the coast' }).click()
      await waitForAnswer(page)
      const first = await page.textContent('.ask-text')
      expect(first).toContain('Miami-Dade County')
      await page.reload()
      await waitForAnswer(page)
      expect(await page.textContent('.ask-text')).toBe(first)
    }))

  test('the trace can be opened, and the answer states its confidence', () =>
    visit(questionUrl, async (page) => {
      await waitForAnswer(page)
      expect(await page.textContent('.ask-sure')).toMatch(/High confidence.*fetched value/)
      await page.locator('.ask-trace summary').click()
      expect(await page.textContent('.ask-trace')).toMatch(/Fields chosen by.*no model.*coast_distance_m/)
    }))

  test('failed fields are listed with their reasons', () =>
    visit('/ask', async (page) => {
      site.upstreams.fault({ path: /./ }, 'reset')
      try {
        await page.goto('/ask?q=What+is+the+elevation+and+the+county%3F&at=39.7392,-104.9903')
        await waitForAnswer(page)
        await page.locator('.ask-source--gaps .fact summary', { hasText: 'Elevation' }).first().click()
        await page.locator('.ask-source--gaps .provenance__failed').first().waitFor()
        expect(await page.textContent('.ask-sure')).toContain('fields failed')
      } finally {
        site.upstreams.heal()
      }
    }))

  test('an estimate stands with its margin of error in the answer and beside its value', () =>
    visit('/ask', async (page) => {
      await page.goto('/ask?q=What+is+the+tract+population+%28ACS%29%3F&at=40.015,-105.2705')
      await waitForAnswer(page)
      expect(await page.textContent('.ask-text')).toContain('4,321 people, ±312 people at 90% confidence')
      const row = page.locator('.fact', { hasText: '4,321' })
      expect(await row.locator('.fact__value').textContent()).toMatch(/^4,321\speople ±\s312$/)
      await row.locator('summary').click()
      await row.locator('dd', { hasText: '± 312 at 90% confidence. The value is reliable.' }).waitFor()
    }))

  test('a stopped question is aborted, and can be asked again', () =>
    visit('/ask', async (page) => {
      let isHeld = true
      await page.route('**/v1/ask/stream', (route) => (isHeld ? undefined : route.continue()))
      await page.goto(questionUrl)
      const givenUp = page.waitForEvent('requestfailed')
      await page.locator('button', { hasText: 'Stop' }).click()
      expect((await givenUp).url()).toEndWith('/v1/ask/stream')
      await page.locator('.notice', { hasText: 'You stopped this question' }).waitFor()
      isHeld = false
      await page.locator('.ask-form button[type=submit]').click()
      await waitForAnswer(page)
    }))

  test('without a place or a question the form says what is missing and sends nothing', () =>
    visit('/ask', async (page) => {
      await page.locator('.ask-form button[type=submit]').click()
      expect(await page.textContent('#ask-problem')).toContain('Choose a place first')
      await page.goto('/ask?at=39.7392,-104.9903')
      await page.locator('.ask-form button[type=submit]').click()
      expect(await page.textContent('#ask-problem')).toContain('Enter a question')
    }))

  test('a coordinate in the question is its place', () =>
    visit('/ask', async (page) => {
      const question = page.locator('#ask-question')
      await question.fill('What county is -104.9903,39.7392 in?')
      await question.press('Enter')
      expect(await page.textContent('#ask-problem')).toContain('Did you mean 39.7392, -104.9903?')
      await question.fill('What county is 39.7392,-104.9903 in?')
      await question.press('Enter')
      await waitForAnswer(page)
      expect(new URL(page.url()).searchParams.get('at')).toBe('39.7392,-104.9903')
    }))

  test('a timeout names the stage and what to do', () =>
    visit('/ask', async (page) => {
      await mockStream(
        page,
        eventStream(
          ['status', { stage: 'fetching' }],
          [
            'error',
            {
              error: 'ask_timeout',
              message: 'The question was not answered within 110 s; it was at fetching.',
              retryable: true,
              stage: 'fetching',
            },
          ],
        ),
      )
      await page.goto(questionUrl)
      await page.locator('[role=alert]', { hasText: 'it was at fetching' }).waitFor()
      expect(await page.textContent('.ask-answer')).toContain('The data sources were slow')
      await page.unroute('**/v1/ask/stream')
      await page.locator('button', { hasText: 'Try again' }).click()
      await waitForAnswer(page)
    }))

  test('an interrupted answer keeps what has arrived, and can be retried', () =>
    visit('/ask', async (page) => {
      await mockStream(
        page,
        eventStream(
          ['plan', { fields: ['county'], preset: null, reasoning: '' }],
          ['field', { name: 'county', result }],
          ['delta', { text: 'The county is' }],
        ),
      )
      await page.goto(questionUrl)
      await page.locator('[role=alert]', { hasText: 'connection was lost' }).waitFor()
      expect(await page.textContent('.ask-text')).toBe('The county is')
      expect(await page.locator('.fact__value').textContent()).toBe('Miami-Dade County')
      await page.locator('button', { hasText: 'Try again' }).waitFor()
    }))

  test('markup in answers, values and sources is shown as text and does not run', () =>
    visit('/ask', async (page) => {
      const answer = {
        answer: `${maliciousText} [1].`,
        confidence: 'low',
        citations: [
          {
            id: 1,
            source: maliciousText,
            source_name: maliciousText,
            source_url: 'https://example.com/',
            fields: ['county'],
            dataset_vintage: maliciousText,
          },
        ],
        data_gaps: [],
        fields: { county: { ...result, value: maliciousText, notes: maliciousText } },
      }
      await mockStream(page, eventStream(['delta', { text: maliciousText }], ['final', answer]))
      await page.goto(`${questionUrl}${encodeURIComponent(maliciousText)}`)
      await waitForAnswer(page)
      expect(await page.textContent('.ask-text')).toContain(maliciousText)
      expect(await page.evaluate('window.ran ?? null')).toBeNull()
      expect(await page.locator('main img, main script').count()).toBe(0)
    }))

  test('visitors are asked to sign in; a server without a model explains what its operator can do', () =>
    visitStrict(questionUrl, async (page) => {
      await page.locator('.ask-answer .notice a', { hasText: 'Sign in' }).click()
      await submitSignIn(page, strict)
      await page.locator('[role=alert]', { hasText: 'ask_unavailable' }).waitFor()
      expect(await page.textContent('.ask-answer')).toContain('ANTHROPIC_API_KEY')
    }))

  test.each(windowOptions)(
    'has no accessibility violation and no horizontal scrolling at $size size, $scheme',
    (options) =>
      visit('/ask', options, async (page) => {
        for (const path of ['/ask', questionUrl]) {
          await page.goto(path)
          if (path === questionUrl) {
            await waitForAnswer(page)
            await page.locator('.ask-trace summary').click()
            await page.locator('.ask-text button.ask-mark').first().click()
          } else await page.locator('.ask-example').first().waitFor()
          await expectAccessible(page)
        }
      }),
  )
})
