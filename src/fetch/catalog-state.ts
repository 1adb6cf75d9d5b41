import { openCatalog, type Catalog } from '../catalog/catalog.ts'
import type { Contents } from '../catalog/entry.ts'
import { overlaid, type Overlaid } from '../catalog/overlay.ts'
import type { Overlays } from '../catalog/overlays.ts'
import type { Log } from '../log.ts'
import type { SourceRegistry } from './source-registry.ts'

/** The catalog and its library as they are now: the catalog that is built in, and the layers that an operator has added; the sources and packs that are at hand. */
export type CatalogSnapshot = { catalog: Catalog; registry: SourceRegistry; overlayErrors: Overlaid['faults'] }

/** `now` is one object as long as nothing changes. `look` puts in what has come and takes out what has gone: files of added layers, and packs when they have changed. */
export type CatalogState = { snapshot(): CatalogSnapshot; refresh(changed?: 'packs'): void }

/** `opened` is told of each catalog before it is shelved. */
type Deps = { buildRegistry: (catalog: Catalog) => SourceRegistry; onCatalogOpened: (catalog: Catalog) => void; log: Log }

/** A fault in a file is logged, and the file is left out; where that is seen only when the layers are opened, all files are. */
export function createCatalogState(contents: Contents, overlays: Overlays, { buildRegistry, onCatalogOpened, log }: Deps): CatalogState {
  overlays.changed()
  let current = loadSnapshot()
  return {
    snapshot: () => current,
    refresh(changed) {
      if (overlays.changed()) current = loadSnapshot()
      else if (changed === 'packs') current = { ...current, registry: buildRegistry(current.catalog) }
    },
  }

  function loadSnapshot(): CatalogSnapshot {
    const { contents: merged, faults } = overlaid(contents, overlays.files())
    for (const { file, faults: messages } of faults) log.error('catalog_file_rejected', { file, faults: messages })
    if (merged.version === contents.version) return createSnapshot(merged, faults)
    try {
      return createSnapshot(merged, faults)
    } catch (error) {
      log.error('catalog_files_rejected', { error })
      return createSnapshot(contents, [...faults, { file: 'catalog.d', faults: [(error as Error).message] }])
    }
  }

  function createSnapshot(merged: Contents, overlayErrors: Overlaid['faults']): CatalogSnapshot {
    const catalog = openCatalog(merged)
    onCatalogOpened(catalog)
    return { catalog, registry: buildRegistry(catalog), overlayErrors }
  }
}
