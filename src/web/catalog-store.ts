import { signal, type ReadonlySignal } from '@preact/signals'
import type { CatalogDocument, CatalogField } from '../catalog/catalog-document.ts'
import type { ApiClient } from './api-client.ts'
import { runRequest, type RequestState } from './request-state.ts'
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
}

export function createCatalogStore(api: ApiClient): CatalogStore {
  const catalog = signal<RequestState<CatalogDocument>>({ status: 'loading' })
  let byName: ReadonlyMap<string, CatalogField> = new Map()
  let isRequested = false
  return {
    catalog,
    field: (name) => (catalog.value.status === 'loaded' ? byName.get(name) : undefined),
    load() {
      if (isRequested) return
      isRequested = true
      catalog.value = { status: 'loading' }
      void readCatalog()
    },
  }

  async function readCatalog(): Promise<void> {
    const state = await runRequest(() => api.get<CatalogDocument>('/v1/meta/fields'))
    if (state.status === 'loaded') byName = new Map(state.value.fields.map((field) => [field.name, field]))
    if (state.status === 'failed') isRequested = false
    catalog.value = state
  }
}

/** Returns the title of a field. The unit is dropped from it once the catalog is loaded. */
export function fieldTitle(name: string, catalogStore: CatalogStore): string {
  const field = catalogStore.field(name)
  return field ? fieldLabel(name, field.unit) : humanizeName(name)
}
