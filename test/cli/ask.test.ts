import { describe, expect, test } from 'bun:test'
import { createLineWrapper } from '../../src/cli/question/ask.ts'
import { openMessagesApi } from '../ask/messages-api.ts'
import { startFieldstone } from './fieldstone.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const folder = temporaryFolder()
const question = 'What county is this in, how far is the coast, and which airport is nearest?'
const request = (...words: string[]) => startFieldstone(['ask', ...words, '--data', `${folder}/data`], {}, folder).end()

describe('fieldstone ask', () => {
  test('answers a question without a server, without a network and without a model, and names its sources', async () => {
    const { code, out, err } = await request(question, '--at', '25.79,-80.13')
    expect([code, err]).toEqual([0, ''])
    const text = out.replaceAll('\n', ' ')
    for (const part of [
      'Miami-Dade County',
      '431 m',
      'MIAMI INTL',
      '[1] US Census Bureau',
      '[2] OpenStreetMap',
      '[3] FAA',
      'Confidence: high',
    ])
      expect(text).toContain(part)
  })

  test('prints the text of a model as it arrives, and aborts the model call on interruption', async () => {
    const api = openMessagesApi()
    api.play(
      [{ says: { fields: ['county'], preset: null, answerable: true, reasoning: 'x' } }],
      [{ stallsAfter: `{"answer":"It is in Miami-Dade County [1], ${'and so on, '.repeat(20)}` }],
    )
    const asking = startFieldstone(
      ['ask', question, '--at', '25.79,-80.13', '--data', `${folder}/streamed`],
      {
        FIELDSTONE_OFFLINE: '0',
        FIELDSTONE_MIRROR: 'http://localhost:9',
        ANTHROPIC_API_KEY: 'sk-ant-test',
        ANTHROPIC_BASE_URL: api.url,
      },
      folder,
    )
    await asking.waitForOutput(/^It is in Miami-Dade County \[1\], and so on/m)
    expect(api.calls.map(({ stream, aborted }) => [stream, aborted.aborted])).toEqual([
      [false, false],
      [true, false],
    ])
    asking.signal('SIGINT')
    await asking.end()
    while (!api.calls[1]!.aborted.aborted) await new Promise((resolve) => setImmediate(resolve))
    api.close()
  })

  test('starts with yes or no for a yes-or-no question', async () => {
    const { out } = await request('Is this in Broward County?', '--at', '25.79,-80.13')
    expect(out).toStartWith('No: the county is Miami-Dade County')
  })

  test('finds the location in the question', async () => {
    const { code, out } = await request('What county is 25.79, -80.13 in?')
    expect([code, out.split(',')[0]]).toEqual([0, 'The county is Miami-Dade County'])
    expect((await request('What county is -80.13,25.79 in?')).err).toContain('Did you mean 25.79, -80.13?')
  })

  test('prints the API response with --json, and the trace with --trace', async () => {
    const { code, out } = await request(question, '--at', '25.79,-80.13', '--json', '--trace')
    expect(code).toBe(0)
    expect(JSON.parse(out)).toMatchObject({
      confidence: 'high',
      trace: { planner_model: 'builtin', synthesizer_model: 'builtin' },
    })
  })

  test('prints why a location is rejected', async () => {
    const { code, out, err } = await request(question, '--at=48.85,2.35', '--json')
    expect([code, out, JSON.parse(err)]).toMatchObject([1, '', { detail: { error: 'coord_out_of_bounds' } }])
  })

  test.each([
    ['without a question', ['--at', '25.79,-80.13'], 'No question given'],
    ['without a place', [question], 'No location given'],
  ])('reports what is missing: %s', async (_name, words, said) => {
    const { code, err } = await request(...words)
    expect([code, err.includes(said)]).toEqual([64, true])
  })
})

test('text is wrapped at spaces, line by line, without losing characters', () => {
  const text = `${'word '.repeat(100)}\n\n${'x'.repeat(300)} end`
  for (const size of [1, 9, 5000]) {
    const lines: string[] = []
    const page = createLineWrapper((line) => lines.push(line))
    for (const piece of text.match(new RegExp(`[\\s\\S]{1,${size}}`, 'g'))!) page.write(piece)
    page.end()
    expect(lines.filter((line) => line.length > 110)).toEqual(['x'.repeat(300)])
    expect(lines.join(' ').replace(/\s+/g, ' ')).toBe(text.replace(/\s+/g, ' '))
  }
})
