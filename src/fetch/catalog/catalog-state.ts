import { createIncrementalTask, createYieldToEventLoop, type TaskSteps } from '../../async/incremental-task.ts'
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
  /**
   * Begins to apply changes of the overlay files, in steps between requests, and at once those of the packs when the
   * caller says that they changed.
   */
  refresh(changed?: 'packs'): void
}

/** After 5 ms of work on a new catalog, requests have their turn. Its index is made in one step, which takes longer. */
const yieldToEventLoop = createYieldToEventLoop(5)

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
  let loading = createIncrementalTask(loadSnapshot, yieldToEventLoop)
  let current = loading.runSync()
  return {
    snapshot: () => current,
    refresh(changed) {
      if (changed === 'packs') current = openSources(current.catalog, current.overlayErrors)
      if (!loading.isDone() || !overlays.hasChanged()) return
      loading = createIncrementalTask(loadSnapshot, yieldToEventLoop)
      void loading.run().then((loaded) => void (current = loaded))
    },
  }

  function* loadSnapshot(): TaskSteps<CatalogSnapshot> {
    const { contents: merged, errors } = yield* applyOverlays(contents, overlays.readFiles())
    for (const { file, errors: messages } of errors) log.error('catalog_file_rejected', { file, errors: messages })
    if (merged.version === contents.version) return yield* createSnapshot(merged, errors)
    try {
      return yield* createSnapshot(merged, errors)
    } catch (error) {
      log.error('catalog_files_rejected', { error })
      return yield* createSnapshot(contents, [...errors, { file: 'catalog.d', errors: [(error as Error).message] }])
    }
  }

  function* createSnapshot(
    merged: CatalogContents,
    overlayErrors: OverlaidCatalog['errors'],
  ): TaskSteps<CatalogSnapshot> {
    const catalog = createCatalog(merged, fieldsMax)
    yield
    onCatalogOpened(catalog)
    return openSources(catalog, overlayErrors)
  }

  function openSources(catalog: Catalog, overlayErrors: OverlaidCatalog['errors']): CatalogSnapshot {
    const registry = buildRegistry(catalog)
    return { catalog, registry, plans: new FetchPlans(catalog, registry), overlayErrors }
  }
}
