import { expect, test } from 'bun:test'
import * as contents from '../../catalog/contents.ts'
import { withNestedReads } from '../../src/catalog/read-spec.ts'
import type { Dataset, ReadSpec } from '../../src/catalog/records.ts'
import { namesThatNeedPacks, unitSpellings } from './clients-page.ts'

/** Names of the public interface, with the type and the unit that it states; empty where it states none. */
const rows = (await Bun.file(`${import.meta.dir}/../fixtures/public-fields.tsv`).text())
  .trim()
  .split('\n')
  .slice(1)
  .map((line) => line.split('\t') as [name: string, type: string, unit: string])
const fields = new Map(contents.fields.map((field) => [field.name, field]))

test('every name of the public interface is a field', () => {
  expect(rows).toHaveLength(366)
  expect(rows.map(([name]) => name).filter((name) => !fields.has(name))).toEqual([])
})

test('the guide lists those that only a pack of the operator answers, and they are at most 16', () => {
  const needPacks = rows.map(([name]) => name).filter((name) => needsOwnPack(fields.get(name)!.read))
  expect(namesThatNeedPacks.toSorted()).toEqual(needPacks)
  expect(needPacks.length).toBeLessThanOrEqual(16)
})

/** Whether each dataset that the read names has no service, and no recipe that builds its pack. */
function needsOwnPack(read: ReadSpec): boolean {
  const datasets = withNestedReads(read).map(({ dataset }): Dataset => contents.datasets[dataset]!)
  return datasets.every(({ serve, recipe }) => recipe === undefined && serve.every(({ driver }) => driver === 'pack'))
}

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

test('no two fields are names of one value, but the county, which is a member of lookups and a name of the interface', () => {
  const names = new Map<string, string[]>()
  for (const { name, read, unit } of contents.fields) {
    if (read.op === 'computed') continue
    const key = JSON.stringify([read, unit])
    names.set(key, [...(names.get(key) ?? []), name])
  }
  expect([...names.values()].filter(({ length }) => length > 1)).toEqual([['county', 'political_county']])
})
