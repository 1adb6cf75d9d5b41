import { createCatalog, type Catalog } from '../catalog/catalog.ts'
import type { CatalogContents } from '../catalog/records.ts'
import { applyOverlays, type OverlaidCatalog } from '../catalog/overlay.ts'
import type { OverlayFolder } from '../catalog/overlay-folder.ts'
import type { Log } from '../log.ts'
import type { SourceRegistry } from './source-registry.ts'

/** The catalog and its library as they are now: the catalog that is built in, and the layers that an operator has added; the sources and packs that are at hand. */
export type CatalogSnapshot = { catalog: Catalog; registry: SourceRegistry; overlayErrors: OverlaidCatalog['errors'] }

/** `now` is one object as long as nothing changes. `look` puts in what has come and takes out what has gone: files of added layers, and packs when they have changed. */
export type CatalogState = { snapshot(): CatalogSnapshot; refresh(changed?: 'packs'): void }

/** `opened` is told of each catalog before it is shelved. */
type Deps = {
  buildRegistry: (catalog: Catalog) => SourceRegistry
  onCatalogOpened: (catalog: Catalog) => void
  log: Log
}

/** A fault in a file is logged, and the file is left out; where that is seen only when the layers are opened, all files are. */
export function createCatalogState(
  contents: CatalogContents,
  overlays: OverlayFolder,
  { buildRegistry, onCatalogOpened, log }: Deps,
): CatalogState {
  overlays.hasChanged()
  let current = loadSnapshot()
  return {
    snapshot: () => current,
    refresh(changed) {
      if (overlays.hasChanged()) current = loadSnapshot()
      else if (changed === 'packs') current = { ...current, registry: buildRegistry(current.catalog) }
    },
  }

  function loadSnapshot(): CatalogSnapshot {
    const { contents: merged, errors } = applyOverlays(contents, overlays.readFiles())
    for (const { file, errors: messages } of errors) log.error('catalog_file_rejected', { file, faults: messages })
    if (merged.version === contents.version) return createSnapshot(merged, errors)
    try {
      return createSnapshot(merged, errors)
    } catch (error) {
      log.error('catalog_files_rejected', { error })
      return createSnapshot(contents, [...errors, { file: 'catalog.d', errors: [(error as Error).message] }])
    }
  }

  function createSnapshot(merged: CatalogContents, overlayErrors: OverlaidCatalog['errors']): CatalogSnapshot {
    const catalog = createCatalog(merged)
    onCatalogOpened(catalog)
    return { catalog, registry: buildRegistry(catalog), overlayErrors }
  }
}
