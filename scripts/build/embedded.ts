import { mapFile } from '../../src/packs/embedded/embedded-data.ts'
import type { EmbeddedLayerInfo, EmbeddedLayout } from '../../src/packs/embedded/embedded-layout.ts'
import { decodeLayout } from '../../src/packs/embedded/layout-file.ts'

/** A layer of the embedded data, from its manifest. */
export type EmbeddedLayer = Omit<EmbeddedLayerInfo, 'packages' | 'features'> & {
  packages: { name: string; version: string; file: string; sha256: string }[]
}

/** Returns the layers of the file of embedded data, ordered by name. */
export function embeddedLayers(file: string): EmbeddedLayer[] {
  return decodeLayout<EmbeddedLayout>(mapFile(file))
    .manifest.map(({ packages, ...info }) => ({
      ...info,
      packages: JSON.parse(packages) as EmbeddedLayer['packages'],
    }))
    .toSorted((a, b) => (a.layer < b.layer ? -1 : 1))
}
