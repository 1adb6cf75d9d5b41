import { readdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { AppOptions } from '../../app.ts'
import { writeArchive } from '../../backup/tar.ts'
import { askCanary, type CanaryCheck } from './doctor-canaries.ts'
import { openRecordingMirror } from './recording-mirror.ts'
import { withTemporaryApp } from '../server/temporary-app.ts'

/** The answer of a canary of a dataset. */
export type DatasetCanary = CanaryCheck & { dataset: string }

/**
 * Asks the canaries of datasets, each in an app of its own without any cache, and writes what they asked and answered to
 * a folder: the requests and responses, `canaries.json` with every result, and all of it in one file, `<folder>.tar`.
 * Nothing in it names the operator.
 */
export async function recordCanaries(
  options: AppOptions,
  datasets: readonly string[],
  folder: string,
): Promise<DatasetCanary[]> {
  const mirror = openRecordingMirror(folder, options.config.mirror)
  const throughMirror = { ...options, config: { ...options.config, mirror: mirror.url } }
  const checks: DatasetCanary[] = []
  try {
    for (const dataset of datasets)
      for (const canary of options.contents.canaries[dataset] ?? []) {
        const check = await withTemporaryApp(throughMirror, (app) =>
          askCanary(
            canary,
            [...app.registry.datasets()].find((handle) => handle.id === dataset)!,
            app,
          ),
        )
        checks.push({ dataset, ...check })
        mirror.write(dataset, canary, check)
      }
  } finally {
    await mirror.close()
  }
  const now = new Date()
  const summary = { version: options.version, recorded: now.toISOString().slice(0, 10), canaries: checks }
  writeFileSync(join(folder, 'canaries.json'), `${JSON.stringify(summary, null, 1)}\n`)
  writeArchive(`${folder.replace(/\/+$/, '')}.tar`, archivePartsOf(folder), now)
  return checks
}

function archivePartsOf(folder: string): { name: string; bytes: number; path: string }[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .toSorted()
    .map((path) => ({ name: path.slice(join(folder, '/').length), bytes: statSync(path).size, path }))
}
