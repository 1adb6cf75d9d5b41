import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { version as catalog } from '../../catalog/version.ts'
import { readEmbeddedInfo, type EmbeddedInfo } from '../packs/embedded-info.ts'
import { migrations } from '../store/migrations.ts'

/** What an executable was made of, as the build writes it into it; run from source, the commit is `unknown` and the target `source`. */
export type BuildInfo = { commit: string; target: string; embedded: EmbeddedInfo | null }

/** What `fieldstone version --json` says. */
export function versionInfo(version: string, { commit, target, embedded }: BuildInfo): Record<string, unknown> {
  return { version, commit, target, bun: Bun.version, catalog, schema: migrations.length, embedded }
}

/** What there is to say where nothing was built; the embedded data are null until they are made. */
export function sourceBuildInfo(root: string): BuildInfo {
  const file = join(root, 'dist', 'embedded.gpkg')
  return { commit: 'unknown', target: 'source', embedded: existsSync(file) ? readEmbeddedInfo(file) : null }
}
