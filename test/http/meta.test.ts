import { afterAll, describe, expect, test } from 'bun:test'
import { presets as contents } from '../../catalog/presets.ts'
import { answeredText } from '../../src/catalog/answered-text.ts'
import type { PresetDetails } from '../../src/catalog/catalog-document.ts'
import { answeredHere } from '../../src/fetch/catalog/answered-here.ts'
import { openHttpService } from '../support/http-service.ts'
import { words } from '../support/words.ts'

const service = await openHttpService()
afterAll(service.close)

type CatalogField = Record<string, unknown> & {
  name: string
  layer: string
  presets: string[]
  providers: string[]
  label?: string
  class_labels?: Record<string, string>
  valid_range: [number | null, number | null] | null
  enum: unknown[] | null
}
type Document = {
  version: string
  generated_at: string
  count: number
  fields: CatalogField[]
  presets: Record<string, string[]>
  preset_details: Record<string, PresetDetails>
  answered_now: number
  answered_offline: number
}
const document = (await (await service.ask('/v1/meta/fields')).json()) as Document
const { fields, presets } = document
const faulty = (isRight: (field: CatalogField) => boolean) =>
  fields.filter((field) => !isRight(field)).map(({ name }) => name)
const isText = (it: unknown) => typeof it === 'string' && it.trim() !== ''
const isTextOrNull = (it: unknown) => it === null || isText(it)

describe('the catalog', () => {
  test('has exactly the documented members, and count is the number of fields', () => {
    expect(Object.keys(document)).toEqual(words`
      version generated_at count fields presets preset_details answered_now answered_offline us_envelope
    `)
    expect(document.count).toBe(fields.length)
    expect(fields.length).toBeGreaterThanOrEqual(296)
    expect(new Set(fields.map(({ name }) => name)).size).toBe(fields.length)
  })

  test('has a semantic version and its release date', () => {
    expect(document.version).toMatch(/^\d+\.\d+\.\d+$/)
    expect(document.generated_at).toMatch(/^\d{4}-\d\d-\d\dT00:00:00\+00:00$/)
  })

  test('says of each preset what it is for, and how many members are answered now, online without keys, and offline', () => {
    const { preset_details: details } = document
    expect(Object.keys(details)).toEqual(Object.keys(presets))
    for (const [name, { reason, ...counts }] of Object.entries(details)) {
      expect(reason).not.toBe('')
      expect(counts.fields).toBe(presets[name]!.length)
      const answeredNow = fields.filter((field) => presets[name]!.includes(field.name) && field.providers.length > 0)
      expect(counts.answered_now).toBe(answeredNow.length)
      expect(counts.answered_offline).toBeLessThanOrEqual(counts.answered_now)
      expect(counts.answered_online_without_keys).toBeLessThanOrEqual(counts.fields)
    }
    expect(details.place_context!.answered_offline).toBe(details.place_context!.fields)
    expect(details.solar_siting!.answered_online_without_keys).toBeLessThan(details.solar_siting!.fields)
    expect(details.flood_insurance!.answered_offline).toBeLessThan(
      details.flood_insurance!.answered_online_without_keys,
    )
  })

  test('says how many fields this server answers now and offline, and every interface says the same', () => {
    const answered = answeredHere(service.testService.app)
    expect(document.answered_now).toBe(fields.filter(({ providers }) => providers.length > 0).length)
    expect(document.answered_offline).toBe(document.answered_now)
    expect([document.answered_now, document.answered_offline]).toEqual([answered.now.size, answered.offline.size])
    expect(answeredText(document)).toBe(
      `${answered.now.size} of ${fields.length} fields answer here, all of them without a network. Complete without a network: place_context.`,
    )
  })

  test('has the presets for flood insurance and wildfire hazard', () => {
    for (const member of words`
      fema_flood_zone flood_zone_subtype fema_base_flood_elevation within_floodplain_polygon within_floodway
      coastal_high_hazard storm_surge_min_category nfip_community_id firm_panel_number firm_panel_effective_date
      within_leveed_area
    `)
      expect(presets.flood_insurance).toContain(member)
    for (const member of [
      'wildfire_hazard_potential_class',
      'burn_probability',
      'conditional_flame_length_m',
      'historic_fires_within_10km_count',
      'fuel_model_fbfm40',
    ])
      expect(presets.wildfire_hazard).toContain(member)
  })

  test('has a label for every class that is a code', () => {
    const isCode = (value: string) =>
      /^(?:[A-Z]{1,3}\d?|[A-Z]\/[A-Z]|\d{1,2}[ab]?|[A-Z][A-Za-z]{1,2}|D\d)$|_/.test(value)
    const unlabelled = fields.flatMap((field) =>
      (field.enum ?? [])
        .map(String)
        .filter((value) => isCode(value) && value !== 'Low' && field.class_labels?.[value] === undefined)
        .map((value) => `${field.name}: ${value}`),
    )
    expect(unlabelled).toEqual([])
    expect(fields.find(({ name }) => name === 'fema_flood_zone')!.class_labels!.X).toBe(
      'outside the 100-year floodplain',
    )
    expect(fields.find(({ name }) => name === 'wetland_acres')!.label).toBe('Wetland area (acres)')
  })

  test('is ordered by layer', () => {
    const layers = fields.map(({ layer }) => layer)
    const starts = layers.filter((layer, i) => layer !== layers[i - 1])
    expect(starts).toEqual([...new Set(layers)])
  })
})

describe('every entry of the catalog', () => {
  const always = words`
    area_kind coverage derivation description enum evidence interpretation_hints layer lifecycle name null_meaning
    nullable presets providers source source_url ttl_seconds type unit valid_range vintage
  `
  const rules: [name: string, isRight: (field: CatalogField) => boolean][] = [
    [
      'has exactly the members that are described',
      (it) =>
        Object.keys(it)
          .filter(
            (name) =>
              !['replaced_by', 'label', 'class_labels', 'decimals', 'margin_of_error', 'vintage_note'].includes(name),
          )
          .toSorted()
          .join() === always.join(),
    ],
    ['has a name in small letters, digits and underscores', ({ name }) => /^[a-z][a-z0-9_]*$/.test(name)],
    [
      'has a description, hints, a layer and a source in words',
      (it) => [it.description, it.interpretation_hints, it.layer, it.source].every(isText),
    ],
    ['has a lifecycle', (it) => ['experimental', 'beta', 'stable', 'deprecated'].includes(String(it.lifecycle))],
    ['has evidence, with its source', (it) => Object.keys(it.evidence as object).join() === 'kind,source,date'],
    ['has a successor when it is deprecated', (it) => it.lifecycle !== 'deprecated' || isText(it.replaced_by)],
    ['has a type', (it) => ['float', 'integer', 'string', 'boolean', 'list'].includes(String(it.type))],
    [
      'has a unit, a derivation and a vintage, each a text or null',
      (it) => [it.unit, it.derivation, it.vintage].every(isTextOrNull),
    ],
    [
      'says what null means exactly when it is nullable',
      (it) => it.nullable === isText(it.null_meaning) && isTextOrNull(it.null_meaning),
    ],
    ['has a vintage, or a note why it has none', (it) => isText(it.vintage) !== isText(it.vintage_note)],
    ['has a link', (it) => /^https?:\/\//.test(String(it.source_url)) && URL.canParse(String(it.source_url))],
    ['has a whole time to live', (it) => Number.isInteger(it.ttl_seconds) && Number(it.ttl_seconds) > 0],
    [
      'has a range only when it is a number',
      ({ type, valid_range }) => valid_range === null || ['float', 'integer'].includes(String(type)),
    ],
    [
      'has a range with the lesser bound first',
      ({ valid_range }) => (valid_range?.[0] ?? -Infinity) < (valid_range?.[1] ?? Infinity),
    ],
    [
      'has an enum only of distinct values',
      (it) => it.enum === null || (it.enum.length > 0 && new Set(it.enum).size === it.enum.length),
    ],
    [
      'names the presets it is a member of',
      (it) =>
        it.presets.join() ===
        Object.keys(presets)
          .filter((preset) => presets[preset]!.includes(it.name))
          .join(),
    ],
    [
      'says where it is covered',
      (it) =>
        Array.isArray((it.coverage as { regions: unknown }).regions) &&
        (it.coverage as { regions: string[] }).regions.length > 0,
    ],
    ['says which drivers can answer it here, each once', (it) => new Set(it.providers).size === it.providers.length],
  ]
  test.each(rules)('%s', (_name, isRight) => expect(faulty(isRight)).toEqual([]))

  test('is answered by one of its providers if it is ok', async () => {
    const named = fields.filter(({ providers }) => providers.length > 0).map(({ name }) => name)
    const at = { lat: 25.7907, lng: -80.13 }
    const parts = Array.from({ length: Math.ceil(named.length / 50) }, (_, i) => named.slice(50 * i, 50 * i + 50))
    const responses = await Promise.all(parts.map((part) => service.post('/v1/fetch', { ...at, fields: part })))
    const bodies = (await Promise.all(responses.map((response) => response.json()))) as {
      fields: Record<string, { status: string; driver: string }>
    }[]
    const answered = bodies.flatMap((body) => Object.entries(body.fields))
    const ok = answered.filter(([, it]) => it.status === 'ok')
    expect(ok.length).toBeGreaterThan(40)
    expect(
      ok.filter(([name, { driver }]) => !fields.find((field) => field.name === name)!.providers.includes(driver)),
    ).toEqual([])
    expect(answered.filter(([, { status }]) => status === 'failed')).toEqual([])
  })
})

describe('the presets', () => {
  test('are those of the catalog, in its order', () => {
    expect(presets).toEqual(Object.fromEntries(Object.entries(contents).map(([name, it]) => [name, it.fields])))
    expect(Object.keys(presets)).toEqual(Object.keys(contents))
  })
  test('have at most fifty distinct fields each, or the name ends in _full', () => {
    const known = new Set(fields.map(({ name }) => name))
    expect(
      Object.entries(presets).filter(
        ([preset, it]) =>
          (it.length > 50 && !preset.endsWith('_full')) ||
          new Set(it).size < it.length ||
          it.some((name) => !known.has(name)),
      ),
    ).toEqual([])
  })
})
