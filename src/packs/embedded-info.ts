import { mapFile } from './embedded-data.ts'
import type { EmbeddedLayout } from './embedded-layout.ts'
import { decodeLayout } from './layout-file.ts'

/** The SHA-256 of the embedded file, and the vintage of each layer. */
export type EmbeddedInfo = { sha256: string; vintages: Record<string, string> }

export function readEmbeddedInfo(file: string): EmbeddedInfo {
  const bytes = mapFile(file)
  const { manifest } = decodeLayout<EmbeddedLayout>(bytes)
  const sorted = manifest.toSorted((a, b) => (a.layer < b.layer ? -1 : 1))
  return {
    sha256: new Bun.CryptoHasher('sha256').update(bytes).digest('hex'),
    vintages: Object.fromEntries(sorted.map(({ layer, vintage }) => [layer, vintage])),
  }
}
