import { signal, type ReadonlySignal } from '@preact/signals'
import type { CatalogDocument, CatalogField } from '../catalog/catalog-document.ts'
import type { SourcesDocument, SourceState } from '../catalog/meta-documents.ts'
import type { ApiClient } from './api-client.ts'
import { runRequest, type RequestState } from './request.ts'
import { humanizeName } from '../catalog/field-title.ts'
import { fieldLabel } from './value-text.ts'

/** The preset shown by default; it is available on every server. */
export const defaultPreset = 'place_context'

/** The catalog of this server, read once and shared by all pages. */
export type CatalogStore = {
  readonly catalog: ReadonlySignal<RequestState<CatalogDocument>>
  /** Returns a field by name; undefined while the catalog is not loaded or when it has no such field. */
  field(name: string): CatalogField | undefined
  /** Loads the catalog unless it is loaded or loading. Call it again to retry after a failure. */
  load(): void
  /** Returns whether a field answers here, as far as the server has tried. */
  stateOf(field: CatalogField): SourceState
  /** Reads again which sources fail. Until they answer, fields that only they can answer have no providers. */
  refreshFailing(): void
}

type Doubts = Pick<SourcesDocument, 'failing_fields' | 'unchecked_fields'>

export function createCatalogStore(api: ApiClient): CatalogStore {
  const catalog = signal<RequestState<CatalogDocument>>({ status: 'loading' })
  let byName: ReadonlyMap<string, CatalogField> = new Map()
  let document: CatalogDocument | null = null
  let doubts: Doubts = { failing_fields: [], unchecked_fields: [] }
  let isRequested = false
  return {
    catalog,
    field: (name) => (catalog.value.status === 'loaded' ? byName.get(name) : undefined),
    stateOf({ name, providers }) {
      if (doubts.failing_fields.includes(name)) return 'degraded'
      if (providers.length === 0) return 'off'
      return doubts.unchecked_fields.includes(name) ? 'cold' : 'ready'
    },
    load() {
      if (isRequested) return
      isRequested = true
      catalog.value = { status: 'loading' }
      void readCatalog()
    },
    refreshFailing: () => void readFailing(),
  }

  async function readCatalog(): Promise<void> {
    const [state] = await Promise.all([runRequest(() => api.get<CatalogDocument>('/v1/meta/fields')), readFailing()])
    if (state.status === 'failed') isRequested = false
    if (state.status === 'loaded') showCatalog((document = state.value))
    else catalog.value = state
  }

  /** Without an answer, the last known list stays. */
  async function readFailing(): Promise<void> {
    const state = await runRequest(() => api.get<SourcesDocument>('/v1/meta/sources?state=failing'))
    if (state.status !== 'loaded') return
    doubts = state.value
    if (document) showCatalog(document)
  }

  function showCatalog(loaded: CatalogDocument): void {
    const value = withoutFailing(loaded, new Set(doubts.failing_fields))
    byName = new Map(value.fields.map((field) => [field.name, field]))
    catalog.value = { status: 'loaded', value }
  }
}

/** Returns the catalog as it is answered at the moment: without the providers and counts of failing fields. */
export function withoutFailing(catalog: CatalogDocument, failing: ReadonlySet<string>): CatalogDocument {
  if (failing.size === 0) return catalog
  const fields = catalog.fields.map((field) => (failing.has(field.name) ? { ...field, providers: [] } : field))
  const answered = new Set(fields.flatMap(({ name, providers }) => (providers.length > 0 ? [name] : [])))
  const preset_details = Object.fromEntries(
    Object.entries(catalog.preset_details).map(([name, details]) => [
      name,
      { ...details, answered_now: catalog.presets[name]!.filter((member) => answered.has(member)).length },
    ]),
  )
  return { ...catalog, fields, preset_details, answered_now: answered.size }
}

/** Returns the names of the fields of a preset and of single fields; none while the catalog is not loaded. */
export function selectedFields(
  catalog: RequestState<CatalogDocument>,
  { preset, fields }: { preset: string | null; fields: readonly string[] },
): string[] {
  if (catalog.status !== 'loaded') return []
  return [...new Set([...(catalog.value.presets[preset ?? ''] ?? []), ...fields])]
}

/** Returns the title of a field. The unit is dropped from it once the catalog is loaded. */
export function fieldTitle(name: string, catalogStore: CatalogStore): string {
  const field = catalogStore.field(name)
  return field ? fieldLabel(name, field.unit) : humanizeName(name)
}
