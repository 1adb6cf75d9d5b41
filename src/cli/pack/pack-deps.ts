import { join } from 'node:path'
import type { AppOptions } from '../../app.ts'
import { runToEnd } from '../../async/incremental-task.ts'
import { createCatalog, type Catalog } from '../../catalog/catalog.ts'
import { applyOverlays } from '../../catalog/overlay.ts'
import { createOverlayFolder } from '../../catalog/overlay-folder.ts'
import { packExpectationsOf } from '../../catalog/pack-expectations.ts'
import type { Config } from '../../config.ts'
import type { PackFetchEvent } from '../../pack-plans/pack-fetches.ts'
import { openCounties, type Counties } from '../../pack-plans/counties.ts'
import { openEmbeddedData } from '../../packs/embedded/embedded-data.ts'

/**
 * The dependencies of the pack commands. `folder` is the pack folder. `options` opens an app that answers the fields of
 * the operator's layers too.
 */
export type PackCommandDeps = {
  options: Omit<AppOptions, 'config'>
  config: Config
  folder: string
  catalog: Catalog
  expected: ReturnType<typeof packExpectationsOf>
  workers: AppOptions['workers']
  counties: () => Counties
  version: string
  print(line: string): void
  /** Receives what `pack fetch` does, with --json. */
  report?: (event: PackFetchEvent) => void
  printError(line: string): void
}

/** The flags of the command line by name. */
export type PackFlags = { readonly [name: string]: string | boolean | undefined }

/** Opens what the pack commands need. `invalidLayers` says what is wrong with the local layers that are ignored. */
export function openPackDeps(
  config: Config,
  options: Omit<AppOptions, 'config'>,
  output: Pick<PackCommandDeps, 'print' | 'printError'>,
): { deps: PackCommandDeps; invalidLayers: string[] } {
  const layerFolder = join(config.data, 'catalog.d')
  const { contents, errors } = runToEnd(applyOverlays(options.contents, createOverlayFolder(layerFolder).readFiles()))
  const catalog = createCatalog(contents)
  const deps: PackCommandDeps = {
    options: { ...options, contents },
    config,
    folder: config.packs,
    catalog,
    expected: packExpectationsOf(catalog),
    workers: options.workers,
    counties: () => openCounties(openEmbeddedData(options.embedded)),
    version: options.version,
    ...output,
  }
  const invalidLayers = errors.map(
    ({ file, errors: reasons }) => `${join(layerFolder, file)} is invalid and ignored: ${reasons.join('; ')}.`,
  )
  return { deps, invalidLayers }
}
