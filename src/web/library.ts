import { signal, type ReadonlySignal } from '@preact/signals'
import type { CatalogDocument, CatalogField } from '../catalog/catalog-document.ts'
import type { Api } from './api.ts'
import { asked, type Asked } from './asked.ts'

/** The catalog of this server, read once and shared by the pages. */
export type Library = {
  readonly catalog: ReadonlySignal<Asked<CatalogDocument>>
  /** A field by its name, when the catalog is here and has it. */
  field(name: string): CatalogField | undefined
  /** Reads it, when that was not done or did not work. */
  open(): void
}

export function openLibrary(api: Api): Library {
  const catalog = signal<Asked<CatalogDocument>>({ state: 'waiting' })
  let byName: ReadonlyMap<string, CatalogField> = new Map()
  let isAsked = false
  return {
    catalog,
    field: (name) => (catalog.value.state === 'here' ? byName.get(name) : undefined),
    open() {
      if (isAsked) return
      isAsked = true
      catalog.value = { state: 'waiting' }
      void read()
    },
  }

  async function read(): Promise<void> {
    const answer = await asked(() => api.get<CatalogDocument>('/v1/meta/fields'))
    if (answer.state === 'here') byName = new Map(answer.value.fields.map((field) => [field.name, field]))
    if (answer.state === 'failed') isAsked = false
    catalog.value = answer
  }
}
