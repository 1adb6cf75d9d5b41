import { describe, expect, test } from 'bun:test'
import { parseJsonBody, readJsonBody, smallJsonMax_bytes } from '../../src/net/content.ts'

const replyOf = (text: string, contentType = 'application/json') => ({
  status: 200,
  headers: new Headers({ 'content-type': contentType }),
  bytes: new TextEncoder().encode(text),
})
const outcomeOf = (text: string, contentType?: string) =>
  readJsonBody(replyOf(text, contentType), 'a.example').catch((error: unknown) => (error as { code: string }).code)
/** A list that is larger than what is parsed at once. */
const largeList = (item: string) => `[${`${item},`.repeat(smallJsonMax_bytes / item.length)}${item}]`

describe('a large JSON reply', () => {
  test('with more than 1.5 million lists and objects is too_large', async () => {
    expect(await outcomeOf(`[${Array(1_500_001).fill('{}').join()}]`)).toBe('too_large')
  })

  test.each([
    ['records', largeList('{"a":[1,2.5e3,null],"é":"x\\u00e9\\n","b":{"c":true}}')],
    ['empty objects', largeList('{}')],
    ['one text', `"${'é'.repeat(smallJsonMax_bytes)}"`],
    ['a byte order mark', `\uFEFF${largeList('1')}`],
    ['33 levels', largeList(`${'['.repeat(33)}${']'.repeat(33)}`)],
  ])('of %s is parsed as a small one', async (_what, text) => {
    const reply = replyOf(text)
    expect(reply.bytes.length).toBeGreaterThan(smallJsonMax_bytes)
    expect(await readJsonBody(reply, 'a.example')).toEqual(parseJsonBody(reply, 'a.example'))
  })

  test('is parsed in steps: other work runs between them', async () => {
    let turns = 0
    let isDone = false
    const count = () => {
      turns++
      if (!isDone) setImmediate(count)
    }
    count()
    await readJsonBody(replyOf(largeList('{}')), 'a.example')
    isDone = true
    expect(turns).toBeGreaterThan(2)
  })

  test.each([
    ['a page', `<html>${' '.repeat(smallJsonMax_bytes)}`, undefined],
    ['a page by its type', largeList('{}'), 'text/html'],
    ['blanks', ' '.repeat(smallJsonMax_bytes + 1), undefined],
    ['half a list', largeList('{}').slice(0, -1), undefined],
    ['201 levels', `${'['.repeat(201)}${largeList('1')}${']'.repeat(201)}`, undefined],
    ['text after the end', `${largeList('1')}x`, undefined],
  ])('that is %s is bad_response', async (_what, text, type) =>
    expect(await outcomeOf(text, type)).toBe('bad_response'),
  )
})
