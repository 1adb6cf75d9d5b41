import { createCatalog, type Catalog } from '../../catalog/catalog.ts'
import type { CatalogContents } from '../../catalog/records.ts'
import { applyOverlays, type OverlaidCatalog } from '../../catalog/overlay.ts'
import type { OverlayFolder } from '../../catalog/overlay-folder.ts'
import type { Log } from '../../log.ts'
import { FetchPlans } from '../fetch-plan.ts'
import type { SourceRegistry } from '../sources/source-registry.ts'

/**
 * The built-in catalog with the operator's overlays, its available sources, the plans of fetches, and the errors of
 * rejected overlays.
 */
export type CatalogSnapshot = {
  catalog: Catalog
  registry: SourceRegistry
  plans: FetchPlans
  overlayErrors: OverlaidCatalog['errors']
}

/** The current catalog. */
export type CatalogState = {
  /** Returns the same object until something changes. */
  snapshot(): CatalogSnapshot
  /** Applies changes of the overlay files, and of the packs when the caller says that they changed. */
  refresh(changed?: 'packs'): void
}

type Deps = {
  buildRegistry: (catalog: Catalog) => SourceRegistry
  /** Receives each catalog before its registry is built. */
  onCatalogOpened: (catalog: Catalog) => void
  log: Log
  /** The most fields of one request. */
  fieldsMax: number
}

/**
 * Loads the catalog. An overlay file with an error is logged and ignored. When the merged catalog cannot be opened, all
 * overlay files are ignored.
 */
export function createCatalogState(
  contents: CatalogContents,
  overlays: OverlayFolder,
  { buildRegistry, onCatalogOpened, log, fieldsMax }: Deps,
): CatalogState {
  overlays.hasChanged()
  let current = loadSnapshot()
  return {
    snapshot: () => current,
    refresh(changed) {
      if (overlays.hasChanged()) current = loadSnapshot()
      else if (changed === 'packs') current = openSources(current.catalog, current.overlayErrors)
    },
  }

  function loadSnapshot(): CatalogSnapshot {
    const { contents: merged, errors } = applyOverlays(contents, overlays.readFiles())
    for (const { file, errors: messages } of errors) log.error('catalog_file_rejected', { file, errors: messages })
    if (merged.version === contents.version) return createSnapshot(merged, errors)
    try {
      return createSnapshot(merged, errors)
    } catch (error) {
      log.error('catalog_files_rejected', { error })
      return createSnapshot(contents, [...errors, { file: 'catalog.d', errors: [(error as Error).message] }])
    }
  }

  function createSnapshot(merged: CatalogContents, overlayErrors: OverlaidCatalog['errors']): CatalogSnapshot {
    const catalog = createCatalog(merged, fieldsMax)
    onCatalogOpened(catalog)
    return openSources(catalog, overlayErrors)
  }

  function openSources(catalog: Catalog, overlayErrors: OverlaidCatalog['errors']): CatalogSnapshot {
    const registry = buildRegistry(catalog)
    return { catalog, registry, plans: new FetchPlans(catalog, registry), overlayErrors }
  }
}
