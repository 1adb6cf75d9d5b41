import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { AppOptions } from '../app.ts'
import { createCatalog } from '../catalog/catalog.ts'
import { applyOverlays } from '../catalog/overlay.ts'
import { createOverlayFolder } from '../catalog/overlay-folder.ts'
import { packExpectationsOf } from '../catalog/pack-expectations.ts'
import { ConfigError, type Config } from '../config.ts'
import { mustBeOpenFolder } from '../store/read-only.ts'
import { StoreError } from '../store/store-error.ts'
import { clockFinding } from './doctor-clock.ts'
import { faulty, good, unusable, type Found } from './doctor-finding.ts'
import { folderFindings } from './doctor-folder.ts'
import { stateFinding } from './doctor-state.ts'
import { exits } from './exits.ts'
import { servedPacks } from './pack-target.ts'
import type { PackTools } from './pack-tools.ts'
import { packFaults } from './pack-verify.ts'

type Means = { config: Config; house(config: Config): Omit<AppOptions, 'config'>; now: Date; asksClock: boolean }

/**
 * `fieldstone doctor`: looks at everything of this machine that the service needs, changes nothing, and says of each fault what to do. Works while the
 * service runs. Exit code 0 when all is good, 1 when something is faulty, 78 when the service would not start.
 */
export async function doctorHere(means: Means, report: (found: Found[]) => void): Promise<number> {
  const found = await findings(means)
  report(found)
  const has = (status: Found['status']) => found.some((it) => it.status === status)
  return has('unusable') ? exits.config : has('faulty') ? exits.refused : exits.done
}

async function findings({ config, house, now, asksClock }: Means): Promise<Found[]> {
  const { data } = config
  if (!existsSync(data)) return [unusable('folder', `There is no folder ${data}: the first start makes it. Name another with --data if that is not what you meant.`)]
  const closed = closedFinding(data)
  if (closed !== null) return [closed]
  const own = [...folderFindings(config, now), stateFinding(data, now)]
  return [...own, ...(await catalogFindings(config, house)), ...(asksClock ? [await clockFinding(config)] : [])]
}

function closedFinding(data: string): Found | null {
  try {
    mustBeOpenFolder(data)
    return null
  } catch (error) {
    if (!(error instanceof StoreError)) throw error
    return unusable('folder', error.message)
  }
}

/** What the operator added: layers, and packs, against the catalog. */
async function catalogFindings(config: Config, house: Means['house']): Promise<Found[]> {
  const options = house(config)
  const { contents, errors } = applyOverlays(options.contents, createOverlayFolder(join(config.data, 'catalog.d')).readFiles())
  const catalog = createCatalog(contents)
  const tools: PackTools = { config, folder: config.packs, catalog, expected: packExpectationsOf(catalog), workers: options.workers, version: options.version, print: () => {}, complain: () => {} }
  const found: Found[] = errors.map(({ file, errors: wrong }) => faulty('layers', `${join(config.data, 'catalog.d', file)} is left out: ${wrong.join('; ')}. Correct it, or remove it.`))
  try {
    found.push(...(await packFindings(servedPacks(tools), tools)))
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    found.push(faulty('packs', error.message))
  }
  return found.length > 0 ? found : [good('packs', `There are no packs in ${config.packs}, and no added layers.`)]
}

async function packFindings(packs: { file: string }[], tools: PackTools): Promise<Found[]> {
  const found: Found[] = []
  for (const { file } of packs) {
    const wrong = await packFaults(join(tools.folder, file), tools)
    found.push(wrong.length === 0 ? good('packs', `${file} is good.`) : faulty('packs', `${file} does not match the catalog: ${wrong.join(' ')} Build or fetch it anew (\`fieldstone pack build\`, \`fieldstone pack fetch\`), or remove it.`))
  }
  return found
}

/** The lines that a person reads. */
export function linesOf(found: readonly Found[]): string[] {
  const wrong = found.filter(({ status }) => status !== 'good').length
  return [...found.map(({ check, status, says }) => `${status.padEnd(8)}  ${check.padEnd(8)}  ${says}`), wrong === 0 ? 'All is good.' : `Not good: ${wrong} of ${found.length}.`]
}
