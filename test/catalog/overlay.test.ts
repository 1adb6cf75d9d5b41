import { describe, expect, test } from 'bun:test'
import * as contents from '../../catalog/contents.ts'
import { BuiltInPlanner } from '../../src/ask/planner/built-in-planner.ts'
import { subjectOf } from '../../src/ask/planner/subject.ts'
import { createCatalog } from '../../src/catalog/catalog.ts'
import { withOverlays } from '../support/catalog-contents.ts'
import { testDictionary } from '../support/test-dictionary.ts'

const [builtIn] = contents.fields
const mine = { ...builtIn!, name: 'mine', layer: 'mine' }
const errorsIn = (overlay: unknown) =>
  withOverlays(contents, [{ file: 'a.json', text: typeof overlay === 'string' ? overlay : JSON.stringify(overlay) }])
    .errors[0]?.errors ?? []

describe('an overlay file that could stop the service is rejected:', () => {
  const nested = (depth: number, inner: unknown): unknown =>
    depth === 0 ? inner : { ...mine.read, fallback: [nested(depth - 1, inner)] }
  const chain = (length: number) =>
    Array.from({ length }, (_, i) => ({
      ...mine,
      name: `mine_${i}`,
      read: {
        dataset: mine.read.dataset,
        op: 'computed',
        expression: 'x',
        from: { x: i === 0 ? 'lat' : `mine_${i - 1}` },
      },
    }))

  test('3,000 fallbacks inside each other', () => {
    const fallbacks = `{"fields":[{"read":${'{"fallback":['.repeat(3_000)}${']}'.repeat(3_000)}}]}`
    expect(errorsIn(fallbacks)).toEqual(['The file is nested deeper than 32 levels. Nest fewer fallbacks.'])
    expect(errorsIn({ fields: [{ ...mine, read: nested(20, mine.read) }] })).toEqual([
      'The file is nested deeper than 32 levels. Nest fewer fallbacks.',
    ])
  })

  test('fields that depend on each other in a long chain, in any order', () => {
    for (const fields of [chain(1_000), chain(1_000).toReversed()])
      expect(errorsIn({ fields })[0]).toMatch(/^field mine_\d+ depends on a chain of more than 20 fields$/)
  })

  test('more values or longer texts than can be checked at once', () => {
    expect(errorsIn({ synonyms: { x: Array(50_001).fill('mine') } })).toEqual([
      'The file has more than 50000 names and values. Split it into smaller files.',
    ])
    expect(errorsIn({ fields: [{ ...mine, evidence: 'x'.repeat(20_001) }] })).toEqual([
      'The file has a text of 20001 characters. The maximum is 20000.',
    ])
  })

  test('a pattern with exponential time', () => {
    const matches = `${'a?'.repeat(30)}${'a'.repeat(30)}`
    const read = { ...mine.read, op: 'within', attribute: 'NAME', true_values: { matches }, false_values: ['x'] }
    expect(errorsIn({ fields: [{ ...mine, read }] }).length).toBeGreaterThan(0)
  })
})

describe('an overlay file', () => {
  test('adds fields, datasets, presets and synonyms', () => {
    const { contents: all, errors } = withOverlays(contents, [
      {
        file: 'a.json',
        text: JSON.stringify({
          fields: [mine],
          presets: { my_preset: { reason: 'Ours.', fields: ['mine'] } },
          synonyms: { ours: ['mine'] },
        }),
      },
    ])
    expect(errors).toEqual([])
    const catalog = createCatalog(all)
    expect(catalog.fields.has('mine')).toBe(true)
    expect(catalog.presets.has('my_preset')).toBe(true)
    expect(catalog.synonyms.has('ours')).toBe(true)
  })

  test('puts its field next to the other fields of an existing layer', () => {
    const { contents: all, errors } = withOverlays(contents, [
      { file: 'a.json', text: JSON.stringify({ fields: [{ ...mine, layer: builtIn!.layer }] }) },
    ])
    expect(errors).toEqual([])
    const layers = all.fields.map(({ layer }) => layer)
    expect(layers.filter((layer, i) => layer !== layers[i - 1])).toHaveLength(new Set(layers).size)
  })

  test('adds a meaning to an existing phrase and removes none', () => {
    const { contents: all, errors } = withOverlays(contents, [
      {
        file: 'a.json',
        text: JSON.stringify({ fields: [mine], synonyms: { flood: ['mine', contents.synonyms.flood![0]!] } }),
      },
    ])
    expect([errors, all.synonyms.flood]).toEqual([[], [...contents.synonyms.flood!, 'mine']])
  })

  test('may define the spoken name of its field and the phrases of its preset', () => {
    const presets = { my_preset: { reason: 'Ours.', phrases: ['my survey'], fields: ['mine'] } }
    const { contents: all, errors } = withOverlays(contents, [
      { file: 'a.json', text: JSON.stringify({ fields: [{ ...mine, spoken: 'my field' }], presets }) },
    ])
    expect(errors).toEqual([])
    const planner = new BuiltInPlanner(createCatalog(all), testDictionary)
    const { preset, fields } = planner.plan('Give me my survey of it.')
    expect([preset, fields.map(subjectOf)]).toEqual(['my_preset', ['my field']])
    planner.close()
  })

  test('changes the version according to its content', () => {
    const versionOf = (field: object) =>
      withOverlays(contents, [{ file: 'a.json', text: JSON.stringify({ fields: [field] }) }]).contents.version
    expect(versionOf(mine)).toBe(versionOf(mine))
    expect(versionOf(mine)).not.toBe(versionOf({ ...mine, description: 'Other.' }))
    expect(withOverlays(contents, []).contents.version).toBe(contents.version)
  })

  test('that is rejected does not affect the others', () => {
    const { contents: all, errors } = withOverlays(contents, [
      { file: 'b.json', text: '{' },
      { file: 'a.json', text: JSON.stringify({ fields: [mine] }) },
    ])
    expect(errors.map(({ file }) => file)).toEqual(['b.json'])
    expect(all.fields.some(({ name }) => name === 'mine')).toBe(true)
  })
})

const servedBy = (serving: object) => ({
  datasets: { my_data: { ...Object.values(contents.datasets)[0], serve: [serving] } },
})

describe('an overlay is rejected with the location of the error:', () => {
  test.each<[string, unknown, RegExp]>([
    ['invalid JSON', '{"fields": [', /^The file is not valid JSON/],
    ['a list', '[]', /a JSON object with datasets and fields/],
    ['an unknown member', { feilds: [] }, /feilds/],
    ['a field without its read', { fields: [{ ...mine, read: undefined }] }, /^field mine: \/fields\/0\/read/],
    [
      'an unknown operator',
      { fields: [{ ...mine, read: { dataset: builtIn!.read.dataset, op: 'nearby' } }] },
      /field mine: unknown operator nearby/,
    ],
    [
      'an unknown dataset',
      { fields: [{ ...mine, read: { dataset: 'nowhere', op: 'within' } }] },
      /field mine: unknown dataset nowhere/,
    ],
    [
      'an unknown driver',
      { datasets: { my_data: { ...Object.values(contents.datasets)[0], serve: [{ driver: 'carrier_pigeon' }] } } },
      /dataset my_data: unknown driver carrier_pigeon/,
    ],
    ['an invalid URL', servedBy({ driver: 'rest', endpoint: 'https://' }), /^dataset my_data: endpoint: /],
    [
      'an invalid layer_name pattern',
      servedBy({ driver: 'arcgis', endpoint: 'https://x.example/0', layer_name: '(' }),
      /dataset my_data: layer_name: /,
    ],
    [
      'an unknown coordinate system',
      servedBy({ driver: 'cropscape', endpoint: 'https://x.example/', crs: 'nonsense' }),
      /dataset my_data: crs: .*nonsense/,
    ],
    [
      'an invalid JSON path',
      servedBy({ driver: 'rest', endpoint: 'https://x.example/', json_path: '$$' }),
      /dataset my_data: json_path: /,
    ],
    [
      'an existing field',
      { fields: [{ ...builtIn! }] },
      new RegExp(`field ${builtIn!.name} already exists: choose another name`),
    ],
    [
      'an existing dataset',
      { datasets: { [Object.keys(contents.datasets)[0]!]: Object.values(contents.datasets)[0] } },
      /already exists: choose another name/,
    ],
    ['an empty preset', { presets: { mine: { reason: 'x', fields: [] } } }, /preset mine has 0 fields/],
    ['a name in capitals', { fields: [{ ...mine, name: 'Mine' }] }, /Mine is not a valid name/],
    ['__proto__', '{"__proto__": {"fields": []}}', /./],
  ])('%s', (_name, overlay, error) => expect(errorsIn(overlay).join('\n')).toMatch(error))
})

test('a file that could not be read is reported, and the others apply', () => {
  const { contents: all, errors } = withOverlays(contents, [
    { file: 'b.json', error: 'The file is a folder.' },
    { file: 'a.json', text: JSON.stringify({ fields: [mine] }) },
  ])
  expect(errors).toEqual([{ file: 'b.json', errors: ['The file is a folder.'] }])
  expect(all.fields.some(({ name }) => name === 'mine')).toBe(true)
})
