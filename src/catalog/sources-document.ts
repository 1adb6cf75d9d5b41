import type { PackStatus } from '../packs/pack-status.ts'

/** What GET /v1/meta/sources answers. `geocoders`: who is asked for an address, in this order; `packs`: the files of the packs folder. */
export type SourcesDocument = {
  sources: SourceStatus[]
  geocoders: { name: string; metered: boolean }[]
  embedded: EmbeddedLayerInfo[]
  packs: PackStatus[]
}

/** A dataset, and how this server can ask it. */
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
  /** In the order in which they are asked. */
  drivers: { driver: string; available: boolean; vintage: string | null; metered: boolean }[]
  /** What it would take to ask it at all, in a sentence and by its parts; null when it can be asked. */
  unavailable_reason: string | null
  missing: MissingRequirements | null
  last_success: string | null
  latency_ms: number | null
  circuit: string | null
}

/** The setting that keeps a dataset from being asked (null: no other server has it), the hosts that would be asked, and the packs that would do instead. */
export type MissingRequirements = { setting: string | null; hosts: string[]; packs: string[] }

/** A layer that is compiled in. */
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
