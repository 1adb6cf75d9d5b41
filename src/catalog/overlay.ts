import { Type as t, type TSchema } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import type { TaskSteps } from '../async/incremental-task.ts'
import { confidenceLevels } from '../model/outcome.ts'
import { isRecord } from '../model/record.ts'
import { literals } from '../model/schema.ts'
import { marginRulesSchema } from '../operators/value/margin-of-error.ts'
import { checkContents } from './checks.ts'
import type { CatalogContents, Field } from './records.ts'
import type { OverlayFile } from './overlay-folder.ts'
import { jsonDepthOf } from '../net/content.ts'

/** An operator's catalog additions from one file, in the form of the catalog's own records. */
type Overlay = Pick<CatalogContents, 'datasets' | 'fields' | 'presets' | 'synonyms'>

/** The contents with the valid overlays applied, and the errors of each file that was rejected. */
export type OverlaidCatalog = { contents: CatalogContents; errors: { file: string; errors: string[] }[] }

const errorsMax = 20
/** A record nests about ten levels. A deeper file can exhaust the stack of whoever reads it. */
const depthMax = 32
/** The longest text of the built-in catalog has 600 characters. */
const textMax = 20_000
/** All members and list items of one file. */
const valuesMax = 50_000

/**
 * Adds the files to the contents in order of file name. A file with an error is rejected completely; the others still
 * apply. Each file makes the whole catalog be checked again, which is most of the steps.
 */
export function* applyOverlays(contents: CatalogContents, files: OverlayFile[]): TaskSteps<OverlaidCatalog> {
  const applied: { file: string; text: string }[] = []
  const errors: OverlaidCatalog['errors'] = files.flatMap((it) =>
    'error' in it ? [{ file: it.file, errors: [it.error] }] : [],
  )
  let result = contents
  for (const { file, text } of files.filter((it) => 'text' in it).toSorted((a, b) => (a.file < b.file ? -1 : 1))) {
    const merged = yield* applyOverlay(result, text)
    if (Array.isArray(merged)) errors.push({ file, errors: merged.slice(0, errorsMax) })
    else {
      result = merged
      applied.push({ file, text })
    }
  }
  const suffix = applied.length === 0 ? '' : `+local.${hashOf(applied)}`
  return { contents: { ...result, version: contents.version + suffix }, errors }
}

/** The contents with one file added, or the errors of the file. No file can make this throw. */
function* applyOverlay(contents: CatalogContents, text: string): TaskSteps<CatalogContents | string[]> {
  try {
    const overlay = yield* parseOverlay(text)
    if (Array.isArray(overlay)) return overlay
    yield
    const merged = mergeOverlay(contents, overlay)
    const problems = [...nameConflicts(contents, overlay), ...(yield* checkContents(merged))]
    return problems.length > 0 ? problems : merged
  } catch (error) {
    return [`The file cannot be checked: ${(error as Error).message}`]
  }
}

function* parseOverlay(text: string): TaskSteps<Overlay | string[]> {
  const value = yield* parseJsonObject(text)
  if (typeof value === 'string') return [value]
  const overlay = { datasets: {}, fields: [], presets: {}, synonyms: {}, ...value }
  const errors = [...Value.Errors(OverlaySchema, overlay)].map(
    ({ path, message }) => `${fieldNameAt(overlay, path)}${path}: ${message}`,
  )
  return errors.length > 0 ? errors : overlay
}

function* parseJsonObject(text: string): TaskSteps<Record<string, unknown> | string> {
  try {
    if (jsonDepthOf(new TextEncoder().encode(text)) > depthMax)
      return `The file is nested deeper than ${depthMax} levels. Nest fewer fallbacks.`
    yield
    const value: unknown = JSON.parse(text)
    yield
    const excess = excessIn(value)
    if (excess !== null) return excess
    return isRecord(value) ? value : 'The file must contain a JSON object with datasets and fields.'
  } catch (error) {
    return `The file is not valid JSON: ${(error as Error).message}`
  }
}

/** What makes the file too large to check at once, or null. */
function excessIn(value: unknown): string | null {
  const pending: unknown[] = [value]
  for (let values = 0; pending.length > 0; values++) {
    if (values + pending.length > valuesMax)
      return `The file has more than ${valuesMax} names and values. Split it into smaller files.`
    const next = pending.pop()
    if (typeof next === 'string' && next.length > textMax)
      return `The file has a text of ${next.length} characters. The maximum is ${textMax}.`
    if (typeof next === 'object' && next !== null)
      for (const [name, inner] of Object.entries(next)) pending.push(name, inner)
  }
  return null
}

/** A prefix with the field's name, which is clearer than its index in the list. */
function fieldNameAt({ fields }: { fields: unknown }, path: string): string {
  const index = /^\/fields\/(\d+)/.exec(path)?.[1]
  const field: unknown = index !== undefined && Array.isArray(fields) ? fields[Number(index)] : null
  return isRecord(field) && typeof field.name === 'string' ? `field ${field.name}: ` : ''
}

function mergeOverlay(contents: CatalogContents, { datasets, fields, presets, synonyms }: Overlay): CatalogContents {
  return {
    ...contents,
    fields: [
      ...contents.fields,
      ...fields.toSorted((a, b) => (a.layer < b.layer ? -1 : a.layer > b.layer ? 1 : 0)),
    ].toSorted(layerOrder(contents)),
    datasets: { ...contents.datasets, ...datasets },
    presets: { ...contents.presets, ...presets },
    synonyms: {
      ...contents.synonyms,
      ...Object.fromEntries(
        Object.entries(synonyms).map(([phrase, names]) => [
          phrase,
          [...new Set([...fieldsOfPhrase(phrase, contents), ...names])],
        ]),
      ),
    },
  }
}

/** The fields that the catalog already assigns to a phrase. Overlays can only add fields. */
function fieldsOfPhrase(phrase: string, { synonyms }: CatalogContents): string[] {
  return Object.hasOwn(synonyms, phrase) ? synonyms[phrase]! : []
}

/** Sorts fields by layer: an overlay's fields follow the existing fields of their layer, and new layers come last. */
function layerOrder({ fields }: CatalogContents): (a: Field, b: Field) => number {
  const order = new Map([...new Set(fields.map(({ layer }) => layer))].map((layer, i) => [layer, i]))
  return (a, b) =>
    (order.get(a.layer) ?? Infinity) === (order.get(b.layer) ?? Infinity)
      ? 0
      : (order.get(a.layer) ?? Infinity) - (order.get(b.layer) ?? Infinity)
}

/** Errors for names that exist already. They are never replaced, because clients rely on them. */
function nameConflicts(contents: CatalogContents, { datasets, fields, presets }: Overlay): string[] {
  const names = new Set(contents.fields.map(({ name }) => name))
  return [
    ...Object.keys(datasets)
      .filter((id) => Object.hasOwn(contents.datasets, id))
      .map((id) => `dataset ${id} already exists: choose another name`),
    ...fields
      .filter(({ name }) => names.has(name))
      .map(({ name }) => `field ${name} already exists: choose another name`),
    ...Object.keys(presets)
      .filter((name) => Object.hasOwn(contents.presets, name))
      .map((name) => `preset ${name} already exists: choose another name`),
  ]
}

function hashOf(files: { file: string; text: string }[]): string {
  return new Bun.CryptoHasher('sha256')
    .update(JSON.stringify(files.map(({ file, text }) => [file, text])))
    .digest('hex')
    .slice(0, 8)
}

const text = t.String({ minLength: 1 })
const nullableText = t.Union([t.String(), t.Null()])
const records = (of: TSchema) => t.Record(t.String({ pattern: '^[a-z][a-z0-9_]{1,63}$' }), of)
const regions = literals(['conus', 'ak', 'hi', 'pr', 'vi', 'gu', 'as', 'mp'])

const DatasetSchema = t.Object({
  service: text,
  title: text,
  publisher: text,
  license: text,
  attribution: t.Optional(text),
  source_url: t.String({ pattern: '^https?://' }),
  coverage: t.Object({ regions: t.Union([t.Literal('everywhere'), t.Array(regions)]), note: nullableText }),
  vintage: t.Optional(text),
  vintage_note: nullableText,
  dated_by: t.Optional(t.Object({ text: t.String({ pattern: '\\{\\w+\\}' }), from: t.Optional(text) })),
  confidence: t.Optional(t.Object({ level: literals(confidenceLevels), reason: text })),
  ttl_seconds: t.Integer({ minimum: 1 }),
  shape: literals(['features', 'raster', 'document']),
  serve: t.Array(t.Object({ driver: text }), { minItems: 1 }),
  bulk: nullableText,
  no_copy: t.Optional(text),
  budget_ms: t.Integer({ minimum: 1 }),
  needs_key: t.Union([t.Null(), t.Object({ env: nullableText, email: t.Optional(text), required: t.Boolean() })]),
  attributes: t.Optional(t.Array(text)),
  uncertainty: t.Optional(
    t.Object({
      share: t.Number({ minimum: 0 }),
      least_m: t.Number({ minimum: 0 }),
      most_m: t.Number({ minimum: 0 }),
      note: text,
    }),
  ),
  margins: t.Optional(marginRulesSchema),
  fetch_radius_m: t.Optional(t.Number({ exclusiveMinimum: 0 })),
})
const ReadSchema = t.Recursive((read) =>
  t.Object({
    dataset: text,
    op: text,
    key: t.Optional(t.Union([text, t.Array(text)])),
    from: t.Optional(t.Record(t.String(), t.Union([text, read]))),
    skip_when: t.Optional(text),
    stand_in: t.Optional(text),
    skip_reason: t.Optional(t.Literal('outside_coverage')),
    fallback: t.Optional(t.Array(read, { maxItems: 20 })),
  }),
)
const FieldSchema = t.Object({
  name: text,
  description: text,
  spoken: t.Optional(text),
  interpretation_hints: text,
  layer: text,
  lifecycle: literals(['experimental', 'beta', 'stable', 'deprecated']),
  replaced_by: t.Optional(text),
  type: literals(['string', 'integer', 'float', 'boolean', 'list']),
  unit: nullableText,
  null_meaning: nullableText,
  derivation: nullableText,
  ttl_seconds: t.Integer({ minimum: 1 }),
  source_url: t.Optional(text),
  valid_range: t.Optional(t.Tuple([t.Union([t.Number(), t.Null()]), t.Union([t.Number(), t.Null()])])),
  pattern: t.Optional(text),
  earliest: t.Optional(text),
  enum: t.Optional(t.Array(t.Union([t.String(), t.Number()]))),
  read: ReadSchema,
  evidence: text,
})
const OverlaySchema = t.Object(
  {
    datasets: records(DatasetSchema),
    fields: t.Array(FieldSchema, { maxItems: 1000 }),
    presets: records(t.Object({ reason: text, phrases: t.Optional(t.Array(text)), fields: t.Array(text) })),
    synonyms: t.Record(t.String(), t.Array(text)),
  },
  { additionalProperties: false },
)
