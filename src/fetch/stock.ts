import { openCatalog, type Catalog } from '../catalog/catalog.ts'
import type { Contents } from '../catalog/entry.ts'
import { overlaid, type Overlaid } from '../catalog/overlay.ts'
import type { Overlays } from '../catalog/overlays.ts'
import type { Log } from '../log.ts'
import type { Library } from './library.ts'

/** The catalog and its library as they are now: the catalog that is built in, and the layers that an operator has added; the sources and packs that are at hand. */
export type Stock = { catalog: Catalog; library: Library; faults: Overlaid['faults'] }

/** `now` is one object as long as nothing changes. `look` puts in what has come and takes out what has gone: files of added layers, and packs when they have changed. */
export type Stocktaking = { now(): Stock; look(changed?: 'packs'): void }

/** `opened` is told of each catalog before it is shelved. */
type Hands = { shelve: (catalog: Catalog) => Library; opened: (catalog: Catalog) => void; log: Log }

/** A fault in a file is logged, and the file is left out; where that is seen only when the layers are opened, all files are. */
export function openStock(contents: Contents, overlays: Overlays, { shelve, opened, log }: Hands): Stocktaking {
  overlays.changed()
  let stock = taken()
  return {
    now: () => stock,
    look(changed) {
      if (overlays.changed()) stock = taken()
      else if (changed === 'packs') stock = { ...stock, library: shelve(stock.catalog) }
    },
  }

  function taken(): Stock {
    const { contents: all, faults } = overlaid(contents, overlays.files())
    for (const { file, faults: wrong } of faults) log.error('catalog_file_refused', { file, faults: wrong })
    if (all.version === contents.version) return shelved(all, faults)
    try {
      return shelved(all, faults)
    } catch (error) {
      log.error('catalog_files_refused', { error })
      return shelved(contents, [...faults, { file: 'catalog.d', faults: [(error as Error).message] }])
    }
  }

  function shelved(all: Contents, faults: Overlaid['faults']): Stock {
    const catalog = openCatalog(all)
    opened(catalog)
    return { catalog, library: shelve(catalog), faults }
  }
}
