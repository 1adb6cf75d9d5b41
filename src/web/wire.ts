/** The shapes of the public interface that the pages read, named as on the wire. Only what is read stands here. */
export type FieldResult = {
  status: 'ok' | 'absent' | 'failed'
  value: string | number | boolean | null
  absent_reason?: string
  error?: string
  retryable?: boolean
  source: string
  unit: string | null
  source_url: string
  ttl_seconds: number
  vintage: string | null
  driver: string | null
  cache?: 'hit' | 'miss' | 'stale'
  notes?: string
}

export type FetchAnswer = {
  lat: number
  lng: number
  fetched_at: string
  fields: Record<string, FieldResult>
  geocode?: { normalized_address: string; accuracy_type: string; accuracy_score: number; provider: string; cached: boolean }
}

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
  valid_range: [number | null, number | null] | null
  enum: (string | number)[] | null
  vintage: string | null
  coverage: { regions: string[]; note: string | null }
  providers: string[]
}

export type CatalogDocument = { version: string; generated_at: string; count: number; fields: CatalogField[]; presets: Record<string, string[]> }
