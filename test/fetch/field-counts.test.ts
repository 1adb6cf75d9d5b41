import { expect, test } from 'bun:test'
import { FieldCounter } from '../../src/fetch/field-counts.ts'
import { FieldOutcome, type ResultMembers } from '../../src/fetch/field-outcome.ts'

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

const counter = new FieldCounter()
// The same counter for all: an answer must not count like the one before it.
for (const round of ['at first', 'again', 'after another answer'])
  test.each(tests)(`%s, ${round}`, (_what, answer, results, usages) => {
    if (round === 'after another answer') counter.countsOf(outcomes(noaa))
    const counts = counter.countsOf(outcomes(...answer))
    expect(counts.results).toEqual(results.map(([{ object }, fields]) => ({ result: object, fields })))
    expect(counts.usages).toEqual(usages as typeof counts.usages)
    expect(counts.hasFailures).toBe(answer.some(({ object }) => object.status === 'failed'))
  })

test('answers with the same members share their counts', () => {
  expect(counter.countsOf(outcomes(census, noaa))).toBe(counter.countsOf(outcomes(census, noaa)))
})
