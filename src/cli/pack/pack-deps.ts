import type { AppOptions } from '../../app.ts'
import type { Catalog } from '../../catalog/catalog.ts'
import type { packExpectationsOf } from '../../catalog/pack-expectations.ts'
import type { Config } from '../../config.ts'
import type { PackFetchEvent } from '../../harvest/pack-fetches.ts'
import type { Counties } from '../../harvest/counties.ts'

/** The dependencies of the pack commands. `folder` is the pack folder. */
export type PackCommandDeps = {
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
