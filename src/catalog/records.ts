import type { DriverConfig } from '../drivers/drivers.ts'
import type { Region } from '../model/place.ts'
import type { Shape } from '../model/source.ts'
import type { Operation } from '../operators/operators.ts'
import type { Recipe } from '../packs/import/recipe.ts'

/** A body of data with one publisher: one queried layer, raster or document. Served by the first of `serve` that is at hand. */
export type Dataset = {
  /** The family of sources that callers see as `source`. */
  service: string
  title: string
  publisher: string
  licence: string
  /** The words its licence asks for. */
  attribution?: string
  source_url: string
  /** A point outside `regions` is absent, `outside_coverage`; `'everywhere'` is the open sea too. */
  coverage: { regions: Region[] | 'everywhere'; note: string | null }
  /** Date or edition of the data, where the publisher fixes one; a local copy says its own. */
  vintage?: string
  vintage_note: string | null
  ttl_seconds: number
  shape: Shape
  serve: DriverConfig[]
  /** The download from which a pack is made. */
  bulk: string | null
  /** How the publisher's files become that pack, where they are not it already. */
  recipe?: Recipe
  /** What one question may take, all ways together. */
  budget_ms: number
  needs_key: { env: string | null; required: boolean; note?: string } | null
  /** Attributes to ask for, so that fields share one request. */
  attributes?: string[]
  filter?: string
  distinct?: string
  sentinels?: (string | number)[]
  classes?: Record<string, string>
  code_sets?: Record<string, number[]>
  levels?: number[]
  key_field?: string
  /** Point tests and counts are answered from one fetch of this radius. */
  fetch_radius_m?: number
  note?: string
}

/** How a field reads: a dataset, an operator with its arguments, and what to do when that does not answer. */
export type ReadSpec = Operation & {
  dataset: string
  /** Field(s), or names in `from`, whose value is the key of the document or row that is read. */
  key?: string | string[]
  /** Variables of an expression or function: each a field (or `lat`, `lng`), or a read of its own. */
  from?: Record<string, string | ReadSpec>
  /** An expression over `from`; when it holds, this read is passed over. */
  skip_when?: string
  fallback?: FallbackSpec[]
}

/** A read that is tried when the one before it failed, or under the conditions of `when`. */
export type FallbackSpec = ReadSpec & { when?: ('failed' | 'absent' | 'outside_coverage')[] }

/** A named question with one answer per point: what it means, how to read it, and how it is answered. */
export type Field = {
  name: string
  description: string
  /** What people call it, to stand within a sentence, where the description does not lend itself to that: `the city or town`. For answers in words, not for callers. */
  spoken?: string
  interpretation_hints: string
  layer: string
  lifecycle: 'experimental' | 'beta' | 'stable' | 'deprecated'
  replaced_by?: string
  type: 'string' | 'integer' | 'float' | 'boolean' | 'list'
  unit: string | null
  /** Set exactly when the field is nullable. */
  null_meaning: string | null
  derivation: string | null
  ttl_seconds: number
  /** The field's own page, where that is a better link than its dataset's. */
  source_url?: string
  /** Values outside are refused as `out_of_range`: the limits of what is possible, not of what is usual. */
  valid_range?: [min: number | null, max: number | null]
  /** Every value the field can have, when the list is closed. */
  enum?: (string | number)[]
  read: ReadSpec
  /** How the binding was checked; an open point keeps a field `beta`. For us, not for callers. */
  evidence: string
}

/** A named selection of fields, in order, and the one-line reason for it. `phrases`: what people say, in lower case, when they want all of it. */
export type Preset = { reason: string; phrases?: string[]; fields: string[] }

/** What the folder catalog/ holds. */
export type CatalogContents = {
  version: string
  released: string
  fields: Field[]
  datasets: Record<string, Dataset>
  presets: Record<string, Preset>
  synonyms: Record<string, string[]>
}
