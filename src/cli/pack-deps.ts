import type { AppOptions } from '../app.ts'
import type { Catalog } from '../catalog/catalog.ts'
import type { packExpectationsOf } from '../catalog/pack-expectations.ts'
import type { Config } from '../config.ts'

/** What the commands of packs are given: the folder of packs, the catalog, and the ways to say something. */
export type PackCommandDeps = {
  config: Config
  folder: string
  catalog: Catalog
  expected: ReturnType<typeof packExpectationsOf>
  workers: AppOptions['workers']
  version: string
  print(line: string): void
  printError(line: string): void
}

/** The flags of the command line, by their names. */
export type PackFlags = { readonly [name: string]: string | boolean | undefined }
