import { expect, test } from 'bun:test'
import * as contents from '../../catalog/contents.ts'
import { leftOutNames, unitSpellings } from './clients-page.ts'

/** Names of the public interface, with the type and the unit that it states; empty where it states none. */
const named = (await Bun.file(`${import.meta.dir}/../fixtures/public-fields.tsv`).text())
  .trim()
  .split('\n')
  .slice(1)
  .map((line) => line.split('\t') as [name: string, type: string, unit: string])
const rows = named.filter(([name]) => !leftOutNames.has(name))
const fields = new Map(contents.fields.map((field) => [field.name, field]))

test('every name of the public interface is a field, but for those that the guide lists as left out', () => {
  expect(named).toHaveLength(366)
  expect(named.map(([name]) => name).filter((name) => !fields.has(name))).toEqual([...leftOutNames].toSorted())
  expect(leftOutNames.size).toBeLessThanOrEqual(16)
})

test('the fields have the types of the public interface', () => {
  const others = rows.filter(([name, type]) => type !== '' && fields.get(name)?.type !== type)
  expect(others).toEqual([])
})

test('the fields have the units of the public interface, or the guide says how both are spelled', () => {
  const others = rows.filter(([name, , stated]) => {
    const unit = fields.get(name)?.unit ?? null
    return (stated || null) !== unit && !(unitSpellings.get(unit ?? 'null') ?? []).includes(stated || 'null')
  })
  expect(others).toEqual([])
})

test('every number among them has a range with both ends', () => {
  const open = rows.filter(([name]) => {
    const { type, valid_range } = fields.get(name)!
    return (type === 'integer' || type === 'float') && (!valid_range || valid_range.includes(null))
  })
  expect(open.map(([name]) => name)).toEqual([])
})
