import type { AppOptions } from '../../app.ts'
import type { Config } from '../../config.ts'
import { commandPages } from '../command-pages.ts'
import type { CommandFlags } from '../command-args.ts'
import { checkMachine, formatFindings } from './doctor-machine.ts'
import { checkCanaries, checkSources, formatCanaries, formatSourceChecks } from './doctor-sources.ts'
import { recoverCommand } from './doctor-state.ts'
import { nearestName } from '../../model/nearest-name.ts'
import { UsageError } from '../usage-error.ts'
import { requireFolderState } from '../server/writable-state.ts'

type Deps = { appOptions(config: Config): Omit<AppOptions, 'config'>; print(line: string): void }

/** `fieldstone doctor`: checks the machine or the sources, or recovers the database. Returns the exit code. */
export async function doctorCommand(
  names: string[],
  { live, canaries, json, recover, clock, record }: CommandFlags,
  config: Config,
  { print, appOptions }: Deps,
): Promise<number> {
  const asksSources = live === true || canaries === true
  if (!asksSources && names.length > 0)
    throw new UsageError(
      '`fieldstone doctor` takes dataset names only with --live and --canaries. Usage: `fieldstone doctor --live [<dataset> …]`.',
    )
  const modes = [live, canaries, recover, clock].filter((it) => it === true).length
  if (modes > 1 || (recover && json) || (record && !asksSources))
    throw new UsageError(
      `These flags cannot be combined. Usage: ${commandPages.doctor.usage.map((it) => `\`fieldstone ${it}\``).join(' or ')}.`,
    )
  if (recover) requireFolderState(config)
  if (recover) return recoverCommand(config.data, new Date(), print)
  if (!asksSources)
    return checkMachine({ config, appOptions, now: new Date(), checksClock: clock === true }, (findings) =>
      (json ? [JSON.stringify(findings)] : formatFindings(findings)).forEach(print),
    )
  const unknown = names.filter((name) => !Object.hasOwn(appOptions(config).contents.datasets, name))
  if (unknown.length > 0)
    throw new UsageError(unknownDatasetsMessage(unknown, Object.keys(appOptions(config).contents.datasets)))
  const folder = typeof record === 'string' ? record : null
  if (canaries)
    return checkCanaries({ config, ...appOptions(config) }, { names, record: folder }, (checks) =>
      (json ? [JSON.stringify(checks)] : formatCanaries(checks)).forEach(print),
    )
  return checkSources({ config, ...appOptions(config) }, { names, record: folder }, (checks) =>
    (json ? [JSON.stringify(checks)] : formatSourceChecks(checks)).forEach(print),
  )
}

function unknownDatasetsMessage(unknown: string[], datasets: string[]): string {
  const nearest = nearestName(unknown[0]!, datasets)
  const advice = nearest === null ? '' : ` Did you mean ${nearest}?`
  return `Unknown dataset ${unknown.join(', ')}.${advice} \`fieldstone doctor --live\` checks all datasets.`
}
