import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { version as catalog } from '../../catalog/version.ts'
import { readEmbeddedInfo, type EmbeddedInfo } from '../packs/embedded-info.ts'
import { migrations } from '../store/sqlite/migrations.ts'

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
