import { signal, type ReadonlySignal } from '@preact/signals'
import type { CatalogDocument, CatalogField } from '../catalog/catalog-document.ts'
import type { ApiClient } from './api-client.ts'
import { runRequest, type RequestState } from './request-state.ts'

/** The catalog of this server, read once and shared by the pages. */
export type CatalogStore = {
  readonly catalog: ReadonlySignal<RequestState<CatalogDocument>>
  /** A field by its name, when the catalog is here and has it. */
  field(name: string): CatalogField | undefined
  /** Reads it, when that was not done or did not work. */
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
