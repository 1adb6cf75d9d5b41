import { expect, test } from 'bun:test'
import * as contents from '../../catalog/contents.ts'
import golden from '../golden/catalog.json' with { type: 'json' }
import {
  compareContracts,
  isSufficientBump,
  contractOf,
  type CatalogContract,
} from '../../src/catalog/catalog-contract.ts'

const now = contractOf(contents)

test('the catalog is the one that was promised (`npm run bless` after a change, with the version it needs)', () => {
  const { bump, reasons } = compareContracts(golden as CatalogContract, now)
  expect({ kind: bump, reasons, version: now.version }).toEqual({ kind: 'none', reasons: [], version: golden.version })
})

const changed = (name: string, change: Record<string, unknown>): CatalogContract => ({
  ...now,
  fields: { ...now.fields, [name]: { ...now.fields[name]!, ...change } },
})
const { elevation: _, ...withoutElevation } = now.fields
const changes = [
  ['other words', changed('elevation', { words: 'x' }), 'patch'],
  ['a new field', { ...now, fields: { ...now.fields, new_field_m: now.fields.elevation! } }, 'minor'],
  ['a new preset', { ...now, presets: { ...now.presets, more: ['elevation'] } }, 'minor'],
  [
    'a new member at the end of a preset',
    { ...now, presets: { ...now.presets, terrain: [...now.presets.terrain!, 'slope_pct'] } },
    'minor',
  ],
  ['a field gone', { ...now, fields: withoutElevation }, 'major'],
  ['another type', changed('elevation', { type: 'string' }), 'major'],
  ['another unit', changed('elevation', { unit: 'ft' }), 'major'],
  [
    'a member of a preset gone',
    { ...now, presets: { ...now.presets, terrain: now.presets.terrain!.slice(1) } },
    'major',
  ],
] as const
test.each(changes)('%s needs its kind of version', (_name, after, kind) =>
  expect(compareContracts(now, after as CatalogContract).bump).toBe(kind),
)

const versions = [
  ['0.1.0', '0.1.1', 'patch', true],
  ['0.1.0', '0.1.1', 'minor', false],
  ['0.1.0', '0.2.0', 'minor', true],
  ['0.1.0', '0.2.0', 'major', false],
  ['0.1.0', '1.0.0', 'major', true],
  ['0.1.0', '0.1.0', 'patch', false],
  ['0.2.0', '0.1.9', 'patch', false],
  ['0.1.0', '0.1.0', 'none', true],
] as const
test.each(versions)('from %s to %s is enough for a %s change: %p', (before, after, kind, enough) =>
  expect(isSufficientBump(before, after, kind)).toBe(enough),
)
