import { expect, test } from 'bun:test'
import { compileJsonPath } from '../../src/model/json-path.ts'

const census = {
  States: [{ GEOID: '08' }],
  '2020 Census Blocks': [{ GEOID: '080310017023007' }],
  '119th Congressional Districts': [{ GEOID: '0801' }],
  'Incorporated Places': [] as unknown[],
  'Census Designated Places': [{ NAME: null }, { NAME: 'Ken Caryl' }],
}

test.each([
  ['$', [census]],
  ["$['States'][0].GEOID", ['08']],
  ['$.States[0].GEOID', ['08']],
  ['$.States[1].GEOID', []],
  ['$.constructor', []],
  ['$.toString.name', []],
  ['$.States[*].GEOID', ['08']],
  ["$['Incorporated Places'][*]", []],
  ['$.Nowhere[*]', null],
  ['$.Nowhere.*', null],
  ['$.States[0].GEOID.*', null],
  ['$[/^\\d{4} Census Blocks$|^Census Blocks$/][0].GEOID', ['080310017023007']],
  ['$[/^\\d+(st|nd|rd|th) Congressional Districts$/][0].GEOID', ['0801']],
  ['$[/Wards$/][0].GEOID', []],
  ["$['Incorporated Places'][0].NAME ?? $['Census Designated Places'][1].NAME", ['Ken Caryl']],
  ["$['Census Designated Places'][0].NAME ?? $.States[0].GEOID", ['08']],
  ['$.a ?? $.b', []],
  ['$.States[*].GEOID | $.Nowhere[*].GEOID', ['08']],
  ["$.States[*].GEOID | $['2020 Census Blocks'][*].GEOID", ['08', '080310017023007']],
  ["$['Census Designated Places'][?(@.NAME)].NAME", ['Ken Caryl']],
])('the path %s returns %j', (path, found) => {
  expect(compileJsonPath(path)(census)).toEqual(found)
})

test.each(['a', '', '$.', '$[', '$..a', '$[-1]', "$['a", '$.a.b-c', '$[?(@.a > 1)]', '$.a ?? b'])(
  'the path %p is malformed',
  (path) => {
    expect(() => compileJsonPath(path)).toThrow('Malformed path')
  },
)

test('a key pattern that could take superlinear time is rejected', () => {
  expect(() => compileJsonPath('$[/(a+)+$/]')).toThrow('Unsupported pattern')
})

test('a path that leads through a failed part throws its message, and other paths succeed', () => {
  const document = { layers: { a: { failed_part: 'a.gov could not give a' }, b: [{ id: 1 }] } }
  expect(compileJsonPath('$.layers.b[0].id')(document)).toEqual([1])
  for (const path of ['$.layers.a[0].id', '$.layers[/^a$/][0]', '$.layers.a.id ?? $.layers.b[0].id', '$.layers.a[*]'])
    expect(() => compileJsonPath(path)(document)).toThrow('a.gov could not give a')
})
