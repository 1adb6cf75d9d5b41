import { describe, expect, test } from 'bun:test'
import * as contents from '../../catalog/contents.ts'
import { openBuiltInPlanner } from '../../src/ask/built-in-planner.ts'
import { subjectOf } from '../../src/ask/subject.ts'
import { createCatalog } from '../../src/catalog/catalog.ts'
import { applyOverlays } from '../../src/catalog/overlay.ts'

const [ours] = contents.fields
const mine = { ...ours!, name: 'mine', layer: 'mine' }
const faultsIn = (overlay: unknown) =>
  applyOverlays(contents, [{ file: 'a.json', text: typeof overlay === 'string' ? overlay : JSON.stringify(overlay) }])
    .errors[0]?.errors ?? []

describe('a file that adds to the catalog', () => {
  test('adds fields, datasets, presets and synonyms', () => {
    const { contents: all, errors } = applyOverlays(contents, [
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
    expect([catalog.fields.has('mine'), catalog.presets.has('my_preset'), catalog.synonyms.has('ours')]).toEqual([
      true,
      true,
      true,
    ])
  })

  test('to one of our layers puts its field with them', () => {
    const { contents: all, errors } = applyOverlays(contents, [
      { file: 'a.json', text: JSON.stringify({ fields: [{ ...mine, layer: ours!.layer }] }) },
    ])
    expect(errors).toEqual([])
    const layers = all.fields.map(({ layer }) => layer)
    expect(layers.filter((layer, i) => layer !== layers[i - 1])).toHaveLength(new Set(layers).size)
  })

  test('gives a phrase of ours a further meaning, and takes none away', () => {
    const { contents: all, errors } = applyOverlays(contents, [
      {
        file: 'a.json',
        text: JSON.stringify({ fields: [mine], synonyms: { flood: ['mine', contents.synonyms.flood![0]!] } }),
      },
    ])
    expect([errors, all.synonyms.flood]).toEqual([[], [...contents.synonyms.flood!, 'mine']])
  })

  test('may say what people call its field, and what they say when they want its preset', () => {
    const presets = { my_preset: { reason: 'Ours.', phrases: ['my survey'], fields: ['mine'] } }
    const { contents: all, errors } = applyOverlays(contents, [
      { file: 'a.json', text: JSON.stringify({ fields: [{ ...mine, spoken: 'my field' }], presets }) },
    ])
    expect(errors).toEqual([])
    const planner = openBuiltInPlanner(createCatalog(all))
    const { preset, fields } = planner.plan('Give me my survey of it.')
    expect([preset, fields.map(subjectOf)]).toEqual(['my_preset', ['my field']])
    planner.close()
  })

  test('changes the version, by what is in it', () => {
    const versionOf = (field: object) =>
      applyOverlays(contents, [{ file: 'a.json', text: JSON.stringify({ fields: [field] }) }]).contents.version
    expect(versionOf(mine)).toBe(versionOf(mine))
    expect(versionOf(mine)).not.toBe(versionOf({ ...mine, description: 'Other.' }))
    expect(applyOverlays(contents, []).contents.version).toBe(contents.version)
  })

  test('that is refused leaves the others in', () => {
    const { contents: all, errors } = applyOverlays(contents, [
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

describe('is refused with the name of what is wrong', () => {
  test.each<[string, unknown, RegExp]>([
    ['what is no JSON', '{"fields": [', /^JSON was expected/],
    ['a list', '[]', /An object/],
    ['an unknown member', { feilds: [] }, /feilds/],
    ['a field without its read', { fields: [{ ...mine, read: undefined }] }, /^field mine: \/fields\/0\/read/],
    [
      'an unknown operator',
      { fields: [{ ...mine, read: { dataset: ours!.read.dataset, op: 'nearby' } }] },
      /field mine: there is no operator nearby/,
    ],
    [
      'an unknown dataset',
      { fields: [{ ...mine, read: { dataset: 'nowhere', op: 'within' } }] },
      /field mine: reads nowhere, which is no dataset/,
    ],
    [
      'an unknown driver',
      { datasets: { my_data: { ...Object.values(contents.datasets)[0], serve: [{ driver: 'carrier_pigeon' }] } } },
      /dataset my_data: there is no driver carrier_pigeon/,
    ],
    ['an address that is none', servedBy({ driver: 'rest', endpoint: 'https://' }), /^dataset my_data: endpoint: /],
    [
      'a layer by a pattern that is none',
      servedBy({ driver: 'arcgis', endpoint: 'https://x.example/0', layer_name: '(' }),
      /dataset my_data: layer_name: /,
    ],
    [
      'a coordinate system that is none',
      servedBy({ driver: 'cropscape', endpoint: 'https://x.example/', crs: 'nonsense' }),
      /dataset my_data: crs: .*nonsense/,
    ],
    [
      'a path that is none',
      servedBy({ driver: 'rest', endpoint: 'https://x.example/', json_path: '$$' }),
      /dataset my_data: json_path: /,
    ],
    ['a field of ours', { fields: [{ ...ours! }] }, new RegExp(`field ${ours!.name} is in the catalog already`)],
    [
      'a dataset of ours',
      { datasets: { [Object.keys(contents.datasets)[0]!]: Object.values(contents.datasets)[0] } },
      /is in the catalog already/,
    ],
    ['a preset without members', { presets: { mine: { reason: 'x', fields: [] } } }, /preset mine has 0 members/],
    ['a name in capitals', { fields: [{ ...mine, name: 'Mine' }] }, /Mine is not a name in snake_case/],
    ['__proto__', '{"__proto__": {"fields": []}}', /./],
  ])('%s', (_name, overlay, fault) => {
    expect(faultsIn(overlay).join('\n')).toMatch(fault)
  })
})

test('a file that could not be read is told by its reason, and the others are taken', () => {
  const { contents: all, errors } = applyOverlays(contents, [
    { file: 'b.json', error: 'It is a folder.' },
    { file: 'a.json', text: JSON.stringify({ fields: [mine] }) },
  ])
  expect([errors, all.fields.some(({ name }) => name === 'mine')]).toEqual([
    [{ file: 'b.json', errors: ['It is a folder.'] }],
    true,
  ])
})
