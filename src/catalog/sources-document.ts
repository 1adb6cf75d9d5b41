import type { PackStatus } from '../packs/pack-status.ts'

/** The response of GET /v1/meta/sources. `geocoders`: in order of use; `packs`: the files of the packs folder. */
export type SourcesDocument = {
  sources: SourceStatus[]
  geocoders: { name: string; metered: boolean }[]
  embedded: EmbeddedLayerInfo[]
  packs: PackStatus[]
}

/** A dataset and how this server can query it. */
export type SourceStatus = {
  dataset: string
  source: string
  title: string
  publisher: string
  licence: string
  attribution: string | null
  source_url: string
  vintage: string | null
  vintage_note: string | null
  shape: string
  fields: string[]
  /** In order of use. */
  drivers: { driver: string; available: boolean; vintage: string | null; metered: boolean }[]
  /** Why no driver is available, as a sentence and in `missing`; null if one is. */
  unavailable_reason: string | null
  missing: MissingRequirements | null
  last_success: string | null
  latency_ms: number | null
  circuit: string | null
}

/**
 * The setting that makes a dataset unavailable (null: no setting), the hosts it needs, and the packs that could replace
 * them.
 */
export type MissingRequirements = { setting: string | null; hosts: string[]; packs: string[] }

/** An embedded layer. */
export type EmbeddedLayerInfo = {
  layer: string
  title: string
  publisher: string
  licence: string
  attribution: string | null
  source_url: string
  vintage: string
  features: number
  derivation: string
  packages: { name: string; version: string; file: string; sha256: string }[]
}
