import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { AppOptions } from '../app.ts'
import { createCatalog } from '../catalog/catalog.ts'
import { applyOverlays } from '../catalog/overlay.ts'
import { createOverlayFolder } from '../catalog/overlay-folder.ts'
import { packExpectationsOf } from '../catalog/pack-expectations.ts'
import { ConfigError, type Config } from '../config.ts'
import { requireReadableFolder } from '../store/read-only.ts'
import { StoreError } from '../store/store-error.ts'
import { checkClock } from './doctor-clock.ts'
import { warnFinding, passFinding, failFinding, type DoctorFinding } from './doctor-finding.ts'
import { checkFolder } from './doctor-folder.ts'
import { checkState } from './doctor-state.ts'
import { exitCodes } from './exit-codes.ts'
import { listServedPacks } from './pack-target.ts'
import type { PackCommandDeps } from './pack-deps.ts'
import { findPackProblems } from './pack-verify.ts'

type Deps = { config: Config; appOptions(config: Config): Omit<AppOptions, 'config'>; now: Date; checksClock: boolean }

/**
 * `fieldstone doctor`: looks at everything of this machine that the service needs, changes nothing, and says of each fault what to do. Works while the
 * service runs. Exit code 0 when all is good, 1 when something is faulty, 78 when the service would not start.
 */
export async function checkMachine(deps: Deps, report: (findings: DoctorFinding[]) => void): Promise<number> {
  const findings = await runChecks(deps)
  report(findings)
  const hasStatus = (status: DoctorFinding['status']) => findings.some((it) => it.status === status)
  return hasStatus('fail') ? exitCodes.config : hasStatus('warn') ? exitCodes.failure : exitCodes.ok
}

async function runChecks({ config, appOptions, now, checksClock }: Deps): Promise<DoctorFinding[]> {
  const { data } = config
  if (!existsSync(data))
    return [
      failFinding(
        'folder',
        `There is no folder ${data}: the first start makes it. Name another with --data if that is not what you meant.`,
      ),
    ]
  const folderFinding = checkReadableFolder(data)
  if (folderFinding !== null) return [folderFinding]
  const localFindings = [...checkFolder(config, now), checkState(data, now)]
  return [
    ...localFindings,
    ...(await checkCatalog(config, appOptions)),
    ...(checksClock ? [await checkClock(config)] : []),
  ]
}

function checkReadableFolder(data: string): DoctorFinding | null {
  try {
    requireReadableFolder(data)
    return null
  } catch (error) {
    if (!(error instanceof StoreError)) throw error
    return failFinding('folder', error.message)
  }
}

/** What the operator added: layers, and packs, against the catalog. */
async function checkCatalog(config: Config, appOptions: Deps['appOptions']): Promise<DoctorFinding[]> {
  const options = appOptions(config)
  const { contents, errors } = applyOverlays(
    options.contents,
    createOverlayFolder(join(config.data, 'catalog.d')).readFiles(),
  )
  const catalog = createCatalog(contents)
  const packDeps: PackCommandDeps = {
    config,
    folder: config.packs,
    catalog,
    expected: packExpectationsOf(catalog),
    workers: options.workers,
    version: options.version,
    print: () => {},
    printError: () => {},
  }
  const findings: DoctorFinding[] = errors.map(({ file, errors: reasons }) =>
    warnFinding(
      'layers',
      `${join(config.data, 'catalog.d', file)} is left out: ${reasons.join('; ')}. Correct it, or remove it.`,
    ),
  )
  try {
    findings.push(...(await checkPacks(listServedPacks(packDeps), packDeps)))
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    findings.push(warnFinding('packs', error.message))
  }
  return findings.length > 0
    ? findings
    : [passFinding('packs', `There are no packs in ${config.packs}, and no added layers.`)]
}

async function checkPacks(packs: { file: string }[], deps: PackCommandDeps): Promise<DoctorFinding[]> {
  const findings: DoctorFinding[] = []
  for (const { file } of packs) {
    const problems = await findPackProblems(join(deps.folder, file), deps)
    findings.push(
      problems.length === 0
        ? passFinding('packs', `${file} is good.`)
        : warnFinding(
            'packs',
            `${file} does not match the catalog: ${problems.join(' ')} Build or fetch it anew (\`fieldstone pack build\`, \`fieldstone pack fetch\`), or remove it.`,
          ),
    )
  }
  return findings
}

/** The lines that a person reads. */
export function formatFindings(findings: readonly DoctorFinding[]): string[] {
  const problemCount = findings.filter(({ status }) => status !== 'pass').length
  return [
    ...findings.map(({ check, status, message }) => `${status.padEnd(8)}  ${check.padEnd(8)}  ${message}`),
    problemCount === 0 ? 'All is good.' : `Not good: ${problemCount} of ${findings.length}.`,
  ]
}
