/** The response of GET /v1/meta/fields. */
export type CatalogDocument = {
  version: string
  generated_at: string
  count: number
  fields: CatalogField[]
  presets: Record<string, string[]>
}

/** A field as clients see it. `providers`: the drivers that can answer it on this server now. */
export type CatalogField = {
  name: string
  description: string
  interpretation_hints: string
  layer: string
  lifecycle: 'experimental' | 'beta' | 'stable' | 'deprecated'
  replaced_by?: string
  type: 'float' | 'integer' | 'string' | 'boolean' | 'list'
  unit: string | null
  nullable: boolean
  null_meaning: string | null
  derivation: string | null
  presets: string[]
  source: string
  source_url: string
  ttl_seconds: number
  valid_range: [min: number | null, max: number | null] | null
  enum: (string | number)[] | null
  vintage: string | null
  coverage: { regions: string[]; note: string | null }
  providers: string[]
}
