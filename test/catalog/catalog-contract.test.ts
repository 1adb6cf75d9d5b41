import { expect, test } from 'bun:test'
import * as contents from '../../catalog/contents.ts'
import golden from '../golden/catalog.json' with { type: 'json' }
import {
  compareContracts,
  isSufficientBump,
  contractOf,
  type CatalogContract,
} from '../../scripts/bless/catalog-contract.ts'

const now = contractOf(contents)

test('the catalog equals its contract (after a change: raise the version and run `npm run bless`)', () => {
  const { bump, reasons } = compareContracts(golden as CatalogContract, now)
  expect({ kind: bump, reasons, version: now.version }).toEqual({ kind: 'none', reasons: [], version: golden.version })
})

const changed = (name: string, change: Record<string, unknown>): CatalogContract => ({
  ...now,
  fields: { ...now.fields, [name]: { ...now.fields[name]!, ...change } },
})
const { elevation: _, ...withoutElevation } = now.fields
const changes = [
  ['a wording change', changed('elevation', { words: 'x' }), 'patch'],
  ['another reading, which may change values', changed('elevation', { reading: 'x' }), 'minor'],
  ['a new field', { ...now, fields: { ...now.fields, new_field_m: now.fields.elevation! } }, 'minor'],
  ['a new preset', { ...now, presets: { ...now.presets, more: ['elevation'] } }, 'minor'],
  [
    'a field added to the end of a preset',
    { ...now, presets: { ...now.presets, terrain: [...now.presets.terrain!, 'slope_pct'] } },
    'minor',
  ],
  ['a removed field', { ...now, fields: withoutElevation }, 'major'],
  ['a type change', changed('elevation', { type: 'string' }), 'major'],
  ['a unit change', changed('elevation', { unit: 'ft' }), 'major'],
  [
    'a field removed from a preset',
    { ...now, presets: { ...now.presets, terrain: now.presets.terrain!.slice(1) } },
    'major',
  ],
] as const
test.each(changes)('%s requires the right version bump', (_name, after, kind) =>
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
test.each(versions)('%s to %s is sufficient for a %s change: %p', (before, after, kind, enough) =>
  expect(isSufficientBump(before, after, kind)).toBe(enough),
)
