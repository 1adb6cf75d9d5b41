import { describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import * as contents from '../../catalog/contents.ts'
import { createCatalog } from '../../src/catalog/catalog.ts'
import { catalogErrorsOf } from '../../src/catalog/checks.ts'
import { evidenceOf } from '../../src/catalog/evidence.ts'
import { evidenceCounts } from '../../scripts/sources/evidence-counts.ts'
import { hasRecordings, loadFirstSet, presentNameOf, projectFolder, recordedFolder } from '../recorded/recorded-sets.ts'
import { contentsOf } from '../support/catalog-contents.ts'

const catalog = createCatalog(contents)
const evidenceOfName = (name: string) => evidenceOf(catalog.fields.get(name)!, catalog)

/** Fields that the manifests name, although no answer with a value of theirs was recorded. */
const withoutRecordedValue: Record<string, string> = {
  nearest_osm_substation_distance_m: 'a timeout of Overpass',
  rainfall_100yr_24h_mm: 'an answer in inches',
}

const seenKinds = new Set(['recorded', 'names_only'])

describe.skipIf(!hasRecordings)('the recorded sets', () => {
  test('give every field that they name the evidence "recorded", or "names_only" without a value', async () => {
    const named = new Set([...namesInManifests(), ...(await namesInCases())])
    const notRecorded = [...named].filter((name) => !seenKinds.has(evidenceOfName(name).kind))
    expect(named.size).toBeGreaterThan(120)
    expect(notRecorded.toSorted()).toEqual(Object.keys(withoutRecordedValue).toSorted())
  })

  test('name every field whose evidence is a recording, or names', async () => {
    const named = new Set([...namesInManifests(), ...(await namesInCases())])
    const listed = contents.fieldEvidence.filter(({ kind }) => seenKinds.has(kind)).flatMap(({ fields }) => fields)
    expect(listed.filter((name) => !named.has(name))).toEqual([])
  })
})

test('an unconfirmed field is beta, and every field has a source of its evidence', () => {
  for (const field of catalog.fields.values()) {
    const { kind, source } = evidenceOf(field, catalog)
    expect(source).not.toBe('')
    if (kind === 'unconfirmed') expect([field.name, field.lifecycle]).toEqual([field.name, 'beta'])
  }
  expect(evidenceOfName('h3_cell_res9').source).toStartWith('checked with h3-js')
  expect(evidenceOfName('cbsa_code').source).toStartWith('https://')
})

test('the numbers of the kinds add up to all fields', () => {
  const counts = Object.values(evidenceCounts(catalog))
  expect(counts.reduce((sum, count) => sum + count)).toBe(catalog.fields.size)
})

test('a computed field has the weakest evidence of its inputs', () => {
  expect(evidenceOfName('slope_pct')).toEqual(evidenceOfName('slope_degrees'))
  expect(evidenceOfName('utc_offset_standard_hours').kind).toBe(evidenceOfName('timezone').kind)
  expect(evidenceOfName('geohash').kind).toBe('documented')
})

test('evidence of an unknown field, listed twice or with another date is an error', () => {
  const group = { kind: 'recorded', source: 'a recording', date: 'last year', fields: ['depth', 'depth'] } as const
  const errors = catalogErrorsOf(contentsOf([], { fieldEvidence: [{ ...group, fields: [...group.fields] }] }))
  expect(errors).toContain('evidence of depth: unknown field')
  expect(errors).toContain('evidence of depth: the field is listed twice')
  expect(errors).toContain('evidence from a recording: last year is not a year, month or day')
})

/** The fields of the manifests. A remark in parentheses names what is not replayed. */
function namesInManifests(): string[] {
  return [projectFolder, ...['a', 'b', 'c'].map((set) => join(recordedFolder, set))].flatMap((folder) => {
    const [head, ...rows] = readFileSync(join(folder, 'manifest.tsv'), 'utf8').trimEnd().split('\n')
    const column = head!.split('\t').indexOf('fields')
    return rows
      .map((row) => (row.split('\t')[column] ?? '').replace(/\(.*\)/, ''))
      .flatMap((fields) => fields.match(/[a-z0-9_]+/g) ?? [])
      .map(presentNameOf)
      .filter((name) => catalog.fields.has(name))
  })
}

/** The fields that a manifest names with an ellipsis. */
async function namesInCases(): Promise<string[]> {
  return (await loadFirstSet()).flatMap(({ expected }) => Object.keys(expected))
}
