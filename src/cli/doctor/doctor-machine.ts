import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { AppOptions } from '../../app.ts'
import { ConfigError, type Config } from '../../config.ts'
import { UpstreamError } from '../../model/error.ts'
import { openFileStorage, openStorageClient } from '../../storage/open-storage.ts'
import { packVersionsIn } from '../../storage/pack-versions.ts'
import { requireReadableFolder } from '../../store/sqlite/read-only.ts'
import { hasNodes, inspectDatabase, inspectNodes } from '../../app-database.ts'
import type { StoredNode } from '../../store/nodes.ts'
import type { DatabaseLocation } from '../../store/postgres/database-location.ts'
import { DatabaseUnreachableError, StoreError } from '../../store/storage-error.ts'
import { warnFinding, passFinding, failFinding, type DoctorFinding } from './doctor-finding.ts'
import { checkFolder } from './doctor-folder.ts'
import { checkState } from './doctor-state.ts'
import { exitCodes } from '../exit-codes.ts'
import { listServedPacks } from '../pack/pack-target.ts'
import { openPackDeps, type PackCommandDeps } from '../pack/pack-deps.ts'
import { findPackProblems } from '../pack/pack-verify.ts'
import { createMirror, noMirror } from '../../net/mirror.ts'

type Deps = { config: Config; appOptions(config: Config): Omit<AppOptions, 'config'>; now: Date; checksClock: boolean }

/**
 * `fieldstone doctor`: checks everything on this machine that the server needs, and reports a remedy for each problem.
 * Changes nothing and works while the server runs. Returns exit code 0 if all checks pass, 1 if one warns, 78 if the
 * server would not start.
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
        `The data folder ${data} does not exist. The first start creates it. Set --data to use another folder.`,
      ),
    ]
  const folderFinding = checkReadableFolder(data)
  if (folderFinding !== null) return [folderFinding]
  // The folder is checked first, because reading the state creates files beside `state.db`.
  const folderFindings = checkFolder(config, now)
  const stateFindings =
    config.database === null ? [await checkState(data, now)] : await checkDatabase(config.database, data)
  return [
    ...folderFindings,
    ...stateFindings,
    ...(await checkCatalog(config, appOptions)),
    ...(await checkPackStorage(config, appOptions(config).version)),
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

/** Connects to the PostgreSQL database, and compares the versions of the servers that use it. */
async function checkDatabase(database: DatabaseLocation, data: string): Promise<DoctorFinding[]> {
  try {
    const { version, damage } = await inspectDatabase(database)
    const isNew = version === 0 ? ' It is new; the first start creates the tables.' : ''
    const nodes = hasNodes(version) ? await inspectNodes({ data, database }) : []
    const state =
      damage.length === 0
        ? passFinding('state', `${database.address} answers.${isNew}`)
        : warnFinding('state', `${database.address}: ${damage.join(' ')} Run their locations again.`)
    return [state, ...checkNodeVersions(nodes)]
  } catch (error) {
    if (error instanceof StoreError || error instanceof DatabaseUnreachableError)
      return [failFinding('state', error.message)]
    throw error
  }
}

/** Servers of different versions work together only during an upgrade. */
function checkNodeVersions(nodes: readonly StoredNode[]): DoctorFinding[] {
  if (nodes.length === 0) return []
  const versions = [...new Set(nodes.map(({ version }) => version))].toSorted()
  return versions.length === 1
    ? [passFinding('nodes', `Server processes that use the database: ${nodes.length}, of version ${versions[0]}.`)]
    : [
        warnFinding(
          'nodes',
          `Server processes of different versions use the database: ${versions.join(', ')}. Finish the upgrade. \`fieldstone nodes\` lists them.`,
        ),
      ]
}

/** Checks the local layers and the packs against the catalog. */
async function checkCatalog(config: Config, appOptions: Deps['appOptions']): Promise<DoctorFinding[]> {
  const { deps, invalidLayers } = openPackDeps(config, appOptions(config), { print: () => {}, printError: () => {} })
  const findings: DoctorFinding[] = invalidLayers.map((text) =>
    warnFinding(
      'layers',
      `${text} Fix or remove it. See /guide/your-own-layers#mistakes-in-a-file on a running server.`,
    ),
  )
  try {
    findings.push(...(await checkPacks(listServedPacks(deps), deps)))
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    findings.push(warnFinding('packs', error.message))
  }
  return findings.length > 0 ? findings : [passFinding('packs', `No packs in ${config.packs}, and no local layers.`)]
}

async function checkPacks(packs: { file: string }[], deps: PackCommandDeps): Promise<DoctorFinding[]> {
  const findings: DoctorFinding[] = []
  for (const { file } of packs) {
    const problems = await findPackProblems(join(deps.folder, file), deps)
    findings.push(
      problems.length === 0
        ? passFinding('packs', `${file} is valid.`)
        : warnFinding(
            'packs',
            `${file} is not valid: ${problems.join(' ')} Rebuild it (\`fieldstone pack build\` or \`fieldstone pack fetch\`), or remove it.`,
          ),
    )
  }
  return findings
}

/** Lists the packs in storage, if the server reads them from there. */
async function checkPackStorage(config: Config, version: string): Promise<DoctorFinding[]> {
  const location = config.offline ? null : config.pack_storage
  if (location === null) return []
  const net = openStorageClient(location, { config, version, now: () => new Date() })
  try {
    const storage = openFileStorage(location, net)
    const packs = packVersionsIn(await storage.list({ signal: AbortSignal.timeout(storageDeadline_ms) }))
    return [
      packs.size > 0
        ? passFinding('storage', `${storage.location} has packs: ${packs.size}.`)
        : warnFinding('storage', `${storage.location} has no packs. Publish some with \`fieldstone pack publish\`.`),
    ]
  } catch (error) {
    if (!(error instanceof UpstreamError)) throw error
    return [warnFinding('storage', `The packs in storage cannot be listed: ${error.message}`)]
  } finally {
    net.close()
  }
}

const storageDeadline_ms = 30_000

/** Formats findings as text, one line each, and a summary line. */
export function formatFindings(findings: readonly DoctorFinding[]): string[] {
  const problemCount = findings.filter(({ status }) => status !== 'pass').length
  return [
    ...findings.map(({ check, status, message }) => `${status}  ${check.padEnd(12)}  ${message}`),
    problemCount === 0
      ? 'All checks passed. The publishers were not asked: `fieldstone doctor --live` asks them.'
      : `${problemCount} of ${findings.length} checks did not pass.`,
  ]
}

/** Hosts of the catalog whose Date header is used as the reference. */
const clockHosts = ['api.census.gov', 'hydro.nationalmap.gov', 'hazards.fema.gov']
const timeout_ms = 5000
/** A login code is valid for one minute. */
const maxSkew_s = 30

/** Compares the system clock with the Date header of a source. */
async function checkClock({ offline, mirror }: Config): Promise<DoctorFinding> {
  if (offline) return passFinding('clock', 'Not checked: FIELDSTONE_OFFLINE=1.')
  const upstream = mirror === null ? noMirror : createMirror(mirror, () => true)
  for (const host of clockHosts) {
    const skew_s = await measureSkew(upstream.rewrite(new URL(`https://${host}/`)))
    if (skew_s === null) continue
    const message = `The system clock is ${Math.abs(skew_s).toFixed(0)} s ${skew_s < 0 ? 'behind' : 'ahead of'} the clock of ${host}`
    return Math.abs(skew_s) <= maxSkew_s
      ? passFinding('clock', `${message}.`)
      : warnFinding(
          'clock',
          `${message}. Tokens, logins and run expiry depend on the clock. Set the clock and enable NTP.`,
        )
  }
  return warnFinding(
    'clock',
    `The system clock could not be checked: none of ${clockHosts.join(', ')} returned a Date header. Check the network. If the server has no network, set FIELDSTONE_OFFLINE=1.`,
  )
}

/**
 * Returns the skew in seconds, or null if the host gave no date. A Date header is truncated to seconds, 500 ms on
 * average.
 */
async function measureSkew(address: URL): Promise<number | null> {
  try {
    const sent_ms = Date.now()
    // The outbound client throws on error responses and drops their headers. Here, any response has a usable Date.
    const { headers } = await fetch(address, {
      method: 'HEAD',
      redirect: 'manual',
      decompress: false,
      signal: AbortSignal.timeout(timeout_ms),
    })
    const server_ms = Date.parse(headers.get('date') ?? '')
    return Number.isNaN(server_ms) ? null : ((sent_ms + Date.now()) / 2 - server_ms - 500) / 1000
  } catch {
    return null // the caller tries the next host
  }
}
