import { expect, test } from 'bun:test'
import { AnswerTemplates } from '../../src/fetch/answer-template.ts'
import { FieldOutcome, type ResultMembers } from '../../src/fetch/outcome-column.ts'

const provenance = {
  unit: null,
  source_url: 'https://example.org',
  ttl_seconds: 60,
  confidence: 'high',
  dataset_vintage: '2024',
  notes: null,
  driver: 'embedded',
}

function members(object: { source: string; status: string; error?: string }): ResultMembers {
  return { object: { ...provenance, ...object } as ResultMembers['object'], json: '' }
}

function outcomes(...list: ResultMembers[]): FieldOutcome[] {
  return list.map((it, i) => new FieldOutcome(i, it))
}

const census = members({ source: 'census', status: 'ok' })
const none = members({ source: 'census', status: 'absent' })
const noaa = members({ source: 'noaa', status: 'ok' })
const timeout = members({ source: 'noaa', status: 'failed', error: 'timeout: The source did not respond.' })
const busy = members({ source: 'noaa', status: 'failed', error: 'rate_limited: Try again later.' })

const tests: [what: string, answer: ResultMembers[], results: [ResultMembers, number][], usages: object[]][] = [
  ['no field', [], [], []],
  [
    'fields of the same source and status together',
    [census, noaa, census],
    [
      [census, 2],
      [noaa, 1],
    ],
    [
      { source: 'census', fields: 2 },
      { source: 'noaa', fields: 1 },
    ],
  ],
  [
    'absent fields separately',
    [census, none],
    [
      [census, 1],
      [none, 1],
    ],
    [{ source: 'census', fields: 2 }],
  ],
  [
    'each failed field by itself, because its code is counted',
    [timeout, busy],
    [
      [timeout, 1],
      [busy, 1],
    ],
    [{ source: 'noaa', fields: 2 }],
  ],
]

const templatesOf = (answer: readonly unknown[]) => new AnswerTemplates(answer.map((_, i) => `field_${i}`))

for (const round of ['at first', 'again', 'after another answer'])
  test.each(tests)(`%s, ${round}`, (_what, answer, results, usages) => {
    const templates = templatesOf(answer)
    if (round === 'again') templates.templateOf(outcomes(...answer))
    if (round === 'after another answer') templates.templateOf(outcomes(...answer.map(() => none)))
    const { counts } = templates.templateOf(outcomes(...answer))
    expect(counts.results).toEqual(results.map(([{ object }, fields]) => ({ result: object, fields })))
    expect(counts.usages).toEqual(usages as typeof counts.usages)
    expect(counts.hasFailures).toBe(answer.some(({ object }) => object.status === 'failed'))
  })

test('answers with the same members share their counts, also after a few others', () => {
  const templates = templatesOf([census, noaa])
  const first = templates.templateOf(outcomes(census, noaa))
  for (const other of [none, timeout, busy]) templates.templateOf(outcomes(census, other))
  expect(templates.templateOf(outcomes(census, noaa))).toBe(first)
})

test('a plan keeps the templates of its latest answers only', () => {
  const templates = templatesOf([census])
  const first = templates.templateOf(outcomes(census))
  for (let i = 0; i < 100; i++) templates.templateOf(outcomes(members({ source: `s${i}`, status: 'ok' })))
  expect(templates.templateOf(outcomes(census))).not.toBe(first)
})
