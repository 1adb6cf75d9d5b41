import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { version as catalog } from '../../catalog/version.ts'
import { mapFile } from '../packs/embedded/embedded-data.ts'
import type { EmbeddedLayout } from '../packs/embedded/embedded-layout.ts'
import { decodeLayout } from '../packs/embedded/layout-file.ts'
import { migrations } from '../store/migrations.ts'

/**
 * Build details, which the build writes into the executable. From source, the commit is `unknown` and the target is
 * `source`.
 */
export type BuildInfo = { commit: string; target: string; embedded: EmbeddedInfo | null }

/** Returns the output of `fieldstone version --json`. */
export function versionInfo(version: string, { commit, target, embedded }: BuildInfo): Record<string, unknown> {
  return { version, commit, target, bun: Bun.version, catalog, schema: migrations.length, embedded }
}

/** Build details when running from source. `embedded` is null until the embedded data is built. */
export function sourceBuildInfo(root: string): BuildInfo {
  const file = join(root, 'dist', 'embedded.bin')
  return { commit: 'unknown', target: 'source', embedded: existsSync(file) ? readEmbeddedInfo(file) : null }
}

/** The SHA-256 of the embedded file, and the vintage of each layer. */
type EmbeddedInfo = { sha256: string; vintages: Record<string, string> }

/** Reads the file of embedded data. */
export function readEmbeddedInfo(file: string): EmbeddedInfo {
  const bytes = mapFile(file)
  const { manifest } = decodeLayout<EmbeddedLayout>(bytes)
  const sorted = manifest.toSorted((a, b) => (a.layer < b.layer ? -1 : 1))
  return {
    sha256: new Bun.CryptoHasher('sha256').update(bytes).digest('hex'),
    vintages: Object.fromEntries(sorted.map(({ layer, vintage }) => [layer, vintage])),
  }
}
