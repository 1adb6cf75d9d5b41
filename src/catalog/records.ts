import type { DriverConfig } from '../drivers/drivers.ts'
import type { Confidence } from '../model/outcome.ts'
import type { Region } from '../model/place.ts'
import type { Shape } from '../model/source.ts'
import type { MarginRules } from '../operators/value/margin-of-error.ts'
import type { Operation } from '../operators/operators.ts'
import type { Recipe } from '../files/recipe.ts'

/** The most fields of one request, unless the operator raises it. */
export const fieldsPerRequestMax = 50

/** Data from one publisher: one queried layer, raster or document. The first available entry of `serve` answers. */
export type Dataset = {
  /** The service name that clients see as `source`. */
  service: string
  title: string
  publisher: string
  license: string
  /** The attribution text that the license requires. */
  attribution?: string
  source_url: string
  /** A point outside `regions` is `absent` with `outside_coverage`. `'everywhere'` includes the open sea. */
  coverage: { regions: Region[] | 'everywhere'; note: string | null }
  /** Date or edition of the data, if the publisher fixes one. A local copy states its own. */
  vintage?: string
  vintage_note: string | null
  /**
   * How the records state their date, as a text with their members, such as `{time}` or `{year} Q{qtr}`. `from`: the
   * path of the part of a document that has these members.
   */
  dated_by?: { text: string; from?: string }
  /** How far its values can be trusted, and why. Set only where the rule of `confidenceRuleOf` does not fit. */
  confidence?: ConfidenceRule
  ttl_seconds: number
  shape: Shape
  serve: DriverConfig[]
  /** The URL of the download that packs are built from. */
  bulk: string | null
  /** The service from which its data is copied for an area, if it is not the one that answers online. */
  copied_from?: DriverConfig
  /** Why its data is not copied by area, such as a license that forbids it. */
  no_copy?: string
  /** How to build the pack from the publisher's files, if they need conversion. */
  recipe?: Recipe
  /** The time limit of one query, all sources together. */
  budget_ms: number
  /** `email`: the setting with the address that the publisher asks for with the key. */
  needs_key: { env: string | null; email?: string; required: boolean; note?: string } | null
  /** Attributes to request, so that fields share one request. */
  attributes?: string[]
  filter?: string
  distinct?: string
  /** Values that mean "no value" in every attribute, in addition to null and blank text. A read can add its own. */
  sentinels?: (string | number)[]
  /** What attributes of its features can be. A network source with another value fails as `bad_value`. */
  attribute_limits?: Record<string, AttributeLimit>
  /**
   * How far distances to its generalized outlines can be off: this share of the distance, at least and at most this many
   * meters. The note says why.
   */
  uncertainty?: { share: number; least_m: number; most_m: number; note: string }
  /** How its table publishes the margins of error of its estimates. */
  margins?: MarginRules
  classes?: Record<string, string>
  code_sets?: Record<string, (string | number | null)[]>
  levels?: number[]
  key_field?: string
  /** Point queries and counts are answered from one request with this radius. */
  fetch_radius_m?: number
  /** Its shapes are not drawn (`include=geometry`, tiles). A field or a member that names an outline has it. */
  withholds_geometry?: true
  note?: string
}

/** A list, or a pattern or range of the values that are not null. `or`: codes beside the range. */
export type AttributeLimit =
  (string | number | null)[] | { matches: string } | { range: [min: number, max: number]; or?: number[] }

/** How far the values of a dataset can be trusted, and why. */
export type ConfidenceRule = { level: Confidence; reason: string }

/** How to read a field: a dataset, an operator with its arguments, and fallbacks. */
export type ReadSpec = Operation & {
  dataset: string
  /** The field(s), or names in `from`, whose values form the key of the document or row. */
  key?: string | string[]
  /** Variables of an expression or function: each a field (or `lat`, `lng`) or a nested read. */
  from?: Record<string, string | ReadSpec>
  /** An expression over `from`. If it is true, this read is skipped. */
  skip_when?: string
  /** Why this read is only a stand-in for what the field names. Its values have the confidence `low`. */
  stand_in?: string
  /** Why a skipped read has no value, if not `no_data`: the place is outside the coverage of the data. */
  skip_reason?: 'outside_coverage'
  fallback?: FallbackSpec[]
}

/** A read that is tried if the one before it failed, or under the conditions in `when`. */
export type FallbackSpec = ReadSpec & { when?: ('failed' | 'absent' | 'outside_coverage')[] }

/** A named value per point: what it means, how to read it, and what its answers look like. */
export type Field = {
  name: string
  description: string
  /**
   * The field's name within a sentence, such as `the city or town`, if the description does not fit. Used in
   * `/v1/ask` answers only.
   */
  spoken?: string
  /**
   * A title for display. Set only where the name of the field, written as words, would be misleading. From
   * `fieldLabels`.
   */
  label?: string
  /** What its classes mean, in a few words each. From `classLabels`. */
  class_labels?: Record<string, string>
  interpretation_hints: string
  layer: string
  lifecycle: 'experimental' | 'beta' | 'stable' | 'deprecated'
  replaced_by?: string
  type: 'string' | 'integer' | 'float' | 'boolean' | 'list'
  unit: string | null
  /** The number of decimal places of a float. It matches the precision of the source. Required for a float. */
  decimals?: number
  /** Set exactly when the field is nullable. */
  null_meaning: string | null
  derivation: string | null
  ttl_seconds: number
  /** The field's own page, if it is a better link than its dataset's. */
  source_url?: string
  /** A text that does not match fails as `bad_value`. See `compilePattern` for the syntax. */
  pattern?: string
  /** The first day that a date can have, such as the start of a program. An earlier one fails as `out_of_range`. */
  earliest?: string
  /** Values outside fail as `out_of_range`. These are the limits of the possible, not of the usual. */
  valid_range?: [min: number | null, max: number | null]
  /** All possible values, if the list is closed. */
  enum?: (string | number)[]
  read: ReadSpec
  /** How the read was verified, as a note for us. An open point keeps a field `beta`. See `evidenceOf`. */
  evidence: string
}

/** Evidence that several fields share: where an answer was recorded or reported, and when. */
export type EvidenceGroup = {
  kind: 'checked_live' | 'recorded' | 'reported' | 'names_only'
  source: string
  date: string | null
  fields: string[]
}

/**
 * A named, ordered selection of fields. `reason`: one line; `phrases`: lower-case phrases that request the whole
 * preset. An overview describes a place in general: a more special preset in the same question wins. `key_fields`: the
 * members that a report shows first, if not the first ones.
 */
export type Preset = {
  reason: string
  phrases?: string[]
  is_overview?: true
  key_fields?: string[]
  fields: string[]
}

/** A question to a dataset whose answer does not change: a field at a place, and what a right answer satisfies. */
export type Canary = {
  field: string
  place: string
  lat: number
  lng: number
  /** Null for a structural canary: only what the field declares is expected. */
  fact: { expected: CanaryExpectation; source: string } | null
}
/** A range is in the unit of the field. */
export type CanaryExpectation =
  { value: string | number | boolean } | { range: [min: number, max: number] } | { pattern: string }

/** The contents of the catalog/ folder. */
export type CatalogContents = {
  version: string
  released: string
  fields: Field[]
  datasets: Record<string, Dataset>
  presets: Record<string, Preset>
  synonyms: Record<string, string[]>
  /** Synonyms that only suggest their fields. */
  looseSynonyms: string[]
  /** Phrases that no field answers, with the fields that are named as related. */
  relatedFields: Record<string, string[]>
  /** Titles, by field. */
  fieldLabels: Record<string, string>
  /** What classes mean, by field and class. */
  classLabels: Record<string, Record<string, string>>
  /** Recordings and reports, with the fields that they confirm. */
  fieldEvidence: EvidenceGroup[]
  /** What `fieldstone doctor --live` asks, by dataset. */
  canaries: Record<string, Canary[]>
}
