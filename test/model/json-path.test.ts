import { expect, test } from 'bun:test'
import { compileJsonPath, compilePathMatcher, type PathGap } from '../../src/model/json-path.ts'

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
  ['$.Nowhere[*]', []],
  ['$.Nowhere.*', []],
  ['$.States[0].GEOID.*', []],
  ['$[/^\\d{4} Census Blocks$|^Census Blocks$/][0].GEOID', ['080310017023007']],
  ['$[/^\\d+(st|nd|rd|th) Congressional Districts$/][0].GEOID', ['0801']],
  ['$[/Wards$/][0].GEOID', []],
  ["$['Incorporated Places'][0].NAME ?? $['Census Designated Places'][1].NAME", ['Ken Caryl']],
  ["$['Census Designated Places'][0].NAME ?? $.States[0].GEOID", ['08']],
  ['$.a ?? $.b', []],
  ['$.States[*].GEOID | $.Nowhere[*].GEOID', ['08']],
  ["$.States[*].GEOID | $['2020 Census Blocks'][*].GEOID", ['08', '080310017023007']],
  ["$['Census Designated Places'][?(@.NAME)].NAME", ['Ken Caryl']],
])('the path %s returns %j', (path, found) => expect(compileJsonPath(path)(census)).toEqual(found))

test.each(['a', '', '$.', '$[', '$..a', '$[-1]', "$['a", '$.a.b-c', '$[?(@.a > 1)]', '$.a ?? b'])(
  'the path %p is malformed',
  (path) => expect(() => compileJsonPath(path)).toThrow('Malformed path'),
)

test('a key pattern that could take superlinear time is rejected', () => {
  expect(() => compileJsonPath('$[/(a+)+$/]')).toThrow('Unsupported pattern')
})

test('a path that leads through a failed part throws its message, and other paths succeed', () => {
  const document = { layers: { a: { failed_member: 'a.gov could not give a' }, b: [{ id: 1 }] } }
  expect(compileJsonPath('$.layers.b[0].id')(document)).toEqual([1])
  for (const path of ['$.layers.a[0].id', '$.layers[/^a$/][0]', '$.layers.a.id ?? $.layers.b[0].id', '$.layers.a[*]'])
    expect(() => compileJsonPath(path)(document)).toThrow('a.gov could not give a')
})

test.each<[string, unknown, PathGap | null]>([
  ['$.count', { count: 3 }, null],
  ['$.count', { count: null }, 'null'],
  ['$.count', {}, 'missing'],
  ['$.count', null, 'malformed'],
  ['$.count', [], 'malformed'],
  ['$.a.count', {}, 'malformed'],
  ['$.a.count', { a: null }, 'malformed'],
  ['$.list[0].name', { list: [] }, 'empty'],
  ['$.list[0].name', { list: null }, 'malformed'],
  ['$.list[0].name', { list: {} }, 'malformed'],
  ['$.list[0].name', { list: { 0: { name: 'x' } } }, 'malformed'],
  ['$.list[0].name', { list: [null] }, 'malformed'],
  ['$.list[0].name', { list: [{}] }, 'missing'],
  ['$.list[*].name', { list: [] }, 'empty'],
  ['$.list[*].name', { list: {} }, 'malformed'],
  ['$.list[*].name', { list: [{ name: 1 }, {}] }, 'missing'],
  ['$.list[*].name', { list: [{ name: 1 }, null] }, 'malformed'],
  ['$.list[*].name', { list: [{ name: 1 }, { name: null }] }, 'null'],
  ['$.list[*]', { list: [null] }, 'null'],
  ['$.all.*', { all: {} }, 'empty'],
  ['$.all.*', { all: { a: 1 } }, null],
  ['$.all.*', {}, 'malformed'],
  ['$[/Areas$/][0].name', { 'Urban Areas': [] }, 'empty'],
  ['$[/Areas$/][0].name', { Urbanized: [] }, 'malformed'],
  ['$[/Areas$/]', {}, 'malformed'],
  ['$[/Areas$/ of /Areas$|^Urbanized/][0].name', { Urbanized: [{ name: 'x' }] }, 'empty'],
  ['$[/Areas$/ of /Areas$|^Urbanized/][0].name', { Towns: [] }, 'malformed'],
  ['$.list[?(@.a)].b', { list: [{ b: 1 }] }, 'empty'],
  ['$.list[?(@.a)].b', {}, 'malformed'],
  ['$.a[0].x ?? $.b[0].x', { a: [], b: [{ x: 1 }] }, null],
  ['$.a[0].x ?? $.b[0].x', { a: [], b: [] }, 'empty'],
  ['$.a[0].x ?? $.b[0].x', { a: [] }, 'malformed'],
  ['$[*].x | $[*].y', [{ x: 1 }, { y: 2 }], null],
  ['$[*].x | $[*].y', [{ x: 1 }], null],
  ['$[*].x | $[*].y', [], 'empty'],
])('the path %s in %j lacks %p', (path, document, gap) => expect(compilePathMatcher(path)(document).gap).toBe(gap))
